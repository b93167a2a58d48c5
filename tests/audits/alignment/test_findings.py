"""What the alignment audit tells beyond the numbers: the floor, types, weights, many keys, what misaligns."""

from __future__ import annotations

from typing import Any

import numpy as np
from alignment_runs import Given, Run, rows_of, scenario, section
from sentences import alignment as says

from auditfw.core.document import Chart, Table


def test_the_floor_is_told_where_it_decides() -> None:
    small = [scenario(i, y=0.001 * i) for i in range(1, 6)]
    result = Run(small, Given(lambda p: {"y": 0.003}))()
    assert any("the floor changes the score of 'y'" in w for w in result.warnings)
    large = Run([scenario(i, y=float(i)) for i in range(1, 6)], Given(lambda p: {"y": 3.0}))()
    assert large.warnings == []


def test_a_type_is_told_only_where_the_outcome_was_meant() -> None:
    rows = [scenario(0, y=1.0), scenario(1, y=1.0, z=2.0), scenario(2, y=1.0)]
    result = Run(rows, Given(lambda p: {"y": 1.0, "z": "text"}))()
    assert result.counts == {"read": 4, "audited": 3, "missing": 1}
    assert says.OUTCOME_IS_OF_TYPE_STR in result.warnings


def test_an_outcome_that_is_no_number_is_not_called_absent() -> None:
    rows = [scenario(i, y=1.0, z=1.0) for i in range(3)]
    result = Run(rows, Given(lambda p: {"y": [1.0] * 3, "z": 1.0}))()
    text = next(one.text for one in result.findings if one.kind == "outcome_missing")
    assert text == says.NO_SCENARIO_RETURNED_A_NUMBER


def test_a_weight_of_a_key_that_nobody_means_is_told() -> None:
    result = Run([scenario(1, fitness=1.0)], Given(lambda p: {"fitness": 1.0}))(key_weights={"fitnes": 2.0})
    told = says.NO_SCENARIO_INTENDS_SO_ITS
    assert f"audit.key_weights: {told}" in result.warnings


def test_thousands_of_keys_do_not_flood_the_report() -> None:
    """A time series is a key for each time: eight of a kind are told, the others counted; tables keep to max_rows."""
    keys = [f"y@{i}" for i in range(100)]
    given: dict[str, Any] = dict.fromkeys(keys, 0.003)
    rows = [scenario(i, **dict.fromkeys([*keys, *(f"not@{j}" for j in range(50))], 0.001)) for i in range(3)]
    result = Run(rows, Given(lambda p: given))()
    assert sum("the floor changes the score of 'y@" in warning for warning in result.warnings) == 8
    assert says.THE_FLOOR_CHANGES_THE_SCORE in result.warnings
    [missing] = [one for one in result.findings if one.kind == "outcome_missing"]
    assert (missing.text.count("No scenario returned not@"), missing.value) == (3, 150)
    assert missing.text.endswith("; and 47 more outcomes.")
    odd = Run(rows, Given(lambda p: dict.fromkeys(keys, "text")))()
    assert says.AND_MORE_REMARKS_OF_THIS in odd.warnings
    for title in ("Keys", "Units and Floor"):
        table = section(result, title).blocks[0]
        assert isinstance(table, Table)
        assert (len(table.rows), table.left_out) == (40, 110 if title == "Keys" else 60)
    assert len([m for m in result.measurements if m.metric == "combined"]) == 150


def test_the_parameter_that_misaligns_is_named() -> None:
    random = np.random.default_rng(1)
    rows = [
        {"label": str(i), "intended": {"y": 1.0}, "params": {"bad": x, "idle": u, "too": w}}
        for i, (x, u, w) in enumerate(random.random((120, 3)))
    ]
    result = Run(rows, Given(lambda p: {"y": 1.0 + p["bad"]}))()
    causes = rows_of(section(result, "Where It Goes Wrong"))
    assert causes[0][0] == "bad"
    assert float(causes[0][1]) > 0.5
    assert all(float(row[1]) < 0.1 for row in causes[1:])
    assert float(causes[0][2]) > float(causes[0][3]) > float(causes[0][4])
    chart = next(b for s in result.sections for b in s.blocks if isinstance(b, Chart) and not s.screen)
    assert chart.x == "bad"
