"""The example plugin's own tests: its components by hand, and through a run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from auditfw_example import AgreementPercent

import auditfw
from auditfw import Estimate, LabelCounts


def test_metric() -> None:
    assert AgreementPercent()(LabelCounts(3, 1, 0, 0, 2, 1, 1, 0)).value == 50.0
    assert AgreementPercent()(LabelCounts(0, 0, 4, 0, 0, 0, 0, 0)).undefined


def test_in_a_run() -> None:
    rows = [
        {"id": "1", "raw_text": "no?</think> Yes.", "ground_truth": "yes", "stored": False},
        {"id": "2", "raw_text": "maybe", "ground_truth": "no", "stored": False},
    ]
    settings = {
        "source": {"use": "frame", "frame": rows},
        "parser": ["yes_no"],
        "normalizer": ["v1"],
        "metrics": {"agreement": {"use": "agreement_percent"}},
        "by": [],
    }
    result = auditfw.run(settings)
    assert result.measurement("agreement", "yes_no+v1").estimate.value == 50.0
    assert result.measurement("flips_to_true", "yes_no+v1").estimate.value == 1.0


NUMBERS = [
    {"id": "1", "model": "a", "stored": 0.5, "recomputed": 0.5},
    {"id": "2", "model": "a", "stored": 0.7, "recomputed": 0.71},
    {"id": "3", "model": "b", "stored": 0.2, "recomputed": None},
    {"id": "4", "model": "b", "stored": "1", "recomputed": "1.0"},
    {"id": "5", "model": "b", "stored": float("nan"), "recomputed": 0.0},
]


@pytest.mark.parametrize(("tolerance", "differing", "verdict"), [(1e-9, 100 / 3, "fail"), (0.02, 0.0, "pass")])
@pytest.mark.parametrize("workers", [1, 2])
def test_audit(tolerance: float, differing: float, verdict: str, workers: int) -> None:
    result = auditfw.run(
        {
            "experiment": "recomputed",
            "source": {"use": "frame", "frame": NUMBERS},
            "audit": {"tolerance": tolerance},
            "engine": {"workers": workers},
            "by": ["model"],
        }
    )
    assert (result.verdict, result.counts) == (verdict, {"read": 5, "audited": 3, "missing": 2})
    assert result.measurement("differing", "recomputed").estimate == Estimate(differing, 3, 2)
    cells = {one.cell["model"]: one.estimate.value for one in result.measurements if one.cell}
    assert cells == {"a": 50.0 if verdict == "fail" else 0.0, "b": 0.0}
    assert result.trials["status"].to_list() == ["audited", "audited", "missing", "audited", "missing"]
    [section] = [section for section in result.sections if section.title == "Numbers that Differ Most"]
    assert len(section.blocks[1].rows) == (verdict == "fail")


def test_audit_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "numbers.csv").write_text("model,stored,recomputed\na,0.5,0.5\nb,0.7,0.71\n", "utf-8")

    def auditfw_prints(*words: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "auditfw", *words, "experiment=recomputed", "source=csv"]
        done = subprocess.run(
            [*command, "source.path=numbers.csv"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
        )
        return done.returncode, done.stdout + done.stderr

    code, shown = auditfw_prints("hydra.run.dir=run", "by=[model]", "report.detail=full")
    assert code == 1
    assert all(one in shown for one in ("Data and gates: FAIL", "numbers_agree", "1 of 2 trials differ", "0.71"))
    report = (tmp_path / "run" / "report.html").read_text("utf-8").replace("<wbr>", "")
    assert all(one in report for one in ("Numbers that Differ Most", "numbers_agree", "0.71"))
    code, shown = auditfw_prints("-m", "audit.tolerance=0,0.1")
    jobs = [line.split()[1:6] for line in shown.splitlines() if "  audit.tolerance=" in line]
    assert (code, [(number, answer, exit_code) for number, _, answer, _, exit_code in jobs]) == (
        1,
        [("1", "stable", "0"), ("0", "fragile", "1")],
    )  # the best first
    assert "audit.tolerance: expected a number of 0 or more, got -1.0" in auditfw_prints("audit.tolerance=-1")[1]
