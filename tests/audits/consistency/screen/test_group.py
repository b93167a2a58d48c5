"""Three and more raters on the first screen: each against the others, and who is off."""

from __future__ import annotations

import random
from typing import Any

import pytest
from first_screens import lines, rated
from sentences import consistency as says

RATERS = ("r1", "r2", "r3")


def table(columns: dict[str, str]) -> list[dict[str, Any]]:
    """A row an item: a letter of each rater's text, - for none."""
    rows = zip(*columns.values(), strict=True)
    return [
        {"id": f"q{i}", **{r: None if x == "-" else x for r, x in zip(columns, row, strict=True)}}
        for i, row in enumerate(rows)
    ]


def test_each_rater_against_the_others() -> None:
    """r1 and r2 are the same; r3 differs on one of eight: kappas 1, 0.75, 0.75."""
    rows = table({"r1": "xxxxyyyy", "r2": "xxxxyyyy", "r3": "xxxyyyyy"})
    assert [line.partition(" [")[0] for line in lines(rated(rows, RATERS, ["x", "y"]))] == [
        says.WHO_EACH_RATER_AGAINST_THE,
        says.RATER_WITH_THE_OTHERS_SAYS,
        "r1|0.88",
        "r2|0.88",
        "r3|0.8",
        says.EXAMPLE_WHERE_THEY_DIFFER_MOST,
        "r1 x, r2 x, r3 y",
        "data: Who Labelled What",
        says.OF_ITEMS_HAVE_THE_LABELS,
    ]


def test_steps_of_a_scale_and_gaps() -> None:
    """r3 is one above both others on all of seven items: +1; the others half a step below the mean of the rest."""
    rows = table({"r1": "1231231-", "r2": "1231231-", "r3": "23423425"})
    told = lines(rated(rows, RATERS, [*"12345"]))
    assert told[:2] == [
        says.WHO_EACH_RATER_AGAINST_THE_OTHERS,
        says.RATER_WITH_THE_OTHERS_MEAN,
    ]
    cells = [line.split("|") for line in told[2:5]]
    assert [row[2:] for row in cells] == [
        ["1.9", "-0.50 ± 0.00", "1 on 43 %", "1"],
        ["1.9", "-0.50 ± 0.00", "1 on 43 %", "1"],
        ["2.9", "+1.00 ± 0.00", "2 on 43 %", "0"],
    ]
    assert told[-1] == says.OF_ITEMS_HAVE_THE_LABELS_OF
    told = lines(rated(table({"r1": "12312-", "r2": "1231-1", "r3": "123411"}), RATERS, [*"12345"], coverage=0.0))
    assert told[-1] == says.OF_ITEMS_HAVE_THE_LABELS_OF_ALL


def test_two_labels_need_no_weights() -> None:
    told = lines(rated(table({"r1": "01010101", "r2": "01010101", "r3": "11010101"}), RATERS, ["0", "1"]))
    assert told[:2] == [says.WHO_EACH_RATER_AGAINST_THE, says.RATER_WITH_THE_OTHERS_SAYS_SAYS]


def test_names_without_order_that_are_many_show_the_commonest() -> None:
    rows = table({"r1": "abcdabcda", "r2": "abcdabcda", "r3": "abcdabcdb"})
    told = lines(rated(rows, RATERS, [*"abcd"]))
    assert told[1] == says.RATER_WITH_THE_OTHERS_COMMONEST
    assert told[2].endswith("|a on 33 %")


def test_no_item_has_two_labels() -> None:
    told = lines(rated(table({"r1": "x-", "r2": "-y", "r3": "--"}), RATERS, ["x", "y"], coverage=0.0))
    assert told == []


def test_who_gives_one_label_far_too_often_is_off() -> None:
    """The rule is that of the finding `lazy_rater`, which eight items of r4 do not show; no bound is missed."""
    drawn = random.Random(3)
    truth = [drawn.choice("1234") for _ in range(150)]
    rows = [
        {
            "id": f"q{i}",
            "r1": t,
            "r2": t,
            "r3": "4" if i % 5 else t,
            "r4": (t if i < 2 else "4") if i < 8 else None,
            "r5": t,
        }
        for i, t in enumerate(truth)
    ]
    told = lines(rated(rows, (*RATERS, "r4", "r5"), [*"1234"], kappa=-1.0, chance=0.0, coverage=0.0))
    assert [line.partition("|")[0] for line in told if line.endswith("|off")] == ["r3"]
    shifts = {line.partition("|")[0]: line.split("|")[3] for line in told[2:7]}
    assert [shifts[r] for r in ("r1", "r2", "r5")] == ["-0.02 ± 0.02"] * 3, "by r4; r3, which is off, moves nobody"
    assert shifts["r3"].startswith("+1.")
    assert told[0].startswith(says.AGAINST_THE_OTHERS_NOT_OFF)


def study(kappas: list[float], items: int = 60) -> list[str]:
    """A gold label and one rater for each kappa, two labels as frequent."""
    drawn = random.Random(2)
    rows: list[dict[str, Any]] = []
    for i in range(items):
        gold = drawn.choice("xy")
        own = {f"r{r}": gold if drawn.random() < (1 + k) / 2 else "yx"["xy".index(gold)] for r, k in enumerate(kappas)}
        rows.append({"id": f"q{i}", **own, "gold": gold})
    return lines(rated(rows, [*(f"r{r}" for r in range(len(kappas))), "gold"], ["x", "y"], coverage=0.0))


def test_of_forty_the_worst_those_off_and_the_best_are_shown() -> None:
    told = study([0.3, *[0.9] * 39], 150)
    at = next(i for i, line in enumerate(told) if line.startswith("("))
    assert (told[at], at) == ("(37 more)", 6)
    assert told[2].startswith("r0|")
    assert [line.endswith("|off") for line in told[2:6]] == [True, False, False, False]
    assert told[5].startswith("gold|")  # whom all repeat, but for noise
    assert told[0].startswith(says.AGAINST_THE_OTHERS_NOT_OFF)
    assert told[at + 2].count(" say ") == 2  # how many, not who, of so many


def test_a_bound_that_nobody_meets_tells_no_rater_from_another() -> None:
    assert not [line for line in study([0.3] * 5, 150) if line.endswith("|off")]
    assert len([line for line in study([0.3, 0.3, *[0.95] * 4], 150) if line.endswith("|off")]) == 2


def test_many_that_are_off_are_counted() -> None:
    told = study([*[-0.9] * 10, *[0.95] * 30], 150)
    rows = [line for line in told[2:] if line.endswith(("|off", "|"))]
    assert len(rows) == 7
    assert "(34 more, 4 of them off)" in told


@pytest.mark.parametrize("length", [60, 200])
def test_long_names_are_whole(length: int) -> None:
    """They are split over lines by the terminal, never cut here."""
    name = "n" * length
    rows = [{"id": f"q{i}", name: "x" if i % 2 else "y", "b": "x" if i % 3 else "y", "c": "x"} for i in range(12)]
    assert lines(rated(rows, (name, "b", "c"), ["x", "y"]))[2].startswith(f"{name}|")
