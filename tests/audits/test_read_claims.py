"""Claims against readings: estimates and verdicts by hand, what turns them, and what does not."""

from __future__ import annotations

from typing import Any

import pytest
from plain_rates import PlainRates, labelled

from auditfw.audits.read_claims import ClaimResult, ReadClaim, claim_result, read_claims
from auditfw.core.errors import UsageError
from auditfw.formulas.clusters import rate_of
from auditfw.kinds.context import BoundStatement, ClaimStatement, OrderStatement, SideStatement

A, B = "model = 'a'", "model = 'b'"
SIDES = SideStatement("error_rate", A, B)


def read(statement: ClaimStatement, counts: Any, items: int = 0) -> ReadClaim:
    """One claim against readings of the cells a, b …: for each (labelled trials, wrong ones) by reading."""
    rates = PlainRates(("model",), labelled({(name,): of for name, of in counts.items()}, items))
    readings = list(next(iter(counts.values())))
    [claim] = read_claims({"c": lambda: statement}, rates, readings)
    return claim


def both(a: tuple[int, int], b: tuple[int, int]) -> dict[str, dict[str, tuple[int, int]]]:
    return {"a": {"stored": a}, "b": {"stored": b}}


@pytest.mark.parametrize(
    ("sides", "by", "verdict", "value", "labels"),
    [
        (((100, 10), (100, 40)), 0, "holds", 30.0, (31, 18)),  # the interval begins at 17.85 points
        (((100, 10), (100, 40)), 30, "cannot tell", 30.0, (1, None)),  # exactly what is claimed
        (((100, 10), (100, 40)), 29, "leans", 30.0, (2, None)),
        (((100, 10), (100, 40)), 31, "leans against", 30.0, (2, None)),
        (((100, 40), (100, 10)), 0, "fails", -30.0, (31, 18)),
        (((100, 40), (100, 10)), -60, "holds", -30.0, (31, 20)),  # not worse by 60 points
        (((100, 20), (100, 21)), 0, "leans", 1.0, (2, None)),
        (((50, 10), (100, 40)), 0, "holds", 20.0, (11, 2)),  # the side with fewer: 50 labels
        (((1, 0), (100, 40)), 0, "cannot tell", 40.0, (1, None)),
    ],
)
def test_two_sides(
    sides: tuple[tuple[int, int], tuple[int, int]],
    by: float,
    verdict: str,
    value: float,
    labels: tuple[int, int | None],
) -> None:
    result = read(SideStatement("error_rate", A, B, by), both(*sides)).reference
    assert (result.verdict, result.shown.value) == (verdict, pytest.approx(value))
    assert (result.to_reverse, result.to_unsettle) == labels
    assert result.trials == min(n for n, _ in sides)
    if result.shown.low is not None and result.shown.high is not None and result.shown.value is not None:
        assert result.shown.low < result.shown.value < result.shown.high


def test_a_metric_whose_higher_side_is_better_is_turned_round() -> None:
    low = read(SideStatement("error_rate", A, B), both((100, 10), (100, 40))).reference
    high = read(SideStatement("percent_agreement", A, B), both((100, 10), (100, 40))).reference
    assert (low.verdict, high.verdict) == ("holds", "fails")
    assert (low.shown.value, high.shown.value) == (pytest.approx(30), pytest.approx(-0.3))
    assert (high.by, high.d) == (0.0, pytest.approx(-0.3))


def test_several_cells_on_a_side_are_one() -> None:
    counts = {"a": (60, 3), "b": (40, 20), "c": (40, 7), "d": (30, 30)}
    statement = SideStatement("error_rate", "model IN ('a', 'c')", B)
    claim = read(statement, {name: {"stored": one} for name, one in counts.items()})
    assert claim.reference.shown.value == pytest.approx(50 - 10)  # d is on neither side


@pytest.mark.parametrize(
    ("value", "at_most", "verdict", "labels"),
    [
        (40, True, "holds", (21, 12)),  # Wilson's upper end 28.88: 20 labels, and 11.1
        (25, True, "leans", (6, None)),
        (18, True, "leans against", (3, None)),
        (10, True, "fails", (11, 4)),  # the lower end 13.34
        (20, True, "cannot tell", (1, None)),
        (10, False, "holds", (11, 4)),
        (15, False, "leans", (6, None)),
        (22, False, "leans against", (3, None)),
        (40, False, "fails", (21, 12)),
    ],
)
def test_bounds(value: float, at_most: bool, verdict: str, labels: tuple[int, int | None]) -> None:
    """Twenty of 100 wrong."""
    statement = BoundStatement("error_rate", None, value, at_most)
    result = read(statement, {"a": {"stored": (60, 10)}, "b": {"stored": (40, 10)}}).reference
    assert (result.verdict, result.to_reverse, result.to_unsettle) == (verdict, *labels)
    assert result.shown == pytest.approx((20.0, 13.3367, 28.8829), abs=1e-3)


def test_a_bound_of_one_side_by_item() -> None:
    """Ten trials of each of ten items: the interval is that of the items."""
    counts = {"a": {"stored": (100, 20)}, "b": {"stored": (100, 90)}}
    claim = read(BoundStatement("error_rate", A, 30, at_most=True), counts, items=10)
    rates = PlainRates(("model",), labelled({("a",): counts["a"]}, 10))
    grouped = rates.grouped("stored", "error_rate", [0], 1)
    assert grouped is not None
    rate = rate_of(grouped.items[0])
    assert claim.reference.shown == (100 * rate.share, 100 * rate.low, 100 * rate.high)
    assert rate.items == 10


def three(a: dict[str, tuple[int, int]], b: dict[str, tuple[int, int]]) -> ReadClaim:
    return read(SIDES, {"a": a, "b": b})


