"""What a scoring may give: from 0 to 1, but for what rounding leaves beyond."""

from __future__ import annotations

from typing import Any

import pytest

from auditfw.audits.self_audit.evaluate import evaluate
from auditfw.core.errors import DataError
from auditfw.kinds.solving import Example, Problem, Reply

PROBLEM = Problem("p", (Example("x", 1),))


def evaluated(score: Any) -> Any:
    return evaluate(PROBLEM, Reply(outputs=[0]), lambda output, expected: score)


@pytest.mark.parametrize(
    ("score", "value", "exact"),
    [
        (0.5, 0.5, False),
        (1 + 2e-16, 1.0, True),
        (1 + 9e-7, 1.0, True),
        (-9e-7, 0.0, False),
        (1 - 9e-7, 1 - 9e-7, False),
    ],
)
def test_rounding_beyond_the_ends_is_the_end(score: float, value: float, exact: bool) -> None:
    found = evaluated(score)
    assert (found.score, found.exact) == (value, exact)


@pytest.mark.parametrize("score", [1 + 2e-6, -2e-6, 85, float("nan"), float("inf"), "1", None])
def test_any_other_score_is_refused(score: Any) -> None:
    with pytest.raises(DataError, match="a score must be between 0 and 1"):
        evaluated(score)
