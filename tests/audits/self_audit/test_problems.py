"""Problems before the first request: outputs that nothing can meet, grids in texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from refined_problems import PROBLEM, run

import auditfw
from auditfw.core.errors import DataError
from auditfw.kinds.solving import Ask, Example

NUMBERS = {"id": "b", "train": [{"input": 1, "output": 3}, {"input": 2, "output": 5}]}
TEXTS = {"id": "t", "train": [{"input": "10|01", "output": "01|10"}], "test": [{"input": "1", "output": "0"}]}


@pytest.mark.parametrize(
    ("problems", "scoring", "message"),
    [
        (
            [PROBLEM, NUMBERS],
            "grid",
            r"jsonl:2, problem 'b', train example 1: the expected output is not a grid \(3; 1",
        ),
        ([TEXTS], "grid", r"jsonl:1, problem 't', train .* is not a grid \(01\|10; 1 further .* audit\.scoring\.rows="),
        ([{**PROBLEM, "test": [{"input": 1, "output": "x"}]}], "grid", r"test example 1: .* is not a grid \(x\)"),
        ([NUMBERS, PROBLEM], "numeric", r"jsonl:2, .* is neither a finite number nor a list of them"),
        ([PROBLEM], "text", r"is not text"),
    ],
)
def test_outputs_that_nothing_can_meet_end_the_run_before_its_first_request(
    tmp_path: Path, problems: list[dict[str, Any]], scoring: str, message: str
) -> None:
    asked = []
    solver = {"use": "python", "function": asked.append}
    path = tmp_path / "problems.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in problems), "utf-8")
    source = {"use": "problems", "path": str(path)}
    with pytest.raises(DataError, match=message) as refused:
        auditfw.run({"experiment": "self_audit", "source": source, "solver": solver, "by": [], "scoring": scoring})
    assert (refused.value.exit_code, asked) == (3, [])


def test_inputs_are_the_problems_and_what_the_solver_reads(tmp_path: Path) -> None:
    found = run(tmp_path, [PROBLEM], [{"problem": "a", "output": [[1, 2]]}], stop={"max_iterations": 1})
    assert [Path(one.path).name for one in found.inputs] == ["problems.jsonl", "attempts.jsonl"]


def test_grids_in_texts_are_solved_shown_and_scored_as_grids(tmp_path: Path) -> None:
    """A solver gets grids; outputs may be texts or grids; recorded attempts are read alike."""
    attempts = [{"problem": "t", "outputs": ["00|10", "0"]}, {"problem": "t", "outputs": [[[0, 1], [1, 0]], "1"]}]
    scoring = {"audit": {"scoring": {"rows": "|"}}}
    found = run(tmp_path, [TEXTS], attempts, stop={"max_iterations": 2}, solver={"past_end": "stop"}, **scoring)
    assert found.trials.select("live", "iteration", "soft_score", "test_solved").rows() == [(True, 2, 1.0, False)]

    seen = []

    def solver(ask: Ask) -> list[Any]:
        seen.append(ask.problem.train[0])
        return ["01|10", "0"]

    rows = {"use": "frame", "frame": [TEXTS]}
    own = {"use": "python", "function": solver}
    again = auditfw.run({"experiment": "self_audit", "source": rows, "solver": own, "by": [], **scoring})
    assert seen == [Example([[1, 0], [0, 1]], [[0, 1], [1, 0]])]
    assert again.measurement("test_rate", "live").estimate.value == 1.0
