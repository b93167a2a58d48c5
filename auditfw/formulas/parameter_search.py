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