@pytest.mark.parametrize(
    ("a", "b", "verdict", "turned"),
    [
        ((100, 10), (100, 38), "holds", False),
        ((100, 10), (100, 18), "leans", False),  # no longer settled is not turned
        ((100, 18), (100, 18), "cannot tell", False),
        ((100, 20), (100, 18), "leans against", True),
        ((100, 40), (100, 10), "fails", True),
    ],
)
def test_turned(a: tuple[int, int], b: tuple[int, int], verdict: str, turned: bool) -> None:
    claim = three({"stored": (100, 10), "other": a}, {"stored": (100, 40), "other": b})
    assert (claim.results["other"].verdict, claim.turned) == (verdict, ["other"] * turned)
    back = three({"stored": a, "other": (100, 10)}, {"stored": b, "other": (100, 40)})
    assert back.turned == ["other"] * turned


def test_a_reading_of_other_trials_turns_nothing() -> None:
    """The reading has labels of the first 40 trials, which it leaves as they are: 10 of 40 wrong against 1."""
    rates = PlainRates(("model",), labelled({("a",): {"stored": (100, 10)}, ("b",): {"stored": (100, 40)}}))
    rows = []
    for row in rates.rows:
        number = int(row.item.partition(")")[2])
        seen = number < 40 if row.cell == ("a",) else number >= 39
        rows.append(row._replace(wrong={**row.wrong, "part": row.wrong["stored"] if seen else None}))
    [claim] = read_claims({"c": lambda: SIDES}, PlainRates(("model",), rows), ["stored", "part"])
    assert (claim.reference.verdict, claim.results["part"].verdict) == ("holds", "fails")
    assert claim.turned == []
    flipped = [
        row._replace(
            wrong={**row.wrong, "part": row.wrong["part"] if row.wrong["part"] is None else row.cell == ("a",)}
        )
        for row in rates_with_part(rates)
    ]
    [claim] = read_claims({"c": lambda: SIDES}, PlainRates(("model",), flipped), ["stored", "part"])
    assert claim.turned == ["part"]


@pytest.mark.parametrize(("same", "turned"), [(5, True), (4, True), (9, False)])
def test_a_tie_on_the_reading_s_own_trials_is_another_side(same: int, turned: bool) -> None:
    """Of the ten trials of each that the reading labels the reference has 5 of b wrong, and so many of a."""
    rows = labelled({("a",): {"stored": (100, 10)}, ("b",): {"stored": (100, 45)}})
    for name, wrong, part in (("a", same, 8), ("b", 5, 5)):
        own = [i for i, row in enumerate(rows) if row.cell == (name,)]
        chosen = [i for i in own if rows[i].wrong["stored"]][:wrong] + [i for i in own if not rows[i].wrong["stored"]]
        labels = {i: at < part for at, i in enumerate(chosen[:10])}
        rows = [
            row._replace(wrong={**row.wrong, "part": labels.get(i)}) if i in own else row for i, row in enumerate(rows)
        ]
    [claim] = read_claims({"c": lambda: SIDES}, PlainRates(("model",), rows), ["stored", "part"])
    assert (claim.reference.verdict, claim.results["part"].verdict) == ("holds", "leans against")
    assert claim.turned == ["part"] * turned


def rates_with_part(rates: PlainRates) -> list[Any]:
    """Every second trial of each cell has a label of the reading `part`, too: the reference says the same of them."""
    return [
        row._replace(wrong={**row.wrong, "part": row.wrong["stored"] if i % 2 else None})
        for i, row in enumerate(rates.rows)
    ]


def test_a_reading_without_labels_cannot_tell() -> None:
    claim = three({"stored": (100, 10), "other": (0, 0)}, {"stored": (100, 40), "other": (100, 40)})
    assert claim.results["other"] == ClaimResult("cannot tell", changed=0)
    assert claim.results["other"].to_reverse is None
    assert claim.results["other"].to_unsettle is None
    assert claim_result(SIDES, None) == ClaimResult("cannot tell")


def test_changed_labels_are_those_of_the_claims_cells() -> None:
    counts = {"a": {"stored": (100, 10), "x": (100, 13)}, "b": {"stored": (100, 40), "x": (100, 39)}}
    claim = read(SIDES, {**counts, "c": {"stored": (100, 0), "x": (100, 50)}})
    assert (claim.reference.changed, claim.results["x"].changed) == (None, 4)
    bound = read(BoundStatement("error_rate", B, 50), counts)
    assert bound.results["x"].changed == 1


def test_orders_are_left_to_others_and_errors_name_their_claim() -> None:
    rates = PlainRates(("model",), labelled({("a",): {"stored": (9, 1)}, ("b",): {"stored": (9, 1)}}))
    assert read_claims({"c": lambda: OrderStatement("error_rate", "model")}, rates, ["stored"]) == []
    for statement, message in [
        (SideStatement("error_rate", A, "model = 'c'"), r"claims\.c\.than: matches no cell"),
        (SideStatement("error_rate", A, "model <> 'b'"), r"claims\.c\.than: shares a cell with better \(model = a\)"),
        (SideStatement("error_rate", A, "true"), r"claims\.c\.than: shares a cell"),
    ]:
        with pytest.raises(UsageError, match=message):
            read_claims({"c": lambda statement=statement: statement}, rates, ["stored"])
    opposed = {"c": lambda: SIDES, "d": lambda: SideStatement("error_rate", "model <> 'a'", "model <> 'b'")}
    with pytest.raises(UsageError, match=r"claims\.d: contradicts claims\.c"):
        read_claims(opposed, rates, ["stored"])
