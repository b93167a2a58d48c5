"""Values that no file and no message may show: what a config reads from the environment, and keys."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

MASK = "[masked]"
SHORTEST = 6  # characters: a shorter text is no secret, and is part of other words by chance

_hidden: set[str] = set()


def hide(value: str) -> None:
    """Keeps a text out of every file and message from now on, in this process."""
    if len(value.strip()) >= SHORTEST and value not in _hidden:
        _hidden.add(value.strip())
        _mask_logs()


def hidden() -> tuple[str, ...]:
    """What is masked, to be sent to another process."""
    return tuple(sorted(_hidden))


def masked(text: str, more: Iterable[str] = ()) -> str:
    """The text without what is hidden, the longest first."""
    for value in sorted({*_hidden, *(one for one in more if len(one) >= SHORTEST)}, key=lambda one: (-len(one), one)):
        text = text.replace(value, MASK)
    return text


def masked_data(value: T) -> T:
    """The same for every text within plain data and dataclasses; keys stay, and what holds nothing hidden is itself."""
    return _masked_data(value) if _hidden else value


def _masked_data(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, Mapping):
        masked_items = {key: _masked_data(one) for key, one in value.items()}
        return masked_items if any(masked_items[key] is not one for key, one in value.items()) else value
    if isinstance(value, list | tuple):
        each = [_masked_data(one) for one in value]
        same = all(a is b for a, b in zip(each, value, strict=True))
        return value if same else tuple(each) if isinstance(value, tuple) else each
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
        changed = {name: new for name, one in parts.items() if (new := _masked_data(one)) is not one}
        return dataclasses.replace(value, **changed) if changed else value
    return value


@cache
def _mask_logs() -> None:
    """Lets what is logged pass the mask."""
    before = logging.getLogRecordFactory()

    def factory(*args: Any, **named: Any) -> logging.LogRecord:
        record = before(*args, **named)
        message = record.getMessage()
        if masked(message) != message:
            record.msg, record.args = masked(message), ()
        return record

    logging.setLogRecordFactory(factory)
