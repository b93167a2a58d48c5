"""Recorded attempts replayed: either form, past their end, and what is no record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from refined_problems import PROBLEM, run

import auditfw
from auditfw.components.solver.replay import Replay
from auditfw.core.errors import AuditError, DataError
from auditfw.kinds.solving import Ask, Example, Problem, Reply, TraceEndError


def ask(problem: str, iteration: int) -> Ask:
    return Ask(Problem(problem, (Example(1, 1),)), (), iteration, 0, None)


def test_replay_reads_either_form(tmp_path: Path) -> None:
    """One attempt a record, in the order of the file or by number; or one problem a record, totals shared out."""
    single = tmp_path / "single.jsonl"
    lines = [
        {"problem": "a", "attempt": 2, "program": "x", "seconds": 2, "tokens": 5.0, "cost": 0.5},
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
        r"r\.jsonl:2: duplicate attempt 1 ",
    ),
    "no number": (
        '{"problem": "a", "attempt": "one"}',
        r"r\.jsonl:1: expected the number of the attempt, a whole number of 0 or more",
    ),
    "a gap after 0": (
        '{"problem": "a", "attempt": 0}\n{"problem": "b", "attempt": 1}',
        r"r\.jsonl: attempt 0 of problem 'b' is missing - attempt 1 exists: number .* from 0 .* has the number 0",
    ),
    "a gap": (
        '{"problem": "a", "attempt": 3}\n{"problem": "a", "attempt": 1}',
        r"r\.jsonl: attempt 2 of problem 'a' is missing - attempt 3 exists",
    ),
    "no list": ('{"problem": "a", "attempts": 3}', r"r\.jsonl:1: expected a list as 'attempts'"),
    "no time": ('{"problem": "a", "seconds": -1}', r"r\.jsonl:1: expected a number of 0 or more as 'seconds'"),
    "other columns": ('{"task": "a"}', r"no column 'problem' .* write solver\.columns\.problem="),
    "half a token": ('{"problem": "a", "tokens": 1.5}', r"r\.jsonl:1: expected a number of 0 or more as 'tokens'"),
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
    [survivors] = [one for one in found.findings if one.kind == "survivors"]
    assert (survivors.value, survivors.of) == (1, 2)
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
    section = next(s for s in told.sections if s.title == "Recorded Labels and Loop Results")
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


def test_attempts_in_delimited_text(tmp_path: Path) -> None:
    """Cells are numbers, texts or JSON lists; ids may be composed of several columns; empty cells are nothing."""
    path = tmp_path / "a.csv"
    path.write_text(
        "task,run,attempt,output,score,success,seconds,tokens\n"
        "a,1,2,001|010,0.5,no,2.5,7\n"
        'a,1,1,"[[1, 2]]",,,,\n'
        "a,2,,7,1,true,,\n",
        "utf-8",
    )
    solver = Replay(path=str(path), columns={"problem": "{task}/{run}"})
    assert solver(ask("a/1", 1)) == Reply(outputs=[[[1, 2]]])
    assert solver(ask("a/1", 2)) == Reply(outputs=["001|010"], seconds=2.5, tokens=7)
    assert solver(ask("a/2", 1)) == Reply(outputs=[7])  # a number is expected
    results = [(one.attempt, one.attempts, one.score, one.success) for one in solver.recorded(ask("a/1", 1).problem)]
    assert results == [(2, 2, "0.5", "no")]
    (tmp_path / "b.tsv").write_text("problem\toutputs\nx\t[1, 2]\n", "utf-8")
    assert Replay(path=str(tmp_path / "b.tsv"))(ask("x", 1)) == Reply(outputs=[1, 2])


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((2, 0, 1), {1: 10, 2: 11, 3: 12}),  # from 0, in any order
        ((1, 2), {1: 11, 2: 12}),
        ((1.0, 0.0), {1: 10, 2: 11}),
        (("2", "1"), {1: 11, 2: 12}),
        ((None, None), {1: "x0", 2: "x1"}),
    ],
)
def test_attempts_numbered_from_0_or_1(tmp_path: Path, numbers: tuple[Any, ...], expected: Any) -> None:
    path = tmp_path / "a.jsonl"
    lines = [
        {"problem": "a", "attempt": n, "output": f"x{at}" if n is None else 10 + int(n)} for at, n in enumerate(numbers)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    solver = Replay(path=str(path))
    assert {n: solver(ask("a", n)).outputs for n in expected} == {n: [output] for n, output in expected.items()}


@pytest.mark.parametrize(
    ("cell", "expected", "output"),
    [
        ("4", 5, 4),
        ("4.5", 5, 4.5),
        ("true", True, True),
        ("85 %", 1, "85 %"),
        ("4", "4", "4"),
        ("12", [[1, 2]], "12"),  # a grid in a text
        ("[4]", 5, [4]),
        ("word", 5, "word"),
    ],
)
def test_cells_as_what_is_expected(tmp_path: Path, cell: str, expected: Any, output: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"problem,attempt,output\na,1.0,{cell}\n", "utf-8")
    reply = Replay(path=str(path))(Ask(Problem("a", (Example(1, expected),)), (), 1, 0, None))
    assert reply.outputs == [output]


@pytest.mark.parametrize(
    ("header", "row", "words"),
    [
        ("problem,attempt,output", "a,two,1", "a.csv:2 expected a whole number in 'attempt'"),
        ("problem,output,seconds", "a,1,long", "a.csv:2 expected a number in 'seconds'"),
        ("problem,outputs", "a,1 2", "a.csv:2 expected a JSON list in 'outputs'"),
        ("problem,output", 'a,"[1, "', "a.csv:2 expected a JSON list in 'output'"),
        ("problem,attempts", 'a,"{}"', "a.csv:2 expected a JSON list in 'attempts'"),
    ],
)
def test_cells_that_are_none_of_it(tmp_path: Path, header: str, row: str, words: str) -> None:
    (tmp_path / "a.csv").write_text(f"{header}\n{row}\n", "utf-8")
    with pytest.raises(DataError) as caught:
        Replay(path=str(tmp_path / "a.csv")).check()
    assert words in str(caught.value).replace(":2: ", ":2 ").replace(str(tmp_path) + "/", "")


def test_what_records_say_of_all_attempts(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [
        {"problem": "a", "attempts": [{"output": 1, "score": 0.5}, 2], "success": True, "score": 1},
        {"problem": "b", "attempts": [1]},
        {"problem": "c", "output": 1, "exact": False},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")

    def results(problem: str) -> list[tuple[object, ...]]:
        listed = Replay(path=str(path)).recorded(ask(problem, 1).problem)
        return [(one.attempt, one.attempts, one.score, one.success, one.place[-2:]) for one in listed]

    assert results("a") == [(None, 2, 1, True, ":1"), (1, 2, 0.5, None, ":1")]
    assert results("b") == []
    assert results("c") == [(1, 1, None, False, ":3")]
    assert results("d") == []
