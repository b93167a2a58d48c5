"""The search for parameters within bounds, one evaluation at a time, without derivatives.

A search is a generator of points: it yields one, is sent its score (more is better), and yields the next, without end.
As it draws no random number but by its seed, sending it the scores of earlier attempts again brings it to where it was.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from auditfw.core.errors import DataError, nearest
from auditfw.kinds.simulation import Columns

Point = tuple[float, ...]
Search = Generator[Point, float, None]
Scale = Literal["auto", "linear", "log"]

WIDE = 20.0  # a positive range whose ends are so many times apart is walked in ratios
SMALL = 1e-4
LARGEST = sys.float_info.max
LONGEST = 100_000


@dataclass(frozen=True)
class Side:
    """One parameter's range from `low` to `high` (finite), as shares from 0 to 1; `ratios` walks it by logarithm."""

    low: float
    high: float
    ratios: bool = False

    def value(self, share: float, digits: int) -> float:
        """The value at a share of the range, with so many significant digits and never outside the range."""
        value = self.low + (self.high - self.low) * share
        if self.ratios:
            value = self.low * (self.high / self.low) ** share
        return min(max(float(f"{value:.{digits}g}"), self.low), self.high)

    def share(self, value: float) -> float:
        """Where a value is in the range; its nearer end for one outside."""
        value = min(max(value, self.low), self.high)
        if self.low == self.high:
            return 0.5
        if self.ratios:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def side(low: float, high: float, scale: Scale = "auto") -> Side:
    """A range; "log" for a range that is not positive is walked as a linear one."""
    positive = low > 0
    return Side(low, high, positive and (scale == "log" or (scale == "auto" and high / low >= WIDE)))


def written(params: Mapping[str, float]) -> str:
    """Parameters as the text of a program: one JSON object, names sorted."""
    return json.dumps(dict(params), sort_keys=True, allow_nan=False)


def read_params(text: str) -> dict[str, float]:
    """The parameters that a program's text gives. Raises ValueError saying what is wrong."""
    if len(text) > LONGEST:
        raise ValueError(f"the parameters are longer than {LONGEST:,} characters")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("the program must be the parameters as one JSON object") from None
    if not isinstance(document, dict):
        raise ValueError(f"the program must be one JSON object of parameters, not {type(document).__name__}")
    return {name: finite(value, name) for name, value in document.items()}


