"""Scores given back to the real package: a fresh log, audited, has its own scores and ours beside them."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from field_packages import python_with
from places import HELPERS
from running import run_auditfw

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return python_with("inspect-ai", tmp_path_factory)


def run_helper(python: Path, name: str, *words: Path | str, cwd: Path) -> str:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [python, HELPERS / name, *words],
        check=True, timeout=600, cwd=cwd, env={**clean, "INSPECT_LOG_LEVEL": "error"}, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout


def values(rows: list[dict[str, Any]], key: str) -> dict[str, str]:
    return {row["name"]: row["scores"][key]["value"] for row in rows if key in row["scores"]}


@pytest.mark.parametrize("form", ["eval", "json"])
def test_our_scores_stand_beside_theirs(python: Path, tmp_path: Path, form: str) -> None:
    run_helper(python, "inspect_writer.py", tmp_path / "logs", form, cwd=tmp_path)
    logs = sorted((tmp_path / "logs").glob(f"*.{form}"))
    digests = [hashlib.sha256(log.read_bytes()).hexdigest() for log in logs]
    words = ["source=inspect", "source.path=logs", "parser=[raw,last_number]", "normalizer=[none]", "gate=[]"]
    words += ["matcher=exact", "report=[inspect_scores]", "reports.inspect_scores.reading=last_number+none"]
    done = run_auditfw([*words, "hydra.run.dir=run", "audit.baseline=null"], tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    trials = pl.read_parquet(tmp_path / "run" / "trials.parquet")
    assert len(logs) == 2
    assert trials["last_number+none"].n_unique() == 3  # right, wrong, no label
    for log in logs:
        ours = tmp_path / "run" / "inspect_scores" / f"{log.stem}.jsonl"
        target = tmp_path / f"again.{form}"
        found = json.loads(run_helper(python, "inspect_rescoring.py", log, ours, target, cwd=tmp_path).splitlines()[-1])
        rows = json.loads(Path(f"{log}.read").read_text("utf-8"))["rows"]
        before = {row["name"]: row["scores"] for row in rows}
        new = "precomputed_scores" if found["shipped"] else "read_by_hand"
        for row in found["rows"]:
            old = {key: one for key, one in row["scores"].items() if key != new}
            assert {key: (one["value"], one["answer"]) for key, one in old.items()} == {
                key: (one["value"], one["answer"]) for key, one in before[row["name"]].items()
            }
        own = trials.filter(pl.col("log") == f"logs/{log.name}", pl.col("last_number+none").is_not_null())
        names = [f"{sample}#{epoch}" for sample, epoch in own.select("sample_id", "epoch").rows()]
        labels = ["C" if label else "I" for label in own["last_number+none"]]
        assert values(found["rows"], new) == dict(zip(names, labels, strict=True))
        answers = {row["name"]: row["scores"][new]["answer"] for row in found["rows"] if new in row["scores"]}
        assert answers == dict(zip(names, own["text.last_number"], strict=True))
        assert found["results"][new]["accuracy"] == pytest.approx(accuracy(names, labels), abs=1e-9)
    assert [hashlib.sha256(log.read_bytes()).hexdigest() for log in logs] == digests


def accuracy(names: list[str], labels: list[str]) -> float:
    """Inspect's accuracy: the mean over samples of each sample's mean over epochs."""
    by_sample: dict[str, list[bool]] = {}
    for name, label in zip(names, labels, strict=True):
        by_sample.setdefault(name.rpartition("#")[0], []).append(label == "C")
    means = [sum(one) / len(one) for one in by_sample.values()]
    return sum(means) / len(means)
