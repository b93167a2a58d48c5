"""`auditfw PATH` on the logs of harnesses: exit 0 and not one stored label that the rebuilt rule does not give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inspect_logs import members, sample, zipped
from places import TESTS
from running import Command

DATA = TESTS / "cases" / "data"
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
        ("inspect_logs/multi.eval", [], "inspect_includes", 10),
        ("inspect_logs/multi.json", [], "inspect_includes", 10),
        ("inspect_logs/long.json", [], "inspect_includes", 1),
        (SAMPLES, [], "lm_eval_strict_match", 12),
        (SAMPLES, ["source.where=\"filter = 'flexible-extract'\""], "lm_eval_flexible_extract", 12),
        ("field_logs/promptfoo/out.json", ["source.where=\"assertion = 'contains'\""], "stored+none", 4),
        ("field_logs/promptfoo/out.json", ["source.where=\"assertion = 'regex'\""], "stored+none", 4),
        ("field_logs/promptfoo/out.jsonl", [], "stored+none", 4),
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


def test_the_run_is_written_out_so_that_one_can_go_on_from_it(command: Command) -> None:
    path = DATA / "inspect_logs/mc.eval"
    done = command(str(path), "report=[]", "seed=3")
    assert done.stderr == (
        f"auditfw: logs of Inspect AI: auditfw source=inspect source.path={path} "
        "'parser=[inspect_choice,choice_letter,inspect_answer_letter]' 'normalizer=[inspect_choice]' "
        "matcher=inspect_choice 'audit.baseline={parser: inspect_choice, normalizer: inspect_choice}' "
        "'report=[]' seed=3\n"
    )


def test_a_scorer_that_asks_a_model_has_no_rule(command: Command) -> None:
    done = command(str(DATA / "inspect_logs/graded.eval"), "report=[json]")
    assert done.returncode == 0
    assert "audit.baseline=null audit.labels=judge" in done.stderr
    warnings = json.loads(done.stdout)["warnings"]
    assert "gate baseline_reproduces left out: audit.baseline is null" in warnings


def test_a_member_that_is_too_large_unless_it_is_allowed(command: Command, tmp_path: Path) -> None:
    good = members([sample(1), sample(2)])
    (tmp_path / "a.eval").write_bytes(zipped([(name, data + b" " * 2_000_000) for name, data in good]))
    assert command("a.eval", "report=[]").returncode == 0
    done = command("a.eval", "source.max_decoded=1000000")
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert "the member is too large (2,0" in done.stderr
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
    assert "a.eval:samples/1_epoch_1.json: the member is too large" in done.stderr
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
    assert done.stderr.startswith("auditfw: logs of Inspect AI: auditfw source=inspect ")
    assert "readings: inspect_choice+inspect_choice, " in done.stdout
    assert done.stdout.endswith("nothing was run\n")


def test_a_folder_of_logs(command: Command) -> None:
    done = command(str(DATA / "field_logs/lm_eval"), "report=[json]")
    assert done.returncode == 0
    assert json.loads(done.stdout)["counts"]["audited"] == 24
