"""What the alignment audit puts on a page: the worst scenarios, scores by parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from alignment_runs import Given, Listed, Run, scenario
from browsed_runs import Browse, block, section, tags
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples
from sentences import alignment as says

from auditfw.audits import spine
from auditfw.audits.alignment.audit import Alignment
from auditfw.audits.alignment.charts import _fifths, came_for
from auditfw.components.engine.local import Local
from auditfw.core.document import Chart, Gallery, Matrix, Note, Table
from auditfw.core.records import Result
from auditfw.kinds.context import ReportLimits


@dataclass
class Paged(Run):
    """A run of the alignment audit with a page; `most` scenarios to look through."""

    most: int = 400

    def __call__(self, **given: Any) -> Result:
        audit = Alignment(Listed(self.rows, self.size), self.simulator, {}, **given)
        limits = ReportLimits(max_exhibits=self.most)
        plan = spine.Run(audit, Local(1), reports={"browse": Browse()}, report=limits, by=self.by, seed=self.seed)
        return spine.run(plan, spine.Stamp("", {}))


@pytest.mark.parametrize(
    ("n", "most", "rows", "text"),
    [
        (20, 400, 10, says.SCENARIOS_MISS_MORE_THAN_ARE),
        (20, 3, 10, says.SCENARIOS_MISS_IN_TRIALS),
        (9, 400, 9, says.SCENARIOS_MISS_ALL_LISTED),
        (0, 400, 10, ""),
    ],
)
def test_the_worst_list_says_how_many_it_leaves_out(n: int, most: int, rows: int, text: str) -> None:
    """30 scenarios that intend at most 5, of which the last n get 6."""
    given = [scenario(i, y={"at_most": 5}) for i in range(30)]
    result = Paged(given, Given(lambda p: {"y": 6.0 if p["x"] >= 30 - n else 5.0}), most=most)()
    table, note = section(result, "Worst Scenarios").blocks
    assert isinstance(table, Table)
    assert len(table.rows) == rows
    assert isinstance(note, Note)
    kind = " that miss" if n else ""
    assert note.text == says.FOR_EACH_SCENARIO_ITS_LOWEST.format(kind) + text


def test_the_worst_list_leaves_out_what_is_met() -> None:
    """y misses, z is met with half its score: where any scenario misses only y is listed, else z too."""
    meant = {"y": {"at_most": 5}, "z": {"at_least": 0, "at_most": 4}}
    for y, listed in ((6.0, ["y 6 vs at most 5"]), (5.0, [])):
        result = Paged([scenario(i, **meant) for i in range(3)], Given(lambda p, y=y: {"y": y, "z": 3.0}))()
        table = next(iter(section(result, "Worst Scenarios").blocks))
        assert isinstance(table, Table)
        assert [row[-1] for row in table.rows][: len(listed)] == listed


def half(params: dict[str, float]) -> dict[str, float]:
    """The keys a and b: a is right where x is 0 and worse with it; b is always right. 7 fails."""
    if params["x"] == 7:
        raise RuntimeError("burst")
    return {"a": 1.0 + params["x"] / 100, "b": 2.0}


def test_scenarios_to_look_through_are_the_worst_with_what_failed() -> None:
    rows = [{**scenario(i, a=1, b=2), "group": "even" if i % 2 == 0 else "odd"} for i in range(30)]
    result = Paged(rows, Given(half), by=("group",), size=4, most=8)(max_error_rate=1.0)
    found = block(result, "Browse Scenarios", Gallery)
    assert [one.title for one in found.exhibits] == ["s7", *(f"s{i}" for i in range(29, 22, -1))]
    assert (found.total, list(found.facets)) == (30, [("lowest key",), ("group",), ("status",)])
    failed, worst = found.exhibits[:2]
    assert tags(failed) == [["–"], ["odd"], ["error"]]
    assert failed.snippets[0].head == "burst"
    assert tags(worst) == [["a"], ["odd"], ["scored"]]
    assert dict(worst.facts)["a"] == "1.29 vs 1; combined 0.855, direction 1.000, magnitude 0.710"
    assert dict(worst.facts)["param.x"] == "29"
    matrix = block(result, "Browse Scenarios", Matrix)
    assert (matrix.rows[0], list(matrix.shown[0]), matrix.notes[0]) == ("s29", ["0.86", "1.00"], "0.928")
    bars = block(result, "Scores by Key", Chart)
    assert [one.name for one in bars.series] == ["direction", "magnitude", "combined"]
    assert bars.series[0].y == [1.0, 1.0]
    assert bars.series[2].low[0] < bars.series[2].y[0]


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=60), st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=examples(40), deadline=None)
def test_of_equal_scores_the_first_are_kept(wanted: list[float], size: int, most: int) -> None:
    """Whatever the batches: the scenarios are those of the lowest scores, in their order."""
    rows = [scenario(i, a=1, b=1) for i in range(len(wanted))]
    simulator = Given(lambda p: {"a": 1 + wanted[int(p["x"])], "b": 1.0})
    result = Paged(rows, simulator, size=size, most=most)()
    order = sorted(range(len(wanted)), key=lambda i: (-wanted[i], i))[:most]
    found = block(result, "Browse Scenarios", Gallery)
    assert [one.title for one in found.exhibits] == [f"s{i}" for i in order]


def test_scores_by_parameter() -> None:
    """Two parameters of which one decides: its row of fifths rises or falls, and both have their points."""
    rows = [
        {"label": f"s{i}", "intended": {"a": 1}, "params": {"x": float(i), "y": float(i * 7 % 50)}} for i in range(50)
    ]
    result = Paged(rows, Given(lambda p: {"a": 1.0 + p["x"] / 50}))()
    matrix = block(result, "Scores by Parameter", Matrix)
    assert matrix.rows == ["x (0 to 49)", "y (0 to 49)"]
    falls = list(matrix.values[0])
    assert falls == sorted(falls, reverse=True)
    assert falls[0] == pytest.approx(np.mean([1 - i / 100 for i in range(10)]))
    charts = [one for one in section(result, "Scores by Parameter").blocks if isinstance(one, Chart)]
    assert [one.title for one in charts] == ["Score by x", "Score by y"]
    assert list(charts[0].series[0].x) == [float(i) for i in range(50)]
    bare = Paged(rows, Given(lambda p: {"a": 1.0 + p["x"] / 50}), most=0)()
    assert not any(isinstance(one, Chart) for one in section(bare, "Scores by Parameter").blocks)


def test_fifths_of_few_values_leave_holes() -> None:
    x, score = np.array([1.0] * 5 + [2.0] * 5), np.array([0.0] * 5 + [1.0] * 5)
    assert _fifths(x, score) == [None, 0.0, None, 1.0, None]


@pytest.mark.parametrize(
    ("actual", "band", "status", "wanted"),
    [
        (2.0, (3.0, 3.0), "", "2 vs 3"),
        (2.0, (3.0, 4.0), "", "2 vs 3 to 4"),
        (2.0, (3.0, np.inf), "", "2 vs at least 3"),
        (4.0, (-np.inf, 3.0), "", "4 vs at most 3"),
        (2.99996, (3.0, np.inf), "", "2.99996 vs at least 3"),
        (np.nan, (3.0, 3.0), "missing", "missing vs 3"),
        (2.0, (np.nan, np.nan), "", "2"),
        (np.nan, (np.nan, np.nan), "missing", "missing"),
    ],
)
def test_what_came_for_what_was_meant(actual: float, band: tuple[float, float], status: str, wanted: str) -> None:
    assert came_for(actual, *band, status) == wanted
