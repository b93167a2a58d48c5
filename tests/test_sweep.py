"""Sweeps: every job tells what it came to, nothing is lost, an interrupted one goes on, the table is right."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from running import Command, run_auditfw

from auditfw.audits.sweep_settings import SweepTable, check_count, failures_borne
from auditfw.commands.sweep.folder import SweepPlan, claim_sweep, holding, settle, write_plan
from auditfw.commands.sweep.jobs import Job, gather, worst
from auditfw.commands.sweep.progress import progress
from auditfw.commands.sweep.table import check_columns, chosen, tell
from auditfw.config import build as bridge
from auditfw.config.hydra.jobs import jobs
from auditfw.config.hydra.sweeper import below_swept_groups, width
from auditfw.core.errors import UsageError

TRIAL = {"raw_text": "It is Paris.\nUser: next", "parsed_text": "It is Paris.", "ground_truth": "Paris", "stored": 1}
EXPLODES = '''from dataclasses import dataclass
from typing import ClassVar
from auditfw.kinds.registry import register


@register("metric", "explodes")
@dataclass(frozen=True)
class Explodes:
    """Raises whatever it is given."""

    roles: ClassVar[frozenset[str]] = frozenset({"candidate"})

    def __call__(self, sample: object) -> None:
        raise ValueError("boom")
'''
EXTRAS = {3: "metrics: {boom: {use: explodes}}", 7: "gates: {few: {use: bound, metric: n, max: 1}}"}
TWELVE = f"experiment={','.join(f'x{i}' for i in range(12))}"
CODES = [0, 0, 0, 4, 0, 3, 0, 1, 0, 0, 0, 0]
QUICK = ("report=[]", "parser=[raw]", "normalizer=[v1]", "source=jsonl", "source.path=good.jsonl", "by=[]")


def write_project(folder: Path) -> None:
    """Twelve experiments: the fourth has a metric that raises, the sixth bad data, the eighth a gate that fails."""
    (folder / "conf" / "experiment").mkdir(parents=True)
    (folder / "plugins").mkdir()
    (folder / "plugins" / "explodes.py").write_text(EXPLODES, "utf-8")
    (folder / "good.jsonl").write_text(
        "".join(json.dumps({"id": str(i), **TRIAL, "raw_text": f"{TRIAL['raw_text']} {i}"}) + "\n" for i in range(20)),
        "utf-8",
    )
    (folder / "bad.jsonl").write_text('{"id": 1, broken\n', "utf-8")
    for i in range(12):
        path = "bad.jsonl" if i == 5 else "good.jsonl"
        lines = [
            "# @package _global_",
            f"# Case {i}.",
            "defaults:",
            "  - answer_parsing",
            "  - override /source: jsonl",
        ]
        lines += ["  - _self_", "by: []", f"seed: {i}", f"source: {{path: {path}}}", EXTRAS.get(i, ""), ""]
        (folder / "conf" / "experiment" / f"x{i}.yaml").write_text("\n".join(lines), "utf-8")


def told_of(folder: Path) -> list[dict[str, Any]]:
    jobs: list[dict[str, Any]] = json.loads((folder / "sweep.json").read_text("utf-8"))["jobs"]
    return jobs


def check_twelve(folder: Path, done: subprocess.CompletedProcess[str]) -> None:
    """All twelve are told, the worst code is the sweep's, and every file of it is there."""
    assert done.returncode == 4, done.stderr
    jobs = told_of(folder)
    assert [job["exit_code"] for job in jobs] == CODES
    assert [job["job"] for job in jobs] == list(range(12))
    assert "boom" in jobs[3]["error"]
    assert jobs[5]["error"].startswith("bad.jsonl:1")
    for number in (3, 5):
        assert jobs[number]["error"] in done.stdout.replace("\n│ ", " ")
        assert jobs[number]["error"].split(" - ")[0] in (folder / str(number) / "auditfw.log").read_text("utf-8")
    table = pl.read_parquet(folder / "sweep.parquet")
    assert table["exit_code"].to_list() == CODES
    assert table["experiment"].to_list() == [f"x{i}" for i in range(12)]
    assert table["n@stored"].to_list() == [None if i in (3, 5) else 20.0 for i in range(12)]
    assert "| 7 | experiment=x7 | fail | 1 |" in (folder / "sweep.md").read_text("utf-8")


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("twelve")
    write_project(folder)
    return folder, run_auditfw(("-m", TWELVE, "report=[markdown]", "hydra.sweep.dir=sweep"), folder)


