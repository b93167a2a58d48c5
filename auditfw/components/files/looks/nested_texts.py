"""Where a model's text is inside an answer of a chat interface, as such interfaces shape it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .column_names import addressable

DEEPEST = 5
ASSISTANT = ("assistant", "model", "ai")


def chat_text(columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> str | None:
    """The address of the text in the first column that holds such answers; None where there is none."""
    for name in columns:
        if not addressable(name):
            continue
        first = next((row[name] for row in records if isinstance(row.get(name), dict | list) and row[name]), None)
        at = next(_texts({name: first}, 0), None)
        if at is not None:
            return at.removeprefix(".")
    return None


def _texts(value: Any, depth: int) -> Iterator[str]:
    """The addresses of texts that a model wrote, below this one."""
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        last = value[-1] if value else None
        if isinstance(last, dict) and last.get("role") in ASSISTANT and "content" in last:
            yield "[-1].content"
        elif isinstance(last, dict) and isinstance(last.get("generated_text"), str):
            yield "[0].generated_text"
        return
    if not isinstance(value, dict):
        return
    first = _first(value.get("choices"))
    if isinstance(first.get("message"), dict) and "content" in first["message"]:
        yield ".choices[0].message.content"
    if isinstance(first.get("text"), str):
        yield ".choices[0].text"
    if isinstance(_first(value.get("candidates")).get("content"), dict):
        yield ".candidates[0].content.parts[0].text"
    if isinstance(_first(value.get("outputs")).get("text"), str):
        yield ".outputs[0].text"
    if value.get("role") in ASSISTANT and "content" in value:
        yield ".content"
    for key, part in value.items():
        if addressable(key):
            yield from (f".{key}{inner}" for inner in _texts(part, depth + 1))


def _first(parts: Any) -> Mapping[str, Any]:
    return parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], dict) else {}
