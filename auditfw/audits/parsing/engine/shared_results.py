"""What several runs over the same trials compute alike, so that each result is made once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from auditfw.kinds.context import Context, Task
from auditfw.kinds.evidence import CheckedTasks, Evidence

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

    def keep(self, key: Any, result: object) -> None:
        """Keeps the result of a key that was made elsewhere."""
        self.once(key, lambda: result)

    def __getstate__(self) -> dict[str, Any]:
        return {"runs": (), "_known": []}  # other processes do a part of the work of one result


@dataclass(frozen=True)
class RepeatedTasks:
    """Tasks that several runs go over: they are checked before the first is done, not in one pass with its work."""

    tasks: Iterable[Task]

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)


def repeated(evidence: Evidence) -> Evidence:
    """The evidence for several runs."""
    if not isinstance(evidence.tasks, CheckedTasks):
        return evidence
    return replace(evidence, tasks=RepeatedTasks(evidence.tasks))


def shared_of(source: object) -> SharedResults:
    """What the runs over an opened source share; results of its own for any other source."""
    own = getattr(source, "shared", None)
    return own if isinstance(own, SharedResults) else SharedResults()


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
