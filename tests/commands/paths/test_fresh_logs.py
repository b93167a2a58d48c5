"""Logs of hard answers, made anew by the real packages: `auditfw LOG` gives every label that the harness stored."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from field_cases import cases
from field_packages import python_with
from places import HELPERS
from running import Command

pytestmark = pytest.mark.slow
SAMPLES = 240  # a scorer
INSPECT = (
    "inspect_match", "inspect_match_begin", "inspect_match_any", "inspect_match_exact", "inspect_match_case",
    "inspect_match_numeric", "inspect_match_numeric_any", "inspect_includes", "inspect_includes_case",
    "inspect_answer_letter", "inspect_answer_word", "inspect_answer_line", "inspect_pattern", "inspect_choice",
    "inspect_choice_several",
)  # fmt: skip


def write(package: str, writer: str, scripts: Any, temporary: pytest.TempPathFactory) -> Path:
    """The folder of logs that a harness wrote of scripted answers."""
    python, folder = python_with(package, temporary), temporary.mktemp("fresh")
    (folder / "scripts.json").write_text(json.dumps(scripts), "utf-8")
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    offline = {"INSPECT_LOG_LEVEL": "error", "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "hf")}
    words = [python, HELPERS / writer, folder / "scripts.json", folder]
    subprocess.run(words, check=True, timeout=900, cwd=folder, env={**clean, **offline})
    return folder


def mismatches(command: Command, *words: str) -> tuple[float, int, int]:
    """Stored labels that the baseline does not give, those it could be compared with, and the right ones of them."""
    done = command(*words, "report=[json]", "audit.probe=0", "audit.causes=0")
    assert done.returncode in (0, 1), done.stderr
    result = json.loads(done.stdout)
    [one] = [one for one in result["measurements"] if one["metric"] == "mismatches" and not one["cell"]]
    return one["value"], one["counted"], result["counts"]["audited"]


@pytest.fixture(scope="module")
def inspect_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scripts = {rule: cases(rule, SAMPLES) for rule in INSPECT}
    return write("inspect-ai", "fresh_inspect.py", scripts, tmp_path_factory)


@pytest.mark.parametrize("rule", INSPECT)
def test_every_label_of_a_fresh_log_of_inspect(command: Command, inspect_logs: Path, rule: str) -> None:
    assert mismatches(command, str(inspect_logs / f"{rule}.eval")) == (0, SAMPLES, SAMPLES)


@pytest.fixture(scope="module")
def lm_eval_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pairs = [pair for rule in ("lm_eval_number", "lm_eval_letter") for pair in cases(rule, SAMPLES // 2)]
    return write("lm-eval", "fresh_lm_eval.py", pairs, tmp_path_factory)


@pytest.mark.parametrize("task", ["bare", "clean", "cot", "last", "letters", "tail", "upper"])
def test_every_label_of_a_fresh_log_of_lm_eval(command: Command, lm_eval_logs: Path, task: str) -> None:
    [log] = lm_eval_logs.glob(f"*/samples_{task}_*.jsonl")
    assert mismatches(command, str(log)) == (0, SAMPLES, SAMPLES)


@pytest.mark.parametrize("name", ["strict-match", "flexible-extract"])
def test_every_label_of_a_filter_of_lm_eval(command: Command, lm_eval_logs: Path, name: str) -> None:
    [log] = lm_eval_logs.glob("*/samples_sums_*.jsonl")
    assert mismatches(command, str(log), f"source.where=\"filter = '{name}'\"") == (0, SAMPLES, SAMPLES)
