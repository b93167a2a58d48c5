"""Texts that come as lists of content parts, as chat models give them: the text, the reasoning, and what is left out.

Known are the parts of Inspect, OpenAI (chat completions and responses), Anthropic, Mistral, LangChain, Gemini and
Bedrock.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from auditfw.components.files.formats.strict_json import TooLarge
from auditfw.core.errors import DataError
from auditfw.core.notes import Remark

REASONING = "reasoning"
TEXTS = ("raw_text", "parsed_text", "ground_truth")
READ_AS_TEXT = TEXTS[:2]

_WRITTEN = {"text": "text", "output_text": "text", "input_text": "text", "refusal": "refusal"}  # and where the text is
_THOUGHT = {
    "reasoning": ("reasoning", "content", "summary", "text"),
    "thinking": ("thinking",),
    "redacted_thinking": (),
    "reasoning_text": ("text",),
    "reasoning_content": ("reasoning_content", "text"),
    "summary_text": ("text",),
}
_OTHER = frozenset(
    (
        "image", "image_url", "input_image", "audio", "input_audio", "output_audio", "video", "file", "input_file",
        "document", "data", "tool_use", "tool_result", "server_tool_use", "tool_call", "tool_calls", "function_call",
        "function_call_output", "web_search_call", "web_search_tool_result", "file_search_call", "computer_call",
        "code_interpreter_call", "image_generation_call", "mcp_call", "mcp_tool_use", "mcp_tool_result",
        "container_upload",
    )
)  # fmt: skip
_MESSAGE = "message"
_BEDROCK = "reasoningContent"


class Content:
    """The contents of a list of content parts: texts, reasoning, and the types of the parts that are neither."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.others: list[str] = []
        for part in parts:
            self._add(part)

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    @property
    def reasoning(self) -> str | None:
        return "\n".join(self.thoughts) or None

    def _add(self, part: Any) -> None:
        if isinstance(part, str):
            self.texts.append(part)
            return
        kind = part.get("type")
        if kind is None:
            self._untyped(part)
        elif kind in _WRITTEN:
            self.texts.append(_plain(part.get(_WRITTEN[kind])))
        elif kind in _THOUGHT:
            keys = _THOUGHT[kind][1:] if part.get("redacted") is True else _THOUGHT[kind]
            thought = next((text for key in keys if (text := _plain(part.get(key)))), "")
            self.thoughts += [thought] if thought else []
        elif kind == _MESSAGE:
            inner = part.get("content")
            for one in inner if isinstance(inner, list) else [inner or ""]:
                self._add(one)
        else:
            self.others.append(str(kind))

    def _untyped(self, part: Any) -> None:
        if _BEDROCK in part:
            reasoning = part[_BEDROCK]
            inner = reasoning.get("reasoningText") if isinstance(reasoning, dict) else None
            thought = _plain(inner.get("text")) if isinstance(inner, dict) else ""
            self.thoughts += [thought] if thought else []
        elif part.get("thought") is True:
            self.thoughts.append(part["text"])
        else:
            self.texts.append(part["text"])


def content(value: Any, typed: bool = False) -> Content | None:
    """The texts of content parts; None for what is no list of them, nor one part alone.

    With `typed` one of them must say of which type it is.
    """
    if isinstance(value, dict):
        return Content([value]) if value.get("type") in _WRITTEN and _is_part(value) else None
    if not isinstance(value, list) or not value or not any(isinstance(part, dict) for part in value):
        return None
    if not all(isinstance(part, str) or _is_part(part) for part in value):
        return None
    kinds = [part.get("type") for part in value if isinstance(part, dict)]
    return Content(value) if any(_is_known(kind) and (kind or not typed) for kind in kinds) else None


