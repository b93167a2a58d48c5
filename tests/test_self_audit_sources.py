"""Where problems and recorded attempts come from: ARC files, JSON Lines, replay; and the published LARC figures."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from places import CASES, ROOT
from running import Command

import auditfw
from auditfw.audits.self_audit.problems import COLUMNS, given
from auditfw.components.solver.replay import Replay
from auditfw.components.source.arc import Arc
from auditfw.components.source.problems import Problems
from auditfw.core.errors import AuditError, DataError, UsageError
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.solving import Ask, Example, Problem, Reply, TraceEndError

TASK = {"train": [{"input": [[1]], "output": [[2]]}], "test": [{"input": [[3]]}]}


def rows(evidence: Evidence) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for task in evidence.tasks:
        columns = task().columns
        found += [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return found


def write(path: Path, value: Any) -> str:
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return str(path)


def test_arc_reads_a_file_a_folder_and_a_mapping(tmp_path: Path) -> None:
    one = write(tmp_path / "b.json", TASK)
    write(tmp_path / "a.json", TASK)
    assert [row["id"] for row in rows(Arc(path=one).open([], []))] == ["b"]
    assert [row["id"] for row in rows(Arc(path=str(tmp_path)).open([], []))] == ["a", "b"]
    [folder] = Arc(path=str(tmp_path)).open([], []).inputs()
    assert (folder.path, folder.bytes) == (str(tmp_path), 2 * len(json.dumps(TASK)))
    whole = write(tmp_path / "whole.txt", {"y": TASK, "x": TASK})
    answers = write(tmp_path / "answers.txt", {"x": [[[4]]]})
    found = rows(Arc(path=whole, solutions=answers).open([], []))
    assert [(row["id"], row["test"][0].get("output")) for row in found] == [("y", None), ("x", [[4]])]
    assert [row["id"] for row in rows(Arc(path=whole, ids=("x",)).open([], []))] == ["x"]
    assert [row["id"] for row in rows(Arc(path=whole, limit=1).open([], []))] == ["y"]


def test_empty_files_of_a_folder_and_numbers_nobody_reads(tmp_path: Path) -> None:
    write(tmp_path / "a.json", json.dumps(TASK | {"score": float("nan")}))
    write(tmp_path / "b.json", "")
    opened = Arc(path=str(tmp_path)).open([], [])
    assert [row["id"] for row in rows(opened)] == ["a"]
    assert opened.warnings == (f"1 of 2 files hold no record: {tmp_path / 'b.json'}",)
    with pytest.raises(DataError, match=r"b\.json:1: not JSON"):
        rows(Arc(path=str(tmp_path / "b.json")).open([], []))


BAD_TASKS: dict[str, tuple[Any, str]] = {
    "no JSON": ('{"train": [\n\n{"input": [[1]]', r"t\.json:3: not JSON"),
    "a list": ([TASK], r"t\.json:1: expected a task or a mapping of tasks \(found list\)"),
    "no train": ({"a": {"test": []}}, r"t\.json:1: task 'a' has no list 'train'"),
    "ragged": (
        {"train": [{"input": [[1, 2], [3]], "output": [[1]]}]},
        r"train example 1: the input is no grid \(rows of 1, 2 cells\)",
    ),
    "empty": ({"train": [{"input": [[1]], "output": []}]}, r"train example 1: the output is no grid \(\[\]\)"),
    "text cells": ({"train": [{"input": [["1"]], "output": [[1]]}]}, r"the input is no grid \(a cell is 1\)"),
    "a float": ({"train": [{"input": [[1]], "output": [[1.0]]}]}, r"the output is no grid \(a cell is 1.0\)"),
    "no output": ({"train": [{"input": [[1]]}]}, r"the output is no grid \(missing\)"),
    "a key twice": ('{"a": 1, "a": 2}', r"t\.json:1: a key stands twice"),
}


@pytest.mark.parametrize("name", BAD_TASKS)
def test_bad_arc_tasks_are_named(tmp_path: Path, name: str) -> None:
    value, message = BAD_TASKS[name]
    path = write(tmp_path / "t.json", value)
    with pytest.raises(DataError, match=message):
        rows(Arc(path=path).open([], []))


def test_arc_refuses(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"source\.path: not set"):
        Arc().open([], [])
    with pytest.raises(DataError, match="no such file"):
        Arc(path=str(tmp_path / "none.json")).open([], [])
    write(tmp_path / "a.json", TASK)
    (tmp_path / "more").mkdir()
    again = write(tmp_path / "more/a.json", TASK)
    files = ({"path": str(tmp_path / "a.json")}, {"path": again, "set": {"part": 2}})
    several = Arc(files=files)  # type: ignore[arg-type]
    assert several.open(["part"], []).columns == ("id", "#place", "train", "test", "part")
    with pytest.raises(DataError, match=r"the task 'a' stands twice"):
        rows(several.open([], []))
    with pytest.raises(DataError, match=r"no column 'kind'"):
        several.open(["kind"], [])


def run(folder: Path, problems: list[dict[str, Any]], attempts: list[dict[str, Any]], **more: Any) -> auditfw.Result:
    """The audit on these problems and recorded attempts."""
    listed = folder / "problems.jsonl"
    listed.write_text("".join(json.dumps(row) + "\n" for row in problems), "utf-8")
    told = folder / "attempts.jsonl"
    told.write_text("".join(json.dumps(row) + "\n" for row in attempts), "utf-8")
    solver = {"use": "replay", "path": str(told), **more.pop("solver", {})}
    source = {"use": "problems", "path": str(listed), **more.pop("source", {})}
    return auditfw.run({"experiment": "self_audit", "source": source, "solver": solver, "by": [], **more})


PROBLEM = {"id": "a", "train": [{"input": 1, "output": [[1, 2]]}]}
BAD_PROBLEMS: dict[str, tuple[dict[str, Any], str]] = {
    "no examples": ({"id": "a"}, r"problems\.jsonl:1, problem 'a': has no training example"),
    "an empty list": ({"id": "a", "train": []}, r"has no training example"),
    "no list": ({"id": "a", "train": 5}, r"'train' must be a list of {input, output} \(5\)"),
    "no example": ({"id": "a", "train": [[1]]}, r"train example 1 must be {input, output}"),
    "no output": ({"id": "a", "train": [{"input": 1}]}, r"train example 1 has no output"),
    "an empty output": (
        {"id": "a", "train": [{"input": 1, "output": [[]]}]},
        r"train example 1 expects an empty output",
    ),
    "no label": ({**PROBLEM, "stored": "maybe"}, r"the recorded label is neither true nor false \(maybe\)"),
}


@pytest.mark.parametrize("name", BAD_PROBLEMS)
def test_bad_problems_are_named(tmp_path: Path, name: str) -> None:
    problem, message = BAD_PROBLEMS[name]
    path = write(tmp_path / "problems.jsonl", problem)
    [task] = Problems(path=path).open([], list(COLUMNS)).tasks
    with pytest.raises(DataError, match=message):
        list(given(task(), [], [], False))


NUMBERS = {"id": "b", "train": [{"input": 1, "output": 3}, {"input": 2, "output": 5}]}
TEXTS = {"id": "t", "train": [{"input": "10|01", "output": "01|10"}], "test": [{"input": "1", "output": "0"}]}


@pytest.mark.parametrize(
    ("problems", "scoring", "message"),
    [
        ([PROBLEM, NUMBERS], "grid", r"jsonl:2, problem 'b', train example 1: the expected output is no grid \(3; 1 f"),
        ([TEXTS], "grid", r"jsonl:1, problem 't', train .* is no grid \(01\|10; 1 further .* audit\.scoring\.rows="),
        ([{**PROBLEM, "test": [{"input": 1, "output": "x"}]}], "grid", r"test example 1: .* is no grid \(x\)"),
        ([NUMBERS, PROBLEM], "numeric", r"jsonl:2, .* is neither a finite number nor a list of them"),
        ([PROBLEM], "text", r"is no text"),
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


def test_twice_the_same_problem(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the id 'a' stands twice"):
        run(tmp_path, [PROBLEM, PROBLEM], [])


def ask(problem: str, iteration: int) -> Ask:
    return Ask(Problem(problem, (Example(1, 1),)), (), iteration, 0, None)


def test_replay_reads_either_form(tmp_path: Path) -> None:
    """One attempt a record, in the order of the file or by number; or one problem a record, totals shared out."""
    single = tmp_path / "single.jsonl"
    lines = [
        {"problem": "a", "attempt": 2, "program": "x", "seconds": 2, "tokens": 5, "cost": 0.5},
        {"problem": "a", "attempt": 1, "outputs": [[[1]], None], "why": "w"},
        {"problem": "b", "output": "text"},
    ]
    single.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    solver = Replay(path=str(single))
    assert solver(ask("a", 1)) == Reply(outputs=[[[1]], None], why="w")
    assert solver(ask("a", 2)) == Reply(program="x", seconds=2, tokens=5, cost=0.5)
    assert solver(ask("b", 1)) == Reply(outputs=["text"])
    listed = tmp_path / "listed.json"
    told = [{"who": 7, "attempts": [[[1]], {"program": "y", "seconds": 9}, [[3]]], "tokens": 10, "took": 10.0}]
    listed.write_text(json.dumps(told), "utf-8")
    solver = Replay(path=str(listed), columns={"problem": "who", "seconds": "took"})
    found = [solver(ask("7", n)) for n in (1, 2, 3)]
    assert [one.tokens for one in found] == [3, 3, 4]
    assert [one.seconds for one in found] == [10 / 3, 9, 10 - 2 * (10 / 3)]
    assert [one.outputs for one in found] == [[[[1]]], None, [[[3]]]]


def test_replay_past_the_end(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"problem": "a", "output": 1}\n', "utf-8")
    with pytest.raises(DataError, match=r"no recorded attempt 2 of problem 'a' \(1 recorded\) - write stop.max_iter"):
        Replay(path=str(path))(ask("a", 2))
    with pytest.raises(DataError, match="no recorded attempt of problem 'b'"):
        Replay(path=str(path), past_end="stop")(ask("b", 1))
    for past_end, known in (("null", False), (None, False), ("stop", True)):  # null typed plainly is None
        with pytest.raises(TraceEndError) as ended:
            Replay(path=str(path), past_end=past_end)(ask("a", 2))  # type: ignore[arg-type]
        assert ended.value.known is known


BAD_RECORDS: dict[str, tuple[str, str]] = {
    "no problem": ('{"problem": null, "output": 1}', r"r\.jsonl:1: the record names no problem"),
    "twice": (
        '{"problem": "a", "attempt": 1}\n{"problem": "a", "attempt": 1}',
        r"r\.jsonl:2: attempt 1 .* stands twice",
    ),
    "no number": ('{"problem": "a", "attempt": "one"}', r"r\.jsonl:1: the number of the attempt is no whole number"),
    "a gap": (
        '{"problem": "a", "attempt": 3}\n{"problem": "a", "attempt": 1}',
        r"r\.jsonl: attempt 2 of problem 'a' is missing - attempt 3 is there",
    ),
    "no list": ('{"problem": "a", "attempts": 3}', r"r\.jsonl:1: 'attempts' must be a list"),
    "no time": ('{"problem": "a", "seconds": -1}', r"r\.jsonl:1: 'seconds' is no amount"),
    "other columns": ('{"task": "a"}', r"no column 'problem' .* write solver\.columns\.problem="),
    "torn": ('{"problem": "a"}\n{"prob', r"r\.jsonl:2: the last line is cut off"),
}


@pytest.mark.parametrize("name", BAD_RECORDS)
def test_bad_records_are_named(tmp_path: Path, name: str) -> None:
    text, message = BAD_RECORDS[name]
    path = tmp_path / "r.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(AuditError, match=message):
        Replay(path=str(path)).check()


def test_end_of_a_trace(tmp_path: Path) -> None:
    """Null: the reading is missing. Stop: the loop is over. A success is final either way."""
    other = {**PROBLEM, "id": "b"}
    attempts = [{"problem": "a", "output": [[1, 0]]}, {"problem": "b", "output": [[1, 2]], "seconds": 2.5}]
    found = run(tmp_path, [PROBLEM, other], attempts, solver={"past_end": "null"})
    frame = found.trials
    assert frame.select("id", "live", "run_all", "stop_reason").rows() == [
        ("a", None, None, None),
        ("b", True, True, "success"),
    ]
    live = found.measurement("solve_rate", "live").estimate
    assert (live.value, live.counted, live.missing) == (1.0, 1, 1)
    assert any("run_all is unknown for 1 problem whose" in warning for warning in found.warnings)
    found = run(tmp_path, [PROBLEM, other], attempts, solver={"past_end": "stop"})
    assert found.trials["stop_reason"].to_list() == ["iterations", "success"]
    assert found.trials["soft_score"].to_list() == [0.5, 1.0]
    assert found.measurement("total_seconds", "live").estimate.value == 2.5
    with pytest.raises(DataError, match="no recorded attempt 2 of problem 'a'"):
        run(tmp_path, [PROBLEM, other], attempts)


def test_one_example_of_two_columns_and_a_journal_replayed(tmp_path: Path) -> None:
    """Columns make the example; the journal of a run is itself a recording, which gives the same readings."""
    problem = {"id": "q", "question": "2 + 2?", "answer": "4", "right": "no"}
    columns = {"input": "question", "output": "answer", "stored": "right"}
    attempts = [{"problem": "q", "output": text, "seconds": 1.5} for text in ("5", "4")]
    more = {"source": {"columns": columns}, "audit": {"scoring": {"use": "text"}}}
    folder = tmp_path / "given"
    folder.mkdir()
    told = run(folder, [problem], attempts, **more)
    assert told.trials.select("live", "stored", "iteration", "seconds").rows() == [(True, False, 2, 3.0)]
    section = next(s for s in told.sections if s.title == "Recorded Labels Against the Loops")
    assert section.blocks[1].rows == [["q", "not solved", "solved", "1.0000", "2", "0", "3.00"]]  # type: ignore[union-attr]
    settings = {"experiment": "self_audit", "by": [], **more}
    source = {"use": "problems", "path": str(folder / "problems.jsonl"), "columns": columns}
    first = auditfw.run(
        {**settings, "source": source, "solver": {"use": "replay", "path": str(folder / "attempts.jsonl")}},
        tmp_path / "run",
    )
    solver = {"use": "replay", "path": str(tmp_path / "run/attempts.jsonl")}
    again = auditfw.run({**settings, "source": source, "solver": solver})
    assert again.measurements == first.measurements


# The recorded loops of people: every figure of the PROVENANCE beside the data.

DATA = CASES / "data/larc_attempts"


FIGURES = [
    ("describer", "n", "live", 1_657),
    ("builder", "n", "live", 1_704),
    ("describer", "mean_soft_score", "one_attempt", 0.804695),
    ("describer", "mean_soft_score", "last_attempt", 0.832179),
    ("describer", "mean_soft_score", "live", 0.857024),
    ("builder", "mean_soft_score", "one_attempt", 0.713469),
    ("builder", "mean_soft_score", "last_attempt", 0.739689),
    ("builder", "mean_soft_score", "live", 0.792092),
    ("describer", "best_not_last", "live", 247),
    ("builder", "best_not_last", "live", 424),
    ("describer", "best_tied", "live", 195),
    ("builder", "best_tied", "live", 273),
    ("describer", "wrong_shapes", "live", 533),
    ("builder", "wrong_shapes", "live", 743),
    ("describer", "total_seconds", "live", 248_975),
    ("builder", "total_seconds", "live", 420_069.5),
    ("builder", "longest_seconds", "live", 5_814.266),
    ("describer", "contradictions", "live", 0),
    ("builder", "contradictions", "live", 1),
    (None, "total_attempts", "live", 6_581),
    (None, "contradictions", "live", 1),
]


RULES = ("one_attempt", "two_attempts", "three_attempts")
# Of 3 x 3,361 attempts: two of each loop; all but one of 950 + 653 loops and two of the others; all that were not made.
SAVED = [2 * 3_361, 3 * 3_361 - 1_603 - 2 * 1_758, 3 * 3_361 - 6_581]


@pytest.mark.slow
def test_larc(command: Command, tmp_path: Path) -> None:
    """Every published figure, by configuration alone; what the rules cost and save; the contradiction by its name."""
    words = (f"--config-dir={CASES / 'conf'}", "experiment=larc_attempts", f"hydra.run.dir={tmp_path / 'run'}")
    done = command(*words, "report=[markdown]", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    table = pl.read_parquet(tmp_path / "run/measurements.parquet").rows_by_key(
        ["kind", "metric", "reading"], named=True
    )
    for kind, metric, reading, figure in FIGURES:
        [row] = table[kind, metric, reading]
        nearly = pytest.approx(figure, abs=0.05 if metric == "total_seconds" else 5e-7)
        assert row["value"] == nearly, (kind, metric, reading)
    assert [table[None, "solves_lost", rule][0]["value"] for rule in RULES] == [415, 119, 0]
    assert [table[None, "saved_requests", rule][0]["value"] for rule in RULES] == SAVED
    lost = 1_657 * (0.857024 - 0.832179) + 1_704 * (0.792092 - 0.739689)  # the best of each loop less its last
    assert table[None, "regret", "last_attempt"][0]["value"] == pytest.approx(lost / 3_361, abs=1e-6)
    assert "XQrmr6NwvssUTt732hf7" in (tmp_path / "run/report.md").read_text("utf-8")
    trials = pl.read_parquet(tmp_path / "run/trials.parquet")
    check_larc_trials(trials)
    check_larc_tasks(trials)


def check_larc_trials(trials: pl.DataFrame) -> None:
    """How many loops took one, two or three attempts, and how many of them are recorded as a success."""
    used = trials.group_by("kind", "attempts").agg(pl.len(), pl.col("stored").sum()).sort("kind", "attempts").rows()
    assert used == [
        ("builder", 1, 653, 653),
        ("builder", 2, 163, 163),
        ("builder", 3, 888, 61),
        ("describer", 1, 950, 950),
        ("describer", 2, 133, 133),
        ("describer", 3, 574, 58),
    ]
    assert trials["stored"].sum() == 1_141 + 877
    odd = trials.filter(pl.col("stored") != pl.col("live"))
    assert odd.select("id", "kind", "soft_score", "seconds").rows() == [("2329", "builder", 0.0, 8.0)]
    assert trials.filter("live")["soft_score"].unique().to_list() == [1.0]
    assert trials["run_all"].null_count() == 0


def check_larc_tasks(trials: pl.DataFrame) -> None:
    """How many of the tasks have a successful build, as recorded and as the loops came to it."""
    with gzip.open(DATA / "larc_attempts.jsonl.gz") as lines:
        task = {str(number): json.loads(line)["task"] for number, line in enumerate(lines, 1)}
    assert (trials.height, len(set(task.values()))) == (len(task), 399)
    builds = trials.filter(kind="builder")
    for reading in ("stored", "live"):
        assert len({task[name] for name in builds.filter(reading)["id"]}) == 363, reading


def test_problems_is_a_file_source(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps(PROBLEM) + "\n", "utf-8")
    [row] = rows(Problems(path=str(path)).open([], ["train", "#place"]))
    assert row == {"id": "a", "train": PROBLEM["train"], "#place": f"{path}:1"}
