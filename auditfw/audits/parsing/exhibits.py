"""Trials shown verbatim: the gallery of a page, and the examples of sections."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from auditfw.audits.parsing.conclusions.causes import flip_facets, with_causes
from auditfw.audits.parsing.engine.kernels import Signs, kernel
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.kept.flips import RIGHT, WRONG, FlipSettings, Stratum
from auditfw.core.document import Exhibit, Gallery, Mark, Note, Section, Snippet, snippet, some
from auditfw.core.native import kernel_name
from auditfw.core.records import NO_VALUE, Value
from auditfw.core.sampling import trial_key
from auditfw.kinds.text import Parser

from .results import ParsingResults
from .table import word_of
from .trials import Trial

RAW_SHOWN, KEPT_SHOWN, TRUTH_SHOWN, TITLE_SHOWN = 2_000, 300, 400, 90
NO_MARKER = "none"
LABELS = {RIGHT: "right", WRONG: "wrong"}  # to which a label changes
TRUTH = "truth"
THINK_SHOWN, FLIP_SHOWN = (380, 260), (320, 420)  # characters of the raw text at either end, of what a parser kept
ASKED = 8  # places of what a parser kept at which it is asked
LONGEST = 200_000
PLACES = 20  # of a truth
SHORT = 4  # as for the matcher `containment`: so short a truth must not be part of a word

Answers = Sequence[str | None]  # what each parser of a plan kept of a trial


def answers_of(plan: ReadingPlan, signs: Signs, trials: Sequence[Trial]) -> list[Answers]:
    """What each parser of a plan kept of some trials."""
    raw, parsed = [trial.raw for trial in trials], [trial.parsed for trial in trials]
    scores = kernel(kernel_name(), plan.scored, signs).score(raw, parsed, [trial.truth for trial in trials])
    return [scores.answers(row) for row in range(len(trials))]


def examples(results: ParsingResults, trials: Sequence[Trial], shown: tuple[int, int]) -> list[Exhibit]:
    """Some trials as they are shown in sections: the ends of their texts, of so many characters."""
    names, by = results.names, results.context.by
    if not trials:
        return []
    answers = answers_of(results.plan, results.settings.signs, trials)
    return [
        Exhibit(trial.id, facts(trial, names, by), _cut_out(results.plan, trial, kept, *shown))
        for trial, kept in zip(trials, answers, strict=True)
    ]


def _cut_out(plan: ReadingPlan, trial: Trial, answers: Answers, most_raw: int, most: int) -> list[Snippet]:
    """The raw text, and what each parser kept of it."""
    raw = trial.raw or ""
    snippets = [snippet("raw_text", raw, most_raw, most_raw)]
    for named, kept in zip(plan.parsers, answers, strict=True):
        if kept is None:
            continue
        at = raw.rfind(kept) if kept else -1
        span = (at, at + len(kept)) if at >= 0 else None
        snippets.append(snippet(named.name, kept, most, span=span))
    return snippets


@dataclass(frozen=True)
class ExhibitMaker:
    """Shows trials: what a page lights up in the text, and by what it finds them."""

    plan: ReadingPlan
    by: Sequence[str]
    signs: Signs
    flips: FlipSettings
    seed: int

    @cached_property
    def names(self) -> tuple[str, ...]:
        return self.plan.names()

    def __call__(self, trial: Trial, answers: Answers) -> Exhibit:
        low = (trial.raw if trial.raw is not None else trial.parsed or "").lower()
        cell: list[list[tuple[str, ...]]] = [[(_value(value),)] for value in trial.cell]
        flips = [(self.names[number], way) for number, way in self.flips.strata(trial)]
        tags: list[Sequence[tuple[str, ...]]] = [*cell, flips, self._markers(low)]
        shown = [*_named(trial), *facts(trial, self.names, self.by, TRUTH_SHOWN)]
        changes = {name: LABELS[way] for name, way in flips}
        key = trial_key(self.seed, trial.id)
        return Exhibit(title(trial), shown, self._snippets(trial, answers, low), tags=tags, changes=changes, key=key)

    def drawn(self, trial: Trial, answers: Answers, places: Mapping[Stratum, int]) -> Exhibit:
        """The same of a trial before which so many were drawn in each of its strata."""
        order = {self.names[number]: place for (number, _), place in places.items() if place < self.flips.shown}
        return replace(self(trial, answers), order=order)

    def _snippets(self, trial: Trial, answers: Answers, low: str) -> list[Snippet]:
        """The raw text with what each parser kept of it; after it what a parser made that is not a part of it."""
        raw = trial.raw or ""
        places = self._kept(answers, raw)
        kept = [Mark(name, at, at + length) for name, at, length, _ in places if at >= 0]
        shown = []
        if trial.raw is not None:
            shown.append(_snippet("raw_text", raw, RAW_SHOWN, [*kept, *_truths(trial, raw, low)]))
        for name, at, _, text in places:
            if at < 0:
                shown.append(_snippet(name, text, KEPT_SHOWN, _truths(trial, text, text.lower())))
        return shown

    def _kept(self, answers: Answers, raw: str) -> list[tuple[str, int, int, str]]:
        """For each parser its name, where in the raw text it kept something (-1: nowhere), how much, and what.

        A parser of the stored text has the place where one of the raw text kept the same.
        """
        kept = [(n, k) for n, k in zip(self.plan.parsers, answers, strict=True) if k is not None]
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
    """The heading of a trial: its question, else its id, with the values of its cell."""
    known = " ".join((trial.item or trial.id).split())
    short = known if len(known) <= TITLE_SHOWN else f"{known[: TITLE_SHOWN - 1]}…"
    cell = ", ".join(str(value) for value in trial.cell if value is not None)
    return f"{short} ({cell})" if cell else short


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
    return pairs + [(name, word_of(code)) for name, code in zip(("stored", *names), trial.codes, strict=True)]


def _value(value: Value) -> str:
    return NO_VALUE if value is None else str(value)


def gallery(results: ParsingResults) -> Section:
    """The gallery: a balanced draw of the flips of each reading and direction."""
    section, draw, most = Section("Browse Changed Labels", page=True), results.draw, results.context.limits.max_exhibits
    drawn = in_turns(draw.trials(), draw.settings)[:most] if draw.settings.candidates else []
    if drawn:
        facets = [*((name,) for name in results.context.by), *flip_facets(results)]
        section.blocks.append(
            Note(f"A balanced random sample (seed {results.context.seed}) of each reading and direction.")
        )
        maker = ExhibitMaker(
            results.plan, results.context.by, results.settings.signs, draw.settings, results.context.seed
        )
        trials = [trial for trial, _ in drawn]
        answers = answers_of(results.plan, results.settings.signs, trials)
        shown = [maker.drawn(trial, kept, places) for (trial, places), kept in zip(drawn, answers, strict=True)]
        exhibits = with_causes(results, trials, shown)
        number, reference, undefined = draw.settings.candidates, draw.settings.reference, draw.settings.undefined
        flips = results.table.flips(range(number), reference, undefined)
        section.blocks.append(Gallery(facets, exhibits, flips, "trials with changed labels"))
    return section


def in_turns(drawn: Sequence[Trial], flips: FlipSettings) -> list[tuple[Trial, dict[Stratum, int]]]:
    """Each stratum's first, then each one's second, and so on; `drawn` is in the order of the ranks.

    Beside each trial is how many were drawn before it in each of its strata.
    """
    turns: Counter[Stratum] = Counter()
    placed = []
    for trial in drawn:
        places = {stratum: turns[stratum] for stratum in flips.strata(trial)}
        placed.append((trial, places))
        turns.update(list(places))
    placed.sort(key=_turn)
    return [one for one in placed if _turn(one) < flips.shown]


def _turn(placed: tuple[Trial, Mapping[Stratum, int]]) -> int:
    return min(placed[1].values())


# Where in a text is what a parser kept, and where the truth


def kept_at(parser: Parser, text: str, kept: str) -> int:
    """Where in a text the part begins that a parser kept; -1 where what it kept is not a part of the text.

    Where the part occurs several times, the parser is asked: one letter or digit of one occurrence is changed, and if
    the parser then keeps the changed part, it was that one. Where none is found so, or the text is very long, the last
    is taken.
    """
    if not kept:
        return -1
    first, last = text.find(kept), text.rfind(kept)
    if first == last:
        return first
    inside = next((i for i, character in enumerate(kept) if character.isalnum()), None)
    if inside is None or len(text) > LONGEST:
        return last
    changed = kept[:inside] + _neighbour(kept[inside]) + kept[inside + 1 :]
    between = islice(_places(text[first + 1 : last + len(kept) - 1], kept), ASKED - 2)
    for at in (first, last, *(first + 1 + place for place in between)):
        if _keeps(parser, text[:at] + changed + text[at + len(kept) :], changed):
            return at
    return last


def _keeps(parser: Parser, text: str, wanted: str) -> bool:
    try:
        return parser(text) == wanted
    except Exception:
        return False  # it failed on a text of ours, which is no trial


def _neighbour(character: str) -> str:
    """A letter or digit of the same sort."""
    if not character.isascii():
        return "a" if character.islower() else "A"
    return chr(ord(character) + (1 if character in "0aA" else -1))


def truth_at(text: str, low: str, truth: str) -> list[tuple[int, int]]:
    """The first places of a truth in a text, ignoring case; `low` is the text in lower case.

    A truth of four characters or fewer counts only where no letter or digit continues it.
    """
    wanted = truth.lower()
    if not wanted.strip():
        return []
    if len(low) == len(text) and len(wanted) == len(truth):
        spans = ((at, at + len(wanted)) for at in _places(low, wanted))
    else:  # İ lowers to two characters
        spans = ((match.start(), match.end()) for match in re.finditer(re.escape(truth), text, re.IGNORECASE))
    alone = len(truth) <= SHORT
    return list(islice((place for place in spans if not (alone and _continued(text, *place))), PLACES))


def _continued(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    return (before.isalnum() and text[start].isalnum()) or (after.isalnum() and text[end - 1].isalnum())


def _places(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + len(wanted))