def _is_part(part: Any) -> bool:
    """Whether a value is a content part, of whichever type."""
    if not isinstance(part, dict):
        return False
    kind = part.get("type")
    if kind is None:
        return (isinstance(part.get("text"), str) and "role" not in part) or isinstance(part.get(_BEDROCK), dict)
    if kind == _MESSAGE:
        inner = part.get("content")
        return inner is None or isinstance(inner, str) or (isinstance(inner, list) and all(map(_is_part, inner)))
    return isinstance(kind, str)


def _is_known(kind: str | None) -> bool:
    return kind is None or kind in _WRITTEN or kind in _THOUGHT or kind in _OTHER or kind == _MESSAGE


def _plain(value: Any) -> str:
    """The text of a part: text as it is, or what holds it deeper."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _plain(value.get("value"))
    if isinstance(value, list):
        inner = content(value)
        return "" if inner is None else "\n".join([*inner.texts, *inner.thoughts])
    return ""


def as_texts(name: str, values: list[Any], setting: str, place: Callable[[int], str], notes: Counter[str]) -> list[Any]:
    """A column with its content parts as texts; what was done is noted, with the first place.

    The setting is the one that says where the column's values are.

    Of the columns that are read as text, any other list or object becomes its JSON text, a list of one text this text.
    """
    kinds = set(map(type, values))
    if list not in kinds and (dict not in kinds or name not in TEXTS):
        return values
    column = list(values)
    for i, value in enumerate(values):
        if not isinstance(value, list | dict) or (isinstance(value, dict) and name not in TEXTS):
            continue
        texts = content(value, name not in TEXTS)
        if texts is not None:
            column[i] = texts.text
            notes[Remark(f"content parts read as their texts, {_apart(name)}", name, place(i))] += 1
            for kind in dict.fromkeys(texts.others):
                notes[Remark(f"content parts of type '{kind}' left out", name, place(i))] += 1
        elif name in READ_AS_TEXT or (isinstance(value, dict) and name in TEXTS):
            one = len(value) == 1 and isinstance(value, list) and isinstance(value[0], str)
            column[i] = value[0] if one else json.dumps(value, ensure_ascii=False)
            notes[Remark(_ALONE if one else _AS_JSON.format(setting), name, place(i))] += 1
    return column


_ALONE = "lists of one text read as this text"
_AS_JSON = "lists or objects read as their JSON text; to read a text inside, write {}=ITS_ADDRESS"


def _apart(name: str) -> str:
    return f"reasoning left out (column {REASONING})" if name == TEXTS[0] else "reasoning left out"


def reasoning_of(value: Any) -> str | None:
    """The reasoning in content parts; None where there is none."""
    parts = content(value) if isinstance(value, list) else None
    return None if parts is None else parts.reasoning


def finite(name: str, values: list[Any], place: Callable[[int], str], kept: bool, notes: Counter[str]) -> list[Any]:
    """The values with null for NaN and infinities, however deep inside, unless they are `kept`.

    `place(i)` says where a value is. Raises DataError for a number too large.
    """
    numbers = list(values)
    for i, value in enumerate(values):
        if isinstance(value, float | list | dict):
            where = place(i)
            numbers[i], changed = _finite(value, where, kept)
            if changed:
                notes[Remark("NaN or Infinity read as null", name, where)] += 1
    return numbers


def _finite(value: Any, where: str, kept: bool) -> tuple[Any, bool]:
    """A value without numbers that are not finite, and whether it had any."""
    if isinstance(value, float):
        if isinstance(value, TooLarge):
            raise DataError(where, "a number too large", value.text, "write it as text, or null")
        return (value, False) if kept or value - value == 0 else (None, True)
    if isinstance(value, list):
        pairs = [_finite(part, where, kept) for part in value]
        return [part for part, _ in pairs], any(changed for _, changed in pairs)
    if isinstance(value, dict):
        entries = {key: _finite(part, where, kept) for key, part in value.items()}
        return {key: part for key, (part, _) in entries.items()}, any(changed for _, changed in entries.values())
    return value, False
