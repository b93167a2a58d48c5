"""The benchmark of rules: completions that every rule finds an answer in, and a script that labels them alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import rules, timed_rules
from benchmarks.data import completions
from benchmarks.plain import rule_script


def test_every_rule_of_the_benchmark_finds_answers_in_its_completions(tmp_path: Path) -> None:
    for rule in timed_rules.RULES:
        completions.write(tmp_path / "made-up.jsonl", 40, [rule.kind])
        rows = [json.loads(line) for line in (tmp_path / "made-up.jsonl").read_text("utf-8").splitlines()]
        assert all(100 < len(row["completion"]) < 8200 for row in rows)
        rule_script.main([str(tmp_path / "made-up.jsonl"), str(tmp_path / "labels"), "40", rule.name])
        labels = (tmp_path / "labels").read_text("ascii").strip()
        assert len(labels) == 40, rule.name
        assert rule.name == "answer_v2" or "1" in labels, rule.name


def test_the_rules_are_those_of_the_script() -> None:
    assert [rule.name for rule in timed_rules.RULES] == list(rule_script.RULES)


def test_the_searches_alone_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert rules.run(["--engine", "--texts", "60"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["last number", "last letter"]


@pytest.mark.slow
def test_the_script_may_label_the_first_rows_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert rules.run(["--rows", "90", "--script-rows", "30", "--rule", "boxed", "--rule", "last_number"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("90 completions, 2 workers, the script's time scaled up from 30; wall")
    assert "labels compared: 240, different: 0" in printed


@pytest.mark.slow
def test_no_label_differs(capsys: pytest.CaptureFixture[str]) -> None:
    assert rules.run(["--rows", "300"]) == 0
    assert f"labels compared: {1200 * len(timed_rules.RULES):,}, different: 0" in capsys.readouterr().out
