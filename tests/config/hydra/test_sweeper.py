"""What a sweep's jobs differ in: values below a swept group, groups chosen by name."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from running import Command

from auditfw.config import build as bridge
from auditfw.config.hydra.command import jobs
from auditfw.config.hydra.sweeper import below_swept_groups
from auditfw.core.errors import UsageError


@pytest.mark.slow
def test_a_value_below_a_swept_group_is_each_jobs_own(command: Command, tmp_path: Path) -> None:
    """The config that a sweep starts from does not have such a key; a job's that has not says so."""
    words = ("experiment=posiwid", "report=[]", "hydra.sweep.dir=s", "scenarios.n=3")
    done = command("-m", *words, "scenarios=lhs,jsonl")
    assert done.returncode == 2
    assert pl.read_parquet(tmp_path / "s" / "0" / "scenarios.parquet").height == 3
    assert "scenarios.n: no such key - known: bins, by" in done.stderr
    assert not (tmp_path / "s" / "1" / "result.json").exists()
    found = jobs([words[0], words[3], "scenarios=lhs,sobol"])
    assert [bridge.compose(job)["scenarios"]["n"] for job in found] == [3, 3]
    assert below_swept_groups(["parser=[raw],[stored]", "audit.parsers.raw.x=1", "audit.by=2"]) == [
        "audit.parsers.raw.x=1"
    ]


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("scenarios=null", "scenarios: expected a name, got null - to choose nothing write ~scenarios"),
        ("parser=null", "parser: expected a name, got null - to choose nothing write parser=[]"),
        ("matcher=3", "matcher: expected a name, got 3 - to choose nothing write ~matcher"),
        ("parser=[stored,1]", "parser: expected a name, got [stored,1] - to choose nothing write parser=[]"),
        ("+solver=[{a: b}]", "solver: expected a name, got [{a: b}] - to choose nothing write ~solver"),
        ("experiment=[nan]", "experiment: expected a name, got [nan] - to choose nothing write ~experiment"),
        ("hydra/sweeper=true", "hydra/sweeper: expected a name, got true - to choose nothing write ~hydra/sweeper"),
    ],
)
def test_a_group_is_chosen_by_name(word: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        bridge.compose([word])
    assert str(caught.value) == told