def test_every_job_runs_whatever_others_do(twelve: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    check_twelve(twelve[0] / "sweep", twelve[1])


@pytest.mark.slow
def test_a_resumed_sweep_keeps_what_still_holds(twelve: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    """Finished jobs stay as they are; those that failed run again, and a job whose config or input changed."""
    folder, first = twelve
    sweep = folder / "sweep"
    before = {i: (sweep / str(i) / "manifest.json").read_bytes() for i in range(12) if CODES[i] in (0, 1)}
    summary = (sweep / "sweep.json").read_bytes()
    (folder / "conf" / "experiment" / "x8.yaml").write_text(
        (folder / "conf" / "experiment" / "x8.yaml").read_text("utf-8").replace("seed: 8", "seed: 88"), "utf-8"
    )
    done = run_auditfw(("resume=sweep",), folder)
    check_twelve(sweep, done)
    assert (sweep / "sweep.json").read_bytes() == summary
    again = {i for i, manifest in before.items() if (sweep / str(i) / "manifest.json").read_bytes() != manifest}
    assert again == {8}
    assert sorted(one.name for one in (sweep / "earlier").iterdir()) == ["3", "5", "8"]
    assert (first.stdout.splitlines()[0], done.stdout.splitlines()[0]) == ("╭ Sweep: 12 jobs, exit code 4",) * 2
    other = run_auditfw(("resume=sweep", "experiment=x1,x2"), folder)
    assert (other.returncode, "these overrides make other jobs" in other.stderr) == (2, True)


@pytest.mark.slow
def test_on_error_stops_and_says_what_was_not_run(command: Command, tmp_path: Path) -> None:
    write_project(tmp_path)
    done = command("-m", "experiment=x1,x3,x5,x6", "on_error=stop_after_2", "report=[json]", "hydra.sweep.dir=s")
    assert done.returncode == 4
    assert [job["exit_code"] for job in told_of(tmp_path / "s")] == [0, 4, 3, None]
    assert json.loads(done.stdout)["jobs"][3]["error"] == "not run: 2 failed before (on_error)"
    assert "\n- job 3: not run: 2 failed before (on_error)\n" in (tmp_path / "s" / "sweep.md").read_text("utf-8")
    taken = command("-m", "experiment=x1,x3", "hydra.sweep.dir=s")
    assert (taken.returncode, "holds a sweep already" in taken.stderr) == (2, True)


def test_settings_of_the_whole_sweep_cannot_be_swept(command: Command, tmp_path: Path) -> None:
    refused = "is a setting of the whole sweep and cannot be swept .* - give it one value"
    swept = ["on_error=stop,continue", "max_jobs=1,2", "resume=a,b", "sweep.best=min,max", "+sweep.sort_by=choice(n,m)"]
    for word in swept:
        asked = OverridesParser.create().parse_overrides(["seed=1,2", word])
        with pytest.raises(UsageError, match=refused):
            width(asked)
    assert width(OverridesParser.create().parse_overrides(["seed=1,2", "on_error=stop", "objective=a,b"])) == 4
    for words in (("-m",), ("check", "-m")):
        done = command(*words, "on_error=stop,continue", "seed=1,2")
        said = "auditfw: error: on_error: is a setting of the whole sweep and cannot be swept (on_error=stop,continue)"
        assert (done.returncode, done.stderr.count("\n"), said in done.stderr) == (2, 1, True)
    assert not (tmp_path / "outputs").exists()


@pytest.mark.slow
def test_equal_jobs_run_once_and_too_many_are_counted_first(command: Command, tmp_path: Path) -> None:
    write_project(tmp_path)
    twice = command("-m", "parser=raw,[raw]", "seed=1,2", *QUICK[2:], "report=[json]")
    assert len(json.loads(twice.stdout)["jobs"]) == 2
    assert "2 jobs have the config of another and are not run again" in twice.stderr
    many = command("-m", "seed=range(0,100000)", "source.limit=range(1,100001)")
    assert many.returncode == 2
    assert "max_jobs: a sweep of 10,000,000,000 jobs (at most 1,000 are allowed) - narrow it" in many.stderr
    assert not (tmp_path / "outputs" / "sweeps").exists() or len(list((tmp_path / "outputs/sweeps").glob("*/*"))) == 2


def test_sweeps_of_one_instant_share_nothing(tmp_path: Path) -> None:
    wanted = tmp_path / "12-00-00-000000"
    made = [claim_sweep(wanted, given=False) for _ in range(3)]
    assert [one.name for one in made] == [wanted.name, f"{wanted.name}-2", f"{wanted.name}-3"]
    assert claim_sweep(wanted, given=True) == wanted  # it came to nothing
    with holding(made[0]), pytest.raises(UsageError, match="is in use"), holding(made[0]):
        pass


def test_a_sweep_that_came_to_nothing_gives_its_folder_up(tmp_path: Path) -> None:
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "error.json").write_text("{}", "utf-8")
    for foreign in ("2024", "\u00b2"):  # the second is a digit to Python, and no number
        (tmp_path / foreign).mkdir()
        (tmp_path / foreign / "notes.txt").write_text("mine", "utf-8")
    settle(claim_sweep(tmp_path, given=True))
    assert sorted(one.name for one in tmp_path.iterdir() if one.is_dir()) == ["2024", "earlier", "\u00b2"]
    assert (tmp_path / "earlier" / "0" / "error.json").is_file()
    write_plan(tmp_path, SweepPlan([["seed=1"]], [], [], {"metrics": [], "sort_by": None, "best": None}, ""))
    assert [job.job for job in gather(tmp_path)] == [0]
    for name in ("result.json", "attempts.jsonl"):
        (tmp_path / "1").mkdir(exist_ok=True)
        (tmp_path / "1" / name).write_text("{}", "utf-8")
        with pytest.raises(UsageError, match="holds a sweep already"):
            claim_sweep(tmp_path, given=True)
        (tmp_path / "1" / name).unlink()


@pytest.mark.slow
def test_two_sweeps_started_at_once(tmp_path: Path) -> None:
    write_project(tmp_path)
    words = [sys.executable, "-m", "auditfw", "-m", "seed=1,2", *QUICK]
    both = [subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [one.wait(120) for one in both] == [0, 0]
    sweeps = [one for one in tmp_path.glob("outputs/sweeps/*/*") if not one.is_symlink()]
    assert len(sweeps) == 2
    assert all([job["exit_code"] for job in told_of(sweep)] == [0, 0] for sweep in sweeps)


@pytest.mark.slow
@pytest.mark.parametrize("further", [(), ("report=[markdown,html]", "engine.workers=2")])
def test_killed_at_any_instant_a_sweep_goes_on(tmp_path: Path, further: tuple[str, ...]) -> None:
    """Ten seeded instants: what was finished is not run again, and the summary has the same bytes."""
    write_project(tmp_path)
    words = ("-m", "seed=range(0,12)", *QUICK, *further)
    assert run_auditfw((*words, "hydra.sweep.dir=whole"), tmp_path).returncode == 0
    whole = [(tmp_path / "whole" / name).read_bytes() for name in ("sweep.json", "sweep.md", "sweep.parquet")]
    draw = random.Random(6)
    for turn in range(10):
        sweep = tmp_path / f"s{turn}"
        killed = subprocess.Popen(
            [sys.executable, "-m", "auditfw", *words, f"hydra.sweep.dir={sweep.name}"],
            cwd=tmp_path,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        at = draw.randrange(12)
        end = time.monotonic() + 100
        while not (sweep / str(at)).exists() and killed.poll() is None and time.monotonic() < end:
            time.sleep(0.002)
        time.sleep(draw.random() * 0.05)
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        finished = {f.parent.name: f.read_bytes() for f in sweep.glob("*/manifest.json") if _done(f.parent)}
        assert run_auditfw((f"resume={sweep.name}",), tmp_path).returncode == 0
        assert [(sweep / name).read_bytes() for name in ("sweep.json", "sweep.md", "sweep.parquet")] == whole
        assert all((sweep / n / "manifest.json").read_bytes() == before for n, before in finished.items())
        assert len([one for one in sweep.iterdir() if one.name.isdigit()]) == 12


def _done(folder: Path) -> bool:
    return (folder / "result.json").is_file()


def job(number: int, code: int | None, **numbers: float | None) -> Job:
    measured = {name.replace("_AT_", "@"): value for name, value in numbers.items()}
    return Job(number, [f"seed={number}", "a=b"], "pass" if code == 0 else None, code, None, str(number), measured)


def test_the_table_marks_best_and_worst() -> None:
    jobs = [job(0, 0, flips_AT_a=3, n_AT_a=5), job(1, 3), job(2, 0, flips_AT_a=1, n_AT_a=5), job(3, 0, flips_AT_a=2)]
    told = tell(jobs, SweepTable(("flips", "n@a"), "flips", "min"))
    assert told.jobs.columns == ["job", "overrides", "status", "exit", "flips", "n @a"]
    assert [list(row) for row in told.jobs.rows] == [
        ["2", "seed=2", "pass", "0", "1 best", "5"],
        ["3", "seed=3", "pass", "0", "2", ""],
        ["0", "seed=0", "pass", "0", "3 worst", "5"],
        ["1", "seed=1", "error", "3", "", ""],
    ]
    assert [row[4] for row in tell(jobs, SweepTable(("flips",))).jobs.rows] == ["3 max", "", "1 min", "2"]
    assert [row[0] for row in tell(jobs, SweepTable(("flips",), "seed")).jobs.rows] == ["0", "1", "2", "3"]
    assert [row[0] for row in tell(jobs, SweepTable(("flips",), "flips@a", "max")).jobs.rows] == ["0", "3", "2", "1"]
    with pytest.raises(UsageError, match="no measurement 'flops'"):
        chosen(jobs, SweepTable(("flops",)))


def test_a_column_that_no_job_can_have_is_told_before_the_first(command: Command, tmp_path: Path) -> None:
    check_columns(SweepTable(("flips", "n@stored"), "seed"), ["flips", "n"], ["seed"])
    check_columns(SweepTable((), "flips@stored+v1"), ["flips", "n"], ["seed"])
    for asked, told in (
        (SweepTable(("flops",)), "no job takes a metric 'flops' - did you mean 'flips'"),
        (SweepTable((), "flops@a"), r"neither a metric of the jobs nor a swept key \(flops@a\)"),
    ):
        with pytest.raises(UsageError, match=told):
            check_columns(asked, ["flips", "n"], ["seed"])
    write_project(tmp_path)
    done = command("-m", "experiment=x1,x3", "sweep.metrics=[flops]", "hydra.sweep.dir=s")
    assert (done.returncode, (tmp_path / "s").exists()) == (2, False)
    assert "sweep.metrics: no job takes a metric 'flops' - did you mean 'flips'?" in done.stderr


def test_a_value_below_a_swept_group_is_each_jobs_own(command: Command, tmp_path: Path) -> None:
    """The config that a sweep starts from does not have such a key; a job's that has not says so."""
    words = ("experiment=posiwid", "report=[]", "hydra.sweep.dir=s", "scenarios.n=3")
    done = command("-m", *words, "scenarios=lhs,jsonl")
    assert done.returncode == 2
    assert pl.read_parquet(tmp_path / "s" / "0" / "scenarios.parquet").height == 3
    assert "scenarios.n: no such key - known: by" in done.stderr
    assert not (tmp_path / "s" / "1" / "result.json").exists()
    found = jobs([words[0], words[3], "scenarios=lhs,sobol"])
    assert [bridge.compose(job)["scenarios"]["n"] for job in found] == [3, 3]
    assert below_swept_groups(["parser=[raw],[stored]", "audit.parsers.raw.x=1", "audit.by=2"]) == [
        "audit.parsers.raw.x=1"
    ]


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("scenarios=null", "scenarios: is chosen by name (null) - to choose none write ~scenarios"),
        ("parser=null", "parser: is chosen by name (null) - to choose none write parser=[]"),
        ("matcher=3", "matcher: is chosen by name (3) - to choose none write ~matcher"),
        ("parser=[stored,1]", "parser: is chosen by name ([stored,1]) - to choose none write parser=[]"),
        ("+solver=[{a: b}]", "solver: is chosen by name ([{a: b}]) - to choose none write ~solver"),
        ("experiment=[nan]", "experiment: is chosen by name ([nan]) - to choose none write ~experiment"),
        ("hydra/sweeper=true", "hydra/sweeper: is chosen by name (true) - to choose none write ~hydra/sweeper"),
    ],
)
def test_a_group_is_chosen_by_name(word: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        bridge.compose([word])
    assert str(caught.value) == told


def test_codes_counts_and_the_line() -> None:
    assert [worst(codes) for codes in ([0, 1, 5], [2, 3, 4], [0, 70, 4], [1, None], [], [0])] == [5, 4, 70, 1, 5, 0]
    assert [failures_borne(word) for word in ("continue", "stop", "stop_after_12")] == [None, 1, 12]
    for word in ("stop_after_0", "halt", "stop_after_n"):
        with pytest.raises(UsageError):
            failures_borne(word)
    check_count(1000, 1000)
    check_count(10**9, None)
    with pytest.raises(UsageError, match="max_jobs=1001"):
        check_count(1001, 1000)
    assert progress(0, 12, 0, 5.0) == "jobs 0 of 12 done, 0 failed"
    assert progress(3, 12, 1, 14.0) == "jobs 3 of 12 done, 1 failed, about 0:42 left"
    assert progress(1, 1001, 0, 10.0) == "jobs 1 of 1001 done, 0 failed, about 2:46:40 left"
