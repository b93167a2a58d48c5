"""The flips in the gallery of a page: how they are drawn from the batches, and what each shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import compress
from operator import and_

from auditfw.audits.parsing.conclusions.causes import flip_facets, with_causes
from auditfw.audits.parsing.engine.kernels import Signs
from auditfw.audits.parsing.engine.plan import MISSING, TRUE, ReadingPlan
from auditfw.core.document import Exhibit, Gallery, Mark, Note, Section, Snippet, snippet, some
from auditfw.core.records import NO_VALUE, Value

from .counts import Drawn
from .flips import RIGHT, WRONG, FlipLimits, FlippedTrials, Stratum
from .labels import Undefined, label_of, word_of
from .results import ParsingResults
from .scored_batch import ScoredBatch
from .spans import PLACES, kept_at, truth_at
from .table import STORED
from .trials import Trial

RAW_SHOWN, KEPT_SHOWN, TRUTH_SHOWN, TITLE_SHOWN = 2_000, 300, 400, 90
NO_MARKER = "none"
TRUTH = "truth"

Ranked = list[tuple[bytes, int]]
BOTH = bytes(code == 3 for code in range(256))  # of two that are 1 or 2 each, or 0 where not wanted
SAYS_RIGHT = bytes(code == TRUE for code in range(256))
MISMATCH_SHOWN = 320, 420  # characters of the raw text at either end, and of what a parser kept


@dataclass(frozen=True)
class ExhibitRule:
    """Which trials become exhibits: where the reference's label and reading number `reading` are such and such."""

    section: str
    reading: int
    reference: tuple[int, ...]
    label: tuple[int, ...]
    raw: int
    parsed: int


def hits_of(rule: ExhibitRule, scored: ScoredBatch) -> list[int]:
    """The sound trials where one of the two labels is right and the other is not, both of those that are shown."""
    before, codes = scored.compared, scored.labels[rule.reading]
    shown = ((before, rule.reference), (codes, rule.label))
    sides = [int.from_bytes(column.translate(_sides(wanted)), "little") for column, wanted in shown]
    # a byte for each trial: 2 ^ 1 is 3 where one label is right and the other not, whichever is which
    differ = (sides[0] ^ sides[1]).to_bytes(len(codes), "little").translate(BOTH)
    return list(compress(range(len(codes)), map(and_, differ, scored.sound)))


@lru_cache(maxsize=64)
def _sides(wanted: tuple[int, ...]) -> bytes:
    """For each label code 2 where it is right, else 1; 0 for one that is not wanted."""
    return bytes((code in wanted) * (1 + (code == TRUE)) for code in range(256))


def exhibit(scored: ScoredBatch, i: int, rule: ExhibitRule) -> Exhibit:
    """A trial as an exhibit of its section."""
    trial, known = scored.trial(i), scored.memo.snippets_by(rule.raw, rule.parsed, scored.parsers)
    if i not in known:
        known[i] = _cut_out(scored.plan, trial, rule)
    return Exhibit(trial.id, facts(trial, scored.plan.names(), tuple(scored.trials.by)), known[i])


def _cut_out(plan: ReadingPlan, trial: Trial, rule: ExhibitRule) -> list[Snippet]:
    """The raw text, and what each parser kept of it."""
    raw = trial.raw or ""
    snippets = [snippet("raw_text", raw, rule.raw, rule.raw)]
    for named, kept in zip(plan.parsers, trial.answers, strict=True):
        if kept is None:
            continue
        at = raw.rfind(kept) if kept else -1
        span = (at, at + len(kept)) if at >= 0 else None
        snippets.append(snippet(named.name, kept, rule.parsed, span=span))
    return snippets


