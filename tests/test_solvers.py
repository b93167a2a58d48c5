"""Solvers that ask a model or a function: a local server that speaks the protocol, its faults, prompts, code."""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditfw
from auditfw.audits.self_audit import loop
from auditfw.components.solver.openai import OpenAI
from auditfw.components.solver.prompts import Prompt, delimiter, enclosed, extract_code, parse_code
from auditfw.components.solver.python import PythonSolver
from auditfw.core.errors import UsageError
from auditfw.kinds.solving import Ask, Attempt, Example, Problem, Reply, RequestTimeoutError, TransientError

KEY = "sk-secret-0123456789"
PROBLEM = Problem("p", (Example([[1, 2]], [[2, 1]]), Example([[3, 4]], [[4, 3]])), (Example([[5, 6]]),))
CODE = "def transform(g):\n    return [row[::-1] for row in g]\n"
CUT_OFF = ", and the reply was cut off at its longest"
GOOD = f"Here it is.\n```python\n{CODE}```\n"


def ask(history: tuple[Attempt, ...] = (), timeout: float | None = 5.0, seed: int = 7) -> Ask:
    return Ask(PROBLEM, history, len(history) + 1, seed, timeout)


def completion(content: Any, usage: Any = None, finish: str = "stop") -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content}}
    made: dict[str, Any] = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return made | ({"usage": usage} if usage else {})


