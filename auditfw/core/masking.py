"""Values that no file and no message may show: what a config reads from the environment, and keys.

Everything that leaves the process passes one of these: `masked_data` (a result, before it is drawn), `masked_frame`
(tables), `written` (text files) and `masking_streams` (standard output and standard error; what is logged has a mask of
its own). As long as nothing is hidden none of them does anything.
"""

from __future__ import annotations

import dataclasses
import html
import json
import logging
import os
import re
import shlex
import sys
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import quote

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")

MASK, ELLIPSIS = "[masked]", "…"
SHORTEST = 6  # characters: a shorter text is no secret, and is part of other words by chance
NAMES = ("audit", "metric", "reading")  # fields of records that hold names, by which results are read again
STATES = ("status", *NAMES)  # columns of tables that hold such
_WORD = re.compile(r"[A-Za-z_ ]+")  # a value that could as well be a key of a file's own

_hidden: set[str] = set()
_renamed: dict[str, tuple[re.Pattern[str], str]] = {}  # what is shown as something else
_elsewhere: list[str] = []  # the folder of the process whose mask is used


def hide(value: str) -> None:
    """Keeps a text out of every file and message from now on, in this process."""
    text = value.strip()
    if len(text) >= SHORTEST and text not in _hidden:
        _hidden.add(text)
        _mask_logs()


def show_as(text: str, shown: str, end: str = "") -> None:
    """Shows a text as another in every file and message from now on, in this process; a pattern may say how it ends."""
    if text not in _renamed:
        spelt = "|".join(sorted(map(re.escape, {*_spellings(text)}), key=len, reverse=True))
        _renamed[text] = re.compile(f"(?:{spelt}){end}"), shown if end else shown.replace("\\", r"\\")
        _mask_logs()


def renamed(text: str) -> str:
    """The text with what is shown as something else."""
    for pattern, shown in _renamed.values():
        text = pattern.sub(shown, text)
    return text


def masks() -> bool:
    """Whether anything is masked or shown as something else."""
    return bool(_hidden or _renamed)


def hidden() -> tuple[str, ...]:
    """What is masked, to be sent to another process."""
    return tuple(sorted(_hidden))


class Mask(NamedTuple):
    """What is masked or shown as something else in a process, and the folder it is in, for another process."""

    hidden: Collection[str]
    renamed: Mapping[str, tuple[re.Pattern[str], str]]
    here: str


def mask() -> Mask:
    """The mask of this process."""
    return Mask(hidden(), dict(_renamed), _here())


@contextmanager
def masking_as(other: Mask) -> Iterator[None]:
    """Masks tables within as another process does, and nothing else."""
    before = Mask(set(_hidden), dict(_renamed), "")
    _taken_over(other)
    _elsewhere.append(other.here)
    try:
        yield
    finally:
        _elsewhere.pop()
        _taken_over(before)


def _taken_over(other: Mask) -> None:
    _hidden.clear()
    _hidden.update(other.hidden)
    _renamed.clear()
    _renamed.update(other.renamed)


def masked(text: str, more: Iterable[str] = ()) -> str:
    """The text without what is hidden, the longest first."""
    text = renamed(text) if _renamed else text
    values = _hidden.union(one for one in more if len(one) >= SHORTEST)
    if not values:
        return text
    text = _pattern(frozenset(values), _here()).sub(MASK, text)
    first, *others = text.split(ELLIPSIS)
    for other in others:
        first = _cut(first, values, True) + ELLIPSIS + _cut(other, values, False)
    return first


def _cut(text: str, values: Iterable[str], at_end: bool) -> str:
    """A text that was cut at its end, or its start, without what is left there of a hidden value."""
    if at_end:
        parts = (value[:n] for value in values for n in range(SHORTEST, len(value)) if text.endswith(value[:n]))
        rest = max(parts, key=len, default="")
        return text[: -len(rest)] + MASK if rest else text
    parts = (value[-n:] for value in values for n in range(SHORTEST, len(value)) if text.startswith(value[-n:]))
    rest = max(parts, key=len, default="")
    return MASK + text[len(rest) :] if rest else text


def written(text: str) -> str:
    """The text of a file that is drawn already, also where it quotes or escapes what is hidden.

    A value that is a mere word is left to `masked_data`: here it could be a key, or a part of a page's own code.
    """
    text = renamed(text) if _renamed else text
    values = frozenset(value for value in _hidden if not _WORD.fullmatch(value))
    return _pattern(values, _here()).sub(MASK, text) if values else text


def _here() -> str:
    if _elsewhere:
        return _elsewhere[-1]
    try:
        return os.getcwd()
    except OSError:  # the folder is gone
        return ""


