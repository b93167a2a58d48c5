"""The same answer to one question with two labels of one rater, and what is decided by less than that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from auditfw.audits.consistency.same_texts import QUESTION, SameHashes, SameTexts, answers
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
from auditfw.core.document import Section
from auditfw.core.imports import NDArray, np
from auditfw.core.results.findings import Finding, NotChecked
from auditfw.formulas.people.same_answers import Grades, groups_with_two_grades
from auditfw.kinds.context import Sample
from auditfw.kinds.evidence import one_pass_of
from auditfw.kinds.judgements import ITEM, LABEL, RATER, REASON
from auditfw.kinds.registry import declare

from .rater_rows import RaterRows, called, rated

NO_TEXTS = "no question or no answer is known: map source.columns.item (or question) and source.columns.answer"
RATES = {"percent_agreement": 100.0, "accepted_rate": 100.0}  # metrics that are rates, and their scale to percent


class SameGrades(NamedTuple):
    """How each rater graded the same answers, or `why` that is not known; `texts` are those to be shown, by row."""

    facts: Sequence[SameFacts] = ()
    why: str = ""
    texts: Mapping[int, ShownAnswer] = {}


class ShownAnswer(NamedTuple):
    """A row as it is shown: its question, its answer, and the reason of each rater."""

    question: str
    answer: str
    reasons: Mapping[str, str]


@declare("question", "same_grades")
class SameAnswersGraded:
    """Whether a rater gives the same answer to one question two labels."""

    finds: ClassVar = (KIND, NOISE)

    def __call__(self, rows: RaterRows) -> Iterator[Finding | NotChecked]:
        """Every rater, and the gates that are decided by less than its noise."""
        own = rows.of(same_grades)
        if own.why:
            yield KIND.unchecked(own.why)
        yield from two_grades(own.facts, shown=False)
        yield from inside_noise([one for facts in own.facts for one in _decided(rows, facts)])

    def measured(self, rows: RaterRows, sample: Sample) -> dict[str, Any]:
        """What the metrics of a rater read, over all items."""
        if sample.cell or sample.reading.name not in rows.labels.raters:
            return {}
        own = rows.of(same_grades)
        return {"same": next((one.twice for one in own.facts if one.rater == sample.reading.name), own.why)}

    def sections(self, rows: RaterRows) -> list[Section]:
        """What each rater graded twice, and the groups with two grades."""
        own, most = rows.of(same_grades), rows.context.limits.max_rows
        listed = group_rows(["rater", "question", "label", "answer", "reason"], _shown(rows, own), most)
        return same_section(own.facts, rows.settings.alpha, listed if rows.context.limits.texts else [])


def same_grades(rows: RaterRows) -> SameGrades:
    """The same answers of all raters."""
    settings, hashes = rows.settings.same_answer, rows.results.whole.same
    if settings is None:
        return SameGrades(why="audit.same_answer is null")
    if hashes is None or len(hashes.keys) != rows.n:
        return SameGrades(why=NO_TEXTS)
    items = _items(rows, hashes)
    keys, texts = (np.frombuffer(column, np.uint64) for column in (hashes.keys, hashes.texts))
    there = (keys != 0) & (items >= 0)
    if not there.any():
        return SameGrades(why=NO_TEXTS)
    answered = AnsweredRows(np.flatnonzero(there), items, keys, texts)
    facts = [_of_rater(rows, settings, rater, answered) for rater in range(len(rows.labels.raters))]
    return SameGrades(facts, "", _texts(rows, facts, settings.text))


def _items(rows: RaterRows, hashes: SameHashes) -> NDArray[np.int64]:
    """The number of each row's item, else of its question; -1 for none."""
    if rows.items is not None:
        return rows.items.astype(np.int64)
    asked = np.frombuffer(hashes.questions, np.uint64)
    numbers = np.unique(asked, return_inverse=True)[1].astype(np.int64)
    return np.where(asked == 0, -1, numbers)


class AnsweredRows(NamedTuple):
    """The rows with a question and an answer; items and keys of all rows."""

    rows: NDArray[np.intp]
    items: NDArray[np.int64]
    keys: NDArray[np.uint64]
    texts: NDArray[np.uint64]


