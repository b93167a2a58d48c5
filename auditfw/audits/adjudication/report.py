"""What the reports of an adjudication show: people beside the readings, cells, labellers, cases, labels by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from auditfw.audits.claim_report import claims_section
from auditfw.audits.read_claims import ReadClaim
from auditfw.core.digits import fixed, p_text
from auditfw.core.document import (
    Chart,
    Exhibit,
    Gallery,
    Note,
    Section,
    Series,
    Table,
    grouped,
    snippet,
    some,
    with_ends,
)
from auditfw.core.escaping import typed
from auditfw.core.records import OVERALL, Cell, Measurement
from auditfw.formulas.people.shares import FEWEST, Share
from auditfw.formulas.people.strata import CLASSES
from auditfw.kinds.context import ReportLimits

from .numbers import NO_LABEL, RIGHT, UNDECIDED, WRONG
from .results import PEOPLE, PeoplesResults
from .trials import NamedTrial

NONE = "–"
WORDS = {RIGHT: "right", WRONG: "wrong", UNDECIDED: "undecided", NO_LABEL: "none"}
SHOWN = 2_000  # characters of an answer at either end
MOST_EXPECTED = 600
TITLE_SHOWN = 72
ASKED, HEAD, TAIL = 90, 90, 90  # characters of a question and of an answer on the first screen
MOST_PAIRS = 3
MORE = 50  # labels that tell two readings from each other


class ShownTexts(NamedTuple):
    """What people saw of a trial: question, expected answers, answer, and where."""

    question: str
    expected: Sequence[str] = ()
    answer: str = ""
    place: str = ""


@dataclass(frozen=True)
class PeoplesReport:
    """Writes the sections of an adjudication."""

    results: PeoplesResults
    limits: ReportLimits
    claims: Sequence[ReadClaim] = ()

    def __call__(self, measurements: Sequence[Measurement]) -> list[Section]:
        """All sections, in the order of the page."""
        return [
            *self._first_screen(),
            *grouped("who", self._claims(), self._best(), self._cells(), self._pairs()),
            *grouped("look", self._gallery()),
            *grouped("sound", self._labellers(), self._classes()),
        ]

    def _first_screen(self) -> list[Section]:
        results = self.results
        title = f"What people say: {some(results.labels, 'label')} of {some(self._trials, 'trial')}"
        who = Section(title, screen="who")
        rows = [[PEOPLE, _share(results.error), NONE, NONE]]
        for name in results.readings:
            rows.append([name, self._own(name), self._off(name), _share(results.agrees[name])])
        most, heads = self.limits.max_rows, ["reading", "error %", "off by pp", "agrees %"]
        who.blocks.append(Table(heads, rows[:most], "<>>>", left_out=max(0, len(rows) - most)))
        who.blocks += map(Note, self._remarks())
        return [who, self._example(), self._picture(), self._data()]

    def _remarks(self) -> Iterator[str]:
        """Which readings label but a part of the trials, and what no reading mends."""
        rows = self.results.trials.rows
        parts = {name: int(rows.times[rows.labelled(name)].sum()) for name in self.results.readings}
        few = [f"{name}: only {some(n, 'trial')}" for name, n in parts.items() if n < self._trials]
        yield from ([f"{'; '.join(few)}."] if few else [])
        yield from filter(None, [_shared_faults(self.results)])

    @property
    def _trials(self) -> int:
        return int(self.results.trials.rows.times.sum())

    def _picture(self) -> Section:
        """The error rates of the readings beside that of people with its interval."""
        section, error = Section("People beside the readings", screen="picture"), self.results.error
        if error is None:
            return section
        rows = self.results.trials.rows
        names = [name for name in self.results.readings if rows.labelled(name).any()]
        own = [100 * rows.own_rate(name, rows.labelled(name)) for name in names]
        people = Series(
            PEOPLE, [PEOPLE], [100 * error.value], low=[100 * error.low], high=[100 * error.high], role="reference"
        )
        series = [people, Series("readings", names, own, role="candidate")]
        title = "Error rate of people and of each reading"
        chart = Chart(title, "reading", "error %", series, "points", metric="error_rate")
        how = "People's rate, of all trials, with its interval; that of each reading is of the trials that it labels."
        section.blocks = [chart, Note(how)]
        return section

    def _example(self) -> Section:
        """One case where people and the reference differ, verbatim."""
        reference, trials = self.results.reference, self.results.trials
        differ = [one for one in trials.trials if _differs(one, reference)]
        section = Section(
            f"People and {reference} differ: {len(differ):,} of {self.results.labelled:,} that people decided",
            screen="example",
        )
        texts = self._texts() if self.limits.texts else {}
        for one in differ[:1]:
            shown = texts.get(one.drawn.key, ShownTexts(one.drawn.id))
            says = f"{reference} says {WORDS[one.labels[reference]]}, people {WORDS[one.people]}"
            section.blocks.append(Note(f"{_line(shown.question or one.drawn.id, ASKED)}{shown.place}: {says}"))
            section.blocks += [Note(f"expected: {_line(' | '.join(shown.expected))}")] if shown.expected else []
            section.blocks += [Note(f"answered: {_ends(shown.answer)}")] if shown.answer else []
        return section

    def _data(self) -> Section:
        section, results = Section("Data", screen="data"), self.results
        section.blocks.append(Note("off by: above 0 the reading calls too many answers wrong"))
        if not results.trials.items:
            section.blocks.append(Note("the run knows no questions: each trial counts as one"))
        if results.trials.labelled.others:
            section.blocks.append(Note(f"{some(results.trials.labelled.others, 'row')} of other draws left out"))
        return section

    def _own(self, reading: str, cell: Cell = OVERALL) -> str:
        rows = self.results.trials.rows
        inside = rows.labelled(reading, self.results.trials.inside(cell))
        return fixed(100 * rows.own_rate(reading, inside), 1) if inside.any() else NONE

    def _off(self, reading: str, cell: Cell = OVERALL) -> str:
        by = self.results.trials.rows.off(reading, self.results.trials.inside(cell))
        return NONE if by is None else _share(by.off, signed=True)

    def _claims(self) -> Section | None:
        return claims_section(self.claims) if self.claims else None

    def _best(self) -> Section:
        """The best reading against each other one, and what more labels would tell."""
        results, section = self.results, Section("Which Reading People Agree with Most", console=True)
        if results.against:
            rows = [
                [
                    *(pair.other, f"{pair.differ:,}", f"{pair.labelled:,}", f"{pair.items:,}", f"{pair.right:,}"),
                    *(_share(pair.share), p_text(pair.p), p_text(pair.adjusted)),
                ]
                for pair in results.against.values()
            ]
            heads = ["against", "differ", "labelled", "questions", "it is right", "% of all that differ"]
            heads += ["p", "p (Holm)"]
            how = f"{results.best}. Against each other: trials on which both differ, those of them with a label"
            section.blocks += [Note(f"{how}, and p by questions."), Table(heads, rows, "<" + ">" * (len(heads) - 1))]
        section.blocks += [Note(text) for text in islice(self._few_labels(), MOST_PAIRS)]
        if results.error_of_new is not None:
            new = _share(results.error_of_new)
            section.blocks.append(Note(f"Error rate of new questions of the same sort, by people: {new} %."))
        if results.half_as_wide:
            more = f"About {results.half_as_wide:,} more labels would make the interval of people half as wide."
            section.blocks.append(Note(more))
        return section

    def _few_labels(self) -> Iterator[str]:
        """The readings of which these labels do not say whether the best is better, with the draw that would."""
        for pair in self.results.against.values():
            if pair.share is None and pair.differ >= FEWEST and self.results.trials.draw is not None:
                names = typed(f"readings=[{pair.best},{pair.other}]")
                command = f"auditfw label {typed(self.results.settings.run_)} n={MORE} {names} name=two"
                differ = f"{pair.best} and {pair.other} differ on {some(pair.differ, 'trial')}"
                yield f"{differ}, {pair.labelled:,} of them labelled: {command}"

    def _cells(self) -> Section | None:
        results = self.results
        if not results.named:
            return None
        rows, reference, section = (
            results.trials.rows,
            results.reference,
            Section("People's Rate by Cell", console=True),
        )
        lines = []
        for cell, name in results.named:
            inside = results.trials.inside(cell)
            numbers = [_share(rows.error_rate(inside)), self._own(reference, cell), self._off(reference, cell)]
            labels = int((inside & rows.decided).sum())
            lines.append([*map(str, name.values()), f"{int(rows.times[inside].sum()):,}", f"{labels:,}", *numbers])
        heads = [*results.trials.by, "trials", "labels", "people: error %", f"{reference}: error %", "off by pp"]
        most = self.limits.max_rows
        align = "<" * len(results.trials.by) + ">" * 5
        section.blocks.append(Table(heads, lines[:most], align, left_out=max(0, len(lines) - most)))
        return section

    def _pairs(self) -> Section | None:
        pairs = sorted(self.results.pairs, key=lambda pair: -abs(pair.people.value))
        if not pairs:
            return None
        section, most = Section("Differences of Cells", level=3, console=True), self.limits.max_rows
        turned = self.results.turned
        rows = [
            [
                *(", ".join(map(str, side.values())) for side in (pair.a, pair.b)),
                *(_share(pair.people, signed=True), fixed(100 * pair.reference, 1, signed=True)),
                "turned" if pair in turned else "",
            ]
            for pair in pairs[:most]
        ]  # fmt: skip
        heads = ["a", "b", "people: a - b pp", f"{self.results.reference}: a - b pp", ""]
        section.blocks.append(Table(heads, rows, "<<>><", left_out=max(0, len(pairs) - most)))
        return section

    def _labellers(self) -> Section | None:
        two, results = self.results.labellers, self.results
        if two is None:
            return None
        section = Section("Labellers", console=True)
        kappa = "undefined: one label alone" if two.kappa is None else fixed(two.kappa, 4)
        same = f"Two labellers say the same of {two.equal:,} of {some(two.pairs, 'trial')}"
        section.blocks.append(Note(f"{same}: {_share(two.share)} %, kappa {kappa}."))
        if results.labeller_error is not None:
            at_most = fixed(100 * (1 - results.labeller_error), 0)
            section.blocks.append(Note(f"No scoring can agree with one of them on more than about {at_most} %."))
        return section

    def _classes(self) -> Section:
        """Labels by class: trials, drawn, labelled, undecided, not reached, wrong."""
        section, results = Section("Labels by Class", console=True), self.results
        draw, rows = results.trials.draw, []
        for kind, name in enumerate(CLASSES):
            there = [one for one in results.trials.trials if one.drawn.kind == kind]
            codes = [one.people for one in there]
            total = NONE if draw is None else f"{sum(group.trials[kind] for group in draw.groups):,}"
            counts = [len(there), sum(code in (RIGHT, WRONG) for code in codes)]
            counts += [codes.count(code) for code in (UNDECIDED, NO_LABEL, WRONG)]
            rows.append([name, total, *(f"{n:,}" for n in counts)])
        heads = ["class", "trials", "drawn", "labelled", "undecided", "not reached", "wrong"]
        section.blocks.append(Table(heads, rows, "<" + ">" * 6))
        return section

    def _texts(self) -> Mapping[str, ShownTexts]:
        """What people saw of each drawn trial, by its key."""
        draw = self.results.trials.draw
        if draw is None:
            return {}
        frame = draw.rows()
        columns = ("key", "question", "ground_truth", "raw_text", "round", "page", "position")
        texts = {}
        rows = zip(*(frame[name].to_list() for name in columns), strict=True)
        for key, question, truth, raw, number, page, position in rows:
            several = page is not None and len(draw.rounds[number - 1].pages) > 1
            place = f" (page {number}-{page}, trial {position})" if several else f" (page {number}, trial {position})"
            texts[key] = ShownTexts(question or "", _list(truth), raw or "", place)
        return texts

    def _gallery(self) -> Section:
        """The labelled trials on which people and a reading differ, with their texts."""
        section, results = Section("Where People and Readings Differ", page=True), self.results
        differ = [(one, [name for name in results.readings if _differs(one, name)]) for one in results.trials.trials]
        differ = [(one, names) for one, names in differ if names]
        texts, most = self._texts(), self.limits.max_exhibits
        if not differ or not most:
            return section
        exhibits = [self._exhibit(one, names, texts.get(one.drawn.key)) for one, names in differ[:most]]
        section.blocks.append(
            Gallery(
                [("reading",), ("class",)],
                exhibits,
                len(differ),
                "labelled trials on which people differ from a reading",
            )
        )
        return section

    def _exhibit(self, one: NamedTrial, names: Sequence[str], texts: ShownTexts | None) -> Exhibit:
        question, expected, answer = (texts or ShownTexts(""))[:3]
        facts = [
            ("id", one.drawn.id),
            *((name, str(value)) for name, value in zip(self.results.trials.by, one.cell, strict=True)),
        ]
        facts += [("ground truth", " | ".join(expected)[:MOST_EXPECTED])] if texts else []
        facts += [(PEOPLE, WORDS[one.people]), *((name, WORDS[code]) for name, code in one.labels.items())]
        known = " ".join((question or one.drawn.id).split())
        title = known if len(known) <= TITLE_SHOWN else f"{known[: TITLE_SHOWN - 1]}…"
        snippets = [snippet("raw_text", answer, SHOWN, SHOWN)] if texts else []
        tags: list[Sequence[tuple[str, ...]]] = [[(name,) for name in names], [(CLASSES[one.drawn.kind],)]]
        return Exhibit(title, facts, snippets, tags=tags)


def _shared_faults(results: PeoplesResults) -> str:
    """How many answers all readings label falsely: no choice of one mends these."""
    if len(results.readings) < 2:
        return ""
    made = []
    for label, called, word in ((RIGHT, "right", "wrong"), (WRONG, "wrong", "right")):
        same, false = results.shared(label)
        made += [f"{false:,} of {some(same, 'answer')} that all readings call {called} are {word}"] if false else []
    return f"{', '.join(made)}: no choice of a reading mends that." if made else ""


def _differs(one: NamedTrial, reading: str) -> bool:
    return {one.people, one.labels[reading]} == {RIGHT, WRONG}


def _list(value: Any) -> list[str]:
    return [str(part) for part in value] if isinstance(value, list) else [] if value is None else [str(value)]


def _ends(text: str) -> str:
    """The beginning and the end of a text on one line: what breaks off shows at the end."""
    flat = " ".join(text.split())
    return flat if len(flat) <= HEAD + TAIL else f"{flat[:HEAD]} … {flat[-TAIL:]}"


def _line(text: str, most: int = 160) -> str:
    """A text on one line, cut."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def _share(share: Share | None, signed: bool = False) -> str:
    """A share in percent, or a difference in points, with its interval."""
    if share is None:
        return NONE
    ends = (100 * share.value, 100 * share.low, 100 * share.high)
    return with_ends(fixed(ends[0], 1, signed), *ends, lambda end: fixed(end, 1, signed))
