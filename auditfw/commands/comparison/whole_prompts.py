"""Sides whose log stores the whole prompt of a trial as its question: the question is what differs between prompts.

Prompts of one log begin and end alike: instructions, examples, the marks of a chat template. What remains of each is
its question, whatever template it was put in, so that items of two logs can be matched by it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from auditfw.audits.parsing.kept.keys import hashed, normalized
from auditfw.audits.parsing.trials import ITEM, as_text
from auditfw.commands.labelling.texts import batches_of, stored_audit
from auditfw.core.errors import AuditError
from auditfw.core.imports import pl
from auditfw.kinds.capabilities import capability

from .items import ID, QUESTION, LabelledSide

ASKED, PROMPT = "question", "row.prompt"
_BLANK = re.compile(r"\s")


def own_questions(sides: tuple[LabelledSide, LabelledSide]) -> tuple[LabelledSide, LabelledSide] | None:
    """Both sides with the hash of what remains of each prompt as that of its question, and of the whole as its prompt.

    None where no side stores whole prompts, or the logs are not what they were when they were audited.
    """
    try:
        sources = [stored_audit(side.folder).source for side in sides]
        asked = [_stores_prompts(source) for source in sources]
        if not any(asked):
            return None
        texts = [_questions(source) for source in sources]
    except AuditError:
        return None
    made = [_with(*one) for one in zip(sides, texts, asked, strict=True)]
    return None if made[0] is None or made[1] is None else (made[0], made[1])


def _stores_prompts(source: Any) -> bool:
    conditions = capability(source, "conditions")
    logs = conditions() if callable(conditions) else ()
    return bool(logs) and all(log.asked for log in logs)


def _questions(source: Any) -> dict[str, str]:
    """The text of the column `question` of each trial."""
    texts: dict[str, str] = {}
    for columns in batches_of(source.open((), [ID, ITEM, ASKED])):
        pairs = zip(columns[ID], columns.get(ASKED) or (), strict=False)
        texts |= {name: as_text(text) for name, text in pairs if text is not None}
    return texts


def _with(side: LabelledSide, texts: dict[str, str], asked: bool) -> LabelledSide | None:
    """A side with other questions; None where its texts are not those of its table."""
    ids, known = side.frame[ID].to_list(), side.frame[QUESTION].to_list()
    rows = [texts.get(name) for name in ids]
    if [None if text is None else hashed(normalized(text)) for text in rows] != known:
        return None
    begin, end = shared_ends(set(texts.values()))
    rest = [None if text is None else hashed(normalized(text[begin : len(text) - end])) for text in rows]
    columns = [pl.Series(QUESTION, rest, pl.UInt64)]
    if asked:
        whole = [None if text is None else hashed(text) for text in rows]
        columns.append(pl.Series(PROMPT, whole, pl.UInt64))
    return replace(side, frame=side.frame.with_columns(columns))


def shared_ends(texts: Collection[str]) -> tuple[int, int]:
    """How many characters all texts begin and end with alike, in whole words; none of fewer than two texts."""
    if len(texts) < 2:
        return 0, 0
    begin = _common(list(texts))
    blanks = [place.end() for place in _BLANK.finditer(begin)]
    start = blanks[-1] if blanks else 0
    end = _common([text[start:][::-1] for text in texts])[::-1]
    first = _BLANK.search(end)
    return start, len(end) - first.start() if first else 0


def _common(texts: Sequence[str]) -> str:
    """What all texts begin with: the first and the last of them, as they sort, share no more."""
    first, last = min(texts), max(texts)
    size = next((i for i, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return first[:size]
