"""What several runs over the same trials compute alike, so that each result is made once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from auditfw.kinds.context import Context

T = TypeVar("T")


class SharedResults:
    """Results by what they are made from; keys need not be hashable. Nobody changes a key afterwards."""

    def __init__(self, runs: Sequence[tuple[Any, Context]] = ()) -> None:
        self.runs = runs  # the audits that share them, and what these run in
        self._known: list[tuple[Any, Any]] = []

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """The result of this key, made now if it is new."""
        for other, result in self._known:
            if other == key:
                known: T = result
                return known
        made = make()
        self._known.append((key, made))
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {"runs": (), "_known": []}  # other processes do a part of the work of one result


class PartNumbers:
    """A number for each component: equal ones have the same; one without a hash has a number of its own."""

    def __init__(self) -> None:
        self._by_part: dict[Any, int] = {}
        self._by_object: dict[int, tuple[object, int]] = {}  # holds the object, so that its id stays its own

    def __call__(self, part: object) -> int:
        """The number of a component."""
        known = self._by_object.get(id(part))
        if known is None:
            number = len(self._by_object)
            with suppress(TypeError):
                number = self._by_part.setdefault(part, number)
            known = self._by_object[id(part)] = part, number
        return known[1]
