"""The texts of trials as their source has them: the answers of models, or what raters judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from auditfw.audits.consistency.same_texts import PLAIN, answers
from auditfw.audits.consistency.settings import ConsistencySettings
from auditfw.audits.consistency.trials import prepared_source
from auditfw.audits.parsing.engine.plan import needs_of
from auditfw.audits.parsing.engine.reference import alternatives
from auditfw.audits.parsing.engine.shared_results import fitted
from auditfw.audits.parsing.settings import ParsingSettings
from auditfw.audits.parsing.trials import ITEM, QUESTION, Labels, TrialBatch, as_text, flat
from auditfw.core.errors import DataError, UsageError, nearest
from auditfw.core.records import Batch
from auditfw.kinds.evidence import Evidence, Source
from auditfw.kinds.judgements import ANSWER

ID, TRUTH, RAW, PARSED = "id", "ground_truth", "raw_text", "parsed_text"
COUNTED = Labels(frozenset(), frozenset(), counted=True)  # no stored label is read
Columns = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class TrialText:
    """What people see of a trial: the question (None: not known), the expected answers, the completion.

    `further` are other columns of the source by name; `item` is the question or problem that it is a trial of.
    """

    question: str | None
    expected: Sequence[str]
    answer: str | None
    item: str | None = None
    further: Mapping[str, str] = field(default_factory=dict)


class OpenedTexts(NamedTuple):
    """A source opened for texts alone, and what reads them from columns of rows, by id.

    `item` is the column that says which trials are of one question, where the run itself does not keep that; "" else.
    """

    evidence: Evidence
    read: Callable[[Columns], dict[str, TrialText]]
    item: str = ""


def opened_texts(audit: ParsingSettings | ConsistencySettings, show: Sequence[str]) -> OpenedTexts:
    """Opens the source of an audit for the texts of its trials and columns to show. Raises AuditError."""
    return _answers(audit, show) if isinstance(audit, ParsingSettings) else _judged(audit, show)


def _answers(audit: ParsingSettings, show: Sequence[str]) -> OpenedTexts:
    needs = () if audit.truth is None else needs_of([audit.truth.part])
    optional = dict.fromkeys([ID, RAW, PARSED, ITEM, QUESTION, *show])
    evidence = audit.source.open([TRUTH, *needs], list(optional))
    _check_shown(audit.source, evidence, show)
    truth = fitted(audit.truth, evidence)

    def read(columns: Columns) -> dict[str, TrialText]:
        batch = TrialBatch(Batch({name: list(one) for name, one in columns.items()}), truth, (), COUNTED)
        texts = batch.raw or batch.parsed or [None] * len(batch.names)
        rows = [(row, alternatives(truths)) for row, truths in zip(batch.kept, batch.truths, strict=True)]
        items = batch.items or [None] * len(rows)
        return {
            name: TrialText(_cell(columns, QUESTION, row), truths, text, item, _further(columns, show, row))
            for name, (row, truths), text, item in zip(batch.names, rows, texts, items, strict=True)
        }

    return OpenedTexts(evidence, read)


def _judged(audit: ConsistencySettings, show: Sequence[str]) -> OpenedTexts:
    """What raters judged: a claim, else an answer; of several records of a row the first that has one."""
    source, same = prepared_source(audit), audit.same_answer
    column = None if same is None else same.text
    wanted = [ID, ANSWER, PLAIN, TRUTH, ITEM, QUESTION, *show, *([] if column is None else [column])]
    evidence = source.open((), list(dict.fromkeys(wanted)))
    _check_shown(source, evidence, show)
    if not {ANSWER, PLAIN, column} & {*evidence.columns}:
        names = ", ".join(name for name in evidence.columns if not name.startswith("#"))
        do = "people cannot label without texts: run it again with source.columns.answer=THEIR_NAME"
        raise DataError("label", f"the source has no column '{PLAIN}', nor {ANSWER}.claim", names, do)
    item = next((name for name in (ITEM, QUESTION) if name in evidence.columns), "")

    def read(columns: Columns) -> dict[str, TrialText]:
        texts: dict[str, TrialText] = {}
        judged = answers(columns, column, len(columns[ID]))
        for row, (name, text) in enumerate(zip(columns[ID], judged, strict=True)):
            if text is not None or name not in texts:
                expected = [as_text(one) for one in flat([columns[TRUTH][row] if TRUTH in columns else None])]
                question, own = (_cell(columns, one, row) for one in (QUESTION, item))
                shown = None if text is None else as_text(text)
                texts[name] = TrialText(question, expected, shown, own, _further(columns, show, row))
        return texts

    return OpenedTexts(evidence, read, item)


def _check_shown(source: Source, evidence: Evidence, show: Sequence[str]) -> None:
    for name in show:
        if name not in evidence.columns:
            known = [one for one in source.open((), None).columns if not one.startswith("#")]
            raise UsageError("show", evidence.lacks(name), None, nearest(name, known))


def _cell(columns: Columns, name: str, row: int) -> str | None:
    value = columns[name][row] if name in columns else None
    return None if value is None else as_text(value)


def _further(columns: Columns, show: Sequence[str], row: int) -> dict[str, str]:
    return {name: _cell(columns, name, row) or "" for name in show}