@lru_cache(maxsize=64)
def _pattern(values: Collection[str], here: str) -> re.Pattern[str]:
    spelt = {spelling for value in values for form in _forms(value, here) for spelling in _spellings(form)}
    longest = sorted(map(re.escape, spelt), key=lambda one: (-len(one), one))
    near = sorted(name for value in values if "/" not in (name := _near(value, here)) and len(name) >= SHORTEST)
    return re.compile("|".join([*longest, *(rf"(?<![\w.-]){re.escape(name)}(?=/)" for name in near)]))


def _forms(value: str, here: str) -> Iterator[str]:
    """A value, and what it becomes where it is taken for a path or an address."""
    yield value
    if "/" in value:
        plain = os.path.normpath(value)
        fixed = re.split(r"[*?\[]", value)[0].rpartition("/")[0] if set(value) & set("*?[") else value.rstrip("/")
        near, password = _near(value, here), re.search(r"://[^/@:]*:([^/@]+)@", value)
        forms = (plain, fixed, near if "/" in near else "", password[1] if password else "")
        yield from (form for form in forms if len(form) >= SHORTEST)


def _near(value: str, here: str) -> str:
    """A path below the current folder as it is written from there; "" for any other."""
    return os.path.relpath(value, here) if here and value.startswith(f"{here}{os.sep}") else ""


def _spellings(value: str) -> Iterator[str]:
    """A value as it is written where something is quoted, escaped or encoded."""
    yield value
    yield from (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1])
    yield from (html.escape(value), html.escape(value, quote=False), quote(value), quote(value, safe=""))
    yield from (shlex.quote(value), re.sub(r"([^\w\s])", r"\\\1", value))
    yield from (value.replace("'", "\\'"), value.replace("'", "''"))


def masked_data(value: T) -> T:
    """The same for every text within plain data and dataclasses; what holds nothing hidden is itself.

    Keys, names and words of a closed vocabulary stay.
    """
    return _masked_data(value) if _hidden or _renamed else value


def _masked_data(value: Any) -> Any:
    if isinstance(value, str):
        shown, again = masked(value), getattr(value, "rewritten", None)
        if shown == value:
            return value  # a text that holds more than its characters stays what it is
        return again(masked) if again else shown
    if isinstance(value, Mapping):
        masked_items = {key: _masked_data(one) for key, one in value.items()}
        return masked_items if any(masked_items[key] is not one for key, one in value.items()) else value
    if isinstance(value, list | tuple):
        each = [_masked_data(one) for one in value]
        same = all(a is b for a, b in zip(each, value, strict=True))
        return value if same else tuple(each) if isinstance(value, tuple) else each
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {name: getattr(value, name) for name in _texts_of(type(value))}
        changed = {name: new for name, one in parts.items() if (new := _masked_data(one)) is not one}
        edges: dict[str, bool] = getattr(value, "edges", dict)()  # of a text that was cut
        for name, at_end in edges.items():
            text = changed.get(name, parts[name])
            if (new := _cut(text, _hidden, at_end)) != text:
                changed[name] = new
        if not changed:
            return value
        unplaced: dict[str, Any] = getattr(value, "unplaced", dict)()  # places in a text that is another now
        return dataclasses.replace(value, **changed, **unplaced)
    return value


@cache
def _texts_of(cls: type) -> tuple[str, ...]:
    """The fields of a record that may hold a text of any kind."""
    hints = typing.get_type_hints(cls)
    own = [field.name for field in dataclasses.fields(cls) if field.init and field.name not in NAMES]
    return tuple(name for name in own if typing.get_origin(hints[name]) is not typing.Literal)


def masked_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """A table without what is hidden in its columns of texts."""
    if not (_hidden or _renamed):
        return frame
    import polars as pl

    parts = sorted({form for value in _hidden for form in (*_forms(value, _here()), _near(value, _here())) if form})
    parts += _renamed
    for name, kind in frame.schema.items():
        listed = kind == pl.List(pl.String)
        if name in STATES or not (listed or kind == pl.String):
            continue
        texts = frame[name].list.join("\0", ignore_nulls=True) if listed else frame[name]
        if texts.str.contains_any(parts).any():
            frame = frame.with_columns(pl.Series(name, masked_data(frame[name].to_list()), kind))
    return frame


class MaskingStream:
    """A standard stream whose texts pass the mask; all else is the stream's own."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Writes a text, JSON as in a file: its keys and names stay. Returns its length."""
        self._stream.write((written if text.startswith(("{", "[")) else masked)(text) if _hidden or _renamed else text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Writes several texts."""
        self.write("".join(lines))


class ErrorStream(MaskingStream):
    """Standard error: where it cannot be written any more, the rest goes nowhere, and no exit code changes."""

    def write(self, text: str) -> int:
        """Writes a text where that can be. Returns its length."""
        with self._or_nowhere():
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Hands on what is written where that can be."""
        with self._or_nowhere():
            self._stream.flush()

    @contextmanager
    def _or_nowhere(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


@contextmanager
def masking_streams() -> Iterator[None]:
    """Masks what is written to standard output and standard error within."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = MaskingStream(sys.stdout), ErrorStream(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


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
