"""A sweep that was killed or failed goes on: what is finished stays."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from running import run_auditfw
from sentences import commands as says
from twelve_jobs import CODES, QUICK, TWELVE, check_twelve, write_project


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("twelve")
    write_project(folder)
    return folder, run_auditfw(("-m", TWELVE, "report=[markdown]", "hydra.sweep.dir=sweep"), folder)


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
    assert (other.returncode, says.THESE_OVERRIDES_MAKE_DIFFERENT_JOBS in other.stderr) == (2, True)


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
