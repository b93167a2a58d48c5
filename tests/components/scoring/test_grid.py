"""Scorings: tables one can check by hand, laws that hold for all grids, and outputs that are none."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditfw
from auditfw.components.scoring.grid import GridScoring
from auditfw.components.scoring.outputs import ExactScoring, NumericScoring, TestsPassedScoring, TextScoring
from auditfw.core.errors import DataError, UsageError
from auditfw.formulas.grid_scores import cells, example_score, grid_difference, soft_score, text_grid

TestsPassedScoring.__test__ = False  # type: ignore[attr-defined] - a component, no class of tests

SCORINGS = [auditfw.load("scoring", name) for name in ("grid", "exact", "numeric", "text", "tests_passed")]
GRIDS = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 9), min_size=width, max_size=width), min_size=1, max_size=5)
)


@pytest.mark.parametrize(
    ("output", "expected", "score"),
    [
        ([[1, 2], [3, 4]], [[1, 2], [3, 4]], 1.0),
        ([[1, 2], [3, 0]], [[1, 2], [3, 4]], 0.75),
        ([[1, 2, 3, 4]], [[1, 2], [3, 4]], 0.0),
        ([[1], [3]], [[1, 2], [3, 4]], 0.0),
        ([[1.0, 2.0]], [[1, 2]], 1.0),
        ([[1.9]], [[1]], 0.0),
        (((1, 2),), [[1, 2]], 1.0),
        ([["1", "2"]], [[1, 2]], 0.0),
        ([1, 2], [[1, 2]], 0.0),
        (5, [[5]], 0.0),
        (None, [[5]], 0.0),
        ({"a": 1}, [[1]], 0.0),
        ("[[1]]", [[1]], 0.0),
        ([[math.nan]], [[1]], 0.0),
        ([[math.inf]], [[1]], 0.0),
        ([[1, 2], [3]], [[1, 2], [3, 4]], 0.0),
        ([[[1]]], [[1]], 0.0),
        ([[1]], [[1, 2], [3]], 0.0),
        ([[]], [[]], 1.0),
        ([[10**30]], [[1]], 0.0),
    ],
)
def test_grid(output: Any, expected: Any, score: float) -> None:
    assert GridScoring()(output, expected) == score


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (None, "not a grid: nothing"),
        ([[1, 2], [3]], "ragged: row 2 has 1 cell, row 1 has 2"),
        ([[1, "a"], [3, 4]], "row 1 holds a cell that is not a finite number: str"),
        ([[1, math.nan], [3, 4]], "row 1 holds a cell that is not a finite number: nan"),
        ([[1, 2]], "the shape is 1 x 2, it should be 2 x 2"),
        ([[1, 2], [0, 4]], "wrong cells are shown as found/expected:\n1 2\n0/3 4"),
        ([[1, 2], [3, 4]], ""),
    ],
)
def test_a_wrong_grid_is_told_with_its_reason(output: Any, said: str) -> None:
    assert GridScoring().remark(output, [[1, 2], [3, 4]]) == said


def test_a_huge_output_is_refused_before_it_is_compared() -> None:
    row = [0] * 3000
    found, why = cells([row] * 3000)
    assert found is None
    assert why == "too large: 3000 x 3000 cells, at most 1000000"
    assert GridScoring()([row] * 3000, [[0]]) == 0.0
    assert GridScoring(max_cells=3)([[1, 2], [3, 4]], [[1, 2], [3, 4]]) == 0.0
    with pytest.raises(UsageError):
        GridScoring(max_cells=0)


@settings(deadline=None)
@given(GRIDS, st.data())
def test_a_grid_with_k_wrong_cells_scores_all_but_k(grid: list[list[int]], data: st.DataObject) -> None:
    places = [(r, c) for r in range(len(grid)) for c in range(len(grid[0]))]
    wrong = data.draw(st.sets(st.sampled_from(places)))
    other = [[(cell + 1) % 10 if (r, c) in wrong else cell for c, cell in enumerate(row)] for r, row in enumerate(grid)]
    expected = (len(places) - len(wrong)) / len(places)
    assert GridScoring()(other, grid) == pytest.approx(expected)
    assert (GridScoring()(other, grid) == 1.0) == (not wrong)
    assert soft_score(other, grid) == pytest.approx(expected)
    assert grid_difference(other, grid).count("/") == len(wrong)


@pytest.mark.parametrize(
    ("output", "truth", "strict", "coerced"),
    [
        ([[1.9, 2.2], [3.7, 4.1]], [[1, 2], [3, 4]], 0.0, 1.0),
        ([["1", "2"]], [[1, 2]], 0.0, 1.0),
        (5, [[5]], 0.0, 1.0),
        ([1, 2], [[1, 2]], 0.0, 1.0),
        ([1, 3], [[1, 2]], 0.0, 0.0),
        (None, [[1]], 0.0, 0.0),
        ({"a": 1}, [[1]], 0.0, 0.0),
        ([[1, 0]], [[1, 2]], 0.5, 0.5),
    ],
)
def test_coerce_is_the_reference_and_strict_is_not(output: Any, truth: Any, strict: float, coerced: float) -> None:
    assert GridScoring()(output, truth) == strict
    assert GridScoring(coerce=True)(output, truth) == coerced


@pytest.mark.parametrize("output", [[["a"]], [[math.nan]], [[math.inf]]])
def test_what_stopped_the_reference_stops_coerce_with_one_line(output: Any) -> None:
    with pytest.raises(DataError, match=r"audit\.scoring: the reference cannot score this output"):
        GridScoring(coerce=True)(output, [[1]])
    assert GridScoring()(output, [[1]]) == 0.0


def test_a_failed_run_earns_a_score_in_the_reference_only() -> None:
    told = example_score(False, "[[1,2],[3,0]]", [[1, 2], [3, 4]])
    assert (told["success"], told["soft_score"], told["feedback_score"]) == (False, 0.0, 0.75)


@pytest.mark.parametrize(
    ("output", "expected", "score"),
    [
        ({"a": [1, 2]}, {"a": [1, 2]}, 1.0),
        (1, 1.0, 1.0),
        (True, 1, 0.0),
        ("1", 1, 0.0),
        (math.nan, math.nan, 0.0),
        ((1, 2), [1, 2], 1.0),
        ([1, 2], [1, 2, 3], 0.0),
        ({"a": 1}, {"b": 1}, 0.0),
        (None, None, 1.0),
    ],
)
def test_exact(output: Any, expected: Any, score: float) -> None:
    assert ExactScoring()(output, expected) == score
    assert (ExactScoring().remark(output, expected) == "") == (score == 1.0)


def test_exact_takes_values_nested_deeper_than_python_can_recur() -> None:
    deep: Any = 1
    for _ in range(50_000):
        deep = [deep]
    assert ExactScoring()(deep, [1]) == 0.0
    assert ExactScoring().remark(deep, [1]) == "expected [1], got [[[[[[[...]]]]]]]"


@pytest.mark.parametrize(
    ("output", "expected", "score"),
    [
        (2.0, 2.0, 1.0),
        (2.0 + 1e-12, 2.0, 1.0),
        (3.0, 2.0, 1 / 1.5),
        (-2.0, 2.0, 1 / 3),
        (1.0, 0.0, 0.5),
        ([1.0, 3.0], [1.0, 2.0], (1 + 1 / 1.5) / 2),
        ([1.0], [1.0, 2.0], 0.0),
        ([1.0], 1.0, 0.0),
        ("2", 2.0, 0.0),
        (True, 1.0, 0.0),
        (math.nan, 2.0, 0.0),
        (math.inf, 2.0, 0.0),
        (10**400, 2.0, 0.0),
        ([], [], 1.0),
    ],
)
def test_numeric(output: Any, expected: Any, score: float) -> None:
    assert NumericScoring()(output, expected) == pytest.approx(score)


def test_numeric_tolerance() -> None:
    assert NumericScoring(absolute=0.5)(2.5, 2.0) == 1.0
    assert NumericScoring(relative=0.1)(109.0, 100.0) == 1.0
    assert NumericScoring(absolute=0.5)(2.51, 2.0) < 1.0
    with pytest.raises(UsageError):
        NumericScoring(absolute=-1)


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_numeric_is_one_only_within_the_tolerance(output: float, expected: float) -> None:
    score = NumericScoring()(output, expected)
    assert 0.0 <= score <= 1.0
    assert (score == 1.0) == (abs(output - expected) <= max(1e-9, 1e-9 * abs(expected)))


def test_text() -> None:
    assert TextScoring()("abcd", "abcd") == 1.0
    assert TextScoring()("abcd", "bcde") == 0.75
    assert TextScoring()(" a  b ", "a b") < 1.0
    assert TextScoring(blanks="collapse")(" a  b ", "a b") == 1.0
    assert TextScoring(ignore_case=True)("ABC", "abc") == 1.0
    assert TextScoring()(None, "abc") == 0.0
    assert TextScoring()("", "") == 1.0
    assert TextScoring(max_characters=3)("abcx", "abcd") == 0.0


@pytest.mark.parametrize(
    ("output", "expected", "score", "said"),
    [
        ([True, True], None, 1.0, ""),
        ([True, False, True, True], None, 0.75, "failed: 2"),
        ({"a": True, "b": False}, None, 0.5, "failed: b"),
        ({"a": True}, {"a": True, "b": True}, 0.0, "no result of: b"),
        ([True], 2, 0.0, "1 result, expected 2"),
        ([], None, 0.0, "no results of tests: a list of true/false or a mapping of names to them"),
        ([1, 1], None, 0.0, "the result of test 1 is neither true nor false"),
        ("passed", None, 0.0, "no results of tests: a list of true/false or a mapping of names to them"),
    ],
)
def test_tests_passed(output: Any, expected: Any, score: float, said: str) -> None:
    assert TestsPassedScoring()(output, expected) == pytest.approx(score)
    assert TestsPassedScoring().remark(output, expected) == said


@pytest.mark.parametrize(
    ("text", "rows", "parted", "grid"),
    [
        ("001|010", "|", "auto", [[0, 0, 1], [0, 1, 0]]),
        ("|001|010|", "|", "auto", [[0, 0, 1], [0, 1, 0]]),
        ("0 0 1|0 10 0", "|", "auto", [[0, 0, 1], [0, 10, 0]]),
        (" 0 -1 | 2 3 ", "|", "auto", [[0, -1], [2, 3]]),
        ("12\n34", "\n", "auto", [[1, 2], [3, 4]]),
        ("12;34", ";", "auto", [[1, 2], [3, 4]]),
        ("12", "|", "auto", [[1, 2]]),
        ("12|34", "|", "blanks", [[12], [34]]),
        ("black|red", "|", "blanks", [["black"], ["red"]]),
        ("black red|red black", "|", "auto", [["black", "red"], ["red", "black"]]),
        (".#|#.", "|", "auto", [[".", "#"], ["#", "."]]),
        ("# |.#", "|", "characters", [["#", " "], [".", "#"]]),
        ("12|3", "|", "auto", [[1, 2], [3]]),
        ("1||2", "|", "auto", [[1], [], [2]]),
        ("٣|²", "|", "auto", [["٣"], ["²"]]),
    ],
)
def test_grids_in_texts(text: str, rows: str, parted: Any, grid: list[list[Any]]) -> None:
    assert text_grid(text, rows, parted) == grid
    ragged = len({len(row) for row in grid}) > 1
    scoring = GridScoring(rows=rows, parted=parted)
    assert (scoring(text, text), scoring(grid, text)) == ((0.0, 0.0) if ragged else (1.0, 1.0))
    assert bool(scoring.refusal(text)[0]) == ragged
    assert GridScoring()(grid, text) == 0.0


@pytest.mark.parametrize(
    ("text", "settings", "grid"),
    [
        ("12\n34", {"rows": "\\n"}, [[1, 2], [3, 4]]),  # as it is typed: a backslash and an n
        ("12\n34\n", {"rows": "\n"}, [[1, 2], [3, 4]]),
        ("12\r\n34", {"rows": "\\n"}, [[1, 2], [3, 4]]),
        ("12\r\n34", {"rows": "\\r\\n"}, [[1, 2], [3, 4]]),
        ("12\t34", {"rows": "\\t"}, [[1, 2], [3, 4]]),
        (r"12\n34", {"rows": r"\\n"}, [[1, 2], [3, 4]]),  # texts that hold a backslash and an n
        ("black|red", {"cells": "|"}, [["black", "red"]]),
        ("black|red\nred|black", {"cells": "|"}, [["black", "red"], ["red", "black"]]),
        ("black,dark red|red,10", {"cells": ",", "rows": "|"}, [["black", "dark red"], ["red", 10]]),
        ("1\t2\n\t3\n", {"cells": "\\t"}, [[1, 2], ["", 3]]),
        ("1, 2; 3, 4", {"cells": ",", "rows": ";"}, [[1, 2], [3, 4]]),
    ],
)
def test_separators_of_rows_and_cells(text: str, settings: dict[str, str], grid: list[list[Any]]) -> None:
    scoring = GridScoring(**settings)
    assert scoring.read(text) == grid
    assert (scoring(text, text), scoring.refusal(text)) == (1.0, ("", ""))


def test_a_grid_in_rows_typed_with_a_backslash() -> None:
    """Backslash-n was looked for as it is, every grid was one row, and the score 0.5."""
    assert GridScoring(rows="\\n")("12\n30", "12\n34") == 0.75


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"cells": ""}, "cells: is empty"),
        ({"cells": "|", "rows": "|"}, "cells: is also what separates rows"),
        ({"cells": "\\n"}, "cells: is also what separates rows"),
        ({"cells": ",", "parted": "blanks"}, "parted: cannot be set beside cells"),
    ],
)
def test_separators_that_are_none(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        GridScoring(**settings)


@given(GRIDS)
def test_a_grid_is_what_its_text_says(grid: list[list[int]]) -> None:
    for rows in ("|", "\n"):
        assert text_grid(rows.join("".join(map(str, row)) for row in grid), rows) == grid
        assert text_grid(rows.join(" ".join(map(str, row)) for row in grid), rows) == grid


def test_feedback_shows_the_cells_of_grids_in_texts() -> None:
    scoring = GridScoring(rows="|")
    assert scoring("1a|34", "12|34") == 0.75
    assert scoring.remark("1a|34", "12|34") == "wrong cells are shown as found/expected:\n1 a/2\n3 4"
    assert scoring.remark("12|3", "12|34") == "ragged: row 2 has 1 cell, row 1 has 2"
    with pytest.raises(UsageError, match="rows: is empty"):
        GridScoring(rows="")


RAGGED = "is not a grid: ragged: row 2 has 1 cell, row 1 has 2"


@pytest.mark.parametrize(
    ("name", "expected", "what"),
    [
        ("grid", [[1, 2], [3, 4]], ""),
        ("grid", 3, "is not a grid"),
        ("grid", "12|34", "is not a grid"),
        ("grid", {"a": 1}, "is not a grid"),
        ("grid", [1, 2], "is not a grid: row 1 is not a list: int"),
        ("grid", [[1, 2], [3]], RAGGED),
        ("grid", [["1"]], "is not a grid: row 1 holds a cell that is not a finite number: str"),
        ("grid", [[]], "is a grid without cells"),
        ("reference", [[[1, 2]]], ""),
        ("reference", [[1, 2], [3]], RAGGED),
        ("reference", "12|34", "is not a grid"),
        ("numeric", 3, ""),
        ("numeric", [1, 2.5], ""),
        ("numeric", "42", "is neither a finite number nor a list of them"),
        ("numeric", "the answer", "is neither a finite number nor a list of them"),
        ("numeric", math.nan, "is neither a finite number nor a list of them"),
        ("numeric", True, "is neither a finite number nor a list of them"),
        ("exact", {"a": [1, None]}, ""),
        ("exact", {"a": [1, math.nan]}, "holds NaN, which equals nothing"),
        ("text", "any", ""),
        ("text", ["any"], "is not text"),
        ("tests_passed", 3, ""),
        ("tests_passed", ["a", "b"], ""),
        ("tests_passed", {"a": True}, ""),
        ("tests_passed", "all", "says neither how many tests there are nor their names"),
        ("tests_passed", 0, "says neither how many tests there are nor their names"),
        ("alignment", {"y": 1.0}, ""),
        ("alignment", [1.0], "is not a mapping of outcomes"),
        ("alignment", {"y": "high"}, "cannot be read: the intended 'y' "),
    ],
)
def test_what_no_attempt_could_meet_is_refused(name: str, expected: Any, what: str) -> None:
    """An output is refused exactly where the best one there is, the output itself, scores no 1."""
    scoring = GridScoring(coerce=True) if name == "reference" else auditfw.load("scoring", name)
    found, do = scoring.refusal(expected)
    assert found.startswith(what) if what else found == ""
    assert bool(found) == bool(do)
    if name in ("grid", "exact", "numeric", "text"):
        assert (scoring(expected, expected) == 1.0) == (not found) or expected == [[]]


@settings(deadline=None)
@given(st.one_of(st.none(), st.text(), st.integers(), st.floats(), st.lists(st.lists(st.integers())), st.binary()))
def test_no_scoring_raises_on_any_output(output: Any) -> None:
    for scoring in SCORINGS:
        assert 0.0 <= scoring(output, [[1]]) <= 1.0
        assert isinstance(scoring.remark(output, [[1]]), str)


def test_words_in_cells_are_a_grid_but_for_the_reference() -> None:
    assert GridScoring(rows="|").refusal("ab|cd") == ("", "")
    assert GridScoring(rows="|", coerce=True).refusal("ab|cd")[0].startswith("is not a grid: row 1 holds a cell that")
