"""A model behind a server that speaks the protocol, and its faults."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_requests import KEY, PROBLEM, Server, ask

import auditfw
from auditfw.components.solver.openai import OpenAI
from auditfw.components.solver.prompts import Prompt
from auditfw.core.errors import UsageError
from auditfw.kinds.solving import Reply, RequestTimeoutError, TransientError

CODE = "def transform(g):\n    return [row[::-1] for row in g]\n"
CUT_OFF = ", and the reply was cut off at its longest"
GOOD = f"Here it is.\n```python\n{CODE}```\n"


def completion(content: Any, usage: Any = None, finish: str = "stop") -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content}}
    made: dict[str, Any] = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return made | ({"usage": usage} if usage else {})


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


@pytest.mark.parametrize("step", [{"wait": 30.0, "body": completion(GOOD)}, {"body": completion(GOOD), "drip": 0.05}])
def test_a_server_that_hangs_or_drips_is_a_timeout(server: Server, step: Any) -> None:
    server.script = [step]
    begun = time.monotonic()
    with pytest.raises(RequestTimeoutError):
        solver(server)(ask(timeout=0.5))
    assert time.monotonic() - begun < 10


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
