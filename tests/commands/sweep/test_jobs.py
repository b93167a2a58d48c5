"""Sweeps: every job tells what it came to, nothing is lost, settings of the whole sweep are not swept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from running import Command, run_auditfw
from sentences import commands as says
from twelve_jobs import QUICK, TWELVE, check_twelve, told_of, write_project

from auditfw.audits.sweep_settings import check_count, failures_borne
from auditfw.commands.sweep.folder import SweepPlan, claim_sweep, holding, settle, write_plan
from auditfw.commands.sweep.jobs import gather, worst
from auditfw.commands.sweep.progress import Failures, progress
from auditfw.config.hydra.sweeper import width
from auditfw.core.errors import SHOWN, UsageError


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("twelve")
    write_project(folder)
    return folder, run_auditfw(("-m", TWELVE, "report=[markdown]", "hydra.sweep.dir=sweep"), folder)


def test_every_job_runs_whatever_others_do(twelve: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    check_twelve(twelve[0] / "sweep", twelve[1])


@pytest.mark.slow
def test_on_error_stops_and_says_what_was_not_run(command: Command, tmp_path: Path) -> None:
    write_project(tmp_path)
    done = command("-m", "experiment=x1,x3,x5,x6", "on_error=stop_after_2", "report=[json]", "hydra.sweep.dir=s")
    assert done.returncode == 4
    assert [job["exit_code"] for job in told_of(tmp_path / "s")] == [0, 4, 3, None]
    assert json.loads(done.stdout)["jobs"][3]["error"] == says.NOT_RUN_JOBS_FAILED_BEFORE
    assert says.JOB_NOT_RUN_JOBS_FAILED in (tmp_path / "s" / "sweep.md").read_text("utf-8")
    taken = command("-m", "experiment=x1,x3", "hydra.sweep.dir=s")
    assert (taken.returncode, "already holds a sweep" in taken.stderr) == (2, True)


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
        said = says.AUDITFW_ERROR_ON_ERROR_IS
        assert (done.returncode, done.stderr.count("\n"), said in done.stderr) == (2, 1, True)
    assert not (tmp_path / "outputs").exists()


@pytest.mark.slow
def test_equal_jobs_run_once_and_too_many_are_counted_first(command: Command, tmp_path: Path) -> None:
    write_project(tmp_path)
    twice = command("-m", "parser=raw,[raw]", "seed=1,2", *QUICK[2:], "report=[json]")
    assert len(json.loads(twice.stdout)["jobs"]) == 2
    assert says.JOBS_HAVE_THE_SAME_CONFIG in twice.stderr
    many = command("-m", "seed=range(0,100000)", "source.limit=range(1,100001)")
    assert many.returncode == 2
    assert says.MAX_JOBS_A_SWEEP_OF in many.stderr
    assert not (tmp_path / "outputs" / "sweeps").exists() or len(list((tmp_path / "outputs/sweeps").glob("*/*"))) == 2


def test_sweeps_of_one_instant_share_nothing(tmp_path: Path) -> None:
    wanted = tmp_path / "12-00-00-000000"
    made = [claim_sweep(wanted, named=False) for _ in range(3)]
    assert [one.name for one in made] == [wanted.name, f"{wanted.name}-2", f"{wanted.name}-3"]
    assert claim_sweep(wanted, named=True) == wanted  # it came to nothing
    with holding(made[0]), pytest.raises(UsageError, match="is in use"), holding(made[0]):
        pass


def test_a_sweep_that_came_to_nothing_gives_its_folder_up(tmp_path: Path) -> None:
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "error.json").write_text("{}", "utf-8")
    for foreign in ("2024", "\u00b2"):  # the second is a digit to Python, and no number
        (tmp_path / foreign).mkdir()
        (tmp_path / foreign / "notes.txt").write_text("mine", "utf-8")
    settle(claim_sweep(tmp_path, named=True))
    assert sorted(one.name for one in tmp_path.iterdir() if one.is_dir()) == ["2024", "earlier", "\u00b2"]
    assert (tmp_path / "earlier" / "0" / "error.json").is_file()
    write_plan(tmp_path, SweepPlan([["seed=1"]], [], [], {"metrics": [], "sort_by": None, "best": None}, ""))
    assert [job.job for job in gather(tmp_path)] == [0]
    for name in ("result.json", "attempts.jsonl"):
        (tmp_path / "1").mkdir(exist_ok=True)
        (tmp_path / "1" / name).write_text("{}", "utf-8")
        with pytest.raises(UsageError, match="already holds a sweep"):
            claim_sweep(tmp_path, named=True)
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
    assert progress(3, 12, 1, 14.0) == says.JOBS_OF_DONE_FAILED_ABOUT
    assert progress(1, 1001, 0, 10.0) == says.JOBS_OF_DONE_FAILED_ABOUT_LEFT


def test_every_failing_job_is_printed_with_its_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failures = Failures()
    for number in range(30):
        (tmp_path / str(number)).mkdir()
        failures.report(tmp_path, tmp_path / str(number), number, [f"seed={number}"], "it broke" if number else "first")
    printed = capsys.readouterr().err.splitlines()
    assert printed[:2] == [
        f"auditfw: error: seed={number}: {text} (log: {tmp_path / str(number) / 'auditfw.log'})"
        for number, text in enumerate(("first", "it broke"))
    ]
    assert printed[2].partition(" (")[::2] == (says.THE_SAME_ERROR, f"log: {tmp_path / '2' / 'auditfw.log'})")
    assert len(printed) == 1 + SHOWN
