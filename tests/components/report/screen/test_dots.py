"""Points with intervals in characters: names, scale, bounds, and what is left out."""

from __future__ import annotations

import pytest
from sentences import report as says

from auditfw.components.report.screen.picture import dots
from auditfw.core.document import Chart, GateLine, Series

READINGS = Series("reading", ["a", "b"], [20.0, 40.0], low=[10.0, 30.0], high=[30.0, 50.0])
STORED = Series("stored", ["a", "b"], [50.0, 10.0])


def drawn(*series: Series, **more: object) -> list[str]:
    return dots(Chart("Error rate", "reading", "error %", series, "points", **more), 41)  # type: ignore[arg-type]


def test_a_row_a_point() -> None:
    assert drawn(READINGS) == [
        says.ERROR_RATE_ERROR_FROM_TO,
        "a  ├─────●─────┤              20 [10, 30]",
        "b              ├─────●─────┤  40 [30, 50]",
    ]


def test_the_reference_and_the_bounds_are_drawn_into_the_rows() -> None:
    head, a, b = drawn(READINGS, STORED, bounds=[GateLine("few", 30.0)])
    assert head == says.ERROR_RATE_ERROR_FROM_TO_STORED
    assert a == "a  ├─────●─────┊           ○  20 [10, 30]"
    assert (b[3], b.count("┊"), b.count("●")) == ("○", 1, 1)


def test_a_bound_of_one_name_is_in_its_row_alone() -> None:
    _, a, b = drawn(READINGS, bounds=[GateLine("few", 50.0, "b")])
    assert ("┊" in a, "┊" in b) == (False, True)


def test_plain_characters() -> None:
    chart = Chart("Error rate", "reading", "error %", [READINGS], "points")
    assert all(line.isascii() for line in dots(chart, 41, ascii_only=True))


def test_the_first_and_the_last_are_kept() -> None:
    names = [f"r{n}" for n in range(9)]
    one = Series("reading", names, [float(n) for n in range(9)])
    lines = dots(Chart("T", "reading", "y", [one], "points"), 60, most=4)
    assert [line.split()[0] for line in lines[1:]] == ["r0", "r1", "(5", "r7", "r8"]
    assert dots(Chart("T", "reading", "y", [one], "points"), 60, most=9)[-1].startswith("r8")


def test_several_series_have_rows_of_their_own() -> None:
    lines = drawn(READINGS, Series("other", ["a"], [25.0], low=[20.0], high=[30.0]))
    assert [line.split("  ")[0] for line in lines[1:]] == ["a, reading", "b, reading", "a, other"]


@pytest.mark.parametrize(
    "chart",
    [
        Chart("T", "x", "y", [Series("s", [1.0, 2.0], [1.0, 2.0])], "points"),
        Chart("T", "x", "y", [Series("s", ["a"], [1.0])], "bars"),
        Chart("T", "x", "y", [], "points"),
    ],
    ids=["numbers", "bars", "empty"],
)
def test_what_it_cannot_draw(chart: Chart) -> None:
    assert dots(chart, 80) == []


def test_no_room() -> None:
    assert dots(Chart("T", "x", "y", [READINGS], "points"), 25) == []


def test_one_value_is_in_the_middle() -> None:
    head, row = dots(Chart("T", "x", "y", [Series("s", ["a"], [3.0])], "points"), 40)
    assert head == "T, y from 2 to 4"
    assert row.index("●") == pytest.approx(row.rindex("3") / 2, abs=2)
