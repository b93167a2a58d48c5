"""Which columns of a table are likely to be cells, and what kind of answer its truths are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from auditfw.formulas.texts.truth_kinds import SHARE, kind_of

CELLS = ("model", "model_id", "model_name", "task", "subject", "category", "dataset", "temperature", "variant")
MOST_STRATA, EACH, MOST_CELLS = 20, 5, 2  # values of a column, records of a value, columns
AnswerKind = Literal["letter", "number", "text"]
LETTERS = ("none", "choice")  # normalizer and matcher of truths such as (A): equality with a bare letter is never met
_MARKED = re.compile(r"\([A-Ja-j]\)?\.?|[A-Ja-j][).]\.?")
_SOLVED = re.compile(r"(?:####|answer is:?)\s*[-$]?[\d,.]*\d\D{0,2}\Z", re.IGNORECASE)
_LETTER = re.compile(r"\(?[A-Ja-j]\)?\.?|[A-J](?:, ?[A-J])+")


def cells(
    columns: Sequence[str], records: Sequence[Mapping[str, Any]], last: Mapping[str, Any] | None = None
) -> list[str]:
    """The columns that are likely to be cells: of a usual name, with more than one value.

    `last` is the file's last record: in a table that is sorted by a column it differs from the first ones.
    """
    rows = [*records, last] if last else records
    usual = [name for name in CELLS if name in columns]
    return [name for name in usual if len({str(row.get(name)) for row in rows}) > 1]


def strata(columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns of judgements that are likely to be cells: two to twenty values, each of five records on average."""
    few: list[str] = []
    for name in columns:
        values = [row.get(name) for row in records]
        distinct = {str(value) for value in values}
        plain = all(isinstance(value, str | int | bool) for value in values)
        if plain and 1 < len(distinct) <= min(MOST_STRATA, len(values) // EACH):
            few.append(name)
    return few[:MOST_CELLS]


def answer_kind(truths: Sequence[Any]) -> AnswerKind:
    """What kind of answer almost all truths are that are not empty: option letters, numbers, or text."""
    texts = _texts(truths)
    most = SHARE * len(texts)
    if texts and sum(_LETTER.fullmatch(text) is not None for text in texts) >= most:
        return "letter"
    return "number" if texts and sum(kind_of(text) == "number" for text in texts) >= most else "text"


def ends(usual: tuple[str, str], truths: Sequence[Any]) -> tuple[str, str]:
    """The normalizer and the matcher for truths: the usual ones of their kind, unless they are letters with marks."""
    letters = answer_kind(truths) == "letter"
    marked = letters and any(map(_MARKED.fullmatch, _texts(truths)))
    return LETTERS if marked else usual


def with_truths(truths: Sequence[Any]) -> tuple[AnswerKind, list[str]]:
    """The kind of answer of truths, with the words that take it out of them: of solutions that end in a number this."""
    texts, kind = _texts(truths), answer_kind(truths)
    solved = kind == "text" and sum(_SOLVED.search(text) is not None for text in texts) >= SHARE * len(texts) > 0
    return ("number", ["audit.truth=last_number"]) if solved else (kind, [])


def _texts(truths: Sequence[Any]) -> list[str]:
    """All truths that are not empty, as texts; a row may have several."""
    several = (truth if isinstance(truth, list) else [truth] for truth in truths)
    return [text for one in several for each in one if each is not None and (text := str(each).strip())]
