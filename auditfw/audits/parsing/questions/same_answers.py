"""The same answer to one question with two stored labels: a fault of a rule, and the noise of a judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from auditfw.audits.parsing.conclusions import claims
from auditfw.audits.parsing.kept.keys import CHOICES
from auditfw.audits.parsing.kept.same import COLUMNS
from auditfw.audits.parsing.settings import STORED_LABEL
from auditfw.audits.parsing.trials import QUESTION, as_text
from auditfw.audits.same_answers import (
    KIND,
    NOISE,
    Decided,
    GatedRate,
    GradedRows,
    SameFacts,
    crowded,
    decided_by_gates,
    favoured,
    group_rows,
    inside_noise,
    same_section,
    twice_of,
    two_grades,
)
from auditfw.audits.same_keys import rows_again
from auditfw.audits.table_rows import located
from auditfw.core.document import Section, some, verb
from auditfw.core.imports import NDArray, np
from auditfw.core.results.findings import Finding, FindingKind, NotChecked
from auditfw.formulas.label_counts import error_percent
from auditfw.formulas.people.same_answers import GradedTwice, Grades, groups_with_two_grades, same_pairs
from auditfw.kinds.context import Sample
from auditfw.kinds.registry import declare

from .items import copies
from .label_rows import ParsingRows
from .row_facts import ITEM, RULED, STORED, RowFacts, facts, no_value, unchecked

TEXTS = {"raw_text|parsed_text": "no texts are read"}
OWN = FindingKind(KIND.name, KIND.about, needs={**STORED, **ITEM, **TEXTS})
LOOKED_AT = ("raw_text", "parsed_text", "ground_truth", QUESTION, *CHOICES, *sorted(RULED), "task")
WHO = "The judge"


@dataclass(frozen=True)
class SameLabels:
    """The same answers of a run: of a rule those of identical texts, of a judge what is known of it; or `why` not."""

    why: str = ""
    twice: GradedTwice | None = None
    groups: Sequence[NDArray[np.intp]] = ()
    judge: SameFacts | None = None
    texts: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)


@declare("question", "same_answers")
class SameAnswersLabelled:
    """Whether the same answer to one question has two stored labels."""

    finds: ClassVar[tuple[FindingKind, ...]] = (OWN, NOISE)

    def __call__(self, rows: ParsingRows) -> Iterator[Finding | NotChecked]:
        """Of a rule identical answers; of a judge those that are the same, and what is decided by less than that."""
        own = rows.of(same_labels)
        if own.why:
            yield from unchecked(OWN, rows, own.why)
        elif own.judge is not None:
            yield from two_grades([own.judge])
            yield from inside_noise(list(decided(rows, own.judge)))
        elif own.groups and own.twice is not None:
            yield _broken(rows, own.twice, own.groups)

    def measured(self, rows: ParsingRows, sample: Sample) -> dict[str, Any]:
        """What the metrics of the stored labels read, over all trials."""
        if sample.cell or sample.reading.name != STORED_LABEL or sample.reading.role == "baseline":
            return {}
        own = rows.of(same_labels)
        return {"same": own.twice or own.why or "no trial has a stored label"}

    def sections(self, rows: ParsingRows) -> list[Section]:
        """What the judge graded twice, and the groups with two grades."""
        own = rows.of(same_labels)
        if own.judge is None:
            return []
        shown = [[_cells(own.texts[row]) for row in group.tolist() if row in own.texts] for group in own.groups]
        most = rows.context.limits.max_rows
        listed = group_rows(["question", "grade", "answer", "truth"], shown, most) if rows.context.limits.texts else []
        return same_section([own.judge], rows.settings.alpha, listed)


def same_labels(rows: ParsingRows) -> SameLabels:
    """The same answers with their stored labels."""
    known = facts(rows)
    if rows.settings.same_answer is None:
        return SameLabels("audit.same_answer is null")
    if not known.labels:
        return SameLabels(no_value(STORED))
    if not (known.items >= 0).any():
        return SameLabels(no_value(ITEM))
    if rows.settings.labels == "judge":
        return _of_judge(rows, known)
    return (
        _of_rule(rows, known) if rows.has("row.text") else SameLabels("no texts are read: map source.columns.raw_text")
    )


# Of a rule


def _of_rule(rows: ParsingRows, known: RowFacts) -> SameLabels:
    """Rows of equal texts, truths and options; those with two labels are read again, to be compared byte for byte."""
    from auditfw.formulas.rows.copies import joined

    names = [f"row.{name}" for name in ("text", "truth", "stored_key", "options")]
    keys = joined(known.items, *(rows.numbers(name) for name in names))
    at = np.flatnonzero(known.labelled & (known.items >= 0) & (rows.numbers("row.text") != 0))
    at = at[_repeated(keys[at])]
    own, right = keys[at], known.right[at].astype(np.int64)
    items = known.items[at].astype(np.int64)
    suspects = [at[group] for group in groups_with_two_grades(Grades(items, own, own, right))]
    if suspects:
        numbers = _compared(rows, np.concatenate(suspects))
        own = own.copy()
        own[np.searchsorted(at, list(numbers))] = list(numbers.values())
    grades = Grades(items, own, own, right)
    groups = [at[group] for group in groups_with_two_grades(grades)] if suspects else []
    return SameLabels(twice=GradedTwice(same_pairs(grades), rows.settings.same_answer.least), groups=groups)


def _repeated(keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which keys stand several times."""
    order = np.argsort(keys)
    ordered = keys[order]
    equal = ordered[1:] == ordered[:-1]
    several = np.zeros(len(keys), bool)
    several[order[1:][equal]] = several[order[:-1][equal]] = True
    return several


