"""Which questions a plan asks, of runs made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sentences import commands as says

from auditfw.commands.planning.questions import DIFFERENCE, WIDTH, plan_of_run
from auditfw.commands.planning.settings import PlanSettings
from auditfw.commands.planning.sides import PlannedRun, PlanSide, apart
from auditfw.core.records import Cell


def run_of(one: list[int], other: list[int]) -> PlannedRun:
    """Two models that answer the same items once, 1 right and 0 wrong."""
    cells = [
        (Cell({"model": name}), PlanSide(name, np.arange(len(labels)), np.array(labels)[:, None]))
        for name, labels in (("a", one), ("b", other))
    ]
    return PlannedRun("run", ("model",), cells, ("stored",), True)


@pytest.mark.parametrize(
    ("other", "asked", "why"),
    [([1, 1, 0, 1], [WIDTH], [says.BOTH_SIDES_ARE_ALIKE]), ([0, 1, 0, 1], [WIDTH, DIFFERENCE], [])],
)
def test_sides_that_are_alike_plan_no_difference(other: list[int], asked: list[str], why: list[str]) -> None:
    made = plan_of_run(run_of([1, 1, 0, 1], other), PlanSettings())
    assert (sorted(one.question for one in made.questions), made.why) == (sorted(asked), why)
    typed = plan_of_run(run_of([1, 1, 0, 1], other), PlanSettings(discordant=0.1))
    [difference] = [one for one in typed.questions if one.question == DIFFERENCE]
    assert difference.items == 1965


@pytest.mark.parametrize(
    ("one", "other", "called"),
    [
        (("0.0", "base", "x"), ("0.5", "base", "x"), ("0.0", "0.5")),
        (("0.0", "base", "x"), ("0.5", "base", "y"), ("0.0, x", "0.5, y")),
        (("a",), ("b",), ("a", "b")),
        ((), ("0.5", "base", "y"), ("one", "other")),
    ],
)
def test_two_cells_go_by_what_differs(one: tuple[str, ...], other: tuple[str, ...], called: tuple[str, str]) -> None:
    labels = np.zeros((1, 1), int)
    sides = [PlanSide(name, np.zeros(1), labels, of) for name, of in (("one", one), ("other", other))]
    assert apart(*sides) == called
    assert sides[0].short == (", ".join(one) or "one")
