"""Labels beside points: each on a side where it prints over no other."""

from __future__ import annotations

from typing import Any

from auditfw.components.report.charts.names import SIDES, placed
from auditfw.components.report.charts.vega import WIDE


def point(x: Any, y: float, label: str) -> dict[str, Any]:
    return {"x": x, "y": y, "label": label}


def sides(*points: dict[str, Any]) -> dict[str, int]:
    return {one["label"]: SIDES.index(side) for side, own in placed(points, WIDE) for one in own}


def test_points_far_apart_have_their_label_on_the_first_side() -> None:
    assert sides(point(0, 0.0, "a"), point(1, 1.0, "b")) == {"a": 0, "b": 0}


def test_points_at_one_place_have_their_labels_around_them() -> None:
    far = point(0, 10.0, "far"), point(9, 10.0, "off")
    assert sides(*far, *(point(5, 0.0, f"near {n}") for n in range(4))) == {"far": 0, "off": 0} | {
        f"near {n}": n for n in range(4)
    }


def test_a_label_without_room_is_left_out() -> None:
    found = sides(point(0, 10.0, "far"), point(9, 10.0, "off"), *(point(5, 0.0, f"near {n}") for n in range(6)))
    assert set(found) == {"far", "off", *(f"near {n}" for n in range(4))}


def test_a_label_stays_within_the_plot_and_off_other_points() -> None:
    ends = sides(
        point(0, 0.0, "left"), point(0, 0.0, "a long name"), point(0, 0.0, "another long name"), point(9, 9, "x")
    )
    assert ends == {"left": 0, "a long name": 1, "x": 0}  # to the left of the leftmost point there is no room
    assert sides(point(0, 0.0, "a"), point(9, 9.0, "the rightmost of all the points")) == {
        "a": 0,
        "the rightmost of all the points": 2,
    }
    beside = {"x": 0.35, "y": 0.35, "label": ""}
    assert sides(point(0, 0.0, "crossed"), beside | {"label": "by"}, point(9, 9.0, "x"))["crossed"] == 1


def test_names_along_an_axis_are_left_where_they_are() -> None:
    assert sides(point("x", 0.0, "a"), point("x", 0.0, "b")) == {"a": 0, "b": 0}
    assert placed([], WIDE) == []
