"""The order of presentation in a run: who prefers the first answer, what follows, settings that do not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from judged_orders import AB, BIASED, PLACES, SOUND, audited, fired, judged, section
from sentences import consistency as says

from auditfw.audits.consistency.conclusions.presentation import Order, order_of
from auditfw.core.errors import AuditError
from auditfw.core.records import Result

TITLE = "Position Bias"


def because(result: Result) -> str:
    assert result.answer is not None
    return " ".join(result.answer.because)


def test_a_judge_that_prefers_the_first_answer_is_named(tmp_path: Path) -> None:
    found = audited(tmp_path, BIASED, order="position", run={"metric": ["kappa", "first_preferred"]})
    assert says.GPT_PREFERS_THE_FIRST_ANSWER in because(found)
    (rule,) = fired(found, "first_preferred")
    assert (rule.reading, rule.value, rule.bound) == ("gpt", 37 / 44, 0.5)
    assert found.measurement("first_preferred", "gpt").estimate.value == 37 / 44
    assert found.measurement("first_preferred", "human").estimate.value == 22 / 44
    assert "84.1 % [70.6, 92.1]" in section(found, TITLE)


def test_a_judge_that_the_order_does_not_move_gives_no_alarm(tmp_path: Path) -> None:
    found = audited(tmp_path, SOUND, order="position")
    assert found.answer is not None
    assert found.answer.status == "stable"
    assert [rule.rule for rule in found.answer.rules if rule.fired] == []
    assert "prefers" not in because(found)
    assert "Hint" not in section(found, TITLE)
    bare = audited(tmp_path, SOUND)
    assert section(bare, TITLE) == ""
    assert bare.measurements == found.measurements


def test_labels_that_name_places_are_found(tmp_path: Path) -> None:
    """Agreement as it is 50 %, 90 % when the labels are exchanged where B came first."""
    found = audited(tmp_path, PLACES, order="position")
    assert found.answer is not None
    assert found.answer.status == "broken", "kappa is 0"
    (rule,) = fired(found, "exchange_raises")
    assert rule.cell == {"order": "B"}
    assert rule.value == pytest.approx(0.4)
    assert says.SWAP_AND_OF_GPT_WHERE in because(found)
    assert [one.cell for one in fired(found, "one_order")] == [{"order": "B"}]


def test_a_bound_that_holds_in_one_order_only_is_fragile(tmp_path: Path) -> None:
    """Kappa 0.9 where A came first, 0.4 where B did; of all 0.65."""
    rows = judged([("A", "A", "A", 95), ("B", "B", "A", 95), ("A", "B", "A", 5), ("B", "A", "A", 5),
                   ("A", "A", "B", 70), ("B", "B", "B", 70), ("A", "B", "B", 30), ("B", "A", "B", 30)])  # fmt: skip
    found = audited(tmp_path, rows, order="position")
    assert found.answer is not None
    assert found.answer.status == "fragile"
    assert found.answer.headline == says.KAPPA_OF_GPT_MEETS_ITS
    without = audited(tmp_path, rows)
    assert without.answer is not None
    assert without.answer.status == "unknown", "the silent pass: nobody asked for the order"


def twice(rows: list[tuple[str, str, str, int]]) -> list[dict[str, Any]]:
    """Records from rows (human, judge with A first, judge with B first, how many)."""
    return [
        {"id": f"q{i:04}", "human": h, "ab": a, "ba": b}
        for i, (h, a, b) in enumerate(r for *r, n in rows for _ in range(n))
    ]


def test_two_columns_of_one_judge(tmp_path: Path) -> None:
    """12 items are labelled for the first both times, 2 for the second: each is one item of two labels."""
    rows = twice([("A", "A", "A", 30), ("B", "B", "B", 30), ("A", "A", "B", 6), ("B", "A", "B", 6), ("A", "B", "A", 2)])
    found = audited(tmp_path, rows, ("human", "ab", "ba"), order=["ab", "ba"])
    (rule,) = fired(found, "first_preferred")
    assert rule.reading == "ab / ba"
    assert rule.value == pytest.approx((60 + 24) / 148), "60 alike: once each way; 12 twice for the first"
    assert rule.p == pytest.approx(2 * sum([1, 14, 91]) / 2**14), "14 items do not cancel, 12 to 2"
    text = section(found, TITLE)
    assert says.THE_SAME_LABEL_IN_BOTH in text
    assert "alike in both orders" in text


def test_the_order_may_be_written_out(tmp_path: Path) -> None:
    rows = [{**row, "position": {"A": "left", "B": "right"}[row["position"]]} for row in BIASED]
    order = {"column": "position", "first": {"left": "A", "right": "B"}}
    found = audited(tmp_path, rows, order=order)
    assert "37 to 7" in because(found)
    turned = audited(tmp_path, rows, order={"column": "position", "first": {"left": "B", "right": "A"}})
    assert says.GPT_PREFERS_THE_SECOND_ANSWER in because(turned)


def test_one_order_only_and_rows_without_an_order(tmp_path: Path) -> None:
    rows = [row if row["position"] == "A" else {**row, "position": None} for row in SOUND]
    found = audited(tmp_path, rows, order="position")
    assert fired(found, "one_order") == []
    assert says.ITEMS_WITHOUT_AN_ORDER_OF in section(found, TITLE)


@pytest.mark.parametrize(
    ("order", "labels", "message"),
    [
        ("place", ["A", "B"], r"audit\.order: no column 'place' \(found: id, human, gpt\)"),
        ("id", ["A", "B"], r"audit\.order: the column 'id' should have two values, .* \(it has 180: 'q0000'"),
        ("position", ["A", "B", "C1"], r"it is unclear which two labels prefer an answer \(.*: A, B, C1\)"),
        (["gpt", "other"], ["A", "B"], r"audit\.order: no rater 'other'"),
        (["gpt"], ["A", "B"], r"audit\.order: expected two raters"),
        (["gpt", "gpt"], ["A", "B"], r"audit\.order: expected two raters"),
        (7, ["A", "B"], r"audit\.order: expected a column or two raters, got 7"),
        ({"colum": "position"}, ["A", "B"], r"audit\.order: expected a column or two raters"),
        ({"first": {"A": "A", "B": "B"}}, ["A", "B"], r"audit\.order: needs either column or raters"),
        ({"column": "position", "first": {"A": "A"}}, ["A", "B"], r"audit\.order\.first: expected two labels"),
        ({"column": "position", "first": {"A": "A", "B": "A"}}, ["A", "B"], r"audit\.order\.first: expected two"),
        ({"column": "position", "first": {"A": "A", "B": "X"}}, ["A", "B"], r"audit\.order\.first\.B: no label 'X'"),
        (
            {"raters": ["human", "gpt"], "first": {"A": "A", "B": "B"}},
            ["A", "B"],
            r"expected the names of the two raters",
        ),
    ],
)
def test_an_order_that_does_not_fit_is_refused(tmp_path: Path, order: Any, labels: list[str], message: str) -> None:
    with pytest.raises(AuditError, match=message):
        audited(tmp_path, SOUND, order=order, labels=labels)


def test_an_empty_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match="the column 'position' does not say for any record which answer came first"):
        audited(tmp_path, [{**row, "position": ""} for row in SOUND], order="position")


@pytest.mark.parametrize(
    ("values", "labels", "first"),
    [
        (["A", "B"], ["A>B", "B>A", "tie"], {"A": "A>B", "B": "B>A"}),
        (["AB", "BA"], ["A", "B", "Tie"], {"AB": "A", "BA": "B"}),
        (["model_1", "model_2"], ["model_1", "model_2", "both"], {"model_1": "model_1", "model_2": "model_2"}),
        (["1", "2"], ["1", "2", "0.5"], None),
        (["x", "y"], ["A", "B"], None),
        (["A", "a"], ["A", "B"], None),
    ],
)
def test_values_find_their_labels(values: list[str], labels: list[str], first: dict[str, str] | None) -> None:
    if first is None:
        with pytest.raises(AuditError, match="it is unclear which"):
            Order("position").sides(values, labels, ())
    else:
        assert dict(Order("position").sides(values, labels, ()).first) == first
    assert order_of(None) is None
    assert set(AB) == {"A", "B"}
