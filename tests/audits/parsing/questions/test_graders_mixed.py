"""Mismatches at one model or in one row of rows: what is said, and when a difference hangs on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from label_rows import TableOfLabels, asked, codes
from sentences import parsing as says

from auditfw.audits.parsing.questions.mismatches import GradersMixed

N = 600
ROWS = np.arange(N)
MODELS = ["m" if i < 300 else "n" for i in ROWS]
RULE = np.where(ROWS < 300, 200, 210) > ROWS % 300


def known(stored: Any, **columns: Any) -> Any:
    made = {"model": MODELS, "code.stored": codes(stored), "code.last": codes(RULE), **columns}
    return asked(GradersMixed(), TableOfLabels(made, ["model"], "model"))[0].get("graders_mixed")


def test_at_one_model() -> None:
    """60 of the labels of n are wrong where the rule says right: n seems worse by 50 labels."""
    one = known(RULE & ~((ROWS >= 300) & (ROWS < 360)))
    assert one.text == says.ALL_LABELS_THAT_LAST_MISSES
    assert (one.value, one.of, one.points) == (60, 60, 10)
    assert one.explains == ["no_rule", "two_grades"]
    assert one.effect == "fragile", "66.7 and 50.0 %: fewer points than the 20 % of n's labels"
    assert one.headline == says.AND_ARE_POINTS_APART_AND
    assert one.items[:2] == ["r301", "r302"]


def test_a_difference_that_is_larger_stays() -> None:
    one = known((RULE & (ROWS >= 300)) ^ (np.where(ROWS < 300, 20, 0) > ROWS % 300))
    assert one is not None
    assert one.effect == "reported"


def test_at_rows_without_a_model() -> None:
    one = known(RULE & ~((ROWS >= 300) & (ROWS < 360)), model=[*"m" * 300, *[None] * 300])
    assert one.text == says.ALL_LABELS_THAT_LAST_MISSES_ARE
    assert (one.effect, one.cells[0].cell) == ("reported", {"model": None})


def test_in_a_row_of_rows() -> None:
    one = known(RULE ^ ((ROWS >= 100) & (ROWS < 200) & (ROWS % 4 == 0)), model=["m"] * N)
    assert one.text == says.ALL_LABELS_THAT_LAST_MISSES_ARE_BETWEEN
    assert (one.effect, one.value) == ("reported", 25)


def test_another_reading_gives_them() -> None:
    stored = RULE & ~((ROWS >= 300) & (ROWS < 360))
    one = known(stored, **{"code.first": codes(np.where(ROWS < 300, ROWS % 2 > 0, stored))})
    assert one.text == says.ALL_LABELS_THAT_LAST_MISSES_ARE_WHERE
    two = {"code.another": codes(ROWS % 2 > 0), "code.first": codes(np.where(ROWS < 300, ROWS % 3 > 0, stored))}
    assert known(stored, **two).text.endswith(" first gives those."), "not the first of all that is another one"


def test_a_rule_beyond_the_readings_that_gives_all_labels_leaves_no_other_grader() -> None:
    made = {"model": MODELS, "code.stored": codes(RULE & (ROWS < 300)), "code.last": codes(RULE)}
    for missed, kinds in ((0, set()), (6, set()), (7, {"graders_mixed"}), (None, {"graders_mixed"})):
        assert asked(GradersMixed(), TableOfLabels(made, ["model"], "model", missed=missed))[0].keys() == kinds


def test_spread_mismatches() -> None:
    assert known(RULE ^ (ROWS % 20 == 0)) is None
    assert known(RULE) is None


def test_without_labels() -> None:
    _, whys = asked(GradersMixed(), TableOfLabels({"code.stored": codes([None] * 9), "code.last": codes([True] * 9)}))
    assert whys == {"graders_mixed": says.NO_TRIAL_HAS_A_STORED}
