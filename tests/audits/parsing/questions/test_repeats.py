"""Any and all of k of a run: the figures of the shipped sample, run errors, one draw, cells, what is refused."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from sentences import parsing as says

import auditfw
from auditfw.core.document import Note, Table
from auditfw.core.errors import UsageError
from auditfw.core.records import Measurement, Result

Row = dict[str, Any]
BROKEN: Row = {"error": "HTTP 500", "raw_text": None}
ASKED = {f"{name}{k}": {"use": f"{name}_of_k", "k": k} for name in ("any", "all") for k in (2, 3)}


def run(rows: list[Row], **settings: Any) -> Result:
    table = [{"id": f"{n}", "raw_text": f"text {n}", "ground_truth": "4", **row} for n, row in enumerate(rows)]
    source = {"use": "frame", "frame": pl.DataFrame(table, strict=False, infer_schema_length=None)}
    own = {"source": source, "parser": ["last_number"], "normalizer": ["none"], "matcher": "numeric"}
    audit = {"baseline": None, **settings.pop("audit", {})}
    return auditfw.run({**own, "gate": [], "report": [], "audit": audit, "metrics": ASKED, **settings})


def trials(item: str, labels: str, **more: Any) -> list[Row]:
    """A trial for each label: 1 right, 0 wrong, e a run error, - none."""
    stored = {"1": 1, "0": 0}
    return [
        {"item": item, "stored": stored.get(label), "error": None, **({} if label != "e" else BROKEN), **more}
        for label in labels
    ]


def measured(result: Result, metric: str, **cell: Any) -> Measurement:
    [one] = [m for m in result.measurements if (m.metric, m.reading, m.cell) == (metric, "stored", cell)]
    return one


def notes(result: Result) -> list[str]:
    [section] = [one for one in result.sections if one.title == "Repeats"]
    return [block.text for block in section.blocks if isinstance(block, Note)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "any3", "all3"),
    [
        ("base", "95.2 [81.3, 98.9]", "67.3 [48.1, 82.0]"),
        ("think_sft", "99.4 [88.0, 100.0]", "81.5 [64.0, 91.6]"),
        ("rl_zero", "59.8 [43.3, 74.4]", "3.6 [1.3, 9.4]"),
    ],
)
def test_the_shipped_sample(sample: Result, variant: str, any3: str, all3: str) -> None:
    for metric, text in (("any3", any3), ("all3", all3)):
        estimate = measured(sample, metric, variant=variant).estimate
        assert f"{estimate.value:.1f} [{estimate.low:.1f}, {estimate.high:.1f}]" == text
        assert (estimate.counted, estimate.missing) == (20, 0)


@pytest.fixture(scope="module")
def sample() -> Result:
    chosen = {"any3": ASKED["any3"], "all3": ASKED["all3"]}
    return auditfw.run({"experiment": "answer_parsing", "by": ["variant"], "metrics": chosen, "report": []})


def test_run_errors_leave_the_repeats_and_both_ends_are_shown() -> None:
    result = run([*trials("a", "110e"), *trials("b", "11"), *trials("c", "1-")])
    one = measured(result, "all2").estimate
    assert (one.value, one.counted, one.missing) == (pytest.approx(100 * (1 / 3 + 1) / 2), 2, 1)
    assert one.between == (pytest.approx(100 * (1 / 6 + 1) / 2), pytest.approx(100 * (3 / 6 + 1) / 2))
    assert says.RUN_ERRORS_ARE_LEFT_OUT in notes(result)
    assert says.ALL_OF_2_BETWEEN in notes(result)


def test_equal_texts_are_one_draw() -> None:
    rows = [row | {"raw_text": f"text {row['item']}"} for item in "abcd" for row in trials(item, "111")]
    result = run(rows)
    one = measured(result, "any2").estimate
    assert (one.value, one.undefined) == (None, says.ONE_DRAW_NOT_THREE)
    assert f"– any of 2: {says.ONE_DRAW_NOT_THREE}." in notes(result)


def test_repeats_are_of_one_cell_and_one_model() -> None:
    """Two models and two repeats of each: no item has three, whatever the cells; and two of three cells are paired."""
    rows = [
        row
        for model, labels in (("m", "11"), ("n", "10"))
        for item in "ab"
        for row in trials(item, labels, model=model)
    ]
    whole, cells = run(rows, metrics={"all2": ASKED["all2"]}), run(rows, metrics={"all2": ASKED["all2"]}, by=["model"])
    assert measured(whole, "all2").estimate == measured(cells, "all2").estimate
    assert measured(cells, "all2").estimate.value == 50.0
    assert [measured(cells, "all2", model=name).estimate.value for name in "mn"] == [100.0, 0.0]
    assert says.ALL_OF_2_M_LESS_N in notes(cells)


def test_without_items_there_is_none() -> None:
    rows = [{key: value for key, value in row.items() if key != "item"} for row in trials("a", "1101")]
    assert measured(run(rows), "any2").estimate.undefined == says.NO_COLUMN_SAYS_ITEM_MAP


def test_more_than_there_are_is_refused() -> None:
    with pytest.raises(UsageError) as error:
        run(trials("a", "11011011"), metrics={"p9": {"use": "any_of_k", "k": 9}})
    assert error.value.args == ("metrics (any_of_k)", "no item has 9 repeats", "most: 8", "write k from 1 to 8")


def test_nothing_is_shown_that_nobody_asks_for() -> None:
    result = run(trials("a", "11"), metrics={})
    assert "Repeats" not in [one.title for one in result.sections]


def test_the_table_has_a_row_a_cell() -> None:
    rows = [*trials("a", "111", part="x"), *trials("a", "1011", part="y"), *trials("b", "011", part="y")]
    result = run(rows, by=["part"], metrics={"any3": ASKED["any3"]})
    [section] = [one for one in result.sections if one.title == "Repeats"]
    [table] = [block for block in section.blocks if isinstance(block, Table)]
    assert table.columns == ["part", "items", "repeats", "any of 3"]
    assert [row[:3] for row in table.rows] == [["all", "2", "3 to 4"], ["x", "1", "3"], ["y", "2", "3 to 4"]]