class Server(ThreadingHTTPServer):
    """Answers each request with the next of its scripted answers (the last one for ever) and keeps what was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    """One request: a status, headers, a body whole or cut short or drop by drop, after a while."""

    server: Server

    def do_POST(self) -> None:
        self.server.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        step = self.server.script.pop(0) if len(self.server.script) > 1 else self.server.script[0]
        time.sleep(step.get("wait", 0))
        body = step.get("raw") or json.dumps(step.get("body", {})).encode()
        try:
            self.send_response(step.get("status", 200))
            for name, value in {"content-type": "application/json", **step.get("headers", {})}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body) + step.get("missing", 0)))
            self.end_headers()
            for drop in [body[i : i + 1] for i in range(len(body))] if "drip" in step else [body]:
                self.wfile.write(drop)
                self.wfile.flush()
                time.sleep(step.get("drip", 0))
        except OSError:
            return

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


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


def solver(server: Server, **settings: Any) -> OpenAI:
    return OpenAI(model="m", base_url=server.address, **settings)


def test_a_reply_gives_its_program_its_tokens_and_its_cost(server: Server) -> None:
    server.script = [{"body": completion(GOOD, {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050})}]
    reply = solver(server, price_in=2.0, price_out=10.0, temperature=0.5, max_tokens=99, extra={"top_k": 3})(ask())
    assert reply == Reply(program=CODE, tokens=1050, cost=pytest.approx(0.0025))
    [asked] = server.asked
    assert {name: asked[name] for name in ("model", "temperature", "max_tokens", "top_k")} == {
        "model": "m",
        "temperature": 0.5,
        "max_tokens": 99,
        "top_k": 3,
    }
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("body", "reply"),
    [
        (completion(GOOD), Reply(program=CODE)),
        (completion(GOOD, {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}), Reply(CODE, tokens=7)),
        (completion(None), Reply(why="the reply is empty")),
        (completion("  "), Reply(why="the reply is empty")),
        (completion("I don't know."), Reply(why="no code block")),
        (completion("```python\nx", finish="length"), Reply(why=f"no code block{CUT_OFF}")),
    ],
)
def test_replies_without_usage_or_code_cost_nothing_but_themselves(server: Server, body: Any, reply: Reply) -> None:
    server.script = [{"body": body}]
    assert solver(server)(ask()) == reply
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("step", "wait"),
    [
        ({"status": 429, "headers": {"retry-after": "7"}, "body": {"error": {"message": "slow down"}}}, 7.0),
        ({"status": 429, "body": {"error": {"message": "slow down"}}}, None),
        ({"status": 500, "body": {"error": {"message": "Timeout"}}}, None),
        ({"status": 503, "headers": {"retry-after": "soon"}, "raw": b"<html>"}, None),
        ({"raw": b'{"id": "c", "choices": [{"mess'}, None),
        ({"body": completion(GOOD), "missing": 50}, None),
        ({"body": {"choices": []}}, None),
        ({"body": ["no", "completion"]}, None),
    ],
)
def test_faults_that_may_pass_are_transient_and_asked_once(server: Server, step: Any, wait: float | None) -> None:
    server.script = [step]
    with pytest.raises(TransientError) as told:
        solver(server)(ask())
    assert told.value.wait == wait
    assert len(server.asked) == 1, "the client repeated a request by itself"


def test_a_refused_connection_is_transient(server: Server) -> None:
    with pytest.raises(TransientError, match="APIConnectionError"):
        OpenAI(model="m", base_url="http://127.0.0.1:9/v1")(ask())


@pytest.mark.parametrize("step", [{"wait": 3.0, "body": completion(GOOD)}, {"body": completion(GOOD), "drip": 0.05}])
def test_a_server_that_hangs_or_drips_is_a_timeout(server: Server, step: Any) -> None:
    server.script = [step]
    begun = time.monotonic()
    with pytest.raises(RequestTimeoutError):
        solver(server)(ask(timeout=0.5))
    assert time.monotonic() - begun < 2.5


def test_an_error_that_speaks_of_a_timeout_is_none(server: Server) -> None:
    server.script = [{"status": 400, "body": {"error": {"message": "Timeout: Exceeded time allotted to the request"}}}]
    with pytest.raises(RuntimeError, match="HTTP 400"):
        solver(server)(ask())


@pytest.mark.parametrize(("status", "where"), [(401, "solver.key_env"), (403, "solver.key_env"), (404, "solver.model")])
def test_a_wrong_key_or_model_ends_the_run_without_showing_the_key(server: Server, status: int, where: str) -> None:
    server.script = [{"status": status, "body": {"error": {"message": f"Incorrect API key provided: {KEY}"}}}]
    with pytest.raises(UsageError) as told:
        solver(server)(ask())
    assert told.value.where == where
    assert KEY not in str(told.value)
    assert KEY not in repr(told.value.__cause__) + repr(told.value.args)


def test_the_key_is_masked_in_any_error(server: Server) -> None:
    server.script = [{"status": 500, "body": {"error": {"message": f"cannot use {KEY}"}}}]
    with pytest.raises(TransientError) as told:
        solver(server)(ask())
    assert KEY not in str(told.value)
    assert KEY not in repr(solver(server))


def test_a_missing_key_is_told_before_the_first_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(UsageError, match="the environment variable SOME_KEY is not set"):
        OpenAI(model="m", key_env="SOME_KEY").check()
    monkeypatch.setenv("SOME_KEY", "with\nnewline")
    with pytest.raises(UsageError, match="holds no usable key"):
        OpenAI(model="m", key_env="SOME_KEY").check()
    OpenAI(model="m", key_env=None).check()


def test_without_the_package_one_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(UsageError, match=r"pip install 'auditfw\[openai\]'"):
        OpenAI(model="m").check()


def test_a_server_that_always_refuses_ends_within_the_budget(server: Server, tmp_path: Path) -> None:
    """429 for ever: charged, bounded, and an end that says so."""
    server.script = [{"status": 429, "headers": {"retry-after": "0"}, "body": {"error": {"message": "slow down"}}}]
    result = auditfw.run(
        {
            "experiment": "self_audit",
            "source": {"limit": 1},
            "executor": "subprocess",
            "solver": {"use": "openai", "model": "m", "base_url": server.address},
            "stop": {"max_iterations": 2, "retries": 1, "retry_delay": 0.0},
        },
        tmp_path / "run",
    )
    assert len(server.asked) == 4
    assert result.counts["read"] == 1
    written = b"".join(file.read_bytes() for file in (tmp_path / "run").rglob("*") if file.is_file())
    assert KEY.encode() not in written


def test_a_model_solves_a_task_with_feedback_on_its_first_try(server: Server, tmp_path: Path) -> None:
    wrong = "```python\ndef transform(g):\n    return g\n```"
    server.script = [{"body": completion(wrong)}, {"body": completion(GOOD)}]
    problems = tmp_path / "problems.jsonl"
    examples = [{"input": one.input, "output": one.output} for one in PROBLEM.train]
    problems.write_text(json.dumps({"id": "p", "train": examples, "test": [{"input": [[5, 6]], "output": [[6, 5]]}]}))
    result = auditfw.run(
        {
            "experiment": "self_audit",
            "source": {"use": "problems", "path": str(problems)},
            "executor": "subprocess",
            "solver": {"use": "openai", "model": "m", "base_url": server.address},
        }
    )
    found = {m.name: m.estimate.value for m in result.measurements if m.overall}
    assert (found["solve_rate@live"], found["test_rate@live"], found["mean_requests@live"]) == (1.0, 1.0, 2.0)
    said = server.asked[1]["messages"][1]["content"]
    assert "return g" in said
    assert "wrong cells are shown as found/expected" in said


def test_a_key_that_a_completion_repeats_is_stored_nowhere(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nor do HTTP libraries tell each request where Hydra has set logging to INFO."""
    monkeypatch.setattr(logging.getLogger(), "level", logging.INFO)
    echo = f"```python\n# {KEY}\nprint('{KEY}')\ndef transform(g):\n    raise ValueError('{KEY}')\n```"
    server.script = [{"body": completion(echo)}]
    examples = [{"input": one.input, "output": one.output} for one in PROBLEM.train]
    (tmp_path / "problems.jsonl").write_text(json.dumps({"id": "p", "train": examples, "test": []}))
    auditfw.run(
        {
            "experiment": "self_audit",
            "source": {"use": "problems", "path": str(tmp_path / "problems.jsonl")},
            "executor": "subprocess",
            "solver": {"use": "openai", "model": "m", "base_url": server.address},
            "stop": {"max_iterations": 2},
            "report": ["markdown", "html"],
        },
        tmp_path / "run",
    )
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [path.name for path in files if KEY.encode() in path.read_bytes()]
    assert "# [masked]" in (tmp_path / "run/attempts.jsonl").read_text("utf-8")
    assert logging.getLogger("httpx").getEffectiveLevel() == logging.WARNING
    assert KEY not in "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("text", "reference", "lenient", "strict"),
    [
        ("```python\nx=1\n```", "x=1\n", "x=1\n", "x=1\n"),
        ("no code", None, "", ""),
        ("x = 1", None, "x = 1", ""),
        ("```py\nx=1\n```", None, "x=1\n", ""),
        ("~~~python\nx=1\n~~~", None, "x=1\n", "x=1\n"),
        ("```python\nx=1", None, "x=1", ""),
        ("```\nx=1\n```", None, "x=1\n", ""),
        ("```python3\nx=1\n```", "3\nx=1\n", "x=1\n", ""),
        ("```python\nno code\n```\n```python\nx=1\n```", "no code\n", "x=1\n", ""),
        ("```python\nx=1\n```\n```python\ny=1\n```", "x=1\n", "x=1\n", ""),
        ("```python\n```", "", "", ""),
        ("```PYTHON   x=1```", "x=1", "", ""),
        ("```json\n{}\n```\n```python\nx=1\n```", "x=1\n", "x=1\n", ""),
        ("````python\nx='''\n```\n'''\n````", "x='''\n", "x='''\n```\n'''\n", "x='''\n```\n'''\n"),
    ],
)
def test_extractors(text: str, reference: str | None, lenient: str, strict: str) -> None:
    assert parse_code(text) == reference
    assert extract_code(text, "reference")[0] == (reference or "")
    assert extract_code(text, "lenient")[0] == lenient
    assert extract_code(text, "strict")[0] == strict
    for how in ("reference", "lenient", "strict"):
        code, why = extract_code(text, how)  # type: ignore[arg-type]
        assert bool(code) != bool(why)


