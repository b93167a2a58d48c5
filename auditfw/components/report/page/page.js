
(() => {
  const ROW = 46, AROUND = 8, WAIT = 120;
  const BARE = /^(|yes|no|none|true|false|–|[-+]?[\d.,]+)$/i;
  const root = document.documentElement;

  function make(tag, name, ...inside) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.append(...inside);
    return made;
  }

  function button(text, act, name = "") {
    const made = make("button", name, text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }

  // Light, dark, or what the system says

  function theme() {
    const held = document.querySelector(".theme");
    const words = ["auto", "light", "dark"];
    let at = 0;
    const show = () => {
      held.textContent = `Theme: ${words[at]}`;
      if (at) root.dataset.theme = words[at];
      else delete root.dataset.theme;
    };
    held.addEventListener("click", () => { at = (at + 1) % words.length; show(); });
    held.hidden = false;
    show();
  }

  // The part that is read now, in the contents

  function contents() {
    const links = new Map([...document.querySelectorAll(".contents a")].map((a) => [a.hash.slice(1), a]));
    const seen = new Set();
    const watch = new IntersectionObserver((changes) => {
      for (const one of changes) one.isIntersecting ? seen.add(one.target.id) : seen.delete(one.target.id);
      const first = [...links.keys()].find((id) => seen.has(id));
      for (const [id, a] of links) id === first ? a.setAttribute("aria-current", "true") : a.removeAttribute("aria-current");
    }, { rootMargin: "0px 0px -60% 0px" });
    for (const part of document.querySelectorAll("main section")) watch.observe(part);
    if (matchMedia("(max-width: 900px)").matches) document.querySelector(".contents").open = false;
  }

  // A gallery: its data is parsed chunk by chunk, when it is needed

  class Gallery {
    constructor(place) {
      this.place = place;
      this.number = place.dataset.gallery;
      this.index = this.parse("");
      this.items = this.index.items;
      this.chunks = this.index.chunks.map(() => null);
      this.words = [];
      this.wanted = this.index.facets.map((names) => names.map(() => ""));
      this.query = "";
      this.found = this.items.map((_, n) => n);
      this.at = 0;
      this.unlit = new Set();
      this.mine = decisionsOf(this, make, button);
      this.build();
    }

    parse(end) {
      return JSON.parse(document.getElementById(`gallery-${this.number}${end}`).textContent);
    }

    exhibit(n) {
      const starts = this.index.chunks;
      let low = 0, high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (starts[middle] <= n) low = middle;
        else high = middle - 1;
      }
      this.chunks[low] ??= this.parse(`-${low}`);
      return this.chunks[low][n - starts[low]];
    }

    // Finding

    tags(n, group) { return (this.items[n][group + 1] ?? []).map((v) => this.index.values[group][v]); }

    // A value in words: of one that says little by itself, a number or a yes, with the name of its facet

    called(group, values) {
      const names = this.index.facets[group];
      return names.length === 1 && BARE.test(values[0]) ? `${names[0]} ${values[0] || "(empty)"}` : values.join(": ");
    }

    fits(n, group, wanted) {
      if (wanted.every((word) => word === "")) return true;
      return this.tags(n, group).some((values) => wanted.every((word, i) => word === "" || values[i] === word));
    }

    holds(n) {
      if (this.mine && !this.mine.fits(n)) return false;
      if (!this.query) return true;
      if (this.words[n] === undefined) {
        const one = this.exhibit(n);
        const plain = (pieces) => pieces.map((piece) => (typeof piece === "string" ? piece : piece[0])).join("");
        const texts = one.texts.flatMap((text) => [text.label, plain(text.head), plain(text.tail)]);
        this.words[n] = [this.items[n][0], ...one.facts.flat(), ...texts].join("\n").toLowerCase();
      }
      return this.words[n].includes(this.query);
    }

    find() {
      const groups = this.wanted.map((wanted, group) => [wanted, group]).filter(([wanted]) => wanted.some((word) => word));
      const kept = this.found[this.at];
      this.found = [];
      for (let n = 0; n < this.items.length; n++) {
        if (groups.every(([wanted, group]) => this.fits(n, group, wanted)) && this.holds(n)) this.found.push(n);
      }
      this.at = Math.max(0, this.found.indexOf(kept));
      this.count();
      this.choices();
      this.list.scrollTop = Math.max(0, this.at * ROW - 2 * ROW);
      this.draw();
      this.open(this.at);
    }

    count() {
      const all = this.items.length;
      this.place.querySelector(".found").textContent = `${this.found.length.toLocaleString("en")} of ${all.toLocaleString("en")} shown. `;
    }

    // How many each value of a facet would leave, the other facets as they are

    choices() {
      this.selects.forEach((row, group) => row.forEach((select, i) => {
        const counts = new Map();
        const without = this.wanted[group].map((word, j) => (j === i ? "" : word));
        let all = 0;
        for (let n = 0; n < this.items.length; n++) {
          const others = this.wanted.every((wanted, other) => other === group || this.fits(n, other, wanted));
          if (!others || !this.holds(n)) continue;
          const here = this.tags(n, group).filter((values) => without.every((word, j) => word === "" || values[j] === word));
          all += here.length || without.every((word) => word === "") ? 1 : 0;
          for (const word of new Set(here.map((values) => values[i]))) counts.set(word, (counts.get(word) ?? 0) + 1);
        }
        for (const option of select.options) {
          const n = option.value === "" ? all : counts.get(option.dataset.word) ?? 0;
          option.textContent = `${option.value === "" ? "any" : option.dataset.word || "(empty)"} (${n.toLocaleString("en")})`;
        }
      }));
    }

    // Building

    build() {
      const browser = make("div", "browser");
      const controls = make("div", "controls");
      this.selects = this.index.facets.map((names, group) => names.map((name, i) => this.facet(name, group, i)));
      controls.append(...this.selects.flat().map((select) => select.parentElement), ...(this.mine ? [this.mine.filter] : []));
      controls.append(this.searching(), button("Clear", () => this.clear()));
      this.list = make("div", "list");
      this.list.tabIndex = 0;
      this.list.setAttribute("role", "listbox");
      this.list.setAttribute("aria-label", `${this.index.of} in this file`);
      this.rows = make("div", "rows");
      this.list.append(this.rows);
      this.list.addEventListener("scroll", () => this.draw(), { passive: true });
      this.list.addEventListener("keydown", (event) => this.arrows(event));
      this.shown = make("div", "shown");
      browser.append(this.list, this.shown);
      this.place.querySelector(".first")?.remove();
      this.place.append(controls, ...(this.mine?.parts ?? []), browser);
      this.at = this.mine?.first() ?? 0;
      this.find();
    }

    facet(name, group, i) {
      const select = make("select");
      const words = [...new Set(this.index.values[group].map((values) => values[i]))];
      select.append(make("option"));
      select.options[0].value = "";
      words.forEach((word, n) => {
        const option = make("option");
        option.value = String(n + 1);
        option.dataset.word = word;
        select.append(option);
      });
      select.addEventListener("change", () => {
        this.wanted[group][i] = select.selectedOptions[0].dataset.word ?? "";
        this.light();
        this.find();
      });
      make("label", "", name, select);
      return select;
    }

    searching() {
      this.search = make("input");
      this.search.type = "search";
      let timer = 0;
      this.search.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(() => { this.query = this.search.value.trim().toLowerCase(); this.find(); }, WAIT);
      });
      return make("label", "", "search", this.search);
    }

    clear() {
      for (const select of this.selects.flat()) select.value = "";
      for (const wanted of this.wanted) wanted.fill("");
      this.search.value = this.query = "";
      if (this.mine) this.mine.choice.value = this.mine.wanted = "";
      this.unlit.clear();
      this.find();
    }

    // A facet that names a parser, or a reading by it, lights that parser's region alone

    light() {
      const words = this.wanted.flat().filter((word) => word);
      const meant = this.index.names.map(([name]) => words.some((word) => word === name || word.startsWith(`${name}+`)));
      this.unlit.clear();
      if (meant.includes(true)) {
        this.index.names.forEach(([, shade], n) => { if (!meant[n] && shade !== "truth") this.unlit.add(n); });
      }
    }

    // The list: only the rows in sight are there

    draw() {
      this.rows.style.height = `${this.found.length * ROW}px`;
      const first = Math.max(0, Math.floor(this.list.scrollTop / ROW) - AROUND);
      const last = Math.min(this.found.length, Math.ceil((this.list.scrollTop + this.list.clientHeight) / ROW) + AROUND);
      const made = [];
      for (let at = first; at < last; at++) made.push(this.row(at));
      if (!this.found.length) made.push(make("p", "no-match", "No example matches these filters."));
      this.rows.replaceChildren(...made);
      const active = this.rows.querySelector('[aria-selected="true"]');
      active ? this.list.setAttribute("aria-activedescendant", active.id) : this.list.removeAttribute("aria-activedescendant");
    }

    row(at) {
      const n = this.found[at];
      const firsts = this.index.facets.map((_, group) => [group, this.tags(n, group)[0] ?? []]);
      const words = firsts.filter(([, values]) => values.some((word) => word)).map(([group, values]) => this.called(group, values));
      const mine = this.mine?.word(n) ? [make("i", "", this.mine.word(n)), " "] : [];
      const row = make("div", "option", make("b", "", ...mine, this.items[n][0]), make("span", "", words.join(" · ")));
      row.id = `gallery-${this.number}-option-${at}`;
      row.style.top = `${at * ROW}px`;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(at === this.at));
      row.setAttribute("aria-setsize", String(this.found.length));
      row.setAttribute("aria-posinset", String(at + 1));
      row.addEventListener("click", () => this.go(at));
      return row;
    }

    go(at) {
      if (!this.found.length) return;
      this.at = Math.min(this.found.length - 1, Math.max(0, at));
      const top = this.at * ROW;
      if (top < this.list.scrollTop) this.list.scrollTop = top;
      else if (top + ROW > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = top + ROW - this.list.clientHeight;
      this.draw();
      this.open(this.at);
    }

    // The beginning of what is shown is brought into sight where it is above

    top() {
      const above = this.shown.getBoundingClientRect().top - (this.mine?.bar.offsetHeight ?? 0);
      if (above < 0) scrollBy(0, above);
    }

    arrows(event) {
      const page = Math.max(1, Math.floor(this.list.clientHeight / ROW) - 1);
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
      if (!(event.key in steps)) return;
      event.preventDefault();
      this.go(this.at + steps[event.key]);
    }

    // One exhibit

    open(at) {
      this.shown.replaceChildren();
      this.mine?.show(this.found[at]);
      if (!this.found.length) return;
      const n = this.found[at];
      const one = this.exhibit(n);
      const before = button("Previous", () => this.go(this.at - 1));
      const after = button("Next", () => this.go(this.at + 1));
      before.disabled = at === 0;
      after.disabled = at === this.found.length - 1;
      const place = make("span", "quiet", `${(at + 1).toLocaleString("en")} of ${this.found.length.toLocaleString("en")}`);
      this.shown.append(make("div", "steer", make("h3", "", this.items[n][0]), place, before, after));
      const chips = make("ul", "chips");
      const known = new Map(one.facts);
      this.index.facets.forEach((names, group) => {
        const told = this.tags(n, group).filter((values) => names.length > 1 || !known.get(names[0])?.startsWith(values[0]));
        for (const values of told) chips.append(make("li", "", this.called(group, values)));
      });
      this.shown.append(chips, this.facts(one), this.legend(at));
      for (const text of one.texts) this.shown.append(...this.text(text));
      for (const row of examples(one.grids ?? [])) this.shown.append(make("div", "grids", ...row.map(grid)));
      this.shown.append(this.hint());
      this.shown.querySelectorAll(".text").forEach((box) => { reach(box); bringMark(box); });
    }

    hint() {
      const own = [["r", "right"], ["w", "wrong"], ["c", "cannot tell"], ["n", "note"], ["s", "save"], ["?", "keys"]];
      const every = [["j", "→", "next"], ["p", "k", "u", "←", "back"], ["/", "search"], ...(this.index.keys ? own : [])];
      const shown = ([...keys]) => [keys.pop(), keys.flatMap((key) => [make("kbd", "", key), " "])];
      return make("p", "hint", ...every.map(shown).map(([what, keys]) => make("span", "", ...keys, what)));
    }

    facts(one) {
      const list = make("dl", "facts");
      for (const [name, value] of one.facts) {
        const said = value.trim() ? value : make("span", "quiet", "empty");
        list.append(make("div", "", make("dt", "", name), make("dd", "", said)));
      }
      return list;
    }

    legend(at) {
      const held = make("div", "legend");
      this.index.names.forEach(([name, shade], n) => {
        const one = button(name, () => {
          this.unlit.has(n) ? this.unlit.delete(n) : this.unlit.add(n);
          this.open(at);
          this.shown.querySelectorAll(".lit")[n].focus();
        }, `lit ${shade}`);
        one.setAttribute("aria-pressed", String(!this.unlit.has(n)));
        held.append(one);
      });
      return held;
    }

    text(one) {
      const label = make("p", "label", one.label);
      if (one.place) label.append(" ", make("span", "quiet", one.place));
      if (one.whole.length) {
        const by = one.whole.flatMap((n) => [" ", make("mark", this.index.names[n][1], this.index.names[n][0])]);
        label.append(" ", make("span", "whole", "whole text:", ...by));
      }
      const held = make("div", "text", ...one.head.map((piece) => this.piece(piece)));
      held.setAttribute("role", "group");
      held.setAttribute("aria-label", one.label);
      if (one.omitted) {
        const gap = [`${one.omitted.toLocaleString("en")} characters omitted`, ...one.across];
        held.append(make("span", "gap", this.piece(gap)));
      }
      held.append(...one.tail.map((piece) => this.piece(piece)));
      if (!one.head.length && !one.tail.length && !one.omitted) held.append(make("span", "quiet", "empty"));
      return [label, held];
    }

    piece(piece) {
      if (typeof piece === "string") return piece;
      const [text, ...marks] = piece;
      let held = document.createTextNode(text);
      for (const mark of marks.filter((n) => !this.unlit.has(n)).reverse()) {
        const [name, shade] = this.index.names[mark];
        held = make("mark", shade, held);
        held.title = name;
      }
      return held;
    }
  }

  // A text longer than its box can be scrolled by the keyboard

  function reach(box) {
    if (box.scrollHeight > box.clientHeight) box.tabIndex = 0;
  }

  // A text longer than its box shows the first region that a parser kept

  function bringMark(box) {
    const mark = box.querySelector("mark:not(.truth)");
    if (mark) box.scrollTop = mark.getBoundingClientRect().top - box.getBoundingClientRect().top - 48;
  }

  function drawn(tag, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  // The grids of one example, "train 1: input" and "train 1: got", in a row

  function examples(grids) {
    const rows = new Map();
    for (const one of grids) {
      const name = one[0].split(":")[0];
      rows.set(name, [...(rows.get(name) ?? []), one]);
    }
    return rows.values();
  }

  function grid([title, rows, differs]) {
    const wide = Math.max(0, ...rows.map((row) => row.length));
    const paths = new Map();
    rows.forEach((row, y) => row.forEach((value, x) => {
      const name = value >= 0 && value <= 9 ? `a${value}` : "ax";
      paths.set(name, `${paths.get(name) ?? ""}M${x} ${y}h1v1h-1z`);
    }));
    const label = `${title}, ${rows.length} by ${wide} cells`;
    const box = `-0.05 -0.05 ${wide + 0.1} ${rows.length + 0.1}`;
    const held = drawn("svg", { class: "grid", viewBox: box, width: Math.min(260, wide * 18), role: "img", "aria-label": label });
    for (const [name, d] of paths) held.append(drawn("path", { class: name, d }));
    if (differs.length) held.append(drawn("path", { class: "differs", d: differs.map(([y, x]) => `M${x} ${y}h1v1h-1z`).join("") }));
    return make("figure", "", make("figcaption", "", title), held);
  }

  function keys(galleries) {
    let last = null;
    for (const one of galleries) one.place.addEventListener("focusin", () => { last = one; });
    const current = () => last ?? galleries.find((one) => one.place.getBoundingClientRect().bottom > 0) ?? galleries[0];
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
      const typing = event.target.closest("input, select, textarea");
      if (typing) {
        if (event.key === "Escape") typing.blur();
        return;
      }
      const steps = { j: 1, p: -1, k: -1, u: -1, ...(event.target.closest(".scroll") ? {} : { ArrowRight: 1, ArrowLeft: -1 }) };
      const one = current();
      if (one.mine?.key(event)) return;
      if (event.key === "/") {
        event.preventDefault();
        one.search.focus();
      } else if (event.key in steps) {
        one.go(one.at + steps[event.key]);
        one.place.scrollIntoView({ block: "nearest" });
        one.top();
      }
    });
  }

  // What a link leads to is not left folded

  function unfolded() {
    for (let at = document.getElementById(location.hash.slice(1)); at; at = at.parentElement) {
      if (at.matches("details")) at.open = true;
      if (at.matches(".group")) at.querySelector(":scope > details")?.setAttribute("open", "");
    }
  }

  theme();
  contents();
  unfolded();
  addEventListener("hashchange", () => { unfolded(); document.getElementById(location.hash.slice(1))?.scrollIntoView(); });
  const galleries = [...document.querySelectorAll("[data-gallery]")].map((place) => new Gallery(place));
  if (galleries.length) keys(galleries);
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("main details.exhibit:not([open])")) { one.open = true; one.dataset.opened = ""; }
  });
  addEventListener("afterprint", () => {
    for (const one of document.querySelectorAll("main details[data-opened]")) { one.open = false; delete one.dataset.opened; }
  });
})();
