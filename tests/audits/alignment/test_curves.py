"""Curves of alignment: a sweep of one parameter, and the best of it with its equals."""

from __future__ import annotations

from typing import Any

import pytest
from alignment_runs import Given, Run, scenario, section
from sentences import alignment as says

from auditfw.components.report.charts.sketch import sketch
from auditfw.core.document import Chart, Note


@pytest.mark.parametrize(
    ("ys", "words"),
    [
        ((1.0, 1.0, 1.0, 1.0), "Overall is 1.000 at every value of x."),
        ((0.5, 1.0, 1.0, 0.7), "Best overall 1.000 at x = 1 and at 1 other value."),
        ((0.5, 1.0, 0.9, 0.7), "Best overall 1.000 at x = 1."),
        ((0.5, 1.0, 1.0 + 4e-15, 0.7), "Best overall 1.000 at x = 1 and at 1 other value."),  # equal but for rounding
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


def swept(values: list[float], idle: int = 12) -> list[dict[str, Any]]:
    return [
        {"label": f"{a} {b}", "intended": {"y": 1.0}, "params": {"valve": a, "idle": float(b)}}
        for a in values
        for b in range(idle)
    ]


def chart_of(values: list[float], idle: int = 12) -> tuple[Chart, str]:
    """The curve by the one of two parameters that matters, best at its largest value."""
    run = Run(swept(values, idle), Given(lambda p: {"y": p["valve"] / max(values)}))
    chart, note = section(run(), "Alignment by valve").blocks
    assert isinstance(chart, Chart)
    assert isinstance(note, Note)
    return chart, note.text


def test_a_parameter_of_few_values_is_shown_at_these() -> None:
    """It was at the middles of twelve bins, at which nothing ran."""
    chart, note = chart_of([0.05, 0.15, 0.3, 0.6, 1.0])
    assert list(chart.series[0].x) == [0.05, 0.15, 0.3, 0.6, 1.0]
    assert note == says.BEST_OVERALL_AT_VALVE_MEANS
    twelve = [n / 12 for n in range(1, 13)]
    assert list(chart_of(twelve)[0].series[0].x) == twelve


def test_a_parameter_of_many_values_is_shown_by_ranges_of_them() -> None:
    """Each of the twelve ranges is named by the values in it; an empty one is left out."""
    values = [0.0, *(n / 24 for n in range(9, 25))]
    chart, note = chart_of(values)
    names = list(chart.series[0].x)
    assert names == ["0", "0.375", "0.4167 to 0.4583", "0.5 to 0.5417", "0.5833 to 0.625", "0.6667 to 0.7083",
                     "0.75 to 0.7917", "0.8333 to 0.875", "0.9167 to 1"]  # fmt: skip
    assert chart.series[0].y[-1] == pytest.approx((1 + (22 + 23 + 24) / 3 / 24) / 2)
    assert note.startswith(says.BEST_OVERALL_FOR_VALVE_TO.format(chart.series[0].y[-1]))
    assert sketch(chart, 80) == []  # a table: its rows name the ranges


def test_ranges_that_are_as_good_are_counted_as_ranges() -> None:
    run = Run(swept([n / 24 for n in range(25)]), Given(lambda p: {"y": min(1.0, 2 * p["valve"])}))
    note = section(run(), "Alignment by valve").blocks[1]
    assert str(note).count(says.BEST_OVERALL_FOR_VALVE_TO_AND) == 1
