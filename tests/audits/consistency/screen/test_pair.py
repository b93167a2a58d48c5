"""Two raters on the first screen: small tables that one can check by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from first_screens import lines, pairs, rated, two
from sentences import consistency as says

import auditfw

A, B = "a", "b"
CASES: dict[str, tuple[Mapping[tuple[str | None, str | None], int], Sequence[str], dict[str, Any], list[str]]] = {
    "equal": (
        {(A, A): 6, (B, B): 4}, [A, B], {},
        [
            "who: Who agrees with whom: 10 items, kappa (share equal)",
            "rater|with the other|says a|says b|no label",
            "x|1.0 [0.4, 1.0]|60 %|40 %|0",
            "y|1.0 (100 % equal)|60 %|40 %|0",
            "data: Who Labelled What",
            "10 of 10 items have both labels",
        ],
    ),
    # agreement 0, by chance 0.48: -0.48/0.52; with the six counted as agreeing 0.6 and 4/10 × 1 by chance: 0 - -0.92
    "never equal": (
        {(A, B): 6, (B, A): 4}, [A, B], {},
        [
            "who: Who agrees with whom: 10 items, kappa (share equal)",
            "rater|with the other|says a|says b|no label",
            "x|-0.9 [-1.0, -0.2]|60 %|40 %|0",
            "y|-0.9 (0 % equal)|40 %|60 %|0",
            "who: Where they differ: 10 items",
            "x a, y b|6|costs most kappa: 0.92",
            "x b, y a|4|no clear lean (p = 0.75)",
            "example: One of the 6: q4",
            "x: a; y: b",
            "data: Who Labelled What",
            "10 of 10 items have both labels",
        ],
    ),
    "one label": (
        {(A, A): 6}, [A, B], {},
        [
            "who: Who agrees with whom: 6 items, kappa (share equal)",
            "rater|with the other|says a|no label",
            "x|–|100 %|0",
            "y|– (100 % equal)|100 %|0",
            "Kappa is undefined: both gave every item the same label: a.",
            "data: Who Labelled What",
            "6 of 6 items have both labels",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_two_raters(case: str) -> None:
    counted, labels, audit, expected = CASES[case]
    assert two(counted, labels, **audit) == expected


def test_abstentions_are_a_label_and_gaps_are_counted() -> None:
    """A gap is of one rater: its item is not compared."""
    told = two({(A, A): 6, (B, B): 4, ("NONE", A): 3, (A, "NONE"): 1, (A, None): 2}, [A, B, "NONE"], abstain=["NONE"])
    assert told[:6] == [
        says.WHO_WHO_AGREES_WITH_WHOM,
        says.RATER_WITH_THE_OTHER_SAYS_A,
        "x|0.5 [0.0, 0.9]|50 %|29 %|21 %|0",
        "y|0.5 (71 % equal)|64 %|29 %|7 %|2",
        says.WHO_WHERE_THEY_DIFFER_ITEMS,
        says.NONE_A_COSTS_MOST_KAPPA,
    ]
    assert told[-1] == says.OF_ITEMS_HAVE_BOTH_LABELS


def test_steps_of_a_scale_have_a_mean_and_a_shift() -> None:
    """x gives 1, 2, 3 to 6, 4, 3 items: mean 23/13; six times it is one below y, twice two above: -2/13 on average.

    The distances are 10 in 13 items, by chance (6·12 + 4·3 + 3·14)/13 = 126/13: kappa is 1 - 130/126 = -0.03.
    """
    counted: dict[tuple[str | None, str | None], int] = {("1", "2"): 6, ("2", "2"): 4, ("3", "1"): 2, ("3", "3"): 1}
    told = two(counted, ["1", "2", "3"])
    assert told[0] == says.WHO_WHO_AGREES_WITH_WHOM_ITEMS
    assert told[1:4] == [
        says.RATER_WITH_THE_OTHER_MEAN,
        "x|0.0 [-0.4, 0.4]|1.8|-0.2 ± 0.6|0",
        "y|0.0 (38 % equal)|1.9|+0.2 ± 0.6|0",
    ]
    assert told[5:7] == [says.NO_CLEAR_LEAN, says.COSTS_MOST_KAPPA]
    names = {"1": "bad", "2": "ok", "3": "good"}
    named = {(names[str(x)], names[str(y)]): n for (x, y), n in counted.items()}
    assert two(named, [*names.values()], scale="ordinal")[1:4] == [
        says.RATER_WITH_THE_OTHER_MIDDLE,
        "x|0.0 [-0.4, 0.4]|ok|-0.2 ± 0.6|0",
        "y|0.0 (38 % equal)|ok|+0.2 ± 0.6|0",
    ]


def test_numbers_of_many_values_are_apart() -> None:
    told = two({(f"{10 * i}", f"{10 * i + i % 3}"): 1 for i in range(30)}, "found")
    assert told[0] == says.WHO_WHO_AGREES_WITH_WHOM_ITEMS_WEIGHTED
    assert told[4:6] == [
        says.WHO_WHERE_THEY_DIFFER_ITEMS_2, says.APART_ON_AVERAGE_AT_MOST
    ]  # fmt: skip


def test_of_many_labels_the_first_are_shown() -> None:
    """Ten labels, each confused with the next one: three of ten kinds, three shares."""
    names = "abcdefghij"
    told = two({(names[i], names[(i + 1) % 10]): 20 - i for i in range(10)} | {(n, n): 5 for n in names}, [*names])
    assert told[1] == says.RATER_WITH_THE_OTHER_SAYS_SAYS
    rows = told[told.index("who: Where they differ: 155 items") + 1 :]
    assert [row.rpartition("|")[0] for row in rows[:3]] == ["x a, y b|20", "x b, y c|19", "x c, y d|18"]
    assert "a clear lean (p < 0.0001)" in rows[0]
    assert rows[3] == says.MORE_FURTHER_PAIRS_OF_LABELS


def test_a_label_that_is_rare_has_no_share() -> None:
    told = two({(A, A): 300, (B, B): 200, ("c", A): 1}, [A, B, "c"])
    assert told[1] == says.RATER_WITH_THE_OTHER_SAYS_A_SAYS


def test_a_decision_may_be_the_reference() -> None:
    rows = pairs({(A, A): 6, (A, B): 4, (B, B): 5})
    source = {"use": "frame", "frame": rows}
    audit = {"raters": ["x", "y"], "reference": "final.majority", "labels": [A, B], "abstain": []}
    result = auditfw.run(
        {"experiment": "cross_agent", "source": source, "gate": [], "policy": ["majority"], "audit": audit}
    )
    assert lines(result)[2:4] == lines(rated(rows, ["x", "y"], [A, B]))[2:4]


def test_the_shipped_sample() -> None:
    """Checked against the counts 228, 30, 40, 199 and 2 of `report.md`."""
    assert lines(auditfw.run({"experiment": "cross_agent"}))[:8] == [
        says.WHO_WHO_AGREES_WITH_WHOM_ANSWERS,
        says.RATER_WITH_THE_OTHER_SAYS_VALID,
        "GPT-4|0.71 [0.65, 0.77]|52 %|48 %|0",
        "human annotators|0.71 (86 % equal)|54 %|46 %|0",
        says.WHO_WHERE_THEY_DIFFER_ANSWERS,
        says.GPT_REJECT_HUMAN_ANNOTATORS_VALID,
        says.GPT_VALID_HUMAN_ANNOTATORS_REJECT,
        says.GPT_ABSTAIN_HUMAN_ANNOTATORS_REJECT,
    ]


def test_the_lean_goes_by_items_where_they_are_known() -> None:
    """Eight trials of one item are one observation: 8 to 0 is p = 2/2^8, by item 8 rows of one sign 1."""
    rows = [{**row, "item": "same"} for row in pairs({(A, B): 8})] + [
        {"id": f"r{i}", "x": A, "y": A, "item": f"i{i}"} for i in range(8)
    ]
    bare = [{name: value for name, value in row.items() if name != "item"} for row in rows]
    assert says.A_COSTS_MOST_KAPPA_A in lines(rated(bare, ["x", "y"], [A, B]))[5:6]
    assert "no clear lean (p = 1.00)" in lines(rated(rows, ["x", "y"], [A, B]))[5]
