"""Plain data from a file, checked against type hints: what is wrong is reported with its place."""

from __future__ import annotations

import dataclasses
import json
import re
import types
import typing
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeVar, Union

from .errors import DataError, brief

T = TypeVar("T")

LARGEST = 1.7e308
_WORDS: Mapping[Any, str] = {
    str: "a text", int: "a whole number", float: "a finite number", bool: "true or false", type(None): "null",
}  # fmt: skip

_PLACE = re.compile(r"(.*?)(?: - at `(?:key in )?\$(.*)`)?", re.DOTALL)  # of a message of msgspec
_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # of a pair, or alone
_JSON = {"array": "a list", "object": "an object", "str": "text", "int": "a whole number", "float": "a number"}
_JSON |= {"bool": "true or false"}


def shaped(hint: type[T], value: Any, where: str = "") -> T:
    """The value as its type hint says: lists, mappings and dataclasses are made anew, scalars stay.

    Hints may be scalars, `Any`, `Literal`, unions, sequences, tuples, mappings with texts for keys, and dataclasses of
    these, whose fields may be left out where they have a default. Raises DataError that says where it is not so.
    """
    return typing.cast(T, _of(hint, value, where))


def _of(hint: Any, value: Any, where: str) -> Any:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if origin in (Union, types.UnionType):
        return _one_of(parts, value, where)
    if origin is Literal:
        return value if value in parts else _wrong(" or ".join(map(str, parts)), value, where)
    if dataclasses.is_dataclass(hint):
        return _object(hint, value, where)
    container = origin or hint
    if container is tuple and Ellipsis not in parts:
        if not isinstance(value, list) or len(value) != len(parts):
            _wrong(f"a list of {len(parts)}", value, where)
        return tuple(_of(part, one, f"{where}[{i}]") for i, (part, one) in enumerate(zip(parts, value, strict=True)))
    if isinstance(container, type) and issubclass(container, Mapping):
        return _mapping(parts[1] if parts else Any, value, where)
    if isinstance(container, type) and issubclass(container, Sequence) and container is not str:
        sequence = _sequence(parts[0] if parts else Any, value, where)
        return tuple(sequence) if container is tuple else sequence
    return value if _is(hint, value) else _wrong(_word(hint), value, where)


def _is(hint: Any, value: Any) -> bool:
    if hint is float:
        return type(value) in (int, float) and -LARGEST < value < LARGEST
    return type(value) is (type(None) if hint is None else hint)


def _one_of(parts: Sequence[Any], value: Any, where: str) -> Any:
    for part in parts:
        if _is(part, value):
            return value
    for part in parts:
        if part is not type(None) and part not in _WORDS:
            return _of(part, value, where)  # one that holds others says more than that none fits
    return _wrong(" or ".join(map(_word, parts)), value, where)


def _object(cls: Any, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        return _wrong("an object", value, where)
    hints, inside = _hints(cls), f"{where}." if where else ""
    unknown = next((name for name in value if name not in hints), None)
    if unknown is not None:
        raise DataError(where, f"has an unknown key '{brief(unknown)}'")
    for field in dataclasses.fields(cls):
        needed = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if needed and field.name not in value:
            raise DataError(where, f"has no key '{field.name}'")
    return cls(**{name: _of(hints[name], part, f"{inside}{name}") for name, part in value.items()})


@lru_cache(maxsize=256)
def _hints(cls: Any) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _sequence(part: Any, value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        _wrong("a list", value, where)
    if part in (str, bool) and {part}.issuperset(map(type, value)):
        return list(value)
    return [_of(part, one, f"{where}[{i}]") for i, one in enumerate(value)]


def _mapping(part: Any, value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        _wrong("an object", value, where)
    inside = f"{where}." if where else ""
    return {name: _of(part, one, f"{inside}{name}") for name, one in value.items()}


def _word(hint: Any) -> str:
    return _WORDS.get(type(None) if hint is None else hint, "a list or an object")


def _wrong(what: str, value: Any, where: str) -> typing.NoReturn:
    raise DataError(where, f"is not {what}", "null" if value is None else brief(value, 60))


def json_value(text: str) -> Any:
    """The value of a JSON text that anybody may have written; half a surrogate pair is a question mark.

    Raises ValueError, also where it is nested too deep.
    """
    try:
        value = json.loads(text)
        return _without_halves(value) if _HALF.search(text) else value
    except RecursionError:
        raise ValueError("nested too deep") from None


def _without_halves(value: object) -> Any:
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def declared(shape: type[T], value: object, where: str, inside: str = "", do: str = "") -> T:
    """A value of a file of others as its shape, a dataclass or a TypedDict; what that does not name is ignored.

    Raises DataError with the key and what it holds.
    """
    import msgspec

    try:
        return msgspec.convert(value, shape)
    except UnicodeEncodeError:  # half a surrogate pair
        return declared(shape, _without_halves(value), where, inside, do)
    except msgspec.ValidationError as error:
        match = _PLACE.fullmatch(str(error))
        assert match is not None
        key = f"{inside}{match[2] or ''}".lstrip(".")
        raise DataError(where, f"{key}: {_plain(match[1])}".removeprefix(": "), None, do) from None


def _plain(message: str) -> str:
    """The words of JSON for those of Python in a message."""
    plain = re.sub(r"`([a-z| ]+)`", lambda match: " or ".join(map(_json_word, match[1].split(" | "))), message)
    return plain[:1].lower() + plain[1:]


def _json_word(name: str) -> str:
    return _JSON.get(name, name)
