"""A function as a solver: what it gives, and its errors counted."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_requests import KEY, Server, ask

import auditfw
from auditfw.audits.self_audit import loop
from auditfw.components.solver.python import PythonSolver
from auditfw.core.errors import UsageError
from auditfw.kinds.solving import Ask, Reply, TransientError


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made = Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()


def outputs_of(given: Ask) -> list[Any]:
    return [[row[::-1] for row in one.input] for one in (*given.problem.train, *given.problem.test)]


class Maker:
    """A class of callables, made with settings."""

    def __init__(self, reply: Any) -> None:
        self.reply = reply

    def __call__(self, given: Ask) -> Any:
        return self.reply


@pytest.mark.parametrize(
    ("function", "options", "reply"),
    [
        (outputs_of, {}, Reply(outputs=[[[2, 1]], [[4, 3]], [[6, 5]]])),
        (Maker, {"reply": "text"}, Reply(program="text")),
        (Maker, {"reply": None}, Reply(why="the function returned nothing")),
        (Maker(Reply(program="x", tokens=3)), {}, Reply(program="x", tokens=3)),
        ("json:dumps", {}, None),
    ],
)
def test_python_takes_what_a_function_gives(function: Any, options: Any, reply: Reply | None) -> None:
    part = PythonSolver(function, options)
    part.check()
    if reply is None:
        with pytest.raises(TypeError):
            part(ask())
    else:
        assert part(ask()) == reply


def test_python_says_what_it_cannot_take() -> None:
    with pytest.raises(TypeError, match="returned a list of 1; expected a Reply, a program's text, or 3 outputs"):
        PythonSolver(Maker, {"reply": [1]})(ask())
    for function, said in (
        ("no_such_module:f", "no module 'no_such_module'"),
        ("json:nothing", "no 'nothing' in json"),
        ("x", "path"),
    ):
        with pytest.raises(UsageError, match=said):
            PythonSolver(function).check()
    with pytest.raises(UsageError, match="only a class takes settings"):
        PythonSolver("json:dumps", {"a": 1}).check()
    with pytest.raises(UsageError, match="cannot be made with them"):
        PythonSolver(Maker, {"wrong": 1}).check()


class TooManyRequestsError(Exception):
    """As a library calls it."""


class AnswerError(Exception):
    """As a library tells the status of an answer."""

    status_code = 503


def fails_with(error: Exception, often: int = 99) -> Any:
    """A function that fails the first `often` times, and then gives what is right."""
    calls: list[str] = []

    def solve(given: Ask) -> Any:
        calls.append(given.problem.id)
        if len(calls) <= often:
            raise error
        return [[[1]]]

    solve.calls = calls  # type: ignore[attr-defined]
    return solve


def audited_by(function: Any, problems: int = 4, **more: Any) -> auditfw.Result:
    rows = [{"id": f"p{i}", "train": [{"input": 1, "output": [[1]]}]} for i in range(problems)]
    told = {"source": {"use": "frame", "frame": rows}, "solver": {"use": "python", "function": function}}
    return auditfw.run({"experiment": "self_audit", "engine": {"workers": 1}, "gate": [], "by": [], **told, **more})


MENDED = "the same error 3 times in a row ended the run with 3 problems not run"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TypeError("odd"), "TypeError"),
        (KeyError("grid"), "KeyError"),
        (ValueError("odd"), "ValueError"),
        (RuntimeError("odd"), "RuntimeError"),
        (FileNotFoundError("none.json"), "FileNotFoundError"),
        (type("OddError", (Exception,), {})("odd"), "OddError"),
    ],
)
def test_an_error_of_the_function_ends_the_run_without_a_pause(
    monkeypatch: pytest.MonkeyPatch, error: Exception, kind: str
) -> None:
    """Three requests of the first problem, none of the others; what is told names the line."""
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail(f"slept {seconds}"))
    function = fails_with(error)
    found = audited_by(function)
    assert function.calls == ["p0"] * 3
    assert (found.counts, found.exit_code) == ({"read": 4, "audited": 0, "error": 1, "not_run": 3}, 4)
    line = function.__code__.co_firstlineno + 3
    assert f"test_python.py:{line} in solve, {kind}: {MENDED}" in found.warnings[-1]
    assert str(error) in found.warnings[-1]


def test_an_error_is_counted_across_problems_and_in_a_row() -> None:
    """One request a problem: the third ends the run; with a right answer between there is no row."""
    once = {"stop": {"max_iterations": 1, "retries": 0}}
    assert audited_by(fails_with(KeyError("x")), **once).counts == {"read": 4, "audited": 0, "error": 3, "not_run": 1}
    calls = iter(range(99))

    def now_and_then(given: Ask) -> Any:
        return [[[1]]] if next(calls) % 3 == 2 else {}["x"]

    assert audited_by(now_and_then, **once).counts == {"read": 4, "audited": 1, "error": 3}
    borne = audited_by(fails_with(KeyError("x"), 3), audit={"max_error_rate": 0.5}, **once)
    assert (borne.counts, borne.exit_code) == ({"read": 4, "audited": 0, "error": 3, "not_run": 1}, 4)
    borne = audited_by(fails_with(KeyError("x"), 3), audit={"max_error_rate": 0.75}, **once)
    assert (borne.counts, borne.exit_code) == ({"read": 4, "audited": 1, "error": 3}, 0)


def test_a_function_that_gives_what_cannot_be_taken_ends_the_run_by_its_name() -> None:
    found = audited_by(lambda given: 5)
    assert found.counts == {"read": 4, "audited": 0, "error": 1, "not_run": 3}
    assert "the function returned a int" in found.warnings[-1]
    assert "fix " in found.warnings[-1]
    assert "<lambda>, TypeError" in found.warnings[-1]


@pytest.mark.parametrize(
    "error",
    [
        ConnectionResetError("gone"),
        TimeoutError("late"),
        TransientError("busy"),
        TooManyRequestsError("429"),
        AnswerError("unavailable"),
    ],
)
def test_what_may_pass_is_asked_again_after_a_pause(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    slept: list[float] = []
    monkeypatch.setattr(loop.Timer, "sleep", lambda self, seconds: slept.append(seconds))
    function = fails_with(error, 5)
    found = audited_by(function, 1, stop={"max_total_timeouts": None})
    assert (found.counts, found.exit_code) == ({"read": 1, "audited": 1}, 0)
    assert len(function.calls) == 6
    assert slept == [5.0, 5.0, 5.0]


@pytest.mark.slow
def test_a_run_that_a_mistake_ended_keeps_what_is_done_and_goes_on(command: Any, tmp_path: Path) -> None:
    """The real command: exit 4 with the line and a result; fixed, `resume` runs the rest; lines of progress."""
    rows = [{"id": f"p{i}", "train": [{"input": 1, "output": [[1]]}]} for i in range(5)]
    (tmp_path / "problems.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    code = "import time\ndef solve(ask):\n    time.sleep(0.2)\n    return [[[1]]] if ask.problem.id == 'p0' else nope\n"
    (tmp_path / "mine.py").write_text(code, "utf-8")
    words = ("experiment=self_audit", "source=problems", "source.path=problems.jsonl", "solver=python", "by=[]")
    words += ("gate=[]", "solver.function=mine:solve", "report=[]", "engine.workers=2")
    begun = time.monotonic()
    done = command(*words, "hydra.run.dir=first", env={"AUDITFW_PROGRESS": "0.1"})
    assert done.returncode == 4, done.stderr
    assert time.monotonic() - begun < 40
    *progress, last = done.stderr.splitlines()
    assert "fix mine.py:4 in solve, NameError: the same error 3 times in a row ended the run with 3 problems" in last
    assert "name 'nope' is not defined" in last
    assert progress
    assert all(
        re.fullmatch(r"auditfw: (\d( of 5)? trials? done|writing reports) after 0:\d\d", line) for line in progress
    )
    told = json.loads((tmp_path / "first/result.json").read_text("utf-8"))
    assert told["counts"] == {"read": 5, "audited": 1, "error": 1, "not_run": 3}
    (tmp_path / "mine.py").write_text("def solve(ask):\n    return [[[1]]]\n", "utf-8")
    again = command(*words, "resume=first", "hydra.run.dir=second", env={"AUDITFW_PROGRESS": "0"})
    assert (again.returncode, again.stderr) == (0, "")
    assert json.loads((tmp_path / "second/result.json").read_text("utf-8"))["counts"] == {"read": 5, "audited": 5}


def test_safe_mode_switches_python_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITFW_SAFE", "1")
    with pytest.raises(UsageError, match="switched off by AUDITFW_SAFE"):
        PythonSolver("json:dumps")


def test_a_solver_of_programs_without_an_executor_is_refused_before_the_first_request(server: Server) -> None:
    with pytest.raises(UsageError, match="executor: the solver returns programs, and nothing runs them"):
        auditfw.run({"experiment": "self_audit", "solver": {"use": "openai", "model": "m", "base_url": server.address}})
    assert server.asked == []