def _compared(rows: ParsingRows, numbers: NDArray[np.intp]) -> dict[int, int]:
    """For some rows, in ascending order, a number that is equal where all that a rule looks at is, byte for byte."""
    settings = rows.settings
    names = {*LOOKED_AT, *settings.needs, *settings.same_answer.columns}
    names |= {settings.ruled_by} if settings.ruled_by is not None else set()
    distinct: dict[tuple[Any, ...], int] = {}
    return {
        row: distinct.setdefault(tuple(repr(columns[name]) for name in sorted(names & columns.keys())), len(distinct))
        for row, columns in rows_again(rows.results.evidence, numbers.tolist())
    }


def _broken(rows: ParsingRows, twice: GradedTwice, groups: Sequence[NDArray[np.intp]]) -> Finding:
    """That labels are of no rule; where they are all the rows that stand twice, these are not named again."""
    known, where = facts(rows), np.concatenate(groups)
    n = int(twice.pairs.differing.sum())
    fewer = sum(min(int(known.right[group].sum()), int((~known.right[group]).sum())) for group in groups)
    text = (
        f"{some(n, 'pair')} of identical answers to one question {verb(n, 'has', 'have')} two labels: "
        "whatever gave them looked at something else than text and truth."
    )
    explains = ("no_rule", *(["rows_twice"] if set(rows.of(copies).rows.tolist()) <= set(where.tolist()) else []))
    return OWN(
        n,
        int(twice.pairs.pairs.sum()),
        text,
        effect="broken",
        points=100 * fewer / known.labels,
        explains=explains,
        brief=f"{some(n, 'pair')} of identical answers with two labels",
        next="If a person or a model graded them: audit.labels=judge",
        **located(rows, where),
    )


# Of a judge


def _of_judge(rows: ParsingRows, known: RowFacts) -> SameLabels:
    keys, texts = (rows.numbers(name) for name in COLUMNS)
    there = known.labelled & (known.items >= 0) & (keys != 0)
    at = np.flatnonzero(there)
    grades = Grades(known.items[at].astype(np.int64), keys[at], texts[at], known.right[at].astype(np.int64))
    graded, settings = GradedRows(grades, at), rows.settings
    made = (favoured(graded, column.name, column.values, column.numbers) for column in known.columns)
    columns = [one for one in made if one is not None]
    twice = twice_of(grades, settings.same_answer, columns, settings.alpha)
    groups = [at[group] for group in groups_with_two_grades(grades)]
    many = crowded({column.name: len(column.values) for column in known.columns})
    left = int((known.stored != 255).sum()) - len(at)
    judge = SameFacts(STORED_LABEL, WHO, twice, len(at), left, groups, columns, many)
    shown = [row for group in groups[: rows.context.limits.max_rows] for row in group.tolist()]
    labels = known.right
    read = {row: {**columns, "grade": bool(labels[row])} for row, columns in rows_again(rows.results.evidence, shown)}
    return SameLabels(twice=twice, groups=groups, judge=judge, texts=read)


def _cells(row: Mapping[str, Any]) -> list[str]:
    text = row.get("raw_text") if row.get("raw_text") is not None else row.get("parsed_text")
    asked = row.get(QUESTION) or row.get("item") or ""
    return [as_text(asked), "right" if row["grade"] else "wrong", as_text(text), as_text(row.get("ground_truth", ""))]


def decided(rows: ParsingRows, judge: SameFacts) -> Iterator[Decided]:
    """The gates, claims and pairs that the stored labels decide, each with the noise of grading."""
    labels = rows.results.overall.get(STORED_LABEL)
    counts = rows.results.reference_labels if labels is None else labels.data
    rate = GatedRate(error_percent(counts.right, counts.counted), counts.counted, 1.0) if counts.counted else None
    yield from decided_by_gates(rows.settings.gates, judge, {} if rate is None else {"error_rate": rate})
    read = rows.results.of(claims.ask)
    if read is None or rows.reference != STORED_LABEL or not judge.share:
        return
    for claim in read.claims:
        one = claim.reference
        if one.verdict in ("holds", "fails") and one.d is not None:
            yield Decided(f"The claim {claim.name} {one.verdict}", 100 * abs(one.d - one.by), judge.floor(one.trials))
    for order in read.orders.orders:
        rates, ranked = order.reference.rates, order.reference.ranked
        for i, j in ranked.pairs:
            first, other = rates[i], rates[j]
            if first is not None and other is not None and (ranked.better[i][j] or ranked.better[j][i]):
                better, than = (i, j) if ranked.better[i][j] else (j, i)
                what = f"{order.values[better]} is better than {order.values[than]}"
                floor = judge.floor(first.trials, other.trials)
                yield Decided(what, 100 * abs(first.share - other.share), floor)
