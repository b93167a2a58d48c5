"""What is refused of claims before a run, and against its cells: columns, metrics, sides, contradictions."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from sentences import all_audits as says

from auditfw.audits.claims import (
    check_claims,
    check_sides,
    conditions_of,
    contradictions,
    range_of,
    scale_of,
    select,
    side_of,
    unit_of,
)
from auditfw.core.errors import AuditError, Findings, UsageError
from auditfw.core.records import Cell
from auditfw.kinds.context import BoundStatement, ClaimStatement, OrderStatement, SideStatement

A, B, BY = "model = 'a'", "model = 'b'", ("model", "seed")
CLAIMED = ("error_rate", "no_answer")
CELLS: list[Cell] = [("base", 1), ("base", 2), ("think", 1), (None, 2)]


@dataclasses.dataclass(frozen=True)
class Stated:
    """A claim of a plugin."""

    statement: ClaimStatement

    def __call__(self) -> ClaimStatement:
        return self.statement


def checked(*statements: ClaimStatement, by: tuple[str, ...] = BY) -> str:
    """The lines of what is wrong with claims c0, c1 …."""
    try:
        check_claims({f"c{i}": Stated(one) for i, one in enumerate(statements)}, by, "parsing", CLAIMED)
    except (UsageError, Findings) as error:
        return str(error)
    return ""


def side(better: str = A, than: str = B, by: float = 0.0, metric: str = "error_rate") -> SideStatement:
    return SideStatement(metric, better, than, by)


def bound(value: float, at_most: bool = True, where: str | None = A, metric: str = "error_rate") -> BoundStatement:
    return BoundStatement(metric, where, value, at_most)


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        (side(), ""),
        (side(than="model = 'a' AND seed > 1"), ""),
        (bound(0), ""),
        (bound(100, where=None), ""),
        (OrderStatement("no_answer", "seed"), ""),
        (side(by=-100), says.NO_DIFFERENCE_OF_ERROR_RATE),
        (side(by=100), says.NO_DIFFERENCE_OF_ERROR_RATE_IS),
        (side(by=-99), ""),
        (side(by=float("nan")), says.NO_DIFFERENCE_OF_ERROR_RATE_IS_THAT),
        (bound(-0.1), "c0.value: error_rate is always in [0, 100] (-0.1)"),
        (bound(100.1), "c0.value: error_rate is always in [0, 100] (100.1)"),
        (bound(float("nan")), "c0.value: error_rate is always in [0, 100] (nan)"),
        (side(than=" model =   'a' "), says.IS_THE_SAME_CONDITION_AS),
        (
            side(than="modle = 'b'"),
            says.IS_ABOUT_A_COLUMN_THAT,
        ),
        (
            side(better="temperature > 0.5"),
            says.IS_ABOUT_A_COLUMN_THAT_IS,
        ),
        (bound(3, where="x = 1"), says.IS_ABOUT_A_COLUMN_THAT_IS_NOT),
        (
            OrderStatement("error_rate", "sed"),
            says.IS_ABOUT_A_COLUMN_THAT_IS_NOT_IN,
        ),
        (
            side(metric="eror_rate"),
            says.NO_METRIC_DID_YOU_MEAN,
        ),
        (
            side(metric="mcnemar_p"),
            says.CLAIMS_ARE_ABOUT_RATES_THAT,
        ),
    ],
)
def test_one_claim(statement: ClaimStatement, wanted: str) -> None:
    assert checked(statement) == (f"claims.{wanted}" if wanted else "")


def test_without_cells_a_column_is_to_be_added() -> None:
    assert checked(side(), by=()) == says.IS_ABOUT_A_COLUMN_THAT_IS_NOT_IN_BY
    assert not checked(bound(30, where=None), by=())


@pytest.mark.parametrize("sql", ["model =", "max(seed) = 1", "SELECT 1 FROM x;;"])
def test_what_is_no_condition(sql: str) -> None:
    assert checked(bound(3, where=sql)).startswith("claims.c0.where: ")


def test_a_metric_without_a_side_is_no_rate_to_claim() -> None:
    claims = {"c": Stated(side(metric="n"))}
    with pytest.raises(UsageError, match=r"claims\.c\.metric: claims are about rates"):
        check_claims(claims, BY, "parsing", ("error_rate", "n"))


def test_several_mistakes_are_all_shown() -> None:
    lines = checked(bound(-1), side(), OrderStatement("error_rate", "x")).splitlines()
    assert [line.split(":")[0] for line in lines] == ["claims.c0.value", "claims.c2.of"]


def test_an_audit_that_reads_no_claims_refuses_them() -> None:
    claims: Any = {"one": Stated(side()), "two": Stated(side())}
    with pytest.raises(UsageError, match=r"claims: the alignment audit reads no claims \(one, two\) - leave them out"):
        check_claims(claims, (), "alignment", ())
    check_claims({}, (), "alignment", ())


OPPOSED = "claims.c1: contradicts claims.c0 - leave one of the two out"
SAME = "claims.c1: is the same as claims.c0 (model) - leave one of the two out"


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        (side(), side(B, A), OPPOSED),
        (side(), side(B, " model  = 'a'"), OPPOSED),
        (side(by=2), side(B, A, by=-2), OPPOSED),
        (side(by=2), side(B, A, by=-3), ""),  # a better by more than 2, b worse by less than 3
        (side(), side(), ""),
        (side(), side(B, A, metric="no_answer"), ""),
        (bound(10), bound(20, at_most=False), OPPOSED),
        (bound(20, at_most=False), bound(10), OPPOSED),
        (bound(10), bound(10, at_most=False), ""),
        (bound(20), bound(10, at_most=False), ""),
        (bound(10), bound(20, at_most=False, where=B), ""),
        (bound(10), bound(20), ""),
        (bound(10, where=None), bound(20, at_most=False, where=None), OPPOSED),
        (bound(10), bound(20, at_most=False, metric="no_answer"), ""),
        (OrderStatement("error_rate", "model"), OrderStatement("error_rate", "model"), SAME),
        (OrderStatement("error_rate", "model"), OrderStatement("no_answer", "model"), ""),
        (OrderStatement("error_rate", "model"), OrderStatement("error_rate", "seed"), ""),
        (OrderStatement("error_rate", "model"), bound(3), ""),
    ],
)
def test_two_claims(one: ClaimStatement, other: ClaimStatement, wanted: str) -> None:
    assert checked(one, other) == wanted


def test_contradictions_of_cells_are_those_of_texts() -> None:
    claims = {"x": (side(), ((0, 1), (2,))), "y": (side("seed = 1", "seed = 2"), ((2,), (0, 1)))}
    assert [str(error) for error in contradictions(claims)] == [says.CONTRADICTS_LEAVE_ONE_OF_THE]


@pytest.mark.parametrize(
    ("sql", "cells"),
    [
        (None, [0, 1, 2, 3]),
        ("model = 'base'", [0, 1]),
        ("seed = 2", [1, 3]),
        ("seed = 2 AND model IS NULL", [3]),
        ("model <> 'base'", [2]),  # null is neither
        ("model IN ('base', 'think') AND NOT seed > 1", [0, 2]),
        ("true", [0, 1, 2, 3]),
    ],
)
def test_cells_of_a_condition(sql: str | None, cells: list[int]) -> None:
    assert select(sql, "claims.c.where", CELLS, BY) == cells


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("model = 'thnk'", says.MATCHES_NO_CELL_MODEL_DID),
        (
            "model = 'thnk' AND seed = 9",
            says.MATCHES_NO_CELL_MODEL_AND,
        ),
        ("model = 'zzz'", says.MATCHES_NO_CELL_MODEL_KNOWN),
        ("model = 'it''s'", says.MATCHES_NO_CELL_MODEL_KNOWN_BASE),
        ("seed = 9", says.MATCHES_NO_CELL_SEED_THERE),
        (
            "model = 'think' AND seed = 2",
            says.MATCHES_NO_CELL_MODEL_AND_SEED,
        ),
        ("false", says.MATCHES_NO_CELL_FALSE_WRITE),
        ("seed", "c.where: is not a condition"),
        ("model > 3", "c.where"),
    ],
)
def test_conditions_that_no_cell_meets(sql: str, wanted: str) -> None:
    with pytest.raises(AuditError) as caught:
        select(sql, "c.where", CELLS, BY)
    assert wanted in str(caught.value)


def test_two_sides_have_no_common_cell() -> None:
    cells = [dict(zip(BY, cell, strict=True)) for cell in CELLS]
    check_sides("c", [[0, 1], [2, 3]], cells)
    with pytest.raises(UsageError, match=r"claims\.c\.than: shares a cell with better \(model = base, seed = 2\)"):
        check_sides("c", [[0, 1], [3, 1]], cells)
    with pytest.raises(UsageError, match=r"\(all trials\)"):
        check_sides("c", [[0], [0]], [{}])


def test_conditions_by_their_setting() -> None:
    assert conditions_of(side()) == {"better": A, "than": B}
    assert conditions_of(bound(3)) == {"where": A}
    assert conditions_of(OrderStatement("error_rate", "model")) == {}


@pytest.mark.parametrize(
    ("metric", "side", "limits", "unit"),
    [
        ("error_rate", "lower", (0, 100), " pp"),
        ("percent_agreement", "higher", (0, 1), ""),
        ("solve_rate", "higher", (0, 1), ""),
        ("n", None, (0, 100), ""),
    ],
)
def test_sides_and_units_of_metrics(metric: str, side: str | None, limits: tuple[int, int], unit: str) -> None:
    assert (side_of(metric), range_of(metric), scale_of(metric), unit_of(metric)) == (side, limits, limits[1], unit)


def test_findings_are_one_error_each() -> None:
    with pytest.raises(Findings):
        check_claims({"a": Stated(bound(-1)), "b": Stated(bound(-1))}, BY, "parsing", CLAIMED)
