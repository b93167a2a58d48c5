"""Where the stored answer and a reading's differ as texts: how many of each sort, and how many of them are right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, repeat
from typing import Any

from auditfw.audits.answers import interval
from auditfw.audits.parsing.engine.plan import BLANK, FALSE, TRUE, UNDEFINED, ReadingPlan
from auditfw.audits.parsing.scored_batch import ScoredBatch
from auditfw.audits.parsing.trials import PROBED, TrialBatch
from auditfw.core.digits import fixed
from auditfw.core.document import Note, Section, Table, some
from auditfw.formulas.clusters import ClusteredRate
from auditfw.formulas.probe_rates import rate_by_item, rate_of_items

from .draw import DrawSieve, ProbeRows, hashes
from .scorers import ProbeResults

TITLE = "Stored Answers vs Parsed Answers"
EQUAL, DIFFER, STORED_ALONE, READ_ALONE, NEITHER = "equal", "differ", "only stored", "only the parser's", "neither"
GROUPS = (EQUAL, DIFFER, STORED_ALONE, READ_ALONE, NEITHER)
EMPTY = bytes(code == BLANK for code in range(256))
UNANSWERED = bytes(code not in (TRUE, FALSE, UNDEFINED) for code in range(256))
ANSWERED = bytes(code in (TRUE, FALSE, UNDEFINED) for code in range(256))

Alone = Counter[tuple[str, str, str | None, int]]  # parser, group, item, stored label: how many trials


def alone(trials: TrialBatch, labels: Sequence[bytearray], plan: ReadingPlan, sound: bytearray) -> Alone:
    """The trials of a batch where only the stored answer or only a parser's is there, by label codes."""
    counts: Alone = Counter()
    if trials.parsed is None:
        return counts
    n, absent, whole = len(trials.parsed), _mask(_absent(trials.parsed, plan, labels)), _mask(sound)
    for name, codes in _by_parser(plan, labels).items():
        # a byte for each trial, all of a batch at once
        empty, answered = (_mask(codes.translate(wanted)) & whole for wanted in (EMPTY, ANSWERED))
        for group, mask in ((STORED_ALONE, empty & ~absent), (READ_ALONE, answered & absent)):
            flags = mask.to_bytes(n, "little") if mask else b""
            items = repeat(None) if trials.items is None else compress(trials.items, flags)
            several = Counter(zip(items, compress(trials.stored, flags), strict=False))
            counts.update({(name, group, item, code): times for (item, code), times in several.items()})
    return counts


def _absent(parsed: Sequence[str | None], plan: ReadingPlan, labels: Sequence[bytearray]) -> bytearray:
    """For each trial whether it has no stored text: only those are looked at on which a parser of it is empty."""
    readings = [pair for i, pair in enumerate(zip(plan.readings, labels, strict=True)) if not plan.is_ruled(i)]
    codes = next((codes for (p, _), codes in readings if plan.parsers[p].part.column == "parsed_text"), None)
    flags = bytearray(len(parsed))
    rows = range(len(parsed))
    for i in rows if codes is None else compress(rows, codes.translate(UNANSWERED)):
        flags[i] = not parsed[i]
    return flags


def _mask(flags: bytes | bytearray) -> int:
    return int.from_bytes(flags, "little")


def _by_parser(plan: ReadingPlan, labels: Sequence[bytearray]) -> dict[str, bytearray]:
    """The label codes of one reading of each parser that reads another column than the stored text."""
    first: dict[str, bytearray] = {}
    for i, ((p, _), codes) in enumerate(zip(plan.readings, labels, strict=True)):
        if plan.parsers[p].part.column != "parsed_text" and not plan.is_ruled(i):
            first.setdefault(plan.parsers[p].name, codes)
    return first


@dataclass(frozen=True)
class TextGroup:
    """So many trials where the two answers stand so; `right` is the share of stored labels that are right."""

    trials: int
    right: ClusteredRate | None


def groups_of(probe: ProbeResults, parser: str) -> dict[str, TextGroup]:
    """The drawn trials by how the stored answer and a parser's stand; those that the parser cannot read left out."""
    rows: dict[str, list[int]] = {}
    for i, (trial, answer) in enumerate(zip(probe.trials, probe.answers[parser], strict=True)):
        if answer is not None:
            rows.setdefault(group_of(trial.parsed, answer), []).append(i)
    groups = {}
    for group in GROUPS:
        labelled = [probe.trials[i] for i in rows.get(group, []) if probe.trials[i].stored in (TRUE, FALSE)]
        right = rate_by_item([trial.key for trial in labelled], [trial.stored == TRUE for trial in labelled])
        groups[group] = TextGroup(len(rows.get(group, [])), right)
    return groups


def group_of(stored: str | None, answer: str) -> str:
    """How a stored answer and a parser's stand; white space at the ends does not count."""
    if not stored or not answer:
        return NEITHER if not stored and not answer else STORED_ALONE if stored else READ_ALONE
    return EQUAL if stored.strip() == answer.strip() else DIFFER


