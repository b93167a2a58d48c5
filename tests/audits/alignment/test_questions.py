"""Questions asked of outcomes: planted faults of whole runs, what explains what, what is known and not looked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from alignment_runs import Given, Run, scenario
from sentences import alignment as says

from auditfw.audits.alignment.settings import AlignmentSettings
from auditfw.core.document import Chart
from auditfw.core.records import Result
from auditfw.core.results.findings import Known

ROWS = [scenario(i, power=float(i), energy=4.0 * i) for i in range(1, 9)]


def right(x: float) -> dict[str, Any]:
    return {"power": x, "energy": 4 * x}


def result_of(of: Any, rows: Any = ROWS, **settings: Any) -> Result:
    return Run(rows, Given(lambda p: of(p["x"])))(**settings)


@pytest.mark.parametrize(
    ("of", "kinds", "points", "headline"),
    [
        (right, [], 0, ""),
        (lambda x: {**right(x), "power": 1000 * x}, ["outcome_factor"], 50, says.POWER_IS_WHAT_IS_INTENDED),
        (lambda x: {**right(x), "power": 1.8 * x + 32}, ["outcome_factor"], 50, says.POWER_IS_WHERE_IS_INTENDED),
        (lambda x: {**right(x), "energy": -4 * x}, ["outcome_sign"], 50, says.ENERGY_HAS_THE_OTHER_SIGN),
        (
            lambda x: {"power": 4 * x, "energy": x},
            ["outcomes_exchanged"],
            100,
            says.ENERGY_AND_POWER_ARE_EXCHANGED,
        ),
        (lambda x: {**right(x), "energy": 18.0}, ["outcome_constant"], 50, says.ENERGY_IS_WHERE_TO_ARE),
        (lambda x: {"power": x}, ["outcome_missing"], 50, says.NO_SCENARIO_RETURNED_ENERGY_WHICH),
        (lambda x: {**right(x), "energy": [x]}, ["outcome_missing"], 50, says.NO_SCENARIO_RETURNED_A_NUMBER_FOR),
        (lambda x: {"power": 1000 * x, "energy": -4 * x}, ["outcome_factor", "outcome_sign"], 50, "power is 1,000"),
        (lambda x: {**right(x), "power": -1000 * x}, ["outcome_sign"], 50, says.POWER_HAS_THE_OTHER_SIGN),
    ],
)
def test_faults(of: Any, kinds: list[str], points: float, headline: str) -> None:
    """One kind a fault: what it explains (`never_met`) has no effect, and no baseline is spoken of before it."""
    result = result_of(of)
    acting = [one for one in result.findings if one.effect != "reported"]
    assert [(one.kind, one.effect) for one in acting] == [(kind, "broken") for kind in kinds]
    assert result.answer is not None
    assert result.answer.status == ("broken" if kinds else "stable")
    if kinds:
        assert acting[0].points == points
        assert result.answer.headline.startswith(headline) or headline.startswith("energy and power")
    assert "aseline" not in result.answer.headline or not kinds


def test_what_is_known_decides_nothing() -> None:
    known = {"outcome_factor": Known(8, "the meter counts watts")}
    result = result_of(lambda x: {**right(x), "power": 1000 * x}, known=known)
    assert [(one.kind, one.known) for one in result.findings if one.kind == "outcome_factor"] == [
        ("outcome_factor", True)
    ]
    assert result.answer is not None
    assert result.answer.status == "stable"


@pytest.mark.parametrize(
    ("meant", "effect"),
    [(10.0, "reported"), ({"value": 10, "tolerance": 1, "level": "should"}, "fragile"), ({"at_least": 12}, "broken")],
)
def test_never_met(meant: Any, effect: str) -> None:
    """Of ±5 % that are assumed it is reported, of a declared tolerance fragile, of a must broken."""
    rows = [scenario(i, y=float(i), z=meant) for i in range(1, 9)]
    [finding] = [one for one in result_of(lambda x: {"y": x, "z": 11.5}, rows).findings if one.kind == "never_met"]
    assert (finding.effect, finding.value, finding.points) == (effect, 8, 50)


def test_a_series_that_comes_late() -> None:
    waves = {i: np.sin(np.arange(12.0) ** 2 + i) for i in range(1, 9)}
    rows = [scenario(i, **{f"level@{t}": float(waves[i][t]) for t in range(12)}) for i in waves]
    result = result_of(lambda x: {f"level@{t}": float(waves[int(x)][max(0, t - 2)]) for t in range(12)}, rows)
    [finding] = [one for one in result.findings if one.kind == "late"]
    assert finding.text == says.LEVEL_COMES_STEPS_TOO_LATE


def test_what_is_not_looked_for() -> None:
    whys = {one.kind: one.why for one in result_of(right, ROWS[:5], replicates=2).not_checked}
    assert whys["outcome_factor"].startswith("fewer than 6 scenarios")
    assert "audit.replicates" in whys["not_deterministic"]
    assert whys["late"].startswith(says.NO_OUTCOME_IS_A_SERIES)
    assert "audit.draw" in {one.kind: one.why for one in result_of(right, draw=0).not_checked}["outcome_sign"]


def test_trivial_baselines_know_what_is_intended() -> None:
    """Constants in the middle of what is intended; keys that a constant serves are not compared."""
    rows = [scenario(i, y=float(i), z=5.0) for i in range(1, 9)]
    result = result_of(lambda x: {"y": x, "z": 5.0}, rows)
    text = str(next(one for one in result.sections if one.title == "Trivial Baselines").blocks)
    assert "intended median" in text
    assert says.COMPARED_ON_WHAT_DIFFERS_BETWEEN in text
    [picture] = [one for one in result.sections if one.screen == "picture"]
    chart, note = picture.blocks
    assert isinstance(chart, Chart)
    assert (chart.title, chart.y) == ("Mean score without z", "mean score")
    assert says.LEFT_OUT_WHICH_A_CONSTANT in str(note)


def test_a_kind_that_does_not_exist_is_no_known_one() -> None:
    with pytest.raises(Exception, match="no such kind of finding"):
        result_of(right, known={"outcome_factors": Known(1, "")})
    assert AlignmentSettings.__dataclass_fields__["known"]
