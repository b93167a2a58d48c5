"""Which columns of a table are likely to be which of ours, and what kind of answer its truths are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from auditfw.formulas.texts.truth_kinds import SHARE, kind_of

OURS = ("id", "item", "raw_text", "parsed_text", "ground_truth", "stored")
NEEDED = ("raw_text", "ground_truth")
COMMON: Mapping[str, tuple[str, ...]] = {  # the more telling first; "answer" is a truth only beside a text of a model
    "raw_text": (
        "raw_text", "response", "output", "completion", "model_output", "generated_text", "generation", "prediction",
        "raw_answer", "answer_text", "pred", "got",
    ),
    "ground_truth": (
        "ground_truth", "target", "truth", "gold", "gold_answer", "correct_answer", "expected", "expected_answer",
        "reference", "reference_answer", "solution", "answer", "label",
    ),
    "stored": (
        "stored", "is_correct", "correct", "acc", "exact_match", "accuracy", "passed", "pass", "ok", "score",
    ),
    "parsed_text": ("parsed_text", "extracted", "extracted_answer", "parsed", "parsed_answer", "filtered", "pred"),
    "item": ("item", "question", "question_id", "problem_id", "doc_id", "problem", "prompt"),
    "id": ("id", "trial_id", "uid", "sample_id", "record_id", "row_id"),
}  # fmt: skip
CELLS = ("model", "model_id", "model_name", "task", "subject", "category", "dataset", "temperature", "variant")
MOST_STRATA, EACH, MOST_CELLS = 20, 5, 2  # values of a column, records of a value, columns
LABELS = frozenset({"0", "1", "0.0", "1.0", "true", "false", "none", ""})

AnswerKind = Literal["letter", "number", "text"]
_LETTER = re.compile(r"\(?[A-Ja-j]\)?\.?|[A-J](?:, ?[A-J])+")


def guessed(columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Our columns with theirs, as far as common names tell; each of theirs is taken once."""
    names = {_plain(name): name for name in reversed(columns)}
    taken: dict[str, str] = {}
    for ours, common in COMMON.items():
        for name in common:
            theirs = names.get(name)
            if theirs is None or theirs in taken.values() or not _fits(ours, [row.get(theirs) for row in records]):
                continue
            taken[ours] = theirs
            break
    return taken


def _plain(name: str) -> str:
    """A column's name in lower case, with underscores, and without what only says that it is text."""
    plain = re.sub(r"[\s-]+", "_", name.strip().lower())
    return plain if plain in COMMON else plain.removesuffix("_text")


def _fits(ours: str, values: Sequence[Any]) -> bool:
    """Whether values can be those of a column: labels are yes or no, ids are all different."""
    plain = [value for value in values if value is not None]
    if ours == "stored":
        return all(str(value).strip().lower() in LABELS for value in plain)
    if ours == "id":
        return len(set(map(str, plain))) == len(plain)
    return not plain or not all(isinstance(value, dict) for value in plain)


def cells(columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns that are likely to be cells: of a usual name, with more than one value."""
    usual = [name for name in CELLS if name in columns]
    return [name for name in usual if len({str(row.get(name)) for row in records}) > 1]


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
    several = (truth if isinstance(truth, list) else [truth] for truth in truths)
    texts = [text for one in several for each in one if each is not None and (text := str(each).strip())]
    most = SHARE * len(texts)
    if texts and sum(_LETTER.fullmatch(text) is not None for text in texts) >= most:
        return "letter"
    return "number" if texts and sum(kind_of(text) == "number" for text in texts) >= most else "text"
