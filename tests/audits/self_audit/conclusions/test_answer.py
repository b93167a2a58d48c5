"""The answer of a self-audit: the first status whose rule fires, at the bounds themselves too, and its words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from refined_problems import run
from sentences import self_audit as says

from auditfw.audits.answers import concluded
from auditfw.audits.self_audit.conclusions.answer import _stable, wrong_argument
from auditfw.audits.self_audit.settings import WrongBounds
from auditfw.core.errors import UsageError
from auditfw.core.records import Answer
from auditfw.core.statistics import wilson
from auditfw.formulas.loop_counts import LoopCounts


def answer(
    n: int,
    wrong: int,
    solved: int | None = None,
    bounds: WrongBounds = WrongBounds(),  # noqa: B008
    recorded: bool = False,
) -> Answer:
    live = LoopCounts(counted=max(n, 50), solved=n if solved is None else solved, solved_tested=n, solved_wrong=wrong)
    return concluded([wrong_argument(bounds, live, recorded)], lambda: _stable(live, None))


@pytest.mark.parametrize(
    ("n", "wrong", "status"),
    [
        (100, 61, "broken"),  # [51.2, 70.0]
        (100, 59, "fragile"),  # [49.2, 68.1]
        (100, 12, "fragile"),  # [7.0, 19.8]
        (100, 9, "stable"),  # [4.8, 16.2]
        (1, 1, "fragile"),  # found before it is too little to see
        (9, 0, "unknown"),
        (10, 0, "unknown"),  # up to 27.8 %
        (12, 0, "stable"),  # up to 24.2 %
        (0, 0, "unknown"),
    ],
)
def test_the_status(n: int, wrong: int, status: str) -> None:
    assert answer(n, wrong).status == status


def test_a_bound_that_is_only_touched_does_not_fire() -> None:
    low, high = wilson(12, 100)
    assert answer(100, 12, bounds=WrongBounds(fragile=low)).status == "stable"
    assert answer(100, 12, bounds=WrongBounds(broken=low)).status == "fragile"
    assert answer(100, 12, bounds=WrongBounds(fragile=1.0, unknown=high)).status == "stable"
    assert answer(100, 12, bounds=WrongBounds(fragile=1.0, least=100)).status == "stable"
    assert answer(100, 12, bounds=WrongBounds(fragile=1.0, least=101)).status == "unknown"


def test_the_words() -> None:
    one = answer(100, 12)
    assert one.headline == says.OF_ANSWERS_THAT_SOLVE_TRAINING
    assert one.because == []
    assert answer(12, 0).headline == says.ANSWERS_THAT_SOLVE_TRAINING_ALSO
    assert answer(0, 0).headline == says.TOO_FEW_ANSWERS_SOLVED_TRAINING
    assert answer(0, 0, solved=3).headline == says.ANSWERS_SOLVED_TRAINING_WHETHER_THEY
    assert answer(0, 0, solved=3, recorded=True).headline == says.OF_PROBLEMS_ARE_SOLVED_BY
    assert answer(9, 2, bounds=WrongBounds(fragile=1.0)).headline == says.TOO_FEW_ANSWERS_SOLVED_TRAINING_AND
    assert answer(10, 0).headline == says.TOO_FEW_TO_TELL_OF
    assert answer(17, 1).next == says.AUDIT_MORE_PROBLEMS_WITH_KNOWN
    statuses = {"mostly_wrong": "broken", "wrong_on_tests": "fragile"}
    statuses |= dict.fromkeys(("few_solved", "wrong_unsure", "tests_unknown"), "unknown")
    assert {rule.rule: rule.status for rule in one.rules} == statuses
    assert one.scope == says.LOOPS_SOLVED_TRAINING_OF_THESE


@pytest.mark.parametrize(
    ("n", "wrong", "solved", "change", "then"),
    [
        (17, 1, 17, says.WITH_2_MORE, (19, 1)),  # up to 24.6 %
        (3, 0, 3, says.WITH_9_MORE, (12, 0)),
        (0, 0, 0, says.WITH_12_MORE, (12, 0)),
        (0, 0, 40, says.IF_12_ARE_TESTED, (12, 0)),
        (100, 12, 100, says.IF_3_OF_12, (100, 9)),  # from 4.8 %
        (10, 4, 10, "", None),  # ten right ones are too few
        (100, 61, 100, says.IF_52_OF_61, (100, 9)),
        (12, 0, 12, "", None),
    ],
)
def test_what_would_change_it(n: int, wrong: int, solved: int, change: str, then: tuple[int, int] | None) -> None:
    """With so many the answer holds, and with one fewer it does not."""
    assert answer(n, wrong, solved).change == change
    if then is not None:
        more, fewer = then
        assert answer(more, fewer).status == "stable"
        before = (more - 1, fewer) if wrong == fewer else (more, fewer + 1)
        assert answer(*before).status != "stable"


def test_a_bound_that_too_many_would_have_to_reach() -> None:
    """No thousand right answers bring the upper end below 0.1 %."""
    assert (answer(0, 0, 40, WrongBounds(unknown=0.001)).change, answer(0, 0, 40, WrongBounds(least=1)).change) == (
        "", says.IF_12_ARE_TESTED,
    )  # fmt: skip


@pytest.mark.parametrize("bad", [{"broken": 1.1}, {"fragile": -0.1}, {"unknown": 2.0}, {"least": 0}])
def test_bounds_that_are_none(bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        WrongBounds(**bad)


def problem(number: int) -> dict[str, Any]:
    grid = [[number]]
    return {"id": str(number), "train": [{"input": [[0]], "output": grid}], "test": [{"input": [[1]], "output": grid}]}


def test_answers_that_solve_training_alone(tmp_path: Path) -> None:
    """Every training example is right and every test is wrong: the gate on solved problems passed."""
    problems = [problem(n) for n in range(1, 21)]
    attempts = [{"problem": str(n), "outputs": [[[n]], [[0]]]} for n in range(1, 21)]
    result = run(tmp_path, problems, attempts, stop={"max_iterations": 1})
    assert result.answer is not None
    assert (result.verdict, result.answer.status) == ("pass", "broken")
    healthy = [{"problem": str(n), "outputs": [[[n]], [[n]]]} for n in range(1, 21)]
    result = run(tmp_path, problems, healthy, stop={"max_iterations": 1})
    assert result.answer is not None
    assert result.answer.status == "stable"


def test_failures_come_first(tmp_path: Path) -> None:
    """Wrong on tests, then unsolved, then solved: whatever their order in the file, also where rows are left out."""
    problems = [problem(n) for n in range(1, 7)]
    outputs = {n: [[[n]], [[n]]] for n in range(1, 7)} | {4: [[[0]], [[0]]], 5: [[[5]], [[0]]]}
    attempts = [{"problem": str(n), "outputs": outputs[n]} for n in range(1, 7)]
    for most, ids in ((6, ["5", "4", "1", "2", "3", "6"]), (2, ["5", "4"])):
        result = run(tmp_path, problems, attempts, stop={"max_iterations": 1}, report={"max_rows": most})
        [section] = [one for one in result.sections if one.title == "Each Problem"]
        assert [row[0] for row in section.blocks[0].rows] == ids  # type: ignore[union-attr]
