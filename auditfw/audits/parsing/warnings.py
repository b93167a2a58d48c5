"""What the parsing audit warns of: patterns that may be slow, truths that say nothing."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple
from typing import Any

from auditfw.audits.answers import enumerated
from auditfw.audits.parsing.conclusions import by_value
from auditfw.audits.parsing.engine.plan import MISSING, UNDEFINED, ReadingPlan
from auditfw.audits.parsing.kept.row_facts import unknown_words
from auditfw.audits.parsing.probe import first_number, lossy
from auditfw.audits.parsing.probe.pairs import WRONG
from auditfw.core.document import some
from auditfw.core.errors import AuditError, DataError
from auditfw.core.notes import remarks
from auditfw.core.records import Refusal
from auditfw.formulas.texts.truth_kinds import common_kind, kinds_sentence
from auditfw.kinds.capabilities import capability
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import registered_name

from .results import ParsingResults
from .scored_batch import RowCounts
from .settings import STORED_LABEL
from .table import STORED, LabelTable, Undefined
from .trials import BUCKET, ITEM, PLACE

COUNT = f"audit.{BUCKET}=count"
LISTED = 10
RARE = 20  # one row in so many: rather rows that are shifted than labels of their own
WHAT = "the stored label is neither true nor false"
OVER = "the run ended before its last row: so many trials reached a deadline that it was incomplete"
CLOCK = "which trials reach a deadline depends on the clock: another run may count a few more or fewer"


def warnings(results: ParsingResults) -> list[str]:
    """All that a run warns of, in order."""
    audit, whole, plan, kinds = results.settings, results.whole, results.plan, results.whole.rows.kinds
    blind = [name for name, part in audit.parsers.items() if part.column not in results.evidence.columns]
    return [
        *(one.sentence for one in results.of(first_number.ask).values()),
        *lossy.sentences(results.of(lossy.ask)),
        *results.evidence.warnings,
        *remarks(whole.rows.notes),
        *(unmapped_rows(whole.rows) if whole.rows.unmapped else []),
        *(by_value.warnings(results, audit.configured) if audit.configured is not None and audit.ruled_by else []),
        *(f"a component failed: {problem}" for problem in whole.readings.problems),
        *([OVER] if whole.over else []),
        *([CLOCK] if whole.counts["timeout"] else []),
        *(likely_nulls(whole.rows.suspects) if whole.rows.suspects else []),
        *([kinds_sentence(kinds)] if common_kind(kinds) in WRONG and sum(map(bool, kinds.values())) > 1 else []),
        *([unknown_words(whole.rows.facts.words)] if whole.rows.facts.words else []),
        *void_truths(whole.table, plan, audit.undefined),
        *(unread_truths(whole.readings.unread, plan) if whole.readings.unread else []),
        *(kept_signs(whole.readings.signed, plan) if whole.readings.signed else []),
        *slow_patterns(parser=audit.parsers, normalizer=audit.normalizers),
        *no_labels(results),
        *([f"the source has no column 'parsed_text': undefined for parser {', '.join(blind)}"] if blind else []),
    ]


def slow_patterns(**kinds: Mapping[str, object]) -> list[str]:
    """The patterns that may take exponential time, of steps however deep inside the parts of each kind."""
    return [
        f"{kind} {name}: {message}"
        for kind, parts in kinds.items()
        for name, part in parts.items()
        for message in _lints(part)
    ]


def _lints(part: Any) -> Iterator[str]:
    lint = capability(part, "lint")
    message = lint() if callable(lint) else None
    if message:
        yield str(message)
    inside: list[Any] = []
    if isinstance(part, list | tuple):
        inside = list(part)
    elif dataclasses.is_dataclass(part):
        inside = [getattr(part, field.name) for field in dataclasses.fields(part)]
    for inner in inside:
        yield from _lints(inner)


def likely_nulls(suspects: Mapping[str, int]) -> list[str]:
    """A warning of ground truths whose text looks like a missing value."""
    if not suspects:
        return []
    listed = ", ".join(f"'{text}' × {n:,}" for text, n in sorted(suspects.items()))
    return [f"ground truths that look like a missing value were scored as text: {listed}; {_no_truths(suspects)}"]


def _no_truths(suspects: Mapping[str, int]) -> str:
    """What to write where these texts are no ground truths."""
    listed = ",".join(f"'{text}'" for text in sorted(suspects))
    return f"if they mean none, set source.nulls.ground_truth=[{listed}]"


def void_truths(table: LabelTable, plan: ReadingPlan, undefined: Undefined) -> list[str]:
    """How many truths normalise to nothing under which normalizer, and how they are counted."""
    most: Counter[str] = Counter()
    for reading, (_, normalizer) in enumerate(plan.readings):
        name = "the rules of audit.baseline" if plan.is_ruled(reading) else plan.normalizers[normalizer].name
        most |= Counter({name: table.counted(reading)[UNDEFINED]})
    if not most:
        return []
    listed = ", ".join(f"{n:,} under {name}" for name, n in most.items())
    how = "counted as wrong" if undefined == "zero" else "left out"
    return [f"ground truths that normalize to nothing: {listed} ({how}: audit.undefined={undefined})"]


def unread_truths(unread: Counter[tuple[int, Refusal]], plan: ReadingPlan) -> list[str]:
    """For each matcher how many truths it cannot read, why, and which setting would change that."""
    matchers: dict[tuple[str, str], dict[tuple[str, str], Counter[int]]] = {}
    writes: dict[tuple[str, str], str] = {}
    for (reading, refusal), n in sorted(unread.items(), key=lambda item: (item[0][0], *astuple(item[0][1]))):
        named, reason = _matcher_name(plan, reading), (refusal.why, refusal.setting)
        matchers.setdefault(named, {}).setdefault(reason, Counter())[reading] += n
        # of several examples of what to write the longest
        writes[reason] = max(writes.get(reason, ""), refusal.write, key=len)
    warnings = []
    for (matcher, place), reasons in matchers.items():
        most = {reason: max(of.values()) for reason, of in reasons.items()}
        shares = [f"{n:,}" if len(most) > 1 else "all" for n in most.values()]
        listed = (f"{n} {_reason(*reason, writes[reason], place)}" for n, reason in zip(shares, most, strict=True))
        total = some(sum(most.values()), "ground truth")
        warnings.append(
            f"the matcher {matcher} cannot read {total} (no label, counted as missing): {'; '.join(listed)}"
        )
    return warnings


def kept_signs(signed: Counter[int], plan: ReadingPlan) -> list[str]:
    """Which readings keep the $ of numbers whose truths have none, how often that decides, and what to write."""
    warnings, names = [], plan.names()
    for reading, n in sorted(signed.items()):
        if not n:
            continue
        parser = plan.parsers[plan.readings[reading][0]]
        steps = [registered_name(type(step)) for step in capability(parser.part, "steps", ())]
        write = "matcher=numeric, or normalizer=[number]"
        if steps in (["last_number"], ["first_number"]):
            write = f"'audit.parsers.{parser.name}.steps=[{{use: {steps[0]}, currency: drop}}]', or {write}"
        warnings.append(
            f"{names[reading]} keeps the $ of an answer: {some(n, 'answer')} would be right without it, where the truth"
            f" has none - write {write}"
        )
    return warnings


def _reason(why: str, setting: str, write: str, place: str) -> str:
    """Why, and what to write; a matcher names its settings as if it was the only one."""
    there = why.replace("audit.matcher.", f"{place}.")
    return f"{there} - write {place}.{setting}={write}" if setting else there


def _matcher_name(plan: ReadingPlan, reading: int) -> tuple[str, str]:
    """The name of the matcher of a reading, of several the one chosen; and the place of its settings."""
    if plan.is_ruled(reading):
        return "of audit.baseline.rules", "audit.baseline.rules.VALUE.matcher"
    _, normalizer = plan.readings[reading]
    return plan.matcher_name(normalizer), plan.matcher_place(normalizer)


def no_labels(results: ParsingResults) -> list[str]:
    """Says, where that is so, that there are no stored labels to compare with."""
    why = "" if STORED_LABEL in results.evidence.columns else results.evidence.lacks(STORED_LABEL)
    if not why and set(results.table.counted(STORED)) == {MISSING}:
        why = "no audited trial has a stored label"
    then = f"readings are compared with {results.reference}"
    if results.reference == STORED_LABEL:
        then = "changed labels and shifts are undefined"
    return [f"{why}: {then}"] if why else []


# Rows that say too little: stored labels neither true nor false, trials without an item


def unmapped_refusal(rows: RowCounts, reopened: Callable[[], Evidence]) -> DataError:
    """The error for such labels, with FILE:LINE of the first where the source knows it."""
    n = rows.unmapped.total()
    declare = "say which they are with audit.stored_true=[...] and audit.stored_false=[...]"
    drop = f"if rows are shifted or damaged, fix them or leave them out with {COUNT}"
    do = "; ".join((drop, f"else {declare}") if n * RARE < sum(rows.buckets.values()) else (declare, drop))
    where = _place_of(rows.first_unmapped, reopened) or f"source.columns.stored, trial '{rows.first_unmapped[0]}'"
    return DataError(where, WHAT, f"{some(n, 'such row')}: {_unmapped(rows)}", do)


def unmapped_rows(rows: RowCounts) -> list[str]:
    """What to say of such labels where their rows are left out."""
    if not rows.unmapped:
        return []
    first = f"first: the trial '{rows.first_unmapped[0]}'"
    n = some(rows.unmapped.total(), "row")
    return [f"{n} left out: {WHAT} ({_unmapped(rows)}; {first}; {COUNT})"]


def _unmapped(rows: RowCounts) -> str:
    """The labels, the most frequent first."""
    labels = sorted(rows.unmapped.items(), key=lambda pair: (-pair[1], pair[0]))
    return enumerated([f"'{value}' × {n:,}" for value, n in labels], LISTED)


def itemless_refusal(rows: RowCounts, reopened: Callable[[], Evidence]) -> DataError:
    """The error for trials without an item, with FILE:LINE of the first where the source knows it."""
    first, n = rows.first_without_item, rows.without_item
    where = _place_of((first, "None"), reopened, ITEM) or f"source.columns.{ITEM}, trial '{first}'"
    do = "give every trial its item, or write source.columns.item=OTHER_COLUMN"
    return DataError(where, "the item is null", some(n, "such trial"), do)


def _place_of(trial: tuple[str, str], reopened: Callable[[], Evidence], column: str = "stored") -> str:
    """Where a trial is that has this id and value, by a second look at the source; "" where that is unknown."""
    try:
        evidence = reopened()
        for task in evidence.tasks if PLACE in evidence.columns else ():
            columns = task().columns
            for name, label, place in zip(*(columns[name] for name in ("id", column, PLACE)), strict=True):
                if (name, str(label)) == trial:
                    return str(place)
    except AuditError:
        pass  # what is wrong with the label matters more
    return ""
