"""Curves of alignment: a sweep of one parameter, and the best of it with its equals."""

from __future__ import annotations

import pytest
from alignment_runs import Given, Run, scenario, section

from auditfw.core.document import Chart, Note


@pytest.mark.parametrize(
    ("ys", "words"),
    [
        ((1.0, 1.0, 1.0, 1.0), "Overall is 1.000 at every value of x."),
        ((0.5, 1.0, 1.0, 0.7), "Best overall 1.000 at x = 1 and at 1 other value."),
        ((0.5, 1.0, 0.9, 0.7), "Best overall 1.000 at x = 1."),
    ],
)
def test_the_best_of_a_curve_is_told_with_its_equals(ys: tuple[float, ...], words: str) -> None:
    rows = [scenario(i, y=1.0) for i in range(len(ys))]
    result = Run(rows, Given(lambda p: {"y": ys[int(p["x"])]}))()
    assert str(section(result, "Alignment by x").blocks[1]) == str(Note(words))


def test_a_sweep_of_one_parameter_is_a_curve() -> None:
    result = Run([scenario(i, y=4.0, z=0.0) for i in range(9)], Given(lambda p: {"y": p["x"], "z": 0.0}))()
    chart = next(b for b in section(result, "Alignment by x").blocks if isinstance(b, Chart))
    assert [one.name for one in chart.series] == ["overall", "y", "z"]
    assert list(chart.series[1].x) == [float(i) for i in range(9)]
    assert chart.series[1].y[4] == 1.0
    assert "at x = 4" in str(section(result, "Alignment by x").blocks[1])
