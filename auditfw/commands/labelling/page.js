
// Labels: shown one trial at a time, kept by the browser, saved as what `auditfw adjudicate RUN FILE` reads

(() => {
  const LABELS = { right: "Right", wrong: "Wrong", cannot_tell: "Cannot tell" };
  const KEYS = { r: "right", w: "wrong", c: "cannot_tell" };
  const COLUMNS = ["key", "label", "note", "labeller"], LONGEST = 1_000, LONGEST_NAME = 60;
  const LONGEST_IN_SIGHT = 300; // characters of expected answers that stay in sight over a long answer
  const { run, draw, page, file } = document.body.dataset;
  const PLACES = "auditfw.labels.", place = `${PLACES}${draw}.${page}`;
  const trials = JSON.parse(document.getElementById("trials").textContent);
  const main = document.getElementById("main"), line = document.querySelector(".kept"), tally = document.querySelector(".tally");
  const known = trials.some(({ expected }) => expected.length);
  const number = (n) => n.toLocaleString("en");
  const word = (label) => (Object.hasOwn(LABELS, label) ? label : "");

  function make(tag, name, ...inside) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.append(...inside);
    return made;
  }

  function button(text, key, act) {
    const made = make("button", "", text, ...(key ? [" ", make("kbd", "", key)] : []));
    made.type = "button";
    if (key) made.setAttribute("aria-keyshortcuts", key === "←" ? "ArrowLeft" : key === "→" ? "ArrowRight" : key);
    made.addEventListener("click", act);
    return made;
  }

  // All labels of the page, by key, and who gives them; without storage they are here alone

  let kept = { run, by: "", of: {} };
  let stores = true, unsaved = false;

  function load() {
    try {
      const found = stores ? localStorage.getItem(place) : null;
      const { by, of } = JSON.parse(found) ?? kept;
      if (of instanceof Object) kept = { run, by: String(by ?? ""), of };
    } catch (error) {
      stores = error instanceof SyntaxError;
    }
  }

  function change(act) {
    load(); // the same page may be open twice
    act(kept);
    unsaved = true;
    try {
      localStorage.setItem(place, JSON.stringify(kept));
      stores = true;
    } catch {
      stores = false;
    }
    told();
  }

  // The name that other pages of the run know for this person, to begin with

  function knownName() {
    const person = (name) => name.slice(name.lastIndexOf(".")).split("-")[1];
    const names = Object.keys(localStorage).filter((name) => name.startsWith(PLACES) && person(name) === person(place)).map((name) => {
      try {
        const of = JSON.parse(localStorage.getItem(name));
        return of.run === run && typeof of.by === "string" ? of.by : "";
      } catch {
        return "";
      }
    });
    const [one = "", ...others] = new Set(names.filter(Boolean));
    return others.length ? "" : one;
  }

  function of(n) {
    const { label, note } = kept.of[trials[n].key] ?? {};
    return { label: word(label), note: String(note ?? "") };
  }

  const done = () => trials.length - open().length;
  const open = () => trials.flatMap((_, n) => (of(n).label ? [] : [n]));

  // Texts: never markup, each in a direction of its own, the middle of a long one on demand

  function text(pieces, name = "") {
    const [head, middle, tail, length] = pieces;
    const shown = make("bdi");
    const held = make("pre", `text ${name}`, shown);
    if (!pieces.join("").trim()) {
      held.replaceChildren(make("span", "quiet", pieces[0] ? "nothing but white space" : "empty"));
    } else if (middle === undefined) {
      shown.textContent = head;
    } else {
      const rest = make("bdi");
      const gap = make("span", "gap", `The middle of this text of ${number(length)} characters is left out. `);
      gap.append(button("Show all", "", () => {
        shown.textContent = head + middle + tail;
        held.replaceChildren(shown);
        held.focus({ preventScroll: true });
      }));
      shown.textContent = head;
      rest.textContent = tail;
      held.append(gap, rest);
    }
    held.tabIndex = -1;
    return held;
  }

  function part(title, shown, name = "") {
    return make("section", name, make("h3", "", title), shown);
  }

  function content({ question, expected, answer, further }) {
    const any = expected.length > 1;
    const truths = any ? make("ul", "expected", ...expected.map((one) => make("li", "", text(one))))
      : expected.length ? text(expected[0]) : make("p", "quiet", "No expected answer is known.");
    return [
      ...(question[0] ? [part("Question", text(question))] : []),
      ...further.map(([name, one]) => part(name, text(one))),
      ...(known ? [part(any ? "Expected: any one of these" : "Expected", truths, expected.length && expected.join("").length <= LONGEST_IN_SIGHT ? "stays" : "")] : []),
      part("Answer to judge", text(answer, "judged")),
    ];
  }

  // One trial, or the end after the last; the bar stays in sight

  const small = matchMedia("(max-width: 600px)");
  let at = 0;
  const title = make("h2");
  title.tabIndex = -1;
  const body = make("div", "trial");
  const labels = Object.entries(KEYS).map(([key, label]) => [label, button(LABELS[label], key, () => decide(label, true))]);
  const back = button("Back", "u", () => go(at - 1));
  const on = button("Next", "→", () => go(at + 1));
  const note = field("Note", LONGEST, (value) => set({ note: value }));
  const choices = make("div", "choices", ...labels.map(([label, one]) => { one.classList.add(label); return one; }));
  choices.setAttribute("role", "group");
  choices.setAttribute("aria-label", "Is the answer right?");
  const news = make("p", "news");
  news.setAttribute("role", "status");
  const bar = make("div", "bar", make("div", "inner", news, choices, make("div", "further", note.parentElement, back, on)));
  const count = make("b"), last = make("span", "quiet"), share = make("progress");
  const progress = make("div", "progress", last, count, share);
  progress.setAttribute("role", "status");
  share.setAttribute("aria-label", "labelled");
  const by = field("Your name", LONGEST_NAME, (value) => change((all) => { all.by = value.trim(); }));
  by.autocomplete = "name";
  const save = takingAway.link("Save CSV", "labels.csv", "text/csv", csv);
  save.append(" ", make("kbd", "", "s"));
  let asked = false, waits = false; // for a name, once
  save.addEventListener("click", (event) => {
    waits = !kept.by && !asked;
    if (waits) {
      asked = true;
      event.preventDefault();
      by.focus();
      news.textContent = "Your name goes into the file: type it and press Enter. To save without it, save again.";
    } else {
      unsaved = false;
      news.textContent = `Saved ${number(done())} of ${number(trials.length)} labels as ${save.download}`;
    }
  });
  by.addEventListener("keydown", ({ key }) => {
    if (key === "Enter" && waits) save.click();
    if (key === "Escape") waits = false;
  });
  const help = helping();
  const saveNow = button("Save CSV", "", () => save.click());
  const firstOpen = button("Go to the first without a label", "", () => go(open()[0]));

  function field(name, longest, act) {
    const input = make("input");
    input.maxLength = longest;
    input.addEventListener("input", () => act(input.value));
    input.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === "Escape") input.blur(); });
    make("label", "", name, input);
    return input;
  }

  function helping() {
    const lines = [
      ["r", "right"], ["w", "wrong"], ["c", "cannot tell"], ["u ←", "back"], ["→", "on, without a label"],
      ["n", "write a note (Enter ends it)"], ["s", "save the CSV"], ["?", "these keys"],
    ];
    const list = make("dl", "keys", ...lines.map(([keys, what]) => make("div", "", make("dt", "", ...keys.split(" ").flatMap((key, n) => [n ? " " : "", make("kbd", "", key)])), make("dd", "", what))));
    const dialog = make("dialog", "", list);
    dialog.setAttribute("aria-label", "Keys");
    dialog.append(button("Close", "", () => dialog.close()));
    document.body.append(dialog);
    return dialog;
  }

  function show() {
    const ended = at === trials.length;
    const left = open().length;
    title.textContent = ended ? "The end of the page" : `Trial ${number(at + 1)} of ${number(trials.length)}`;
    bar.classList.toggle("ended", ended);
    const { label, note: own } = ended ? { label: "", note: "" } : of(at);
    for (const [name, one] of labels) {
      one.setAttribute("aria-pressed", String(name === label));
      one.disabled = ended;
    }
    note.value = own;
    note.disabled = ended;
    back.disabled = at === 0;
    on.disabled = ended;
    const words = left ? `${number(left)} of ${number(trials.length)} trials ${left === 1 ? "has" : "have"} no label.` : "All trials have a label. Thank you!";
    const ending = () => [
      make("p", "", `${words} Save the CSV and give it to whoever asked you to label.`), make("div", "tally", saveNow, ...(left ? [firstOpen] : [])),
      ...listed("Cannot tell", (one) => one.label === "cannot_tell"), ...listed("With a note", (one) => one.note.trim()),
    ];
    body.replaceChildren(...(ended ? ending() : content(trials[at])));
    told();
  }

  // How many trials are so, with a button for each

  function listed(words, is) {
    const buttons = trials.flatMap((_, n) => (is(of(n)) ? [button(number(n + 1), "", () => go(n))] : []));
    buttons.forEach((one) => one.setAttribute("aria-label", `Trial ${one.textContent}`));
    return buttons.length ? [part(`${words}: ${number(buttons.length)}`, make("div", "listed", ...buttons))] : [];
  }

  function go(to) {
    news.textContent = "";
    at = Math.min(Math.max(to, 0), trials.length);
    show();
    scrollTo({ top: small.matches ? main.offsetTop : 0, behavior: "instant" });
    title.focus({ preventScroll: true });
  }

  function set(change_to) {
    const { key } = trials[at], before = of(at);
    change((all) => { all.of[key] = { ...before, ...change_to }; });
  }

  // Labels what is shown and goes on; its button again takes the label back

  function decide(label, again = false) {
    if (at === trials.length) return;
    const taken = again && of(at).label === label;
    set({ label: taken ? "" : label });
    last.textContent = `Trial ${number(at + 1)}: ${taken ? "no label" : LABELS[label].toLowerCase()}`;
    taken ? show() : go(at + 1);
  }

  function told() {
    count.textContent = `${number(done())} of ${number(trials.length)} labelled`;
    Object.assign(share, { max: Math.max(1, trials.length), value: done() });
    const words = stores ? "Each label is kept in this browser: you may stop at any time and go on later." : "This browser keeps nothing: save the CSV before you close.";
    if (line.textContent !== words) line.textContent = words;
    line.classList.toggle("callout", !stores);
    save.download = save.title = `${file}-${kept.by.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "") || "unnamed"}.csv`;
  }

  function csv() {
    const labeller = kept.by || (page.includes("-") ? `page ${page}` : "");
    const rows = trials.flatMap(({ key }, n) => {
      const { label, note: own } = of(n);
      return label || own.trim() ? [[key, label, own, labeller]] : [];
    });
    const lines = [COLUMNS, ...rows].map((row) => `${row.map(takingAway.csvField).join(",")}\n`);
    return lines.join("").replace(/\p{Surrogate}/gu, "\ufffd");
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.matches("input")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (help.open) {
      if (key === "?") help.close();
      return;
    }
    const acts = {
      u: () => go(at - 1), ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1),
      n: () => note.focus(), s: () => save.click(), "?": () => help.showModal(),
    };
    const label = Object.hasOwn(KEYS, key) ? KEYS[key] : "";
    const act = label ? () => decide(label) : Object.hasOwn(acts, key) && acts[key];
    if (!act) return;
    event.preventDefault();
    if (!event.repeat) act();
  });

  addEventListener("beforeunload", (event) => { if (!stores && unsaved) event.preventDefault(); });

  load();
  if (stores && !localStorage.getItem(place)) {
    const name = knownName();
    if (name) change((all) => { all.by = name; });
  }
  by.value = kept.by;
  const keys = button("Keys", "?", () => help.showModal());
  keys.classList.add("for-keys");
  tally.append(by.parentElement, save, keys);
  tally.hidden = false;
  main.append(make("div", "inner", make("div", "top", title, progress), body), bar);
  at = open()[0] ?? trials.length;
  show();
})();
