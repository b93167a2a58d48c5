"""Moving through a JSON text without holding it: to a key, from member to member, around the records."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol

from auditfw.components.files.columns.addresses import ABSENT, address, dig
from auditfw.core.errors import DataError, UsageError, nearest

KEY = "key"  # the column of the key of a record, where the records are the members of an object
MEMBERS = "*"  # stands last among the keys that lead to such records


class JsonTape(Protocol):
    """A JSON text read bit by bit."""

    path: str

    @property
    def line(self) -> int: ...

    def peek(self) -> str: ...

    def take(self, expected: str) -> str: ...

    def value(self) -> Any: ...

    def fail(self, what: str, found: object = None, do: str = "", /) -> DataError: ...


def start_of(tape: JsonTape) -> int:
    """The line on which the next value starts."""
    tape.peek()
    return tape.line


def members(tape: JsonTape) -> Iterator[str]:
    """The keys of an object; whoever asks for the next one has taken the value of the last."""
    seen: dict[str, None] = {}
    tape.take("{")
    while tape.peek() != "}":
        yield _key(tape, seen)
        if tape.take(",}") == "}":
            return
        if tape.peek() == "}":
            raise tape.fail("not JSON: trailing comma")
    tape.take("}")


def entered(tape: JsonTape, key: str, seen: dict[str, None]) -> bool:
    """Moves to the value of a key, past the members before it; `seen` takes their keys. Whether it is there."""
    tape.take("{")
    while tape.peek() != "}":
        if _key(tape, seen) == key:
            tape.peek()
            return True
        tape.value()
        if tape.take(",}") == "}":
            break
    return False


def left(tape: JsonTape, seen: dict[str, None]) -> None:
    """Moves out of an object, past the members behind one."""
    while tape.take(",}") == ",":
        _key(tape, seen)
        tape.value()


def _key(tape: JsonTape, seen: dict[str, None]) -> str:
    """Takes the key of a member, which none before it in the object may have."""
    key = tape.value()
    if not isinstance(key, str):
        raise tape.fail(f"not JSON: a key is a {type(key).__name__}, not text")
    if key in seen:
        raise tape.fail("duplicate key in one object", f"key {key!r}", "keep one of the two")
    seen[key] = None
    tape.take(":")
    return key


def header(
    tape: JsonTape, keys: Sequence[str], keyed: bool, columns: Mapping[str, str], setting: str
) -> dict[str, Any]:
    """The columns that are read outside the records at `keys`. Raises UsageError for one that is not there."""
    steps = {name: address(text, (), f"{setting}.{name}") for name, text in columns.items()}
    if tape.peek() != "{" or (keyed and not keys):
        raise UsageError(setting, f"there is nothing outside the records of {tape.path}", None, "leave it out")
    whole, seen = _outside(tape, keys, {str(way[0]) for way in steps.values()})
    values = {name: dig(whole, way) for name, way in steps.items()}
    for name in [name for name, value in values.items() if value is ABSENT]:
        do = nearest(str(steps[name][0]), seen)
        what, listed = f"no '{columns[name]}' in {tape.path}", f"found: {', '.join(seen)}"
        raise UsageError(f"{setting}.{name}", what, listed, do)
    return values


def _outside(tape: JsonTape, keys: Sequence[str], heads: Collection[str] | None) -> tuple[dict[str, Any], list[str]]:
    """The members of an object that columns are read from, without the records inside; and the keys of all members."""
    values: dict[str, Any] = {}
    seen: list[str] = []
    for key in members(tape):
        seen.append(key)
        if key == next(iter(keys), None):
            if len(keys) > 1 and tape.peek() == "{":
                values[key] = _outside(tape, keys[1:], None)[0]
            else:
                _pass(tape)
        else:
            value = tape.value()
            if heads is None or key in heads:
                values[key] = value
    return values, seen


def _pass(tape: JsonTape) -> None:
    """Goes past the records, one by one."""
    first = tape.peek()
    if first == "{":
        for _ in members(tape):
            tape.value()
    elif first != "[":
        tape.value()
    else:
        tape.take("[")
        while tape.peek() != "]":
            tape.value()
            if tape.take(",]") == "]":
                return
        tape.take("]")
