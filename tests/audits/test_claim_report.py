"""The sections on claims and orders, and the curve of each claim."""

from __future__ import annotations

from typing import Any

from plain_rates import PlainRates, labelled

from auditfw.audits.claim_report import claim_curves, claims_section, turned_in, who_is_better
from auditfw.audits.orders import MANY, OrderReader, ReadOrders, ReadStatements, read_orders
from auditfw.audits.read_claims import read_claims
from auditfw.core.document import Chart, Note, Table
from auditfw.kinds.context import BoundStatement, SideStatement

SIDES = SideStatement("error_rate", "model = 'a'", "model = 'b'")
COUNTS = {
    "a": {"stored": (100, 10), "x": (100, 50), "y": (0, 0)},
    "b": {"stored": (100, 45), "x": (100, 30), "y": (100, 20)},
    "c": {"stored": (100, 50), "x": (100, 50), "y": (100, 20)},
}


def read(counts: Any, claims: Any = None) -> ReadStatements:
    rates = PlainRates(("model",), labelled({(name,): of for name, of in counts.items()}))
    stated = {name: (lambda one=one: one) for name, one in (claims or {}).items()}
    readings = list(next(iter(counts.values())))
    return ReadStatements(
        read_claims(stated, rates, readings), read_orders(stated, OrderReader(rates, readings, 0.05), "error_rate")
    )


def test_claims_by_reading() -> None:
    section = claims_section(read(COUNTS, {"mine": SIDES, "low": BoundStatement("error_rate", None, 40)}).claims)
    assert (section.title, section.console) == ("Claims", True)
    first, table, last, second, bounded, _ = section.blocks
    assert (first, last, second) == (
        Note("mine: lower error where model = 'a' than where model = 'b'."),
        Note("mine holds in 1 of 3 readings; 36 changed labels would reverse it, 23 would leave it undecided."),
        Note("low: error at most 40 %."),
    )
    assert isinstance(table, Table)
    assert isinstance(bounded, Table)
    assert table.columns == [
        "reading",
        "verdict",
        "difference pp",
        "labels until reversed",
        "labels until undecided",
        "changed labels",
    ]
    assert table.rows == [
        ["stored", "holds", "+35.00 [+22.62, +46.01]", "36", "23", "–"],
        ["x", "fails (reversed)", "-20.00 [-33.13, -6.09]", "21", "7", "55"],
        ["y", "cannot tell", "–", "–", "–", "25"],
    ]
    assert bounded.columns[2] == "rate %"
    assert bounded.rows[0][:3] == ["stored", "leans", "35.00 [29.82, 40.56]"]
    assert claims_section([]).blocks == []


def test_ranks_and_turned_pairs() -> None:
    orders = read(COUNTS).orders
    section = who_is_better(orders, "stored", 40)
    assert (section.title, section.console) == ("Ranking", False)
    how, ranks, turned, lost = section.blocks
    assert how == Note(
        "Order of model by error %: lower is better; under stored 2 of 3 pairs differ significantly (p "
        "adjusted by Holm <= 0.05)."
    )
    assert isinstance(ranks, Table)
    assert isinstance(turned, Table)
    assert ranks.columns == ["model", "n", "error %", "rank (stored)", "rank (x)"]
    assert ranks.rows == [
        ["a", "100", "10.00 [5.52, 17.44]", "1", "2 to 3"],
        ["b", "100", "45.00 [35.61, 54.76]", "2 to 3", "1"],
        ["c", "100", "50.00 [40.38, 59.62]", "2 to 3", "2 to 3"],
    ]
    assert turned.rows == [["x", "a", "b", "+35.00 [+22.62, +46.01]", "<0.0001", "-20.00 [-33.13, -6.09]"]]
    assert lost == Note("Pairs no longer significant: 2 under x, 2 under y.")
    assert turned_in(orders, ["x", "y", "z"]) == {"x": "1 of 2", "y": "0 of 2"}


def test_long_tables_are_cut() -> None:
    ranks, turned = (one for one in who_is_better(read(COUNTS).orders, "stored", 1).blocks if isinstance(one, Table))
    assert ([row[0] for row in ranks.rows], ranks.left_out, len(turned.rows), turned.left_out) == (["a"], 2, 1, 0)
    short = who_is_better(read(COUNTS).orders, "stored", 0).blocks[2]
    assert isinstance(short, Table)
    assert (short.rows, short.left_out) == ([], 1)


def test_values_without_a_trial_come_last() -> None:
    counts = {"a": {"stored": (0, 0), "x": (9, 1)}, "b": {"stored": (9, 4), "x": (9, 1)}, "c": COUNTS["c"]}
    table = who_is_better(
        read({name: {k: of[k] for k in ("stored", "x")} for name, of in counts.items()}).orders, "stored", 9
    )
    rows = table.blocks[1]
    assert isinstance(rows, Table)
    assert [row[:2] for row in rows.rows] == [["b", "9"], ["c", "100"], ["a", "0"]]
    assert rows.rows[-1][2:] == ["–", "–"]


def test_the_higher_rate_first_where_that_is_better() -> None:
    rates = PlainRates(("model",), labelled({("a",): {"stored": (9, 1)}, ("b",): {"stored": (9, 8)}}))
    table = who_is_better(read_orders({}, OrderReader(rates, ["stored"], 0.05), "solve_rate"), "stored", 9).blocks[1]
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == ["b", "a"]
    assert table.rows[0][2] == "0.89 [0.57, 0.98]"


def test_nothing_resolved_and_nothing_tried() -> None:
    alike = read({"a": {"stored": (9, 1)}, "b": {"stored": (9, 1)}}).orders
    assert turned_in(alike, ["stored"]) == {}
    assert len(who_is_better(alike, "stored", 9).blocks) == 2
    many = read({f"m{i:03}": {"stored": (1, 0)} for i in range(MANY + 1)}).orders
    assert who_is_better(many, "stored", 9).blocks == [Note("The order of model was not tested: it has 51 values.")]
    one = read({"a": {"stored": (1, 0)}}).orders
    assert (who_is_better(one, "stored", 9).blocks, who_is_better(ReadOrders(), "stored", 9).blocks) == ([], [])


def test_the_curve_of_a_claim() -> None:
    claims = read(COUNTS, {"mine": SIDES}).claims
    section = claim_curves(claims, {"parser": {"x": "raw"}})
    [chart] = section.blocks
    assert isinstance(chart, Chart)
    assert (section.page, chart.title, chart.y, chart.kind) == (
        True,
        "Claim mine by reading",
        "difference pp",
        "points",
    )
    [series] = chart.series
    assert (list(series.x), [round(y) for y in series.y]) == (["x", "stored"], [-20, 35])  # y has no estimate
    assert series.interval(0) == claims[0].results["x"].shown[1:]
    assert chart.choices == {"parser": ["raw", "–"]}
    nothing = read(
        {"a": {"stored": (0, 0), "x": (0, 0), "y": (1, 1)}, "b": {"stored": (9, 1), "x": (0, 0), "y": (0, 0)}},
        {"mine": SIDES},
    )
    assert claim_curves(nothing.claims, {}).blocks == []