def test_extractors_are_quick_on_hostile_text() -> None:
    begun = time.process_time()
    for text in ("```python" * 50_000, "```python" + " " * 500_000, "```\n" * 100_000, "`" * 500_000):
        for how in ("reference", "lenient", "strict"):
            extract_code(text, how)  # type: ignore[arg-type]
    assert time.process_time() - begun < 10


HOSTILE = st.text(st.sampled_from(["a", "\n", "`", "\x00", "\x1b", "\u202e", *delimiter(7)]), max_size=80)


@settings(deadline=None, max_examples=40)
@given(HOSTILE, st.integers(0, 40))
def test_no_text_of_a_model_closes_its_enclosure(text: str, at: int) -> None:
    mark = delimiter(7)
    hostile = text[:at] + mark[: at % 9] + mark + mark[at % 9 :] + text[at:]
    prompt = Prompt(shuffle=False).write(ask((Attempt(1, hostile, 0.5, hostile),)))
    assert prompt is not None
    lines = prompt[1]["content"].split("\n")
    assert sum(mark in line for line in lines) == sum(line == mark for line in lines) == 2 * (2 * 2 + 1 + 2)
    assert "\x00" not in prompt[1]["content"]
    assert "\x1b" not in enclosed(hostile, mark)


def test_prompts_differ_with_the_seed_and_with_nothing_else() -> None:
    assert Prompt().write(ask(seed=1)) == Prompt().write(ask(seed=1))
    assert delimiter(1) != delimiter(2)


