"""What a rater is held against: tables of a few items."""

from __future__ import annotations

import numpy as np
import pytest

from auditfw.formulas.judges.placeholders import RatedItems

NONE = -1


def rated(labels: list[list[str]], reference: int | None = None) -> RatedItems:
    """Raters × items as they are written, "" for none."""
    names = sorted({label for row in labels for label in row} - {""})
    codes = [[names.index(label) if label else NONE for label in row] for row in labels]
    return RatedItems(names, np.array(codes, np.int16), reference)


def test_what_most_others_give() -> None:
    """Of each item the labels of rater 0, then of the others; a tie, or nobody, is none."""
    columns = ["axx", "axy", "aax", "a..", "ax.", "xxy", ".xx"]
    labels = [[column[i].replace(".", "") for column in columns] for i in range(3)]
    one = rated(labels)
    assert [one.names[code] if code >= 0 else "" for code in one.against(0)] == ["x", "", "", "", "x", "", "x"]
    assert [one.names[code] if code >= 0 else "" for code in one.against(1)] == ["", "", "", "a", "a", "", "x"]


def test_the_lower_median_of_others() -> None:
    labels = [
        ["1", "5", "3", "", "2"],
        ["1", "2", "3", "9", ""],
        ["4", "3", "3", "7", "None"],
        ["10", "4", "1", "", ""],
    ]
    one = rated(labels)
    assert one.numbers_against(0)[:3].tolist() == [4, 3, 3]
    assert one.numbers_against(3)[:3].tolist() == [1, 3, 3]
    assert one.numbers_against(1)[3] == 7
    assert np.isnan(one.numbers_against(0)[4]), "None is no number"


@pytest.mark.parametrize("seed", range(5))
def test_medians_and_modes_as_by_definition(seed: int) -> None:
    draw = np.random.default_rng(seed)
    codes = draw.integers(-1, 4, (draw.integers(3, 7), 60))
    one = RatedItems(["0", "1", "2", "3"], codes)
    for rater in range(len(codes)):
        mode, median = one.against(rater), one.numbers_against(rater)
        for item in np.flatnonzero(codes[rater] >= 0):
            rest = [int(code) for code in np.delete(codes[:, item], rater) if code >= 0]
            counts = sorted(((rest.count(code), code) for code in set(rest)), reverse=True)
            clear = bool(counts) and (len(counts) == 1 or counts[0][0] > counts[1][0])
            assert mode[item] == (counts[0][1] if clear else NONE)
            expected = sorted(rest)[(len(rest) - 1) // 2] if rest else np.nan
            np.testing.assert_equal(float(median[item]), float(expected))


def test_who_is_looked_at() -> None:
    two = [["a", "b"], ["b", "a"]]
    assert list(rated(two).candidates) == [1]
    assert list(rated(two, 1).candidates) == [0]
    assert list(rated([*two, ["a", "a"]]).candidates) == [0, 1, 2]
    assert rated(two, 0).against(1).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("labels", "numeric"),
    [
        (["1", "2", "None", "None"], True),  # a word of programs says nothing
        (["1", "2", "good"], False),
        (["1"] * 19 + ["good"], True),
        (["1"] * 18 + ["good"], False),
        (["inf", "nan", "1e200"], False),
        (["yes", "no"], False),
    ],
)
def test_numbers(labels: list[str], numeric: bool) -> None:
    assert rated([labels]).numeric is numeric