def finite(value: Any, name: str) -> float:
    """A finite number as a float. Raises ValueError that names the parameter."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise ValueError(f"parameter '{name}' is not a finite number")
    return float(value)


def spread(number: int, dimensions: int, seed: int) -> Point:
    """The point of that number in a sequence that fills the unit cube evenly, shifted by the seed.

    Source: Roberts, "The unreasonable effectiveness of quasirandom sequences" (2018): steps of powers of the root of
    x^(d+1) = x + 1.
    """
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (dimensions + 1))
    drawn = sha256(f"{seed}".encode()).digest()
    shifts = [int.from_bytes(drawn[2 * axis % 32 :][:2], "big") / 65_536 for axis in range(dimensions)]
    return tuple((shift + number * root ** -(axis + 1)) % 1.0 for axis, shift in enumerate(shifts))


def search(start: Point, seed: int, explore: int, step: float) -> Search:
    """Looks at `start`, at `explore` points spread over the cube, then climbs from the best by Nelder and Mead's rule.

    Where a climb has come to its end the next one begins at the best point with half the step, and after that at a new
    point of the spread, in turn. `step` is the first step as a share of the range. Never ends.
    """
    dimensions = len(start)
    best, top = start, (yield start)
    for number in range(1, explore + 1):
        point = spread(number, dimensions, seed)
        score = yield point
        if score > top:
            best, top = point, score
    number = explore
    size = step
    while True:
        point_found, score = yield from climb(best, top, size)
        if score >= top:
            best, top = point_found, score
        if size == step:
            size = -step / 2
            continue
        size = step
        number += 1
        point = spread(number, dimensions, seed)
        score = yield point
        point_found, score = yield from climb(point, score, step)
        if score > top:
            best, top = point_found, score


def climb(start: Point, score: float, step: float) -> Generator[Point, float, tuple[Point, float]]:
    """Climbs from a point of known score until the simplex is flat or tiny; gives the best point and its score.

    Source: Nelder and Mead, "A simplex method for function minimization" (1965), coefficients 1, 2, 1/2, 1/2; points
    outside the unit cube are folded back into it.
    """
    simplex = [(score, start)]
    for axis, at in enumerate(start):
        moved = at + step if 0 <= at + step <= 1 else at - step
        corner = folded((*start[:axis], moved, *start[axis + 1 :]))
        simplex.append(((yield corner), corner))
    while True:
        simplex.sort(key=lambda one: -one[0])
        flat = simplex[0][0] == simplex[-1][0]
        if flat or max(abs(a - b) for _, point in simplex for a, b in zip(point, simplex[0][1], strict=True)) < SMALL:
            return simplex[0][1], simplex[0][0]
        yield from _moved(simplex)


def _moved(simplex: list[tuple[float, Point]]) -> Search:
    """One step of the simplex, sorted from best to worst: the worst point moves, or all move towards the best."""
    *others, (worst, last) = simplex
    middle = tuple(math.fsum(axis) / len(others) for axis in zip(*(point for _, point in others), strict=True))
    point = _along(middle, last, -1.0)
    score = yield point
    if score > others[0][0]:
        further = _along(middle, last, -2.0)
        higher = yield further
        simplex[-1] = (higher, further) if higher > score else (score, point)
        return
    if score > others[-1][0]:
        simplex[-1] = score, point
        return
    near = _along(middle, last, -0.5 if score > worst else 0.5)
    nearer = yield near
    if nearer > max(score, worst):
        simplex[-1] = nearer, near
        return
    for at in range(1, len(simplex)):
        drawn = _along(simplex[0][1], simplex[at][1], 0.5)
        simplex[at] = (yield drawn), drawn


def _along(middle: Sequence[float], point: Sequence[float], share: float) -> Point:
    return folded(tuple(m + share * (p - m) for m, p in zip(middle, point, strict=True)))


def folded(point: Sequence[float]) -> Point:
    """A point with what sticks out of the unit cube mirrored at its walls."""
    return tuple(1.0 - abs((at % 2.0) - 1.0) for at in point)


# Parameters against what a simulator takes: its names and bounds, before the first scenario runs.

OutOfBounds = Literal["error", "clip", "allow"]
Limits = Mapping[str, tuple[float, float]]
Rows = Sequence[Mapping[str, float]]
SHOWN = 8  # parameters in an error


def fitted(
    labels: Sequence[str],
    params: Rows,
    limits: Limits | None,
    rule: OutOfBounds = "error",
    optional: frozenset[str] = frozenset(),
) -> tuple[Rows, int]:
    """The parameters as a simulator may be given them, and how many values were moved to their bound.

    `limits` is what `simulator.limits()` says, `optional` the names a scenario may leave out: the attribute
    `optional` of a simulator that has one. With limits, a name that is not among them and a name that is not given
    raise DataError naming the scenario, whatever the rule; a value outside its bounds (they belong to the range) does
    so under "error", is moved to the nearest bound under "clip" and stays under "allow". Without limits everything
    fits. Call it for all scenarios before the first one runs.
    """
    if limits is None:
        return params, 0
    if isinstance(params, Columns):
        return _fitted_columns(labels, params, limits, rule, optional)
    known, needed = limits.keys(), limits.keys() - optional
    checked: set[frozenset[str]] = set()
    for label, row in zip(labels, params, strict=True):
        names = frozenset(row)
        if names not in checked:
            _check_names(label, names, limits, needed)
            checked.add(names)
    if rule == "allow" or all(_within([row[name] for row in params if name in row], *limits[name]) for name in known):
        return params, 0
    values, moved = [], 0
    for label, row in zip(labels, params, strict=True):
        new = {name: _settled(label, name, value, limits[name], rule) for name, value in row.items()}
        moved += sum(new[name] != value for name, value in row.items())
        values.append(new)
    return values, moved


def _fitted_columns(
    labels: Sequence[str], params: Columns, limits: Limits, rule: OutOfBounds, optional: frozenset[str]
) -> tuple[Rows, int]:
    if len(params):
        _check_names(labels[0], frozenset(params.columns), limits, limits.keys() - optional)
    if rule == "allow":
        return params, 0
    columns, moved = dict(params.columns), 0
    for name, column in params.columns.items():
        if _within(column, *limits[name]):
            continue
        values = [_settled(label, name, float(v), limits[name], rule) for label, v in zip(labels, column, strict=True)]
        moved += sum(new != old for new, old in zip(values, column, strict=True))
        columns[name] = type(column)(values) if isinstance(column, list | tuple) else _like(values)
    return Columns(columns, params.size), moved


def _like(values: list[float]) -> Any:
    import numpy as np

    return np.array(values)


def _check_names(label: str, names: frozenset[str], limits: Limits, needed: Any) -> None:
    where = f"scenario '{label}'"
    for name in sorted(names - limits.keys()):
        raise DataError(where, f"unknown parameter '{name}'", _ranges(limits), nearest(name, sorted(limits)))
    for name in sorted(needed - names):
        raise DataError(where, f"parameter '{name}' is missing", _ranges(limits), "give it in every scenario")


def _ranges(limits: Limits) -> str:
    listed = [f"{name} within [{low!r}, {high!r}]" for name, (low, high) in sorted(limits.items())[:SHOWN]]
    return ", ".join([*listed, *([f"and {len(limits) - SHOWN} more"] if len(limits) > SHOWN else [])])


def _within(values: Sequence[float], low: float, high: float) -> bool:
    if not len(values):
        return True
    least = values.min() if hasattr(values, "min") else min(values)
    most = values.max() if hasattr(values, "max") else max(values)
    return bool(low <= least and most <= high) and not any(math.isnan(v) for v in (least, most))


def _settled(label: str, name: str, value: float, bounds: tuple[float, float], rule: OutOfBounds) -> float:
    low, high = bounds
    if low <= value <= high:
        return value
    if rule == "clip" and not math.isnan(value):
        return low if value < low else high
    raise DataError(
        f"scenario '{label}'",
        f"parameter '{name}' is out of bounds",
        f"{value!r} is not within [{low!r}, {high!r}]",
        "correct it, or write audit.out_of_bounds=clip or allow",
    )
