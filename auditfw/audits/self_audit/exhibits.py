"""The problems that a page shows: their attempts as the journal has them, and their grids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditfw.core.document import Grid
from auditfw.core.masking import masked
from auditfw.kinds.ledger import Ties
from auditfw.kinds.solving import Example, Problem


@dataclass
class Traced:
    """What the journal holds of one problem: the score of each attempt, and the best one as it was written down."""

    scores: dict[int, float | None] = field(default_factory=dict)
    best: dict[str, Any] = field(default_factory=dict)
    why: str = ""

    def add(self, record: dict[str, Any], ties: Ties) -> None:
        """Takes in an attempt; attempts come in their order."""
        score = record["score"]
        self.scores[record["attempt"]] = score
        self.why = record["why"] or self.why
        held = self.best.get("score", -1.0)
        if score is not None and (score > held or (score == held and ties == "latest")):
            self.best = record


def traced(records: Iterable[dict[str, Any]], ties: Ties, ids: Sequence[str]) -> dict[str, Traced]:
    """The attempts of each of these problems, from lines of a journal."""
    traces = {masked(name): Traced() for name in ids}
    for record in records:
        traces[record["problem"]].add(record, ties)
    return {name: traces[masked(name)] for name in ids}


MOST_TRAIN, MOST_TESTS = 3, 3
MOST_SIDE = 30
LARGEST = 9

Rows = list[list[int]]


def grid_of(value: Any) -> Rows | None:
    """The rows of a grid, at most 30 x 30; None for anything else."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, list | tuple) or not 0 < len(value) <= MOST_SIDE:
        return None
    if not all(isinstance(row, list | tuple) and 0 < len(row) <= MOST_SIDE for row in value):
        return None
    whole = all(type(cell) is int and 0 <= cell <= LARGEST for row in value for cell in row)
    return [list(row) for row in value] if whole and len({len(row) for row in value}) == 1 else None


def differing(got: Sequence[Sequence[int]], expected: Sequence[Sequence[int]]) -> list[tuple[int, int]] | None:
    """The cells (row, column) in which two grids differ; None where their shapes do."""
    if len(got) != len(expected) or len(got[0]) != len(expected[0]):
        return None
    places = ((r, c) for r in range(len(got)) for c in range(len(got[0])))
    return [(r, c) for r, c in places if got[r][c] != expected[r][c]]


def pictures(problem: Problem, outputs: Sequence[Any]) -> list[Grid]:
    """Each example's input, what was expected and what the attempt gave; [] where the examples are no grids.

    `outputs` are one for each training and then each test input. Of the training examples the wrong ones come first.
    """
    n = len(problem.train)
    if not all(grid_of(one.input) and grid_of(one.output) for one in problem.train):
        return []
    by_example = [*outputs, *[None] * (n + len(problem.test) - len(outputs))]
    wrong = [i for i, one in enumerate(problem.train) if grid_of(by_example[i]) != grid_of(one.output)]
    right = [i for i in range(n) if i not in wrong]
    drawn: list[Grid] = []
    for i in sorted([*wrong, *right][:MOST_TRAIN]):
        drawn += _example(f"train {i + 1}", problem.train[i], by_example[i], "expected")
    for i, one in enumerate(problem.test[:MOST_TESTS]):
        drawn += _example(f"test {i + 1}", one, by_example[n + i], "expected (never shown to the loop)")
    return drawn


def _example(name: str, example: Example, output: Any, expected: str) -> list[Grid]:
    grid, right, got = grid_of(example.input), grid_of(example.output), grid_of(output)
    drawn = [Grid(f"{name}: input", grid)] if grid else []
    drawn += [Grid(f"{name}: {expected}", right)] if right else []
    if got is None:
        return drawn
    cells = differing(got, right) if right else []
    if cells is None:
        return [*drawn, Grid(f"{name}: got the wrong shape", got)]
    verdict = "" if not right else ", all right" if not cells else f", {len(cells)} wrong"
    return [*drawn, Grid(f"{name}: got{verdict}", got, cells)]
