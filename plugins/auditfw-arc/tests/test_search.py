"""The embedded search: what it finds on tasks one can check by hand, that it counts work and no clock, and goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auditfw.kinds.solving import Ask, Attempt, Example, Problem, Reply
from auditfw.samples import FOLDER
from auditfw_arc import SearchSolver
from auditfw_arc import search as solver_module
from auditfw_arc.boards import read_grid
from auditfw_arc.explore import Search

Grid = list[list[int]]


def problem(name: str) -> Problem:
    task = json.loads((FOLDER / "arc" / "tasks" / f"{name}.json").read_text())
    train = tuple(Example(one["input"], one["output"]) for one in task["train"])
    return Problem(name, train, tuple(Example(one["input"]) for one in task["test"]))


def answers(name: str) -> list[Grid]:
    task = json.loads((FOLDER / "arc" / "tasks" / f"{name}.json").read_text())
    return [one["output"] for part in ("train", "test") for one in task[part]]


def loop(task: Problem, attempts: int, solver: SearchSolver) -> list[Reply]:
    """Attempts scored by equal cells, without stopping."""
    replies: list[Reply] = []
    history: list[Attempt] = []
    for number in range(1, attempts + 1):
        reply = solver(Ask(task, tuple(history), number, number, None))
        replies.append(reply)
        if reply.outputs is not None:
            history.append(Attempt(number, reply.program, share(task, reply), ""))
    return replies


def share(task: Problem, reply: Reply) -> float:
    scores = []
    for example, output in zip(task.train, reply.outputs or (), strict=False):
        a, b = np.array(output), np.array(example.output)
        scores.append(float((a == b).mean()) if a.shape == b.shape else 0.0)
    return sum(scores) / len(scores)


def of(*pairs: tuple[Grid, Grid], test: Grid) -> Problem:
    return Problem("own", tuple(Example(a, b) for a, b in pairs), (Example(test),))


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (of(([[1, 2, 0]], [[0, 2, 1]]), ([[3, 0, 4]], [[4, 0, 3]]), test=[[5, 6, 0]]), [[0, 6, 5]]),
        (of(([[1, 2]], [[1], [2]]), ([[3, 4]], [[3], [4]]), test=[[5, 6]]), [[5], [6]]),
        (of(([[0, 1], [0, 0]], [[1]]), ([[0, 0], [2, 2]], [[2, 2]]), test=[[0, 3, 0], [0, 0, 0]]), [[3]]),
        (of(([[1, 0], [0, 1]], [[2, 0], [0, 2]]), ([[0, 1], [0, 0]], [[0, 2], [0, 0]]), test=[[1, 1]]), [[2, 2]]),
        (
            of(([[1, 0, 0], [0, 0, 0]], [[0, 0, 0], [1, 0, 0]]), ([[0, 2, 0], [0, 0, 3]], [[0, 0, 0], [0, 2, 3]]),
               test=[[4, 0, 5], [0, 0, 0]]),
            [[0, 0, 0], [4, 0, 5]],
        ),
    ],
    ids=["mirror", "turn", "crop", "recolour", "fall"],
)  # fmt: skip
def test_plain_rules_are_found_at_once(task: Problem, expected: Grid) -> None:
    reply = loop(task, 1, SearchSolver())[0]
    assert reply.outputs is not None
    assert list(reply.outputs[:-1]) == [example.output for example in task.train]
    assert reply.outputs[-1] == expected


@pytest.mark.parametrize("name", ["007bbfb7", "496994bd", "7f4411dc", "9dfd6313", "a68b268e", "c3f564a4", "b91ae062"])
def test_tasks_of_the_corpus_are_solved_tests_too(name: str) -> None:
    reply = loop(problem(name), 1, SearchSolver())[0]
    assert list(reply.outputs or ()) == answers(name)


def test_each_attempt_is_another_program_and_charged_its_work() -> None:
    replies = loop(problem("1e32b0e9"), 5, SearchSolver(seconds=0.02))
    programs = [reply.program for reply in replies]
    assert len(set(programs)) == len(programs)
    assert all(reply.seconds is not None and 0 < reply.seconds < 0.3 for reply in replies)


def test_work_and_replies_do_not_depend_on_what_was_asked_before() -> None:
    """A search that goes on, one begun anew in the middle, and one beside others give the same."""
    task, other = problem("1e32b0e9"), problem("2dc579da")
    solver = SearchSolver(seconds=0.02)
    solver_module._sessions.clear()
    straight = loop(task, 3, solver)
    again: list[Reply] = []
    history: list[Attempt] = []
    for number in range(1, 4):
        solver_module._sessions.clear()
        reply = solver(Ask(task, tuple(history), number, 99, None))
        loop(other, 1, solver)
        again.append(reply)
        history.append(Attempt(number, reply.program, share(task, reply), ""))
    assert again == straight


@pytest.mark.slow
def test_another_process_with_other_hashes_gives_the_same_reply() -> None:
    code = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); import test_search as t\n"
        "r = t.loop(t.problem('1e32b0e9'), 2, t.SearchSolver(seconds=0.02))\n"
        "print(json.dumps([[x.program, x.outputs, x.seconds] for x in r]))"
    )
    made = []
    for seed in ("1", "2"):
        command = [sys.executable, "-c", code, str(Path(__file__).parent)]
        done = subprocess.run(command, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True)
        made.append(done.stdout)
    assert made[0] == made[1]


def test_what_was_tried_is_not_offered_again_and_scores_steer() -> None:
    task, solver = problem("2dc579da"), SearchSolver(seconds=0.02)
    first = loop(task, 1, solver)[0]
    second = solver(Ask(task, (Attempt(1, first.program, 0.9, ""),), 2, 0, None))
    assert second.program != first.program
    search = Search([np.array(e.input, dtype=np.int8) for e in (*task.train, *task.test)],
                    [np.array(e.output, dtype=np.int8) for e in task.train])  # fmt: skip
    search.step()
    costs = {origin: cost for cost, _, origin, _ in search._jobs}
    steered = next(origin for origin in costs if origin != "the grid")
    search.favour(steered, 0.9)
    after = {origin: cost for cost, _, origin, _ in search._jobs}
    assert after[steered] == pytest.approx(costs[steered] - 0.9)
    assert after["the grid"] == costs["the grid"]


def test_a_request_keeps_to_the_time_it_is_given() -> None:
    task = problem("2dc579da")
    short = SearchSolver(seconds=5.0)(Ask(task, (), 1, 0, 0.02))
    assert short.seconds is not None
    assert short.seconds < 0.2


def test_a_table_known_by_heart_is_not_offered() -> None:
    """Random outputs of one grid each: only by position can a table fit, which explains nothing."""
    rng = np.random.default_rng(3)
    pairs = [(rng.integers(0, 9, (6, 6)).tolist(), rng.integers(0, 9, (6, 6)).tolist()) for _ in range(2)]
    task = of(*pairs, test=rng.integers(0, 9, (6, 6)).tolist())
    for reply in loop(task, 4, SearchSolver(seconds=0.05)):
        assert reply.outputs is None or share(task, reply) < 1.0


@pytest.mark.parametrize("bad", ["text", None, [[11]], [[1, 2], [3]], [[0.5]], [[True]], [], {"a": 1}, [[0] * 65]])
def test_what_is_no_grid_gets_no_program(bad: Any) -> None:
    reply = SearchSolver()(Ask(Problem("x", (Example(bad, [[1]]),)), (), 1, 0, None))
    assert reply.outputs is None
    assert reply.why == "the problem is not made of grids of the numbers 0 to 9"
    assert read_grid(bad) is None
