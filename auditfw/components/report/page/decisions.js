
// Decisions on the exhibits of a gallery: kept by the browser, saved as what `auditfw report RUN decisions=FILE` reads

const decisionsOf = (() => {
  const LABELS = { right: "Right", wrong: "Wrong", cannot_tell: "Cannot tell" };
  const KEYS = { r: "right", w: "wrong", c: "cannot_tell" };
  const QUESTION = "Is this answer right?";
  const FILE = "decisions.csv", COLUMNS = ["key", "id", "label", "note", "labeller", "reading", "kind"], LONGEST = 1_000;
  const { run } = document.body.dataset;
  const place = `auditfw.decisions.${run}`;
  const words = (label) => (Object.hasOwn(LABELS, label) ? LABELS[label].toLowerCase() : "");

  // All decisions on a run, by key, and who makes them; without storage they are here alone

  let kept = { by: "", of: {} };
  let stores = true;

  function load() {
    try {
      const found = stores ? localStorage.getItem(place) : null;
      const { by, of } = JSON.parse(found) ?? kept;
      if (of instanceof Object) kept = { by: String(by ?? ""), of };
    } catch (error) {
      stores = error instanceof SyntaxError;
    }
  }

  function change(act) {
    load(); // the same page may be open twice
    act(kept);
    try {
      localStorage.setItem(place, JSON.stringify(kept));
      stores = true;
    } catch {
      stores = false;
    }
  }

  class Decisions {
    constructor(gallery, make, button) {
      Object.assign(this, { gallery, keys: gallery.index.keys, make, wanted: "" });
      const options = { "": "any", undecided: "undecided", ...Object.fromEntries(Object.keys(LABELS).map((one) => [one, words(one)])) };
      this.choice = make("select", "", ...Object.entries(options).map(([value, text]) => new Option(text, value)));
      this.choice.addEventListener("change", () => { this.wanted = this.choice.value; gallery.find(); });
      this.filter = make("label", "", "your decision", this.choice);
      this.buttons = Object.entries(KEYS).map(([key, label]) => [label, button(`${LABELS[label]} `, () => this.decide(label, true))]);
      this.buttons.forEach(([, one], n) => one.append(make("kbd", "", Object.keys(KEYS)[n])));
      this.note = this.input("note", (note) => this.set({ note }));
      this.bar = make("div", "decide", make("b", "", QUESTION), ...this.buttons.map(([, one]) => one), this.note.parentElement);
      this.bar.setAttribute("role", "group");
      this.bar.setAttribute("aria-label", QUESTION);
      this.count = make("span");
      this.count.setAttribute("aria-live", "polite");
      this.share = make("progress");
      this.share.setAttribute("aria-label", "decided");
      this.name = this.input("your name", (by) => change((all) => { all.by = by.trim(); }));
      this.save = takingAway.link(`Save ${FILE}`, FILE, "text/csv", () => this.csv());
      this.said = make("p", "quiet");
      this.help = this.helping(button);
      const tally = make("div", "tally", this.count, this.share, this.name.parentElement, this.save, button("Keys", () => this.help.showModal()));
      this.parts = [tally, this.said, this.bar];
      load();
      this.name.value = kept.by;
    }

    input(name, act) {
      const input = this.make("input");
      input.maxLength = LONGEST;
      input.addEventListener("input", () => { act(input.value); this.told(); });
      input.addEventListener("keydown", (event) => { if (event.key === "Enter") input.blur(); });
      this.make("label", "", name, input);
      return input;
    }

    helping(button) {
      const help = this.make("dialog", "", this.gallery.hint());
      help.setAttribute("aria-label", "Keys");
      help.append(button("Close", () => help.close()));
      document.body.append(help);
      return help;
    }

    of(n) {
      const { label, note } = kept.of[this.keys[n]] ?? {};
      return { label: words(label) && label, note: String(note ?? "") };
    }

    word(n) { return words(this.of(n).label); }

    fits(n) { return !this.wanted || (this.word(n) ? this.of(n).label : "undecided") === this.wanted; }

    // The first that is undecided, for those who go on later

    first() { return Math.max(0, this.keys.findIndex((_, n) => !this.word(n))); }

    set(part) {
      const n = this.gallery.found[this.gallery.at];
      if (n !== undefined) change((all) => { all.of[this.keys[n]] = { ...this.of(n), ...part }; });
    }

    // Decides on the exhibit that is shown, and goes on; its button again takes that back

    decide(label, again = false) {
      const n = this.gallery.found[this.gallery.at];
      const back = again && n !== undefined && this.of(n).label === label;
      this.set({ label: back ? "" : label });
      this.gallery.go(this.gallery.at + (back ? 0 : 1));
      this.gallery.top();
    }

    // The exhibit that is shown now, -1 for none

    show(n) {
      const { label, note } = n === undefined ? { note: "" } : this.of(n);
      for (const [own, one] of this.buttons) {
        one.setAttribute("aria-pressed", String(own === label));
        one.disabled = n === undefined;
      }
      this.note.value = note;
      this.note.disabled = n === undefined;
      this.told();
    }

    told() {
      const all = this.keys.length, done = this.keys.filter((_, n) => this.word(n)).length;
      this.count.textContent = `${done.toLocaleString("en")} of ${all.toLocaleString("en")} decided`;
      Object.assign(this.share, { max: all, value: done });
      const where = stores ? "Kept in this browser." : "This browser keeps nothing: save the CSV before you close.";
      this.said.textContent = `You see the labels: not blind, and no rate of errors. ${where} Into the report: auditfw report RUN decisions=${FILE}`;
    }

    // Whether a key is one of ours; none decides on what is out of sight

    key(event) {
      if (this.help.open) {
        if (event.key === "?") this.help.close();
        return true;
      }
      const acts = { n: () => this.note.focus(), s: () => this.save.click(), "?": () => this.help.showModal() };
      const label = KEYS[event.key], act = label ? () => this.decide(label) : acts[event.key];
      if (!act) return false;
      event.preventDefault();
      const { top, bottom } = this.bar.getBoundingClientRect();
      if ((label || event.key === "n") && !(bottom > 0 && top < innerHeight)) this.gallery.place.scrollIntoView();
      else if (!event.repeat) act();
      return true;
    }

    csv() {
      const at = this.gallery.index.facets.findIndex(([name]) => name === "reading");
      const rows = this.keys.flatMap((key, n) => {
        const { label, note } = this.of(n);
        if (!label && !note.trim()) return [];
        const readings = at < 0 ? [] : this.gallery.tags(n, at).map(([reading]) => reading);
        const id = new Map(this.gallery.exhibit(n).facts).get("id") ?? this.gallery.items[n][0];
        return [[key, id, label, note, kept.by, [...new Set(readings)].join(" "), "label"]];
      });
      const lines = [COLUMNS, ...rows].map((row) => `${row.map((cell) => takingAway.csvField(String(cell))).join(",")}\n`);
      return lines.join("").replace(/\p{Surrogate}/gu, "\ufffd");
    }
  }

  return (gallery, make, button) => (run && gallery.index.keys ? new Decisions(gallery, make, button) : null);
})();
