"""A reading beside the reference, in words: what it turns more often comes first."""

from __future__ import annotations

import pytest

from auditfw.audits.parsing.conclusions.compared import Compared
from auditfw.core.records import Reading
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.context import Sample


@pytest.mark.parametrize(
    ("down", "up", "turns", "flips"),
    [
        (3, 1, "r turns 3 right answers wrong and 1 wrong one right", "3 to wrong, 1 to right"),
        (1, 1_200, "r turns 1,200 wrong answers right and 1 right one wrong", "1,200 to right, 1 to wrong"),
        (2, 2, "r turns 2 right answers wrong and 2 wrong ones right", "2 to wrong, 2 to right"),
        (1, 0, "r turns 1 right answer wrong and no wrong ones right", "1 to wrong, none to right"),
        (0, 2, "r turns 2 wrong answers right and no right ones wrong", "2 to right, none to wrong"),
    ],
)
def test_what_a_reading_turns(down: int, up: int, turns: str, flips: str) -> None:
    labels = LabelCounts(50 + up, 50 + down, 0, 0, kept_right=50, to_false=down, to_true=up, kept_wrong=50)
    one = Compared(Sample(Reading("r", "candidate"), {}, labels))
    assert (one.turns, one.flips) == (turns, flips)
