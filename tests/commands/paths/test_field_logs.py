"""`auditfw PATH` on the logs of harnesses: exit 0 and not one stored label that the rebuilt rule does not give."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from files_read import lines
from inspect_logs import head, json_log, members, sample, zipped
from log_records import likelihoods
from places import TESTS
from running import Command
from sentences import commands as says

FILES = ("result.json", "trials.parquet", "report.md")
DATA = TESTS / "cases" / "data"
slow = pytest.mark.slow
SAMPLES = "field_logs/lm_eval/samples_mygsm_2026-11-22T15-10-07.226628.jsonl"


@pytest.mark.parametrize(
    ("log", "words", "rule", "labelled"),
    [
        ("inspect_logs/adds.eval", [], "inspect_match", 117),
        ("inspect_logs/adds.eval", ["source.scorer=includes"], "inspect_includes", 117),
        ("inspect_logs/adds.eval", ["source.scorer=answer"], "inspect_answer_line", 117),
        ("inspect_logs/adds.eval", ["source.scorer=pattern"], "inspect_pattern", 117),
        ("inspect_logs/adds.eval", ["source.scorer=match1"], "inspect_match_numeric", 117),
        ("inspect_logs/adds.eval", ["source.scorer=match2"], "inspect_match_begin", 117),
        ("inspect_logs/mc.eval", [], "inspect_choice", 12),
        pytest.param("inspect_logs/multi.eval", [], "inspect_includes", 10, marks=slow),
        ("inspect_logs/multi.json", [], "inspect_includes", 10),
        ("inspect_logs/long.json", [], "inspect_includes", 1),
        (SAMPLES, [], "baseline", 24),
        (SAMPLES, ["source.filter=strict-match"], "lm_eval_strict_match", 12),
        pytest.param(SAMPLES, ["source.where=\"filter = 'strict-match'\""], "lm_eval_strict_match", 12, marks=slow),
        (SAMPLES, ["source.where=\"filter = 'flexible-extract'\""], "lm_eval_flexible_extract", 12),
        pytest.param(
            "field_logs/promptfoo/out.json",
            ["source.where=\"assertion = 'contains'\""],
            "baseline",
            4,
            marks=slow,
        ),
        pytest.param(
            "field_logs/promptfoo/out.json",
            ["source.where=\"assertion = 'regex'\""],
            "baseline",
            4,
            marks=slow,
        ),
        ("field_logs/promptfoo/out.jsonl", [], "baseline", 12),
        ("field_logs/lm_eval", [], "baseline", 36),
        pytest.param("field_logs/lm_eval/results_2026-11-22T15-10-07.226628.json", [], "baseline", 36, marks=slow),
        pytest.param("field_logs/lm_eval", ["source.where='repeat = 0'"], "baseline", 36, marks=slow),
        ("field_logs/lm_eval", ["source.filter=none"], "stored_exact", 12),
    ],
)
def test_the_rule_of_the_log_gives_its_labels(
    command: Command, log: str, words: list[str], rule: str, labelled: int
) -> None:
    done = command(str(DATA / log), "report=[json]", *words)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr
    [mismatches] = [one for one in json.loads(done.stdout)["measurements"] if one["metric"] == "mismatches"]
    assert (mismatches["value"], mismatches["counted"]) == (0, labelled)
    assert mismatches["reading"].startswith(rule)


def test_a_rival_of_a_lossy_rule_is_read_by_numbers(command: Command, tmp_path: Path) -> None:
    """`match` with settings of its own accepts -5 for 5: its rival does not, and no setting is lost."""
    pairs = [(str(n), f"It is {'-' * (n % 4 == 0)}{n}") for n in range(1, 121)]
    samples = [
        sample(n, 1, "C", target=truth, output={"choices": [], "completion": text})
        for n, (truth, text) in enumerate(pairs)
    ]
    log = head()
    log["eval"]["scorers"] = [{"name": "match", "options": {"ignore_case": False}}]
    (tmp_path / "a.eval").write_bytes(zipped(members(samples, log)))
    done = command(str(tmp_path / "a.eval"), "report=[json]")
    result = json.loads(done.stdout)
    assert "audit.scorers.inspect_match.matcher.ignore_case=false" in done.stderr
    assert result["answer"]["headline"].startswith(says.THE_ERROR_RATE_IS_TO)
    assert [one["reading"] for one in result["answer"]["rules"] if one["rule"] == "lossy" and one["fired"]] == [
        "inspect_match"
    ]
    assert any("inspect_match accepts -5 for 5" in one for one in result["warnings"])


def test_rivals_of_an_assertion_are_of_its_own_kind(command: Command) -> None:
    """The value of a `regex` is a pattern, beside texts of other types."""
    done = command(str(DATA / "field_logs/promptfoo/out.json"), "report=[json]")
    assert "'normalizer=[none]' matcher=of_rule " in done.stderr
    flips = {m["reading"]: m["value"] for m in json.loads(done.stdout)["measurements"] if m["metric"] == "flips"}
    assert flips["last_line+none"] == 0  # of answers of one line


def test_the_run_is_written_out_so_that_one_can_go_on_from_it(command: Command) -> None:
    path = DATA / "inspect_logs/mc.eval"
    done = command(str(path), "report=[]", "seed=3")
    assert done.stderr == (says.AUDITFW_LOGS_OF_INSPECT_AI.format(path))


def write_sums(version: str) -> str:
    """Writes a log of match(numeric=True) as it was before 0.3.221, when 25 was right for 5; it names a release."""
    says = [("5", "C"), ("25", "C"), ("6", "I"), ("55 eggs", "C"), ("so 5.", "C"), ("25", "C"), ("50", "I")]
    samples = [
        sample(number, value=value, target="5", output={"choices": [], "completion": text})
        | {"scores": {"match": {"value": value, "answer": text, "explanation": text}}}
        for number, (text, value) in enumerate(says * 4)
    ]
    scorers = [{"name": "match", "options": {"numeric": True}}]
    return json_log(*samples, log_head=head(scorers=scorers, packages={"inspect_ai": version}))


@pytest.mark.parametrize(
    ("version", "rule"), [("0.3.133", "inspect_match_numeric_2025"), ("", "inspect_match_numeric")]
)
def test_the_rule_of_the_release_that_scored(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, rule: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_sums(version)
    done = command("a.json", "report=[json]")
    assert f"audit.baseline={rule}" in done.stderr
    result = json.loads(done.stdout)
    [mismatches] = [one for one in result["measurements"] if one["metric"] == "mismatches"]
    assert mismatches["value"] == (0 if version else 12)
    assert "promptfoo" not in json.dumps(result)
    if not version:  # what is advised works
        advice = "audit.baseline=inspect_match_numeric_2025"
        assert result["answer"]["next"] == says.RUN_AGAIN_WITH_THE_RULE.format(advice)
        again = command("a.json", "report=[json]", *shlex.split(advice))
        assert again.returncode == 0, again.stderr


def test_a_scorer_that_asks_a_model_has_no_rule(command: Command) -> None:
    done = command(str(DATA / "inspect_logs/graded.eval"), "report=[json]")
    assert done.returncode == 0
    assert "audit.baseline=null audit.labels=judge" in done.stderr
    warnings = json.loads(done.stdout)["warnings"]
    assert says.GATE_BASELINE_REPRODUCES_LEFT_OUT in warnings


def test_a_member_that_is_too_large_unless_it_is_allowed(command: Command, tmp_path: Path) -> None:
    good = members([sample(1), sample(2)])
    (tmp_path / "a.eval").write_bytes(zipped([(name, data + b" " * 2_000_000) for name, data in good]))
    assert command("a.eval", "report=[]").returncode == 0
    done = command("a.eval", "source.max_decoded=1000000")
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert says.THE_MEMBER_IS_TOO_LARGE in done.stderr
    assert "where 1,000,000 are allowed" in done.stderr


@pytest.mark.slow
def test_a_member_of_600_megabytes_is_read_where_it_is_allowed(command: Command, tmp_path: Path) -> None:
    good = members([sample(1), sample(2)])
    padded = [
        (name, data.replace(b'"events":[', b'"events":["' + b"a" * (600 << 20) + b'",')) for name, data in good[1:2]
    ]
    (tmp_path / "a.eval").write_bytes(zipped([good[0], *padded, *good[2:]]))
    done = command("a.eval", "report=[]")
    assert done.returncode == 3
    assert says.SAMPLES_THE_MEMBER_IS_TOO in done.stderr
    assert command("a.eval", "report=[]", "source.max_decoded=700000000").returncode == 0


def test_a_killed_run(command: Command, tmp_path: Path) -> None:
    """Its journal and the samples that it wrote are read, which is said."""
    (tmp_path / "a.eval").write_bytes(zipped(members([sample(1), sample(2)])[:-1]))
    done = command("a.eval", "report=[json]")
    result = json.loads(done.stdout)
    assert (done.returncode, result["counts"]) == (0, {"read": 2, "audited": 2})
    assert any("without writing the log's head: 2 samples are read" in one for one in result["warnings"])


def test_check_says_what_would_be_chosen(command: Command) -> None:
    done = command("check", str(DATA / "inspect_logs/mc.eval"))
    assert done.returncode == 0
    assert done.stderr.startswith(says.AUDITFW_LOGS_OF_INSPECT_AI_AUDITFW)
    assert "readings: inspect_choice, " in done.stdout
    assert done.stdout.endswith("nothing was run\n")


def test_a_folder_of_logs(command: Command) -> None:
    done = command(str(DATA / "field_logs/lm_eval"), "report=[json]")
    assert done.returncode == 0
    assert json.loads(done.stdout)["counts"] == {"read": 60, "audited": 60}


def measured(done: Any, metric: str = "mismatches") -> tuple[Any, ...]:
    assert done.returncode == 0, done.stderr
    [one] = [one for one in json.loads(done.stdout)["measurements"] if one["metric"] == metric]
    return one["reading"], one["value"], one["counted"]


def test_logs_of_several_scorers_have_a_rule_each(command: Command) -> None:
    logs = [str(DATA / "inspect_logs" / name) for name in ("adds.eval", "mc.eval", "multi.eval", "graded.eval")]
    done = command(*logs, "report=[json]")
    assert measured(done) == ("baseline", 0, 139)
    assert " 'by=[model,task,scorer]' " in done.stderr
    assert "rules: {match: inspect_match, " in done.stderr
    assert json.loads(done.stdout)["counts"]["no_rule"] == 8  # those that a model graded


@pytest.mark.usefixtures("here")
def test_filters_without_a_results_file_have_the_shipped_rules_of_their_names(command: Command) -> None:
    shutil.copy(DATA / SAMPLES, "samples_mygsm.jsonl")
    done = command("samples_mygsm.jsonl", "report=[json]")
    assert measured(done) == ("baseline", 0, 24)
    alone = command("samples_mygsm.jsonl", "report=[json]", "source.filter=flexible-extract")
    assert measured(alone) == ("lm_eval_flexible_extract", 0, 12)
    choice = likelihoods([-2.0, -1.0], ["no", "yes"], "0", filter="none", acc=0.0, metrics=["acc"])
    strict = {"doc_id": 0, "target": "4", "resps": [["#### 4"]], "filtered_resps": ["4"], "filter": "strict-match"}
    other = {**strict, "filter": "mine", "filtered_resps": ["x"], "exact_match": 0.0}
    lines(choice, {**strict, "exact_match": 1.0}, other, name="mixed.jsonl")
    done = command("mixed.jsonl", "report=[json]")
    assert measured(done) == ("baseline", 0, 2)
    assert "'mine' × 1" in " ".join(json.loads(done.stdout)["warnings"])


def answered(number: int, pattern: str, task: str) -> dict[str, Any]:
    """A sample of a log whose scorer is a pattern, with what it gives: a text that it matches, or not."""
    completion = f"{task}: #{number % 5}# or ={number % 3}="
    caught = re.search(pattern, completion)
    right = caught is not None and caught[1] == "1"
    scores = {"pattern": {"value": "C" if right else "I", "answer": caught and caught[1]}}
    return sample(number, target="1", output={"choices": [], "completion": completion}, scores=scores)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["sums (a, b): c={d} [e]", "it $HOME \\ *x*|?"])
@pytest.mark.usefixtures("here")
def test_rules_with_settings_can_be_typed_whatever_they_hold(command: Command, task: str) -> None:
    patterns = {task: "#(\\d)#|['\"$`]{9}", "other": "=(\\d)=|\\\\{2}"}
    for i, (name, pattern) in enumerate(patterns.items()):
        scorers = [{"name": "pattern", "options": {"pattern": pattern}}]
        samples = [answered(number, pattern, "x") for number in range(15)]
        json_log(*samples, log_head=head(task=name, scorers=scorers, eval_id=f"e{i}"), name=f"{i}.json")
    assert typed_again(command, "0.json", "1.json")["reading"] == "baseline"


def typed_again(command: Command, *words: str) -> dict[str, Any]:
    """The mismatches of a run of paths, whose command as written out gives the same bytes in a shell."""
    done = command(*words, "hydra.run.dir=one")
    assert done.returncode == 0, done.stderr
    written = done.stderr.splitlines()[0].partition(": auditfw ")[2].replace("hydra.run.dir=one", "hydra.run.dir=two")
    shell = f"{sys.executable} -m auditfw {written}"
    again = subprocess.run(shell, shell=True, capture_output=True, text=True, check=False, executable="/bin/sh")
    assert again.returncode == 0, again.stderr
    assert [Path("one", name).read_bytes() for name in FILES] == [Path("two", name).read_bytes() for name in FILES]
    measurements = json.loads(Path("one/result.json").read_text("utf-8"))["measurements"]
    [one] = [one for one in measurements if one["metric"] == "mismatches"]
    assert one["value"] == 0
    return dict(one)


@pytest.mark.slow
@pytest.mark.parametrize("log", [SAMPLES, "field_logs/lm_eval", "field_logs/promptfoo/out.json"])
@pytest.mark.usefixtures("here")
def test_the_run_that_is_written_out_can_be_typed(command: Command, log: str) -> None:
    assert typed_again(command, str(DATA / log))["reading"] == "baseline"


@pytest.mark.usefixtures("here")
def test_a_value_that_cannot_be_typed_as_a_key_is_left_to_a_file(command: Command) -> None:
    for i, name in enumerate(("a", "b", "ré")):
        pattern = ("#(.)#", "=(.)=", "(.)=")[i]
        scorers = [{"name": "pattern", "options": {"pattern": pattern}}]
        samples = [answered(number, pattern, "x") for number in range(15)]
        json_log(*samples, log_head=head(task=name, scorers=scorers, eval_id=f"e{i}"), name=f"{i}.json")
    done = command("0.json", "1.json", "2.json", "report=[json]")
    assert measured(done) == ("baseline", 0, 30)
    assert json.loads(done.stdout)["counts"]["no_rule"] == 15


@pytest.mark.parametrize("words", [("0.json",), ("check", "0.json")])
@pytest.mark.usefixtures("here")
def test_a_pattern_of_a_log_that_is_too_large_to_be_compiled(command: Command, words: tuple[str, ...]) -> None:
    scorers = [{"name": "pattern", "options": {"pattern": "((((((a{9}){9}){9}){9}){9}){9})"}}]
    json_log(answered(1, "#(.)#", "x"), log_head=head(task="t", scorers=scorers, eval_id="e"), name="0.json")
    done = command(*words)
    assert done.returncode == 3
    [line] = [line for line in done.stderr.splitlines() if "error" in line]
    assert says.SCORER_PATTERN_A_PATTERN_OF in line
