"""Named sources for logs of a fixed layout: OpenCompass, openai/evals and evalplus."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from files_read import lines, put
from running import run_auditfw

pytestmark = pytest.mark.usefixtures("here")


def audited(source: str, *words: str) -> tuple[dict[str, int], pl.DataFrame]:
    """The counts of a run of the real command, and its trials."""
    done = run_auditfw([f"source={source}", *words, "report=[json]"], Path.cwd())
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)["counts"], pl.read_parquet(max(Path("outputs").rglob("trials.parquet")))


def details(right: bool) -> str:
    one = {"prompt": "2+2?", "origin_prediction": "So it is 4.", "predictions": "4", "references": "4"}
    return json.dumps(
        {"accuracy": 50, "details": {"type": "GEN", "0": {**one, "correct": right}, "1": {**one, "correct": True}}}
    )


def test_opencompass() -> None:
    put("gsm8k.json", details(True))
    counts, trials = audited("opencompass", "source.path=gsm8k.json")
    assert counts == {"read": 2, "audited": 2}
    assert trials["id"].to_list() == ["0", "1"]
    for model in ("a", "b"):
        Path(model).mkdir()
        put(f"{model}/gsm8k.json", details(model == "a"))
    words = ['source.path="{model}/{task}.json"', 'source.columns.id="{model}/{task}/{key}"', "by=[model,task]"]
    _, trials = audited("opencompass", *words, 'source.columns.item="{task}/{key}"')
    assert trials["id"].to_list() == ["a/gsm8k/0", "a/gsm8k/1", "b/gsm8k/0", "b/gsm8k/1"]
    assert trials["stored"].to_list() == [True, True, False, True]


def test_openai_evals() -> None:
    base = {"run_id": "r", "created_by": "", "created_at": ""}
    match = {"expected": ["Rome", "Roma"], "sampled": "Roma, I think", "options": ["Rome", "Roma"]}
    lines(
        {"spec": {"eval_name": "t"}},
        {**base, "event_id": 0, "sample_id": "t.0", "type": "sampling", "data": {"prompt": "?", "sampled": ["x"]}},
        {
            **base,
            "event_id": 1,
            "sample_id": "t.0",
            "type": "match",
            "data": {**match, "picked": "Roma", "correct": True},
        },
        {
            **base,
            "event_id": 3,
            "sample_id": "t.1",
            "type": "match",
            "data": {**match, "picked": None, "correct": False},
        },
        {"final_report": {"accuracy": 0.5}, "run_id": "r"},
    )
    counts, trials = audited("openai_evals", "source.path=a.jsonl")
    assert counts == {"read": 5, "audited": 2, "filtered": 3}
    assert trials["id"].to_list() == ["t.0/1", "t.1/3"]
    assert trials["stored"].to_list() == [True, False]


def test_evalplus() -> None:
    """Its base and plus tests rate each solution; a task may have several."""
    solutions = [("pass", "fail"), ("pass", "pass")], [("timeout", "fail")]
    tasks = {
        f"HumanEval/{n}": [{"solution": "x", "base_status": base, "plus_status": plus} for base, plus in several]
        for n, several in enumerate(solutions)
    }
    put("x_eval_results.json", json.dumps({"date": "2026-01-02", "hash": "h", "eval": tasks, "pass_at_k": {}}))
    words = ["source.path=x_eval_results.json", "experiment=cross_agent", "gate=[]", "audit.labels=[pass,fail,timeout]"]
    counts, trials = audited("evalplus", *words, "audit.reference=plus")
    assert counts == {"read": 3, "audited": 3}
    assert trials.select("id", "base", "plus").rows() == [
        ("HumanEval/0/1", "pass", "fail"),
        ("HumanEval/0/2", "pass", "pass"),
        ("HumanEval/1/3", "timeout", "fail"),
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["source=jsonl", "source.path=5"], "source.path: expected text or a list, got 5"),
        (["source=jsonl", "source.path=[]"], "source.path: not set"),
        (["source=helm", "source.path=a.json"], "a.json: no key 'request_states' (found: x)"),
        (["source=promptfoo", "source.path=a.json"], "a.json: no key 'results' (found: x)"),
        (["source=opencompass", "source.path=a.json"], "source.records: no key 'details' in a.json (found: x)"),
        (["source=jsonl", "source.files=[{path: a, wher: x}]"], "source.files[0].wher: unknown setting (x)"),
    ],
)
def test_what_a_command_refuses_in_one_line(words: list[str], said: str) -> None:
    put("a.json", '{"x": [{"id": 1}]}')
    done = run_auditfw(["check", *words], Path.cwd())
    assert (done.returncode, done.stderr.count("\n")) in ((2, 1), (3, 1)), done.stderr
    assert done.stderr.startswith(f"auditfw: error: {said}")