def all_alone(counts: Mapping[tuple[str, str, str | None, int], int], parser: str, group: str) -> TextGroup:
    """All audited trials of a group, from label codes."""
    number = 0
    items: Counter[str | None] = Counter()
    right: Counter[str | None] = Counter()
    for (name, where, item, code), n in counts.items():
        if (name, where) == (parser, group):
            number += n
            items[item] += n * (code in (TRUE, FALSE))
            right[item] += n * (code == TRUE)
    if set(items) == {None}:  # each trial is its own item
        n, wins = items[None], right[None]
        return TextGroup(number, rate_of_items([1] * n, [1] * wins + [0] * (n - wins)))
    labelled = [item for item, n in items.items() if n]
    return TextGroup(number, rate_of_items([items[one] for one in labelled], [right[one] for one in labelled]))


def stored_text(probe: ProbeResults, counts: Alone, plan: ReadingPlan) -> Section:
    """The section: of the parsers that read another column than the stored text."""
    section, read = Section(TITLE), (plan.parsers[p] for p, _ in plan.readings)
    parsers = list(dict.fromkeys(named.name for named in read if named.part.column != "parsed_text"))
    for parser in parsers:
        whole = all_alone(counts, parser, STORED_ALONE)
        if whole.trials:
            right = "" if whole.right is None else f"; {_between(whole.right)} % of them are right"
            noun = some(whole.trials, "audited trial has", "audited trials have")
            section.blocks.append(Note(f"{noun} a stored answer where {parser} finds none{right}."))
    rows = [row for parser in parsers if parser in probe.answers for row in _rows(probe, parser)]
    if rows:
        of = "all audited trials" if probe.whole else some(len(probe.trials), "sampled trial")
        caption = f"The texts of the stored and the parsed answers of {of}, compared; right %: by the stored label"
        section.blocks.append(
            Table(["parser", "answers", "n", "%", "right %", "95 % interval"], rows, "<<>>>>", caption)
        )
    return section


def _rows(probe: ProbeResults, parser: str) -> list[list[str]]:
    groups = groups_of(probe, parser)
    n = sum(group.trials for group in groups.values())
    return [
        [parser, name, f"{group.trials:,}", fixed(100 * group.trials / n, 2), *_right(group.right)]
        for name, group in groups.items()
        if group.trials
    ]


def _right(rate: ClusteredRate | None) -> tuple[str, str]:
    if rate is None:
        return "–", "–"
    return fixed(100 * rate.share, 2), interval(100 * rate.low, 100 * rate.high)


def _between(rate: ClusteredRate) -> str:
    return f"{fixed(100 * rate.low, 0)} to {fixed(100 * rate.high, 0)}"


# The rows of a batch that may be drawn for the probe.


def probe_rows(sieve: DrawSieve, scored: ScoredBatch, seed: int, distinct: Sequence[str] | None = None) -> ProbeRows:
    """Those rows of a batch that may be drawn; where the source has no items each id is one.

    `distinct` are the names of its items, where they are known.
    """
    trials = scored.trials
    names: list[str] = trials.names if trials.items is None else trials.items  # type: ignore[assignment]  # no null
    low = sieve.low(names if distinct is None else distinct, seed)
    rows = [i for i in compress(range(len(names)), map(low.__contains__, names)) if scored.sound[i]]
    items, ids = [names[i] for i in rows], [trials.names[i] for i in rows]
    places = [map(low.__getitem__, items), items, hashes(ids, seed), ids]
    own = ([column[i] for i in rows] for column in (trials.cells, trials.truths, trials.stored))
    return sieve.of(list(zip(*places, *own, *_answers(scored, rows), *_further(scored, rows), strict=True)))


def _answers(scored: ScoredBatch, rows: Sequence[int]) -> tuple[list[str | None], list[str | None]]:
    """The raw and the stored texts; one that is there twice is sent and kept once."""
    columns = scored.trials.raw, scored.trials.parsed
    raw, parsed = ([None if column is None else column[i] for i in rows] for column in columns)
    return raw, [one if other == one else other for one, other in zip(raw, parsed, strict=True)]


def _further(scored: ScoredBatch, rows: Sequence[int]) -> Iterator[Iterable[Any]]:
    """The question with its options, which only the probe reads, and what says by which rule a row is read."""
    kept, columns = scored.trials.kept, [scored.batch.columns.get(name) for name in PROBED]
    yield [tuple(None if values is None else values[kept[i]] for values in columns) for i in rows]
    ruled = scored.trials.values
    yield [ruled[i] for i in rows] if ruled else repeat(None, len(rows))
    unstored = frozenset(scored.trials.unstored)
    yield [i in unstored for i in rows] if unstored else repeat(False, len(rows))
