"""Jobs in folders that `hydra.sweep.subdir` names, by any sweeper and launcher: found, counted, gone on with."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from running import Command
from sentences import commands as says

from auditfw.commands.sweep.folder import check_folders
from auditfw.core.errors import UsageError

SMALL = ("-m", "source.where='temperature = 0'", "parser=[stored]", "normalizer=[v1]", "report=[]", "hydra.sweep.dir=s")
SEEDS = "seed=2,1"
slow = pytest.mark.slow
FAILED = "gates.baseline_reproduces.max=-1"
OTHERS = ("hydra/sweeper=basic", "hydra/launcher=basic")
LEADING = dict.fromkeys(("../x", "${oc.select:seed,../x}/../../x"), "must not contain '..'")
REFUSED = {
    "x": "gives the jobs 0 and 1 the same folder, or one within the other's",
    "/tmp/x": "is no folder within that of the sweep",
    ".": "is no folder within that of the sweep",
    ".failed": "is a name that the sweep has for files of its own",
    "Earlier/${seed}": "is a name that the sweep has for files of its own",
    "plan.json": "is a name that the sweep has for files of its own",
    "y" * 256 + "${seed}": "has a name of more than 255 bytes",
}


def folders(sweep: Path) -> list[str]:
    return [job["folder"] for job in json.loads((sweep / "sweep.json").read_text("utf-8"))["jobs"]]


@pytest.mark.parametrize(
    ("subdir", "names"),
    [
        pytest.param("s_${seed}", ["s_2", "s_1"], marks=slow),
        ("${seed}", ["2", "1"]),  # numbers, and not those of the jobs
        pytest.param("n/${hydra.job.num}", ["n/0", "n/1"], marks=slow),
    ],
)
def test_jobs_are_found_by_the_plan(subdir: str, names: list[str], command: Command, tmp_path: Path) -> None:
    sweep, word = tmp_path / "s", f"hydra.sweep.subdir={subdir}"
    assert command(*SMALL, SEEDS, word).returncode == 0
    assert folders(sweep) == names
    assert all((sweep / name / "result.json").is_file() for name in names)
    before = (sweep / "sweep.json").read_bytes()
    assert command("sweep", "s").returncode == 0
    assert (sweep / "sweep.json").read_bytes() == before
    assert says.NAME_ONE_AUDITFW_EXPLAIN.format(names[0]) in command("explain", "s").stderr
    shutil.rmtree(sweep / names[1])
    resumed = command("resume=s")
    assert resumed.returncode == 0
    assert "1 of 2 jobs are kept" in resumed.stderr
    assert folders(sweep) == names
    again = command("resume=s", "hydra.sweep.subdir=q${seed}")
    assert says.A_RESUMED_SWEEP_HAS_THE in again.stderr


@slow
def test_the_overrides_name_a_folder_as_hydra_writes_them(command: Command, tmp_path: Path) -> None:
    word = "hydra.sweep.subdir=${hydra:job.override_dirname}"
    words = ("hydra.job.config.override_dirname.exclude_keys=[parser,normalizer,report,source.where]", word)
    assert command(*SMALL, SEEDS, "max_cells=99", *words).returncode == 0
    assert folders(tmp_path / "s") == ["max_cells=99,seed=2", "max_cells=99,seed=1"]


@pytest.mark.parametrize("others", [*(pytest.param(OTHERS[at : at + 1], marks=slow) for at in (0, 1)), OTHERS])
def test_code_and_table_are_those_of_the_jobs_by_any_sweeper(
    others: tuple[str, ...], command: Command, tmp_path: Path
) -> None:
    done = command(*SMALL, SEEDS, FAILED, "hydra.sweep.subdir=s_${seed}", *others)
    assert done.returncode == 1, done.stderr
    assert "Sweep: 2 jobs, exit code 1" in done.stdout
    assert folders(tmp_path / "s") == ["s_2", "s_1"]
    assert command("sweep", "s").returncode == 1


@pytest.mark.parametrize("subdir", REFUSED)
def test_folders_of_no_sweep(subdir: str) -> None:
    names = [subdir.replace("${seed}", seed) for seed in "21"]
    with pytest.raises(UsageError, match=re.escape(REFUSED[subdir])):
        check_folders(names)


@pytest.mark.parametrize("subdir", ["x", *LEADING])
def test_a_name_that_cannot_be_is_refused_before_a_job_runs(subdir: str, command: Command, tmp_path: Path) -> None:
    done = command(*SMALL, SEEDS, f"hydra.sweep.subdir={subdir}")
    assert done.returncode == 2
    assert {**REFUSED, **LEADING}[subdir] in done.stderr
    assert not [*(tmp_path / "s").glob("**/result.json")]


@slow
@pytest.mark.parametrize("others", [OTHERS[:1], OTHERS])
def test_a_folder_for_two_jobs_is_no_success_by_another_sweeper(others: tuple[str, ...], command: Command) -> None:
    done = command(*SMALL, SEEDS, "hydra.sweep.subdir=x", *others)
    assert done.returncode == 2
    assert says.GIVES_THE_JOBS_AND_THE in done.stderr


def test_a_strangers_plan_names_no_folder_outside(command: Command, tmp_path: Path) -> None:
    assert command(*SMALL, SEEDS, "hydra.sweep.subdir=s_${seed}").returncode == 0
    plan = json.loads((tmp_path / "s" / "plan.json").read_text("utf-8"))
    for name in "../out", "/tmp", "plan.json":
        (tmp_path / "s" / "plan.json").write_text(json.dumps({**plan, "folders": [name, "s_1"]}))
        done = command("sweep", "s")
        assert (done.returncode, "plan.json" in done.stderr) == (3, True), name