def test_a_prompt_shows_the_best_attempts_and_keeps_to_its_size() -> None:
    tried = tuple(Attempt(n, f"program-{n}", n / 10, "x" * 100) for n in range(1, 9))
    text = Prompt(shown=2).write(ask(tried))[1]["content"]  # type: ignore[index]
    assert [n for n in range(1, 9) if f"program-{n}" in text] == [7, 8]
    assert text.index("program-7") < text.index("program-8")
    long = (Attempt(1, "y" * 50_000, 0.1, ""), Attempt(2, "z" * 50, 0.9, ""))
    text = Prompt(characters=100).write(ask(long))[1]["content"]  # type: ignore[index]
    assert "[49900 characters left out]" in text
    text = Prompt(total=2_000, characters=60_000).write(ask(long))[1]["content"]  # type: ignore[index]
    assert "zzz" in text
    assert "yyy" not in text
    assert Prompt(total=100).write(ask()) is None


def test_examples_too_long_to_ask_about_cost_no_request(server: Server) -> None:
    reply = solver(server, prompt=Prompt(total=10))(ask())
    assert reply.why == "the examples are longer than 10 characters"
    assert server.asked == []


@pytest.mark.parametrize(
    ("setting", "value"), [("base_url", "ftp://x"), ("price_in", -1.0), ("max_tokens", 0), ("temperature", -0.1)]
)
def test_settings_that_make_no_sense(setting: str, value: Any) -> None:
    with pytest.raises(UsageError):
        OpenAI(**{"model": "m", setting: value})


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
    assert f"test_solvers.py:{line} in solve, {kind}: {MENDED}" in found.warnings[-1]
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
    assert "mend " in found.warnings[-1]
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


def test_a_run_that_a_mistake_ended_keeps_what_is_done_and_goes_on(command: Any, tmp_path: Path) -> None:
    """The real command: exit 4 with the line and a result; mended, `resume` runs the rest; lines of progress."""
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
    assert "mend mine.py:4 in solve, NameError: the same error 3 times in a row ended the run with 3 problems" in last
    assert "name 'nope' is not defined" in last
    assert progress
    assert all(re.fullmatch(r"auditfw: \d( of 5)? trials? done after 0:\d\d", line) for line in progress)
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