def mismatches(scored: ScoredBatch, baseline: int, undefined: Undefined, most: int) -> list[Exhibit]:
    """The first trials whose stored label the baseline does not reproduce, at most so many."""
    stored, codes = scored.trials.stored, scored.labels[baseline]
    if stored.translate(SAYS_RIGHT) == codes.translate(SAYS_RIGHT):
        return []
    rule = ExhibitRule("", baseline, (), (), *MISMATCH_SHOWN)
    exhibits: list[Exhibit] = []
    for i, (kept, code) in enumerate(zip(stored, codes, strict=True)):
        if len(exhibits) == most:
            break
        label = label_of(code, undefined)
        if scored.sound[i] and kept != MISSING and label is not None and (kept == TRUE) != label:
            exhibits.append(exhibit(scored, i, rule))
    return exhibits


def draw(flips: FlippedTrials, best: Callable[[str, Sequence[int]], Ranked]) -> dict[int, tuple[Stratum, ...]]:
    """The trials of a batch that may be shown, in order, with the strata they are drawn for.

    `best` says which trials of a stratum are still among its best.
    """
    drawn: dict[int, tuple[Stratum, ...]] = {}
    for stratum in flips.masks:
        for _, i in best(f"gallery {stratum}", flips.of(stratum)):
            drawn[i] = (*drawn.get(i, ()), stratum)
    return dict(sorted(drawn.items()))


@dataclass(frozen=True)
class ExhibitMaker:
    """Shows trials: what a page lights up in the text, and by what it finds them.

    `known` is what was made of the trials of a batch, by number: those with the same parsers and signs share it.
    """

    plan: ReadingPlan
    by: Sequence[str]
    signs: Signs
    page: FlipLimits
    known: dict[int, tuple[list[Snippet], list[tuple[str, ...]]]] = field(default_factory=dict)
    reference: int = STORED

    @cached_property
    def names(self) -> tuple[str, ...]:
        return self.plan.names()

    def __call__(self, trial: Trial, number: int) -> Exhibit:
        if number not in self.known:
            text = trial.raw if trial.raw is not None else trial.parsed or ""
            low = text.lower()
            self.known[number] = self._snippets(trial, low), self._markers(low)
        snippets, markers = self.known[number]
        cell: list[list[tuple[str, ...]]] = [[(_value(value),)] for value in trial.cell]
        tags = [*cell, self._flips(trial), markers]
        shown = [*_named(trial), *facts(trial, self.names, self.by, TRUTH_SHOWN)]
        return Exhibit(title(trial), shown, snippets, tags=tags)

    def _snippets(self, trial: Trial, low: str) -> list[Snippet]:
        """The raw text with what each parser kept of it; after it what a parser made that is not a part of it."""
        raw = trial.raw or ""
        places = self._kept(trial, raw)
        kept = [Mark(name, at, at + length) for name, at, length, _ in places if at >= 0]
        shown = []
        if trial.raw is not None:
            shown.append(_snippet("raw_text", raw, RAW_SHOWN, [*kept, *_truths(trial, raw, low)]))
        for name, at, _, text in places:
            if at < 0:
                shown.append(_snippet(name, text, KEPT_SHOWN, _truths(trial, text, text.lower())))
        return shown

    def _kept(self, trial: Trial, raw: str) -> list[tuple[str, int, int, str]]:
        """For each parser its name, where in the raw text it kept something (-1: nowhere), how much, and what.

        A parser of the stored text has the place where one of the raw text kept the same.
        """
        kept = [(n, k) for n, k in zip(self.plan.parsers, trial.answers, strict=True) if k is not None]
        at: dict[str, int] = {}
        known: dict[str, int] = {}
        for named, text in kept:
            if named.part.column == "raw_text":
                at[named.name] = kept_at(named.part, raw, text)
                known.setdefault(text, at[named.name])
        for named, text in kept:
            if named.part.column != "raw_text":
                at[named.name] = known[text] if text in known else raw.rfind(text) if text else -1
        return [(named.name, at[named.name], len(text), text) for named, text in kept]

    def _flips(self, trial: Trial) -> list[tuple[str, ...]]:
        code = trial.stored if self.reference == STORED else trial.codes[self.reference]
        before = label_of(code, self.page.undefined)
        labels = [label_of(code, self.page.undefined) for code in trial.codes[: self.page.candidates]]
        pairs = zip(self.names, labels, strict=False)
        return [(name, RIGHT if label else WRONG) for name, label in pairs if {label, before} == {True, False}]

    def _markers(self, low: str) -> list[tuple[str, ...]]:
        tags: list[tuple[str, ...]] = [(name,) for name, scan in self.signs.markers.items() if scan.present(low)]
        tags += [(self.signs.delimiter,)] if self.signs.delimiter in low else []
        return tags or [(NO_MARKER,)]


