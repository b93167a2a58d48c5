"""What the self-audit puts on a page: grids, problems of every ending, every attempt's score."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
from browsed_runs import PAIRS, Browse, block, judged, tags
from sentences import self_audit as says

from auditfw.audits import spine
from auditfw.audits.self_audit.audit import SelfAudit
from auditfw.audits.self_audit.exhibits import differing, grid_of, pictures
from auditfw.audits.self_audit.journal import NAME
from auditfw.components.engine.local import Local
from auditfw.components.scoring.grid import GridScoring as GridScore
from auditfw.components.source.formats import Problems
from auditfw.components.stop.budgets import Budgets
from auditfw.core.document import Chart, Gallery, Matrix
from auditfw.core.records import Result
from auditfw.kinds.solving import Ask, Clock, Example, Problem, Reply


@pytest.fixture(scope="module")
def judgements(tmp_path_factory: pytest.TempPathFactory) -> Result:
    words = ["policy=[auditor_veto,refusal_ships]", "by=[side]", "report.max_exhibits=5"]
    return judged(tmp_path_factory.mktemp("pairs"), PAIRS, *words)


def test_grids_by_hand() -> None:
    assert grid_of([[0, 9], [1, 2]]) == [[0, 9], [1, 2]]
    for no in ([], [[]], [[1], [1, 2]], [[10]], [[-1]], [[1.0]], [[True]], "12", None, [[0] * 31], [[0]] * 31, [1, 2]):
        assert grid_of(no) is None
    assert differing([[1, 2], [3, 4]], [[1, 0], [0, 4]]) == [(0, 1), (1, 0)]
    assert differing([[1]], [[1, 2]]) is None


def test_of_many_examples_the_wrong_ones_are_drawn() -> None:
    train = tuple(Example([[i]], [[i]]) for i in range(5))
    problem = Problem("p", train, (Example([[7]], [[8]]), Example([[6]])))
    found = pictures(problem, [[[0]], [[9]], [[2]], None, [[4]], [[1]], [[5, 5]]])
    titles = [one.title for one in found]
    assert titles == [
        "train 1: input", "train 1: expected", "train 1: got, all right",
        "train 2: input", "train 2: expected", "train 2: got, 1 wrong",
        "train 4: input", "train 4: expected",
        "test 1: input", says.TEST_EXPECTED_NEVER_SHOWN_TO, "test 1: got, 1 wrong",
        "test 2: input", "test 2: got",
    ]  # fmt: skip
    assert [list(one.differs) for one in found if "got" in one.title] == [[], [(0, 0)], [(0, 0)], []]
    assert pictures(Problem("q", (Example(1, 2),)), [2]) == []


TRUTH = [[1, 2], [3, 4]]


@dataclass(frozen=True)
class Steps:
    """Has attempt n of problem i right where n is i % 4 + 1; before that one cell fewer is wrong each time."""

    clock: ClassVar[Clock] = "work"

    def check(self) -> None:
        """Nothing can be missing."""

    def __call__(self, ask: Ask) -> Reply:
        at = int(ask.problem.id.removeprefix("p")) % 4 + 1
        wrong = max(0, at - ask.iteration)
        made = [[9 if 2 * r + c < wrong else TRUTH[r][c] for c in range(2)] for r in range(2)]
        return Reply(program=f"try {ask.iteration}", outputs=[made, made], seconds=1.0, tokens=1)


def looped(data: Path, folder: Path, resume: Path | None = None, most: int = 400, problems: int = 8) -> Result:
    """The self-audit on so many problems, three iterations each: every fourth stays unsolved."""
    rows = [
        {"id": f"p{i}", "kind": "ab"[i // 4 % 2], "train": [{"input": [[0]], "output": TRUTH}],
         "test": [{"input": [[5]], "output": TRUTH}]}
        for i in range(problems)
    ]  # fmt: skip
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    audit = SelfAudit(Problems(path=str(data)), Steps(), Budgets(max_iterations=3), GridScore())
    plan = spine.Run(
        audit, Local(1), by=("kind",), reports={"browse": Browse()}, resume=str(resume) if resume else None
    )
    plan = replace(plan, report=replace(plan.report, max_exhibits=most))
    folder.mkdir()
    return spine.run(plan, spine.Stamp("", {}, str(folder)))


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder = tmp_path_factory.mktemp("loops")
    return looped(folder / "problems.jsonl", folder / "run")


def test_the_score_of_every_attempt_is_on_the_page(loops: Result) -> None:
    matrix = block(loops, "Soft Scores by Iteration", Matrix)
    told = dict(zip(matrix.rows, zip(matrix.shown, matrix.notes, strict=True), strict=True))
    assert [*matrix.rows[:2]] in (["p3", "p7"], ["p7", "p3"])
    assert list(matrix.columns) == ["1", "2", "3"]
    assert [list(told[name][0]) for name in ("p0", "p1", "p3")] == [
        ["1.00", "", ""], ["0.75", "1.00", ""], ["0.25", "0.50", "0.75"]
    ]  # fmt: skip
    assert (told["p0"][1], told["p3"][1], matrix.left_out) == ("success", "iterations", 0)


def test_the_best_attempt_is_drawn_beside_what_was_expected(loops: Result) -> None:
    found = block(loops, "Browse Problems", Gallery)
    assert (found.total, len(found.exhibits), list(found.facets)) == (8, 8, [("solved",), ("stop reason",), ("kind",)])
    shown = {one.title: one for one in found.exhibits}
    assert tags(shown["p3"]) == [["no"], ["iterations"], ["a"]]
    assert tags(shown["p4"]) == [["yes"], ["success"], ["b"]]
    facts = dict(shown["p3"].facts)
    assert (facts["best attempt"], facts["scores"]) == ("3, score 0.7500", "0.2500, 0.5000, 0.7500")
    assert shown["p3"].snippets[0].head == "try 3"
    grids = {one.title: one for one in shown["p3"].grids}
    assert grids["train 1: got, 1 wrong"].rows == [[9, 2], [3, 4]]
    assert list(grids["train 1: got, 1 wrong"].differs) == [(0, 0)]
    assert grids["test 1: expected (never shown to the loop)"].rows == TRUTH


def test_a_resumed_run_has_the_same_page(loops: Result, tmp_path: Path) -> None:
    whole = Path(loops.folder or "")
    cut = tmp_path / "cut"
    cut.mkdir()
    lines = (whole / NAME).read_bytes().splitlines(keepends=True)
    (cut / NAME).write_bytes(b"".join(lines[: len(lines) // 2]))
    again = looped(tmp_path / "problems.jsonl", tmp_path / "again", resume=cut)
    assert again.sections == loops.sections


def test_few_problems_are_drawn_from_every_ending(tmp_path: Path) -> None:
    result = looped(tmp_path / "problems.jsonl", tmp_path / "run", most=4, problems=40)
    found = block(result, "Browse Problems", Gallery)
    assert found.total == 40
    assert sorted((solved[0], kind[0]) for solved, _, kind in map(tags, found.exhibits)) == [
        ("no", "a"), ("no", "b"), ("yes", "a"), ("yes", "b")
    ]  # fmt: skip
    none = looped(tmp_path / "problems.jsonl", tmp_path / "none", most=0, problems=40)
    assert not any(section.page for section in none.sections)


def test_everything_on_the_page_is_finite(loops: Result, judgements: Result) -> None:
    for result in (loops, judgements):
        for chart in (one for section in result.sections for one in section.blocks if isinstance(one, Chart)):
            assert all(math.isfinite(y) for one in chart.series for y in one.y)
