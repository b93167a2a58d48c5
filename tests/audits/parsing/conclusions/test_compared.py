"""A reading beside the reference, in words: what it turns more often comes first."""

from __future__ import annotations

import pytest
from sentences import parsing as says

from auditfw.audits.parsing.conclusions.compared import Compared
from auditfw.core.records import Reading
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.context import Sample


@pytest.mark.parametrize(
    ("down", "up", "turns", "flips"),
    [
        (3, 1, says.TURNS_RIGHT_ANSWERS_WRONG_AND, "3 labels to wrong, 1 to right"),
        (1, 1_200, says.TURNS_WRONG_ANSWERS_RIGHT_AND, "1,200 labels to right, 1 to wrong"),
        (2, 2, says.TURNS_RIGHT_ANSWERS_WRONG_AND_WRONG, "2 labels to wrong, 2 to right"),
        (1, 0, says.TURNS_RIGHT_ANSWER_WRONG_AND, says.TO_WRONG_NONE_TO_RIGHT_2),
        (0, 2, says.TURNS_WRONG_ANSWERS_RIGHT_AND_NO, says.TO_RIGHT_NONE_TO_WRONG),
    ],
)
def test_what_a_reading_turns(down: int, up: int, turns: str, flips: str) -> None:
    labels = LabelCounts(50 + up, 50 + down, 0, 0, kept_right=50, to_false=down, to_true=up, kept_wrong=50)
    one = Compared(Sample(Reading("r", "candidate"), {}, labels))
    assert (one.turns, one.flips) == (turns, flips)
