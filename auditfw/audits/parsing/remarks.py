"""What the parsing audit warns of: patterns that may be slow, truths that say nothing."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from .labels import Undefined
from .plan import UNDEFINED, Plan
from .tally import Joint


def slow_patterns(**kinds: Mapping[str, object]) -> list[str]:
    """The patterns that may take exponential time, of steps however deep inside the parts of each kind."""
    return [
        f"{kind} {name}: {told}"
        for kind, parts in kinds.items()
        for name, part in parts.items()
        for told in _lints(part)
    ]


def _lints(part: Any) -> Iterator[str]:
    lint = getattr(part, "lint", None)
    told = lint() if callable(lint) else None
    if told:
        yield str(told)
    inside: list[Any] = []
    if isinstance(part, list | tuple):
        inside = list(part)
    elif dataclasses.is_dataclass(part):
        inside = [getattr(part, field.name) for field in dataclasses.fields(part)]
    for inner in inside:
        yield from _lints(inner)


def void_truths(joint: Joint, plan: Plan, undefined: Undefined) -> list[str]:
    """How many truths normalise to nothing under which normalizer, and how they are counted."""
    found: Counter[int] = Counter()
    for (reading, _), counter in joint.items():
        found[reading] += sum(n for (_, code), n in counter.items() if code == UNDEFINED)
    most: Counter[str] = Counter()
    for reading, (_, normalizer) in enumerate(plan.readings):
        most |= Counter({plan.normalizers[normalizer].name: found[reading]})
    if not most:
        return []
    listed = ", ".join(f"{n:,} under {name}" for name, n in most.items())
    how = "counted as wrong" if undefined == "zero" else "left out"
    return [f"ground truths that normalise to nothing: {listed} ({how}: audit.undefined={undefined})"]


def summed(notes: Counter[str]) -> list[tuple[str, int]]:
    """Remarks with their counts; those alike but for where they were met first are one, with the first place."""
    places: dict[str, str] = {}
    sums: Counter[str] = Counter()
    for text, n in notes.items():
        remark, _, place = text.partition(" (first: ")
        places.setdefault(remark, f" (first: {place}" if place else "")
        sums[remark] += n
    return [(remark + places[remark], n) for remark, n in sorted(sums.items())]
