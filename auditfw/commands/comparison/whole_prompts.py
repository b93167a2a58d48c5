"""Sides whose log stores the whole prompt of a trial as its question: the question is what differs between prompts.

Prompts of one log begin and end alike: instructions, examples, the marks of a chat template. What remains of each is
its question, whatever template it was put in, so that items of two logs can be matched by it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from auditfw.audits.parsing.kept.keys import hashed, normalized
from auditfw.audits.parsing.trials import ITEM, as_text
from auditfw.commands.labelling.texts import batches_of, stored_audit
from auditfw.core.errors import AuditError
from auditfw.core.imports import pl
from auditfw.kinds.capabilities import capability
from auditfw.kinds.evidence import LogConditions

from .items import AGREE, ID, QUESTION, LabelledSide

ASKED, PROMPT = "question", "row.prompt"
LEAST = 20  # first items of both logs, so that their names are taken for the same without reading all prompts
_BLANK = re.compile(r"\s")


def own_questions(sides: tuple[LabelledSide, LabelledSide]) -> tuple[LabelledSide, LabelledSide] | None:
    """Both sides with the hash of what remains of each prompt as that of its question, and of the whole as its prompt.

    Where the first prompts of both logs show that their items go by the same names, no question is left and no further
    prompt is read. None where no side stores whole prompts, or the logs are not what they were when they were audited.
    """
    try:
        sources = [stored_audit(side.folder).source for side in sides]
        logs = list(map(_logs, sources))
        asked = [bool(several) and all(log.asked for log in several) for several in logs]
        if not any(asked):
            return None
        if all(asked) and _go_by_one_name(
            *({k: v for log in several for k, v in log.prompts.items()} for several in logs)
        ):
            return _without_questions(sides[0]), _without_questions(sides[1])
        texts = [_questions(source) for source in sources]
    except AuditError:
        return None
    made = [_with(*one) for one in zip(sides, texts, asked, strict=True)]
    return None if made[0] is None or made[1] is None else (made[0], made[1])


def _logs(source: Any) -> Sequence[LogConditions]:
    conditions = capability(source, "conditions")
    return conditions() if callable(conditions) else ()


def _first_prompts(logs: Sequence[LogConditions]) -> dict[str, str]:
    return {item: prompt for log in logs for item, prompt in log.prompts.items()}


def _go_by_one_name(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether what remains of two logs' prompts is the same for the items of one name."""
    common = [name for name in one if name in other]
    if len(common) < LEAST:
        return False
    rests = []
    for prompts in ({name: one[name] for name in common}, {name: other[name] for name in common}):
        begin, end = shared_ends(set(prompts.values()))
        rests.append([normalized(text[begin : len(text) - end]) for text in prompts.values()])
    alike = [a == b for a, b in zip(*rests, strict=True)].count(True)
    return len(set(rests[0])) > 1 and alike >= AGREE * len(common)


def _without_questions(side: LabelledSide) -> LabelledSide:
    """A side whose questions are its prompts."""
    nothing = pl.lit(None, pl.UInt64)
    return replace(side, frame=side.frame.with_columns(pl.col(QUESTION).alias(PROMPT), nothing.alias(QUESTION)))


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
