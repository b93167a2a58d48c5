"""Stored answers that stand nowhere in the text, letters beside another option's text, and cells at chance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from auditfw.audits.table_rows import located
from auditfw.core.digits import fixed
from auditfw.core.document import capital, some
from auditfw.core.imports import np
from auditfw.core.results.findings import CellCount, Finding, FindingKind, NotChecked
from auditfw.core.tables import NO_CODE
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .row_facts import STORED, TEXT, RowFacts, cell_of, facts, no_value, unchecked, where

if TYPE_CHECKING:
    from auditfw.formulas.rows.sources import Unsourced

ANSWERS = {"parsed_text": "no stored answer is read"}
OPTIONS = {"choices|options": "no column holds the options of questions"}
UNSOURCED = FindingKind(
    "answers_unsourced", "Stored answers that stand nowhere in their text.", ("no_rule",), needs={**ANSWERS, **TEXT}
)
PERMUTED = FindingKind(
    "options_permuted", "Answers whose letter and whose option's text are of different options.", needs=OPTIONS
)
NO_SKILL = FindingKind(
    "cell_no_skill", "A cell that is right no more often than its answers equal other items' truths.", needs=STORED
)


@declare("question", "answers_own")
class AnswersOwn:
    """Whether answers are those of their texts, options and items."""

    finds: ClassVar[tuple[FindingKind, ...]] = (UNSOURCED, PERMUTED, NO_SKILL)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Stored answers in texts, letters beside option texts, labels beside luck."""
        known = facts(rows)
        if rows.has("row.sourced"):
            yield from answers_unsourced(known)
        else:
            yield from unchecked(UNSOURCED, rows, "no stored answer is a number, a letter, yes or no")
        if rows.has("row.option_letter") and rows.has("row.option_text"):
            yield from options_permuted(known)
        else:
            yield from unchecked(PERMUTED, rows, no_value(OPTIONS))
        if known.labels and rows.has("row.answer_key") and rows.has("row.truth_key"):
            yield from cell_no_skill(known)
        else:
            why = "no answer or truth could be read" if known.labels else no_value(STORED)
            yield from unchecked(NO_SKILL, rows, why)


def answers_unsourced(known: RowFacts) -> Iterator[Finding]:
    """By model: the stored numbers, letters, yes or no that are not in the text, where they are a few but not most."""
    from auditfw.formulas.rows.sources import Answered, unsourced

    codes = known.rows.numbers("row.sourced")
    column = known.models[0] if len(known.models) == 1 else None
    values = np.zeros(known.rows.n, np.int32) if column is None else column.numbers
    each = unsourced(values, Answered(codes != NO_CODE, codes == 1, known.labelled, known.right, known.items))
    if not each:
        return
    one = max(each, key=lambda each_value: (each_value.fragile, len(each_value.rows)))
    # those that the text is about come first: their places are shown
    at = np.concatenate([one.rows, *(other.rows for other in each if other is not one)])
    right = int((known.right & known.labelled)[at].sum())
    value = "" if column is None else column.value(one.value)
    cells = [] if column is None else [CellCount({column.name: column.value(u.value)}, len(u.rows)) for u in each]
    yield UNSOURCED(
        len(at),
        int((codes != NO_CODE).sum()),
        _sentence(one, value),
        effect="fragile" if one.fragile else "reported",
        points=100 * right / known.labels if known.labels else None,
        low=100 * one.share.low,
        high=100 * one.share.high,
        p=one.p,
        cells=cells,
        detail={"right": right},
        brief=f"{some(len(at), 'stored answer')} not in the text",
        next="Look at one of them: a piece of a number in the text (074 of 5,074), or the answer of another row?",
        **located(known.rows, at),
    )


def _sentence(one: Unsourced, value: str | None) -> str:
    text = f"In {some(len(one.rows), 'answer')}{f' of {value}' if value else ''} the stored answer is not in the text"
    if not one.labelled:
        return f"{text}."
    right = fixed(100 * one.right / one.labelled, 0)
    others = f", {fixed(100 * one.others_right / one.others, 0)} % of its other answers" if one.others else ""
    return f"{text}; {right} % of them are labelled right{others}."


def options_permuted(known: RowFacts) -> Iterator[Finding]:
    """Whole and by value: letters beside the text of another option."""
    from auditfw.formulas.rows.sources import permuted

    places = [known.rows.numbers(f"row.option_{name}").astype(np.int16) for name in ("letter", "text")]
    letters, texts = (np.where(of == NO_CODE, -1, of) for of in places)
    one = permuted(letters, texts, known.items, [column.numbers for column in known.columns])
    if one is None:
        return
    cell, share = cell_of(one.group, known.columns), fixed(100 * one.share.share, 0)
    text = f"{capital(f'{where(cell)}letter')} and option text name different options in {share} % of "
    yield PERMUTED(
        len(one.rows),
        one.named,
        f"{text}{some(one.named, 'answer')}.",
        effect="broken" if one.group.whole else "fragile",
        points=100 * len(one.rows) / max(1, known.labels or known.rows.n),
        low=100 * one.share.low,
        high=100 * one.share.high,
        cells=[CellCount(cell, len(one.rows))] if cell else [],
        brief=f"{some(len(one.rows), 'letter')} beside another option",
        next="Look whether source.columns.choices holds the options in the order that the model was shown",
        **located(known.rows, one.rows),
    )


def cell_no_skill(known: RowFacts) -> Iterator[Finding]:
    """The first column whose lowest value has no skill while the others have."""
    from auditfw.formulas.rows.sources import Answers, skills, without_skill

    answers = Answers(known.items, *known.keys, known.right)
    for column in known.unruled:
        one = without_skill(skills(column.numbers, answers, known.labelled), float(known.rows.settings.margin) / 100)
        if one is None:
            continue
        cell, points = {column.name: column.value(one.value)}, fixed(100 * one.share, 1, signed=True)
        text = f"{where(cell)}answers are right as often as they equal other items' truths ({points} points in "
        text += f"{some(one.rows, 'trial')}): truths of another subset, or at chance?"
        rows = ((column.numbers == one.value) & known.labelled).nonzero()[0]
        yield NO_SKILL(
            one.rows,
            known.labels,
            text,
            low=100 * one.low,
            high=100 * one.high,
            cells=[CellCount(cell, one.rows)],
            brief=f"{column.value(one.value)} no better than chance",
            next=f"Look at a few rows of {column.value(one.value)}: do truths belong to the questions?",
            **located(known.rows, rows),
        )
        return