def _of_rater(rows: RaterRows, settings: SameTexts, rater: int, answered: AnsweredRows) -> SameFacts:
    labels, alpha = rows.labels, rows.settings.alpha
    codes = labels.codes[rater].astype(np.int64)
    kept = np.array([name not in rows.results.settings.abstain for name in labels.names] + [False])
    at = answered.rows[kept[codes[answered.rows]]]
    items, keys, texts = answered.items[at], answered.keys[at], answered.texts[at]
    grades = Grades(items, keys, texts, codes[at])
    by = {name.removeprefix("cell."): rows.numbered(name) for name in rows.by}
    ranked = GradedRows(Grades(items, keys, texts, _ranks(rows)[codes[at]]), at)
    preferred = [one for name, column in by.items() if (one := favoured(ranked, name, *column)) is not None]
    twice = twice_of(grades, settings, preferred, alpha)
    groups = [at[group] for group in groups_with_two_grades(grades)]
    name = labels.raters[rater]
    many = crowded({name: len(column.values) for name, column in by.items()})
    return SameFacts(name, called(rows, rater), twice, len(at), rows.n - len(at), groups, preferred, many)


def _ranks(rows: RaterRows) -> NDArray[np.int64]:
    """How high each label is as a grade: numbers by their size, others by whether they are acceptable."""
    items = rows.of(rated)
    if items.numeric or rows.settings.values is not None:
        return np.unique(items.numbers, return_inverse=True)[1].astype(np.int64)
    good = rows.results.settings.acceptable
    return np.array([*(int(name in good) for name in rows.labels.names), 0], np.int64)


def _decided(rows: RaterRows, facts: SameFacts) -> Iterator[Decided]:
    """The gates on rates of a rater that pass by their value, each with the noise of grading."""
    judged, metrics = rows.results.overall.get(facts.rater), rows.settings.metrics
    made = {name: metrics[name](judged) for name in RATES if name in metrics and judged is not None}
    rates = {
        name: GatedRate(one.value, one.counted, RATES[name])
        for name, one in made.items()
        if one is not None and one.value is not None
    }
    return decided_by_gates(rows.settings.gates, facts, rates)


# What is shown


def _shown(rows: RaterRows, own: SameGrades) -> list[list[list[str]]]:
    """The groups of all raters, an answer a row."""
    labels, groups = rows.labels, []
    for facts in own.facts:
        codes = labels.codes[labels.raters.index(facts.rater)]
        for group in facts.groups:
            known = [(own.texts[row], labels.names[codes[row]]) for row in group.tolist() if row in own.texts]
            groups.append(
                [[facts.who, one.question, label, one.answer, one.reasons.get(facts.rater, "")] for one, label in known]
            )
    return groups


def _texts(rows: RaterRows, facts: Sequence[SameFacts], text: str | None) -> dict[int, ShownAnswer]:
    """The texts of the groups that are shown, read again by their ids."""
    most = rows.context.limits.max_rows
    wanted = sorted({row for one in facts for group in one.groups[:most] for row in group.tolist()}) if most else []
    ids = {str(id): row for row, (id,) in zip(wanted, rows.rows(["id"], wanted), strict=True)}
    shown: dict[int, ShownAnswer] = {}
    evidence = rows.opened.evidence
    once = one_pass_of(evidence.tasks) if ids else None
    for task in () if not ids else evidence.tasks if once is None else once.tasks:
        batch = task()
        for i, word in enumerate(batch.columns["id"]):
            row = ids.get(str(word))
            if row is None:
                continue
            record = {name: [column[i]] for name, column in batch.columns.items()}
            [answer] = answers(record, text, 1)
            [question] = record.get(QUESTION) or record.get(ITEM) or [""]
            known = shown.get(row, ShownAnswer(str(question or ""), str(answer or ""), {}))
            shown[row] = known._replace(reasons={**known.reasons, **_reasons(record, rows.labels.raters)})
    return shown


def _reasons(record: Mapping[str, Sequence[Any]], raters: Sequence[str]) -> dict[str, str]:
    if RATER in record and LABEL in record:
        return {str(record[RATER][0]): str(record.get(REASON, [""])[0] or "")}
    return {rater: str(record[f"{rater}.{REASON}"][0] or "") for rater in raters if f"{rater}.{REASON}" in record}
