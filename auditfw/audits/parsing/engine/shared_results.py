"""What several runs over the same trials compute alike, so that each result is made once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from auditfw.audits.parsing.engine.plan import needs_of
from auditfw.audits.parsing.trials import as_text, flat
from auditfw.formulas.texts.truth_kinds import SHARE, kind_of
from auditfw.kinds.capabilities import Named, capability
from auditfw.kinds.context import Context
from auditfw.kinds.evidence import Evidence, one_pass_of
from auditfw.kinds.registry import component
from auditfw.kinds.text import Parser

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


# Parsers of truths: what they must know of all truths of a run, and which shipped ones may fit its truths.

INDEX, OF_OPTION, OPTION = "letter_of_index", "letter_of_option", "option_of_letter"
MOST_INDEX = 25  # the largest number of an option


def fitted(truth: Named[Parser] | None, evidence: Evidence) -> Named[Parser] | None:
    """The parser of truths with what it must know of all of them; all are read only by one that must."""
    fit = None if truth is None else capability(truth.part, "fitted")
    return truth if truth is None or fit is None else Named(truth.name, fit(_truths_of(evidence)))


def _truths_of(evidence: Evidence) -> Iterator[str]:
    once = one_pass_of(evidence.tasks)
    for task in evidence.tasks if once is None else once.tasks:
        yield from (as_text(value) for value in flat(task().columns["ground_truth"]))


def fitting(truths: Sequence[str], columns: Sequence[str]) -> list[Named[Parser]]:
    """The shipped parsers of truths that may fit some truths, given the columns that are read."""
    filled = [text.strip() for text in truths if text.strip()]
    kinds = [kind_of(text) for text in filled]
    indexes = sum(text.isdecimal() and int(text) <= MOST_INDEX for text in filled)
    letters, least = kinds.count("letter"), SHARE * len(filled)
    names = [INDEX] if indexes >= least else [OPTION] if letters >= least else [OF_OPTION]
    parsers = [Named[Any](name, component("parser", name).cls()) for name in names if filled]
    return [named for named in parsers if set(needs_of([named.part])) <= set(columns)]
