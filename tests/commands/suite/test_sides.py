"""Sides by conditions on the jobs of a sweep, and the section of a sweep with a suite."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import pytest
from places import CASES
from running import run_auditfw
from sentences import commands as says

from auditfw.commands.comparison.pairing import paired_runs
from auditfw.commands.suite.command import judged
from auditfw.commands.suite.settings import read_suite
from auditfw.commands.suite.sides import SweepJobs
from auditfw.core.errors import UsageError

SUITE = """\
suite:
  entries:
    same: {tier: critical, jobs: matcher = 'exact', candidate: model = 'new', baseline: model = 'old', max_drop: 9}
    late: {jobs: matcher = 'exact', candidate: "path = 'other.jsonl'", min: 3, tier: advisory}
  gates: {open: {use: bound, metric: suite_missing, max: 1}}
"""
WORDS = (
    *("-m", "source=jsonl", "source.path=old.jsonl,new.jsonl", "matcher=exact,containment", "by=[]", "parser=[raw]"),
    *("normalizer=[none]", "gate=[]", "report=[]", "hydra.sweep.dir=sw", "sweep.suite=suite.yaml"),
)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A sweep over two models and two matchers with a suite, and what it printed."""
    folder = tmp_path_factory.mktemp("swept")
    for model, turned in (("old", 0), ("new", 3)):
        trials = [
            {"id": f"q{i}", "item": f"q{i}", "model": model, "question": f"Which is {i}?", "ground_truth": f"word {i}",
             "raw_text": f"word {i if i >= turned else i + 500}", "stored": int(i >= turned)}
            for i in range(100)
        ]  # fmt: skip
        (folder / f"{model}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in trials), "utf-8")
    (folder / "suite.yaml").write_text(SUITE, "utf-8")
    return folder, run_auditfw(WORDS, folder)


def test_the_section_of_a_sweep(swept: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    """97 of 100 against 100: 3.0 points, and a job that is not there is said, not held."""
    folder, done = swept
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    at = lines.index("╭ Release: GO")
    assert lines[at + 1] == says.HALF_HELD_LATE_MISSING
    document = json.loads((folder / "sw" / "sweep.json").read_text("utf-8"))
    assert document["suite"]["decision"] == "GO"
    assert document["suite"]["measurements"] == {"suite_breaches": 0.0, "suite_undecided": 0.0, "suite_missing": 1.0}
    entries = json.loads((folder / "sw" / "suite.json").read_text("utf-8"))["entries"]
    assert [
        (one["status"], one["candidate"]["job"], one["baseline"] and one["baseline"]["job"]) for one in entries
    ] == [
        ("held", 2, 0),
        ("missing", None, None),
    ]
    assert entries[0]["drop"]["value"] == pytest.approx(3.0)
    assert "## Release" in (folder / "sw" / "sweep.md").read_text("utf-8")
    assert "Release: GO" in (folder / "sw" / "report.html").read_text("utf-8")
    assert (folder / "sw" / "junit.xml").exists()


@pytest.mark.parametrize(
    ("change", "code", "line"),
    [
        (("max: 1", "max: 0"), 1, says.GATE_OPEN_FAILED),
        (("max_drop: 9", "max_drop: 1"), 1, says.SAME_MAY_HAVE_DROPPED),
        (("max_drop: 9", "min: 99.9"), 1, "same is at 97.0 [91.5, 99.0], below 99.9 (critical)."),
    ],
)
def test_a_sweep_that_does_not_hold(
    swept: tuple[Path, subprocess.CompletedProcess[str]], change: tuple[str, str], code: int, line: str
) -> None:
    folder, _ = swept
    (folder / "other.yaml").write_text(SUITE.replace(*change), "utf-8")
    done = run_auditfw(("sweep", "sw", "sweep.suite=other.yaml"), folder)
    assert (done.returncode, line in " ".join(done.stdout.split("\n│ "))) == (code, True), done.stdout
    assert done.stdout.splitlines()[0] == "╭ Sweep: 4 jobs, exit code 1"
    assert run_auditfw(("suite", "other.yaml", "sweep=sw"), folder).returncode == code


def test_a_suite_that_cannot_be_read_stops_a_sweep_first(tmp_path: Path) -> None:
    done = run_auditfw(("-m", "seed=1,2", "sweep.suite=nope.yaml"), tmp_path)
    assert (done.returncode, "nope.yaml: not a file" in done.stderr) == (2, True)
    assert not list(tmp_path.glob("outputs/sweeps/*/*/0"))


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        (["true"], "4 jobs match: 0, 1, 2, 3 (true) - narrow it to one"),
        (["model = 'new'"], "2 jobs match: 2, 3"),
        (["modle = 'new'"], "no column 'modle' of the sweep sw - did you mean 'model'?"),
        (["model ="], "cannot be read as SQL"),
        (["max(job) = 3"], "expected a condition on one row at a time"),
        (["job"], "is not a condition"),
    ],
)
def test_conditions_that_are_wrong(
    swept: tuple[Path, subprocess.CompletedProcess[str]],
    monkeypatch: pytest.MonkeyPatch,
    conditions: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(swept[0])
    with pytest.raises(UsageError) as caught:
        SweepJobs(Path("sw")).side([("here", sql) for sql in conditions])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("conditions", "job"),
    [
        (["job = 3"], 3),
        (["model = 'new'", "\"matcher\" = 'exact'"], 2),
        (["\"source.path\" = 'old.jsonl'", "matcher like 'con%'"], 1),
        (["path = 'old.jsonl' and matcher <> 'exact'"], 1),
        (["\"error_rate@stored\" > 2 and matcher = 'exact'"], 2),
        (["model = 'none'"], None),
    ],
)
def test_conditions(
    swept: tuple[Path, subprocess.CompletedProcess[str]], conditions: list[str], job: int | None
) -> None:
    side = SweepJobs(swept[0] / "sw").side([("here", sql) for sql in conditions])
    assert (side.job, side.run is None) == (job, job is None)


MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
PAIRS = [(3, 2), (1, 0), (2, 0), (3, 1)]  # candidate's job, baseline's


@pytest.mark.slow
def test_jobs_of_published_answers(tmp_path: Path) -> None:
    """A suite over a sweep of four models equals the four comparisons; the first is 21.53 points [18.61, 24.38]."""
    with gzip.open(CASES / "data" / "gsm8k_model_solutions" / "example_model_solutions.jsonl.gz", "rt") as stream:
        tasks = [json.loads(line) for line in stream]
    for model in MODELS:
        rows = [
            {"id": str(i), "model": model, "question": task["question"], "raw_text": task[model]["solution"],
             "ground_truth": task["ground_truth"].rpartition(" ")[2], "stored": int(task[model]["is_correct"])}
            for i, task in enumerate(tasks)
        ]  # fmt: skip
        (tmp_path / f"{model}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    paths = ",".join(f"{model}.jsonl" for model in MODELS)
    words = ("-m", "source=jsonl", f"source.path={paths}", "by=[]", "parser=[last_number]", "normalizer=[none]")
    done = run_auditfw((*words, "matcher=numeric", "gate=[]", "report=[]", "hydra.sweep.dir=sw"), tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [
        f"    e{at}: {{jobs: 'true', candidate: \"model = '{MODELS[new]}'\", baseline: 'job = {old}', max_drop: 1}}"
        for at, (new, old) in enumerate(PAIRS)
    ]
    (tmp_path / "r.yaml").write_text("\n".join(["suite:", "  entries:", *lines]), "utf-8")
    suite = judged(read_suite(tmp_path / "r.yaml"), tmp_path / "sw")
    for entry, (new, old) in zip(suite.entries, PAIRS, strict=True):
        pair = paired_runs(tmp_path / "sw" / str(old), tmp_path / "sw" / str(new)).paired()
        assert entry.drop is not None
        assert (entry.drop.paired, entry.drop.items) == (pair, 1319)
        assert entry.drop.change == tuple(100 * one for one in (pair.rates.difference, pair.rates.low, pair.rates.high))
    first = suite.entries[0].drop
    assert first is not None
    assert [round(-end, 2) for end in first.change if end is not None] == [21.53, 24.38, 18.61]
