"""JSON with an indent of one blank, as `json.dumps(indent=1)` writes it: that has no encoder in C, this one uses it."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any


def indented(document: object) -> str:
    """The same text as `json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)`; keys are texts."""
    return _text(document, 1)


def _text(value: Any, level: int) -> str:
    """A value whose parts stand on lines of their own, so many blanks from the left."""
    if not isinstance(value, dict | list | tuple) or not value:
        return _encoder(level).encode(value)
    parts = value.values() if isinstance(value, dict) else value
    start, end = "\n" + " " * level, "\n" + " " * (level - 1)
    if not any(isinstance(part, dict | list | tuple) and part for part in parts):
        text = _encoder(level).encode(value)
        return f"{text[0]}{start}{text[1:-1]}{end}{text[-1]}"
    texts = [_text(part, level + 1) for part in parts]
    if isinstance(value, dict):
        encode = _encoder(level).encode
        texts = [f"{encode(key)}: {text}" for key, text in zip(value, texts, strict=True)]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}{start}{f',{start}'.join(texts)}{end}{closing}"


@lru_cache(maxsize=64)
def _encoder(level: int) -> json.JSONEncoder:
    separators = (",\n" + " " * level, ": ")
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=separators)
