"""Labels beside points: each on a side where it prints over no other."""

from __future__ import annotations

import pytest

from auditfw.components.report.charts.names import SIDES, broken_name, cut, placed, short_names, wide

ROOM = (0.0, 0.0, 620.0, 280.0)
FAR, OFF = (0.0, 100.0, "far"), (500.0, 100.0, "off")


def sides(*points: tuple[float, float, str]) -> dict[str, int | None]:
    labels = [label for *_, label in points]
    found = placed([(x, y) for x, y, _ in points], labels, ROOM)
    return {label: None if side is None else SIDES.index(side) for label, side in zip(labels, found, strict=True)}


def test_points_far_apart_have_their_label_on_the_first_side() -> None:
    assert sides(FAR, OFF) == {"far": 0, "off": 0}


def test_points_at_one_place_have_their_labels_around_them_and_one_without_room_has_none() -> None:
    near = [(250.0, 200.0, f"near {n}") for n in range(6)]
    found = sides(FAR, OFF, *near)
    assert found == {"far": 0, "off": 0, **{f"near {n}": n if n < 4 else None for n in range(6)}}


def test_a_label_stays_within_the_room_and_off_other_points() -> None:
    assert sides((0.0, 100.0, "left"), (0.0, 100.0, "a name"), (0.0, 100.0, "another")) == {
        **{"left": 0, "a name": 1},
        "another": None,  # to the left of the leftmost point there is no room
    }
    assert sides((600.0, 100.0, "the rightmost of all")) == {"the rightmost of all": 2}
    assert sides((100.0, 3.0, "at the top")) == {"at the top": 1}
    assert sides((100.0, 278.0, "at the bottom")) == {"at the bottom": 0}
    assert sides((100.0, 100.0, "crossed"), (115.0, 92.0, ""))["crossed"] == 1
    assert placed([], [], ROOM) == []


@pytest.mark.parametrize(
    ("text", "pixels"),
    [("", 0), ("0", 5.56), ("ill", 9), ("WW", 18.6), ("AB", 13.8), ("漢字", 18.6), ("a" * 100, 556)],
)
def test_how_wide_a_text_is(text: str, pixels: float) -> None:
    assert wide(text, 10) == pytest.approx(pixels)


def test_a_text_is_cut_where_it_is_too_wide() -> None:
    assert cut("abcd", 23, 10) == "abcd"
    assert cut("abcde", 23, 10) == "ab…"
    assert cut("abc", 1.0, 10) == "…"
    assert cut("", 1.0, 10) == ""


def test_different_names_stay_different() -> None:
    long = "x" * 70
    assert list(short_names(["a", "a", long, f"{long}y", f"{long}z"]).values()) == [
        "a",
        *(f"{'x' * 59}…{number}" for number in ("", " (2)", " (3)")),
    ]


@pytest.mark.parametrize(
    ("name", "letters", "wanted"),
    [
        ("answer_v2+v1", 20, "answer_v2+v1"),
        ("answer_v2+v1", 10, "answer_v2+\nv1"),
        ("a b  c", 3, "a \nb  \nc"),
        ("abcdefgh", 3, "abcdefgh"),
        ("", 3, ""),
    ],
)
def test_names_break_behind_a_part(name: str, letters: int, wanted: str) -> None:
    assert broken_name(name, letters) == wanted
