"""`auditfw check`: what it shows of a run and of a sweep, of which it runs nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from running import Command
from sentences import commands as says


def test_check_runs_nothing(command: Command, tmp_path: Path) -> None:
    done = command("check", "parser=[stored,last_line]", "normalizer=[none,v2]")
    assert (done.returncode, done.stderr) == (0, "")
    assert says.READINGS_STORED_NONE_LAST_LINE in done.stdout
    assert done.stdout.endswith("nothing was run\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_check_looks_at_every_job_of_a_sweep(command: Command, tmp_path: Path) -> None:
    done = command("check", "-m", "parser=raw,last_line", "normalizer=v1", "seed=range(0,2)")
    assert (done.returncode, done.stderr) == (0, "")
    heads = re.findall(r"^job .*", done.stdout, re.MULTILINE)
    assert heads == [
        f"job {i}: parser={p} normalizer=v1 seed={i % 2}" for i, p in enumerate(["raw"] * 2 + ["last_line"] * 2)
    ]
    assert re.findall(r"^readings: (.*)", done.stdout, re.MULTILINE) == [
        "raw+v1",
        "raw+v1",
        "last_line+v1",
        "last_line+v1",
    ]
    assert done.stdout.endswith("4 jobs, nothing was run\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_check_of_a_sweep_tells_every_job_that_would_fail(command: Command) -> None:
    done = command("check", "-m", "parser=raw,rw", "source=sample_parsing,jsonl")
    assert done.returncode == 2
    assert done.stdout.endswith("4 jobs, nothing was run\n")
    assert [line.partition(" - ")[0] for line in done.stderr.splitlines()] == [
        says.AUDITFW_ERROR_JOB_NOT_SET,
        says.AUDITFW_ERROR_JOB_NO_PARSER,
    ]


def test_check_tells_gates_that_nothing_can_meet(command: Command) -> None:
    gates = ("+gates.few={use: bound, metric: flips, max: 3}", "+gates.many={use: bound, metric: flips, min: 5}")
    done = command("check", *gates)
    assert (done.returncode, done.stderr) == (0, "")
    assert says.WARNING_GATES_FEW_AND_MANY in done.stdout


def test_check_says_which_labels_are_not_declared(command: Command, tmp_path: Path) -> None:
    """A run would stop at them; case may be what is other, and none is said where they are counted."""
    (tmp_path / "j.csv").write_text("id,one,two\n1,VALID,VALID\n2,MAYBE,VALID\n3,INVALID,valid\n4,,INVALID\n", "utf-8")
    words = (
        "experiment=cross_agent",
        "source=csv",
        "source.path=j.csv",
        "audit.raters=[one,two]",
        "audit.reference=one",
    )
    labels = "audit.labels=[VALID,INVALID]"
    assert says.TWO_LABELS_NOT_DECLARED in command("check", *words, labels).stdout
    assert command(*words, labels).returncode == 3
    folded = command("check", *words, labels, "audit.case=fold").stdout
    assert "'MAYBE' × 1 among the first rows" in folded
    assert "not declared" not in command("check", *words, labels, "audit.unknown_labels=count").stdout
