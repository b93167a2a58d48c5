"""Runs of HELM, made by hand after its dataclasses (0.5.16), of which what is None is not written."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from files_read import put, read, refused
from log_records import run, state, stats

import auditfw
from auditfw.components.source.helm import Helm
from auditfw.core.errors import DataError

pytestmark = pytest.mark.usefixtures("here")
NAMES = ("id", "item", "repeat", "perturbation", "raw_text", "parsed_text", "ground_truth", "stored")
PARTS = [{"type": "thinking", "thinking": "Italy?"}, {"type": "text", "text": "Rome"}]
TYPOS = {"name": "typos", "prob": 0.1}


def rows_of(source: Helm, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names or NAMES) for row in read(source)[0]]


def test_a_run() -> None:
    path = run(
        state("id1", (" Paris", -3.0), (" Rome ", -1.0)),
        state("id1", ("Rom", -1.0), perturbation=TYPOS),
        state("id1", ("Rome", -1.0), trial=1),
        state("id2", ("Paris", -1.0)),
        statistics=[stats("id2", 0.0), stats("id1", 0.0, TYPOS), stats("id1", 1.0), stats("id1", 1.0, trial=1)],
    )
    truths = ["Rome", "Roma"]
    assert rows_of(Helm(path=path)) == [
        ("id1/0", "id1", 0, None, " Rome ", "Rome", truths, 1.0),
        ("id1/typos/0", "id1", 0, "typos", "Rom", "Rom", truths, 0.0),
        ("id1/1", "id1", 1, None, "Rome", "Rome", truths, 1.0),
        ("id2/0", "id2", 0, None, "Paris", "Paris", truths, 0.0),
    ]
    names = ("model", "task", "temperature", "split", "question", "choices", "metric")
    assert rows_of(Helm(path=path), *names)[0] == (
        "org/m", "mmlu,model=m", 0.0, "test", "?", ["Paris", "Rome", "Roma"], "exact_match",
    )  # fmt: skip
    [rule] = Helm(path=path).rules().values()
    assert (rule.name, rule.options) == ("exact_match", {"method": "generation"})


@pytest.mark.parametrize(
    ("text", "pattern", "parsed"),
    [
        (" B ", None, "Rome"),
        ("B.", None, ""),
        ("answer is (B)", r"answer is \(?([A-J])\)?", "Rome"),
        ("answer is B", "[A-J]", "Rome"),
        ("none", "[A-J]", ""),
    ],
)
def test_answers_that_stand_for_choices(text: str, pattern: str | None, parsed: str) -> None:
    adapter = {} if pattern is None else {"output_mapping_pattern": pattern}
    path = run(state("id1", (text, 0.0), output_mapping={"A": "Paris", "B": "Rome"}), statistics=[], **adapter)
    assert rows_of(Helm(path=path), "raw_text", "parsed_text") == [(text, parsed)]


@pytest.mark.parametrize(
    ("text", "thinking", "reasoning"),
    [
        ("Rome", {"text": "It is in Italy."}, "It is in Italy."),
        ("Rome", None, None),
        (PARTS, None, "Italy?"),
        (PARTS, {"text": ""}, "Italy?"),
        (PARTS, {"text": "France?"}, "France?"),
    ],
)
def test_what_a_model_thought(text: Any, thinking: Any, reasoning: str | None) -> None:
    """What HELM keeps beside the text, or else what is reasoning in the text's parts."""
    one = state("id1", (text, 0.0))
    one["result"]["completions"][0]["thinking"] = thinking
    assert rows_of(Helm(path=run(one, statistics=[])), "reasoning") == [(reasoning,)]


def test_patterns_that_cannot_be_used() -> None:
    one = state("id1", ("a" * 60 + "!", 0.0), output_mapping={"A": "Paris"})
    for pattern in ("(", "(?:a|aa)+$"):  # the second takes for ever
        path = run(one, statistics=[], output_mapping_pattern=pattern)
        refused(DataError, Helm(path=path), "output_mapping_pattern cannot be used")
    path = run(one, statistics=[], output_mapping_pattern="(a{1000}){1000}")
    refused(DataError, Helm(path=path), "run_spec.json: output_mapping_pattern: ", "1,000,000 counted repeats")


