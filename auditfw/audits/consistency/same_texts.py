"""What raters were shown: for each row the keys of its answer, by which answers to one question are the same."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from auditfw.audits.same_keys import AnswerKeys, SameAnswers
from auditfw.core.errors import UsageError, nearest
from auditfw.formulas.texts.endings import text_hashes
from auditfw.kinds.judgements import ANSWER, CLAIMED, ITEM, claim

SAME = ("#same", "#same_text", "#same_question")  # of a joined row: the hashes of its answer
NO_ANSWER = (0, 0, 0)
PLAIN, TRUTH, QUESTION = "answer", "ground_truth", "question"


@dataclass(frozen=True)
class SameTexts(SameAnswers):
    """The same, and the column of the texts that raters judge, where it is neither answer_json.claim nor `answer`."""

    text: str | None = None


class SameHashes(NamedTuple):
    """The hashes of rows: of the key of the answer, of its text byte for byte, of the question; 0 for none."""

    keys: array[int]
    texts: array[int]
    questions: array[int]

    @classmethod
    def none(cls) -> SameHashes:
        """Those of no row."""
        return cls(*(array("Q") for _ in cls._fields))

    def extend(self, other: SameHashes) -> None:
        """Adds those of later rows."""
        for own, more in zip(self, other, strict=True):
            own.extend(more)


@dataclass(frozen=True)
class SameReader:
    """Makes the hashes of records, by columns of theirs; `text` is the column of answers, `beside` must be equal."""

    keys: AnswerKeys
    text: str | None = None
    beside: tuple[str, ...] = ()

    def of(self, columns: Mapping[str, Sequence[Any]], size: int) -> SameHashes:
        """The hashes of the records of a batch."""
        empty: list[Any] = [None] * size
        names = [name for name in (TRUTH, *self.beside) if name in columns]
        questions = empty if ITEM in columns or QUESTION not in columns else list(map(_text, columns[QUESTION]))
        texts = list(map(_text, answers(columns, self.text, size)))
        beside = zip(questions, *(map(_text, columns[name]) for name in names), strict=True)
        keys, own = self.keys.of(texts, list(beside))
        asked = [one for one in dict.fromkeys(questions) if one]
        numbers = {None: 0, "": 0} | {one: number or 1 for one, number in zip(asked, text_hashes(asked), strict=True)}
        return SameHashes(keys, own, array("Q", map(numbers.__getitem__, questions)))


def answers(columns: Mapping[str, Sequence[Any]], text: str | None, size: int) -> Sequence[Any]:
    """What was judged in the records of a batch: the column of this name, else claims, else plain answers."""
    empty: list[Any] = [None] * size
    if text is not None:
        return columns.get(text) or empty
    claims = columns[CLAIMED] if CLAIMED in columns else [claim(answer) for answer in columns.get(ANSWER) or empty]
    plain = columns.get(PLAIN) or empty
    return [other if own is None else own for own, other in zip(claims, plain, strict=True)]


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def reader_of(same: SameTexts | None, columns: Sequence[str], normalizer: Callable[[], Any]) -> SameReader | None:
    """What makes the hashes for these columns; None where nothing is asked, or no answer or no question is known."""
    texts = (ANSWER, PLAIN) if same is None or same.text is None else (same.text,)
    if same is None or not ({ITEM, QUESTION} & {*columns} and {*texts} & {*columns}):
        return None
    return SameReader(AnswerKeys(normalizer(), same.longest), same.text, same.columns)


def check_columns(same: SameTexts | None, columns: Sequence[str], every: Callable[[], Sequence[str]]) -> None:
    """Raises UsageError for a column that was not there to be read; `every` are those that the source has."""
    named: dict[str, str | None] = {}
    if same is not None:
        named = {"text": same.text, **{f"columns[{i}]": name for i, name in enumerate(same.columns)}}
    for setting, name in named.items():
        if name is not None and name not in columns:
            known = [one for one in every() if not one.startswith("#")]
            what = f"no column '{name}'"
            raise UsageError(f"audit.same_answer.{setting}", what, f"columns {', '.join(known)}", nearest(name, known))
