"""What stopping before the dearest attempts would have solved, and for what."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from auditfw.audits.self_audit.conclusions.attempts import Point, stopping_before
from auditfw.audits.self_audit.readings import Allowed
from auditfw.kinds.ledger import Spent

Attempts = Sequence[tuple[int, int, float | None]]  # loops that made it, problems that it solved, the cost of each


def points(n: int, attempts: Attempts) -> list[Point]:
    made = [Point() for _ in attempts]
    solved = 0
    for point, (asked, new, cost) in zip(made, attempts, strict=True):
        for place in range(n):
            spent = Spent(1, 2.0, 0, None, cost) if place < asked else None
            point.add(Allowed(0.0, place < solved + new, spent))
        solved += new
    return made


@pytest.mark.parametrize(
    ("n", "attempts", "text"),
    [
        (
            10,
            [(10, 5, 0.0), (5, 1, 0.0), (4, 0, 0.0)],  # no cost
            "2 attempts would have solved 6 of the 6 with 15 of 19 requests",
        ),
        (10, [(10, 5, None), (5, 1, None)], "1 attempt would have solved 5 of the 6 with 10 of 15 requests"),
        (
            10,  # by requests the second is the dearest, by cost the third
            [(10, 5, 0.1), (5, 1, 0.1), (4, 1, 0.5), (3, 1, 0.1)],
            "2 attempts would have solved 6 of the 8 at a cost of 1.5 of 3.8",
        ),
        (10, [(10, 1, 1.0), (9, 3, 1.0), (6, 3, 1.0)], ""),  # the first are the dearest
        (10, [(10, 0, 1.0), (10, 0, 1.0)], ""),
        (10, [(10, 3, 1.0)], ""),
        (10, [], ""),
    ],
)
def test_stopping_before_the_dearest(n: int, attempts: Attempts, text: str) -> None:
    said = stopping_before(points(n, attempts), n)
    assert said == (f"Stopping after {text} (stop.max_iterations={text.split(maxsplit=1)[0]})." if text else "")


def test_nothing_is_said_of_loops_that_are_known_in_part() -> None:
    assert stopping_before(points(10, [(10, 5, 0.0), (5, 1, 0.0)]), 11) == ""