def _snippet(label: str, text: str, shown: int, marks: Sequence[Mark]) -> Snippet:
    cut = snippet(label, text, shown, shown)
    return Snippet(cut.label, cut.head, cut.tail, cut.omitted, marks=marks)


def _truths(trial: Trial, text: str, low: str) -> list[Mark]:
    """The truth wherever it is in a text; `low` is the text in lower case."""
    spans = sorted({place for truth in trial.truths for place in truth_at(text, low, truth)})
    return [Mark(TRUTH, start, end) for start, end in spans[:PLACES]]


def title(trial: Trial) -> str:
    """The heading of a trial: its question, else its truth, with the values of its cell; without either its id."""
    known = " ".join((trial.item or " | ".join(trial.truths)).split())
    short = known if len(known) <= TITLE_SHOWN else f"{known[: TITLE_SHOWN - 1]}…"
    cell = ", ".join(str(value) for value in trial.cell if value is not None)
    return f"{short} ({cell})" if short and cell else short or trial.id


def _named(trial: Trial) -> list[tuple[str, str]]:
    """The id of a trial, and its question where the title could not hold it."""
    item = trial.item if len(trial.item) <= TRUTH_SHOWN else f"{trial.item[:TRUTH_SHOWN]}…"
    return [("id", trial.id), *([("item", item)] if len(trial.item) > TITLE_SHOWN else [])]


def facts(trial: Trial, names: Sequence[str], by: Sequence[str], most: int | None = None) -> list[tuple[str, str]]:
    """What is shown of a trial besides its texts: `names` are those of the readings.

    A truth of more than `most` characters is cut.
    """
    truth = " | ".join(trial.truths)
    if most is not None and len(truth) > most:
        truth = f"{truth[:most]}… [{some(len(truth) - most, 'character')} omitted]"
    pairs = [("ground truth", truth)]
    pairs += [(name, str(value)) for name, value in zip(by, trial.cell, strict=True)]
    pairs.append(("stored", word_of(trial.stored)))
    return pairs + [(name, word_of(code)) for name, code in zip(names, trial.codes, strict=True)]


def _value(value: Value) -> str:
    return NO_VALUE if value is None else str(value)


def gallery(results: ParsingResults) -> Section:
    """The gallery of what was drawn from all batches."""
    section = Section("Browse Changed Labels", page=True)
    drawn = _in_turns(results.whole.drawn)[: results.limits.max_exhibits]
    if drawn:
        facets = [*((name,) for name in results.by), *flip_facets(results)]
        section.blocks.append(Note(f"A balanced random sample (seed {results.seed}) of each reading and direction."))
        section.blocks.append(Gallery(facets, with_causes(results, drawn), results.flips, "trials with changed labels"))
    return section


def _in_turns(drawn: Sequence[Drawn]) -> list[Drawn]:
    """Each stratum's first, then each one's second, and so on; `drawn` is in the order of the ranks."""
    turns: Counter[Stratum] = Counter()
    placed = []
    for one in drawn:
        placed.append(min(turns[stratum] for stratum in one[2]))
        turns.update(one[2])
    return [drawn[i] for i in sorted(range(len(drawn)), key=placed.__getitem__)]
