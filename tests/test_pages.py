"""What the alignment, consistency and self-audit put on a page: bounded draws, exact totals, alike for any workers."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_alignment_audit import Given, Listed, Run, scenario

from auditfw.audits import spine
from auditfw.audits.alignment.audit import Alignment
from auditfw.audits.alignment.charts import _fifths
from auditfw.audits.self_audit.audit import SelfAudit
from auditfw.audits.self_audit.exhibits import MOST_ROWS, Browsed, EndedLoop, differing, grid_of, pictures
from auditfw.audits.self_audit.journal import NAME
from auditfw.commands.run import Prepared, execute
from auditfw.commands.stored_run import read_result
from auditfw.components.engine.local import Local
from auditfw.components.scoring.grid import GridScoring as GridScore
from auditfw.components.source.problems import Problems
from auditfw.components.stop.budgets import Budgets
from auditfw.config import build as bridge
from auditfw.core.document import Chart, Exhibit, Gallery, Matrix, Section
from auditfw.core.records import Result
from auditfw.core.sampling import Sieve, fair
from auditfw.kinds.context import ReportLimits
from auditfw.kinds.solving import Ask, Clock, Example, Problem, Reply

V, N, R, A = "VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN"


@dataclass(frozen=True)
class Browse:
    """A report that lets one look through exhibits, and writes nothing."""

    browses: ClassVar[bool] = True

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        return ()


def run(words: Sequence[str], folder: Path, page: bool = True) -> Result:
    """Runs what the command line would, with a report that browses."""
    composed = bridge.compose([*words, "report=[]"])
    plan, idle = bridge.build(composed)
    reports = {"browse": Browse()} if page else {}
    return execute(composed, folder, aloud=False, prepared=Prepared((replace(plan, reports=reports), idle)))


def section(result: Result, title: str) -> Section:
    return next(one for one in result.sections if one.title == title)


def block(result: Result, title: str, kind: type) -> Any:
    return next(one for one in section(result, title).blocks if isinstance(one, kind))


def tags(exhibit: Exhibit) -> list[list[str]]:
    return [[value for (value,) in facet] for facet in exhibit.tags]


# --- the fair draw


def test_each_stratum_has_its_first_before_any_its_second() -> None:
    rows = [("many", rank, f"m{rank}") for rank in range(1, 9)] + [("two", 5, "t5"), ("two", 9, "t9"), ("one", 7, "o7")]
    assert [row for _, _, row in fair(rows, 5)] == ["m1", "t5", "o7", "m2", "t9"]
    assert [row for _, _, row in fair(rows, 2)] == ["m1", "t5"]
    assert fair(rows, 0) == []


ROWS = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 500)), max_size=60, unique_by=lambda row: row[1])


@given(ROWS, st.integers(0, 9), st.integers(1, 7))
def test_a_draw_of_parts_is_the_draw_of_all(rows: list[tuple[str, int]], most: int, size: int) -> None:
    every = [(stratum, rank, rank) for stratum, rank in rows]
    whole, sieve, kept = fair(every, most), Sieve(most), []
    for at in range(0, len(rows), size):
        part = every[at : at + size]
        kept += [part[i] for i in sieve.of([row[0] for row in part], [(i, row[1]) for i, row in enumerate(part)])]
    assert fair(kept, most) == whole
    parts = [fair(every[at : at + size], most) for at in range(0, len(every), size)]
    assert fair([row for part in parts for row in part], most) == whole


# --- consistency


def judged(
    folder: Path, rows: Sequence[tuple[str, str, str, dict[str, Any]]], *words: str, page: bool = True
) -> Result:
    """cross_agent on rows of id, scholar's and auditor's label, and whatever else the record holds."""
    file = folder / "pairs.jsonl"
    told = [{"qid": i, "scholar": {"label": s}, "auditor": {"label": a}, **more} for i, s, a, more in rows]
    file.write_text("".join(json.dumps(row) + "\n" for row in told), "utf-8")
    run_folder = folder / f"run{len(list(folder.iterdir()))}"
    return run(["experiment=cross_agent", "source=pairs", f"source.path={file}", *words], run_folder, page)


FLAGGED = {
    "flags": {"provenance_violation": True},
    "answer_json": {"claim": "42", "citations": ["p1"]},
    "retrieved_ids": ["p1", "p2"],
}
PAIRS = [
    *((f"v{i}", V, V, {"side": "x"}) for i in range(20)),
    *((f"d{i}", V, R, {"side": "x"}) for i in range(30)),
    ("n", N, A, {"side": "y"}),
    ("f", V, V, {**FLAGGED, "side": "y"}),
]


@pytest.fixture(scope="module")
def judgements(tmp_path_factory: pytest.TempPathFactory) -> Result:
    words = ["policy=[auditor_veto,refusal_ships]", "by=[side]", "report.max_exhibits=5"]
    return judged(tmp_path_factory.mktemp("pairs"), PAIRS, *words)


def test_rare_rows_are_drawn_and_all_are_counted(judgements: Result) -> None:
    found = block(judgements, "Rows to Look Through", Gallery)
    assert (found.total, len(found.exhibits)) == (32, 5)
    titles = [one.title for one in found.exhibits]
    assert titles[0] == "f"
    assert "n" in titles
    assert sum(title.startswith("d") for title in titles) == 3
    assert [*found.facets] == [
        ("scholar",), ("auditor",), ("final.auditor_veto",), ("final.refusal_ships",), ("red flag",), ("side",)
    ]  # fmt: skip
    flagged = found.exhibits[0]
    assert tags(flagged) == [[V], [V], [R], [R], ["hard_flag"], ["y"]]
    texts = {one.label: one.head for one in flagged.snippets}
    cited = {"answer_json.citations": "p1", "retrieved_ids": "p1, p2", "flags": "provenance_violation"}
    assert texts == {"answer_json.claim": "42", **cited}
    assert tags(found.exhibits[titles.index("n")])[:2] == [[N], [A]]
    assert tags(found.exhibits[titles.index("n")])[4] == ["no red flag"]


def test_pictures_tell_the_numbers_of_the_measurements(judgements: Result) -> None:
    chart = block(judgements, "How Far They Agree", Chart)
    assert "abstain_rate" not in chart.series[0].x
    assert "percent_agreement" in chart.series[0].x
    for at, (metric, y) in enumerate(zip(chart.series[0].x, chart.series[0].y, strict=True)):
        estimate = judgements.measurement(metric, "scholar").estimate
        assert (y, chart.series[0].low[at], chart.series[0].high[at]) == (estimate.value, estimate.low, estimate.high)
    matrix = block(judgements, "Where scholar and auditor Differ", Matrix)
    assert (matrix.rows, matrix.columns) == ([V, N, R, A], [V, N, R, A])
    assert [list(row) for row in matrix.shown] == [["21", "0", "30", "0"], ["0", "0", "0", "1"], [""] * 4, [""] * 4]
    assert list(matrix.values[0]) == [21 / 51, 0.0, 30 / 51, 0.0]
    assert list(matrix.values[2]) == [None] * 4
    bars = block(judgements, "Raters and Policies Side by Side", Chart)
    shares = {one.name: dict(zip(one.x, one.y, strict=True)) for one in bars.series}
    assert shares["scholar"] == {V: 51 / 52, N: 1 / 52, R: 0, A: 0}
    assert shares["final.auditor_veto"][R] == 32 / 52


def test_without_a_page_nothing_is_drawn_for_it(tmp_path: Path) -> None:
    result = judged(tmp_path, PAIRS, "metric=[percent_agreement]", "gate=[]", page=False)
    assert not any(isinstance(one, Gallery) for section in result.sections for one in section.blocks)


@pytest.mark.slow
def test_rows_are_drawn_alike_by_any_number_of_workers(tmp_path: Path) -> None:
    """20,000 rows are two batches; a rare pair stands in the last."""
    rows = [(f"q{i}", V, (V, R)[i % 2], {}) for i in range(20_000)] + [("rare", A, N, {})]
    words = ["metric=[percent_agreement]", "gate=[]", "report.max_exhibits=9"]
    made = [judged(tmp_path, rows, f"engine.workers={n}", *words) for n in (1, 2)]
    one, two = ((Path(result.folder or "") / "sections.json").read_bytes() for result in made)
    assert one == two
    found = block(made[0], "Rows to Look Through", Gallery)
    assert (found.total, len(found.exhibits)) == (10_001, 9)
    assert "rare" in [shown.title for shown in found.exhibits[:2]]
    read = block(read_result(Path(made[0].folder or "")), "Rows to Look Through", Gallery)
    assert [tags(shown) for shown in read.exhibits] == [tags(shown) for shown in found.exhibits]


# --- alignment


@dataclass
class Paged(Run):
    """A run of the alignment audit with a page; `most` scenarios to look through."""

    most: int = 400

    def __call__(self, **given: Any) -> Result:
        audit = Alignment(Listed(self.rows, self.size), self.simulator, {}, **given)
        limits = ReportLimits(max_exhibits=self.most)
        plan = spine.Run(audit, Local(1), reports={"browse": Browse()}, report=limits, by=self.by, seed=self.seed)
        return spine.run(plan, spine.Stamp("", {}))[0]


def half(params: dict[str, float]) -> dict[str, float]:
    """The keys a and b: a is right where x is 0 and worse with it; b is always right. 7 fails."""
    if params["x"] == 7:
        raise RuntimeError("burst")
    return {"a": 1.0 + params["x"] / 100, "b": 2.0}


def test_scenarios_to_look_through_are_the_worst_with_what_failed() -> None:
    rows = [{**scenario(i, a=1, b=2), "group": "even" if i % 2 == 0 else "odd"} for i in range(30)]
    result = Paged(rows, Given(half), by=("group",), size=4, most=8)(max_error_rate=1.0)
    found = block(result, "Scenarios to Look Through", Gallery)
    assert [one.title for one in found.exhibits] == ["s7", *(f"s{i}" for i in range(29, 22, -1))]
    assert (found.total, list(found.facets)) == (30, [("lowest key",), ("group",), ("status",)])
    failed, worst = found.exhibits[:2]
    assert tags(failed) == [["–"], ["odd"], ["error"]]
    assert failed.snippets[0].head == "burst"
    assert tags(worst) == [["a"], ["odd"], ["scored"]]
    assert dict(worst.facts)["a"] == "1.29 for 1; combined 0.855, direction 1.000, magnitude 0.710"
    assert dict(worst.facts)["param.x"] == "29"
    matrix = block(result, "Scenarios to Look Through", Matrix)
    assert (matrix.rows[0], list(matrix.shown[0]), matrix.notes[0]) == ("s29", ["0.85", "1.00"], "0.927")
    bars = block(result, "Scores by Key", Chart)
    assert [one.name for one in bars.series] == ["direction", "magnitude", "combined"]
    assert bars.series[0].y == [1.0, 1.0]
    assert bars.series[2].low[0] < bars.series[2].y[0]


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=60), st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_of_equal_scores_the_first_are_kept(wanted: list[float], size: int, most: int) -> None:
    """Whatever the batches: the scenarios are those of the lowest scores, in their order."""
    rows = [scenario(i, a=1, b=1) for i in range(len(wanted))]
    simulator = Given(lambda p: {"a": 1 + wanted[int(p["x"])], "b": 1.0})
    result = Paged(rows, simulator, size=size, most=most)()
    order = sorted(range(len(wanted)), key=lambda i: (-wanted[i], i))[:most]
    found = block(result, "Scenarios to Look Through", Gallery)
    assert [one.title for one in found.exhibits] == [f"s{i}" for i in order]


def test_scores_by_parameter() -> None:
    """Two parameters of which one decides: its row of fifths rises or falls, and both have their points."""
    rows = [
        {"label": f"s{i}", "intended": {"a": 1}, "params": {"x": float(i), "y": float(i * 7 % 50)}} for i in range(50)
    ]
    result = Paged(rows, Given(lambda p: {"a": 1.0 + p["x"] / 50}))()
    matrix = block(result, "Scores by Parameter", Matrix)
    assert matrix.rows == ["x (0 to 49)", "y (0 to 49)"]
    falls = list(matrix.values[0])
    assert falls == sorted(falls, reverse=True)
    assert falls[0] == pytest.approx(np.mean([1 - i / 100 for i in range(10)]))
    charts = [one for one in section(result, "Scores by Parameter").blocks if isinstance(one, Chart)]
    assert [one.title for one in charts] == ["Score by x", "Score by y"]
    assert list(charts[0].series[0].x) == [float(i) for i in range(50)]
    bare = Paged(rows, Given(lambda p: {"a": 1.0 + p["x"] / 50}), most=0)()
    assert not any(isinstance(one, Chart) for one in section(bare, "Scores by Parameter").blocks)


def test_fifths_of_few_values_leave_holes() -> None:
    x, score = np.array([1.0] * 5 + [2.0] * 5), np.array([0.0] * 5 + [1.0] * 5)
    assert _fifths(x, score) == [None, 0.0, None, 1.0, None]


# --- self-audit


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
        "test 1: input", "test 1: expected, which the loop never saw", "test 1: got, 1 wrong",
        "test 2: input", "test 2: got",
    ]  # fmt: skip
    assert [list(one.differs) for one in found if "got" in one.title] == [[], [(0, 0)], [(0, 0)], []]
    assert pictures(Problem("q", (Example(1, 2),)), [2]) == []


SEEN = st.builds(
    EndedLoop,
    id=st.uuids().map(str),
    cell=st.tuples(st.sampled_from("ab")),
    reason=st.sampled_from(["success", "iterations", "error"]),
    solved=st.booleans(),
    score=st.one_of(st.none(), st.sampled_from([0.0, 0.5, 1.0])),
    rank=st.binary(min_size=8, max_size=8),
)


@given(st.lists(SEEN, max_size=60, unique_by=lambda seen: seen.rank), st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_problems_are_chosen_alike_however_many_wait(seen: list[EndedLoop], most: int) -> None:
    browsed = Browsed(most)
    for one in seen:
        browsed.add(one)
    strata = [((one.solved, one.reason, one.cell), (one.rank, one.id), one) for one in seen]
    assert sorted(one.id for one in browsed.drawn()) == sorted(one.id for _, _, one in fair(strata, most))
    assert [one.id for one in browsed.lowest()] == [
        one.id for one in sorted(seen, key=lambda one: one.place)[:MOST_ROWS]
    ]


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
    return spine.run(plan, spine.Stamp("", {}, str(folder)))[0]


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
    found = block(loops, "Problems to Look Through", Gallery)
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
    assert grids["test 1: expected, which the loop never saw"].rows == TRUTH


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
    found = block(result, "Problems to Look Through", Gallery)
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