def test_requests_for_single_choices_and_failed_ones() -> None:
    run(
        state("id1", ("x", 0.0), reference_index=0),
        state("id1", ("x", 0.0), reference_index=0, request_mode="calibration"),
        state("id2", result={"success": False, "error": "HTTP 500", "completions": []}),
        state("id3", ("Rome", 0.0), result=None),
        state("id4", ("Rome", 0.0)),
        statistics=[stats("id4", 1.0)],
    )
    source = {"use": "helm", "path": "suite"}
    result = auditfw.run({"experiment": "answer_parsing", "source": source})
    assert result.counts == {"read": 5, "audited": 1, "no_text": 2, "sample_error": 2}
    assert rows_of(Helm(path="suite"), "error") == [("HTTP 500",), ("no result",), (None,)]


def test_a_suite_of_runs() -> None:
    for name in ("b", "a"):
        run(state("id1", ("Rome", 0.0)), statistics=[stats("id1", 1.0, metric="quasi_exact_match")], name=name)
    path = Path("suite/b/per_instance_stats.json")
    put(f"{path}.gz", gzip.compress(path.read_bytes()))
    path.unlink()
    source = Helm(path="suite")
    assert rows_of(source, "id", "item", "stored", "metric") == [
        ("a/id1/0", "a/id1", 1.0, "quasi_exact_match"),
        ("b/id1/0", "b/id1", 1.0, "quasi_exact_match"),
    ]
    paths = [Path(one.path).name for one in source.open([], None).inputs()]
    assert sorted(paths) == sorted([*["scenario_state.json", "run_spec.json"] * 2, path.name, f"{path.name}.gz"])


def test_runs_without_statistics_have_no_labels() -> None:
    path = run(state("id1", ("Rome", 0.0)))
    evidence = Helm(path=path).open(["ground_truth"], ["stored"])
    assert "stored" not in evidence.columns
    assert evidence.warnings == (
        f"{path}/scenario_state.json: no per_instance_stats.json next to it, so there are no labels",
    )


def test_statistics_that_do_not_fit() -> None:
    path = run(state("id1", ("Rome", 0.0)), state("id2", ("x", 0.0)), statistics=[stats("id1", 1.0)])
    rows, tally = read(Helm(path=path))
    assert [row["stored"] for row in rows] == [1.0, None]
    assert [n for remark, n in tally["notes"].items() if "missing in the statistics" in remark] == [1]
    named = f"{path}/per_instance_stats.json"
    refused(DataError, Helm(path=path, metric="exact_mach"), f"{named}: no metric 'exact_mach'", "'exact_match'")
    run(state("id1", ("Rome", 0.0)), statistics=[stats("id1", 1.0, metric="f1_score")])
    refused(DataError, Helm(path=path), f"{named}: no metric that says right or wrong", "found: f1_score")
    assert rows_of(Helm(path=path, metric="f1_score"), "stored") == [(1.0,)]


def test_what_is_no_run() -> None:
    Path("suite").mkdir()
    refused(DataError, Helm(path="suite"), "suite: is a folder (no scenario_state.json in it)")
    put("suite/scenario_state.json", '{"request_states": [\n{"instance": 1}]}')
    refused(DataError, Helm(path="suite"), "scenario_state.json:2: not a request of HELM", "found: instance")
    run(state("1", result={"success": True, "outputs": ["Rome"]}), name="q")
    refused(DataError, Helm(path="suite/q"), "scenario_state.json", "no 'completions' in its result", "found: success")
    run(state("id1", ("Rome", 0.0)), statistics={}, name="r")
    refused(DataError, Helm(path="suite/r"), "per_instance_stats.json", "the top level is an object, not an array")
