"""Files of a run that cannot be written: the run is incomplete, and everything else of it is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from running import Command, run_auditfw
from sentences import commands as says

from auditfw.core.errors import IncompleteError
from auditfw.core.files import guarded, refused

CONSISTENCY = ("experiment=cross_agent", "gate=[]")
SMALL = ("source.where='temperature = 0'", "parser=[stored]", "normalizer=[v1]")
PARSING = (*SMALL, "report=[markdown,html,junit,sarif,codequality]")
CHARTS = ("experiment=self_audit", "source.limit=2", "gate=[]", "report=[markdown,junit]", "engine.workers=1")
QUALITY = "gl-code-quality-report.json"
REPORTS = {"report.md", "report.html", "junit.xml", "report.sarif", QUALITY}
ALWAYS = {"result.json", "measurements.parquet", "trials.parquet"}
slow = pytest.mark.slow
REFUSED = "cannot be written or read (Is a directory, errno 21)"


def block(folder: Path, *names: str) -> None:
    """Puts a folder where a file of this name would go: no user of the system may replace it."""
    for name in names:
        (folder / name / "mine").mkdir(parents=True)


def result_of(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "result.json").read_text("utf-8"))
    return document


def named(line: str) -> str:
    """The name of the file that a line is about."""
    return line.split(": ")[2].rpartition("/")[2]


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize(
    ("words", "refused", "there"),
    [
        pytest.param(PARSING, ["report.md"], REPORTS - {"report.md"}, marks=slow),
        pytest.param(PARSING, ["report.html"], REPORTS - {"report.html"}, marks=slow),
        (PARSING, ["report.sarif", "junit.xml"], REPORTS - {"report.sarif", "junit.xml"}),
        pytest.param(PARSING, [QUALITY], REPORTS - {QUALITY}, marks=slow),
        (CHARTS, ["chart-1.svg"], {"report.md", "junit.xml", "chart-2.svg"}),
        (("report=[markdown]",), ["sections.json"], {"report.md"}),
        (PARSING, sorted(REPORTS), set()),
        pytest.param(CONSISTENCY, ["disagreements.tsv"], {"report.md", "junit.xml", "report.html"}, marks=slow),
        (("experiment=cross_agent_reference",), ["consistency.json"], {"report.md", "disagreements.tsv"}),
    ],
)
def test_a_report_that_cannot_be_written_is_exit_4(
    words: tuple[str, ...], refused: list[str], there: set[str], command: Command, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    block(run, *refused)
    done = command(*words, "hydra.run.dir=run")
    assert done.returncode == 4, done.stderr
    lines = done.stderr.splitlines()
    assert [line.startswith("auditfw: error: ") for line in lines] == [*[False] * (len(lines) - 1), True]
    assert sorted(map(named, lines)) == sorted(refused)
    assert all(REFUSED in line for line in lines)
    assert names_in(run) >= there | ALWAYS
    result = result_of(run)
    assert result["exit_code"] == 4
    assert {name for name in refused for warning in result["warnings"] if f"/{name}: " in warning} == set(refused)
    if "report.md" in there:
        report = (run / "report.md").read_text("utf-8")
        assert "(exit code 4)" in report
        assert f"({refused[0]})" not in report, "no picture that is not there"
    assert not list(run.rglob("*.part"))
    again = command("report", "run", "report=[markdown,junit]")
    assert again.returncode == (3 if "sections.json" in refused else 4), again.stderr


def test_reports_written_again_do_without_each_other(command: Command, tmp_path: Path) -> None:
    assert command(*CHARTS, "hydra.run.dir=run").returncode == 0
    before = result_of(tmp_path / "run")
    for name in ("chart-1.svg", "report.md", "junit.xml"):
        (tmp_path / "run" / name).unlink()
    block(tmp_path / "run", "chart-1.svg", "report.sarif")
    done = command("report", "run", "report=[markdown,sarif,junit]")
    assert done.returncode == 4
    assert list(map(named, done.stderr.splitlines())) == ["chart-1.svg", "report.sarif"]
    assert names_in(tmp_path / "run") >= {"report.md", "junit.xml"}
    assert result_of(tmp_path / "run") == before, "the run itself is as it was"


@pytest.mark.parametrize(
    "name", ["sweep.json", *(pytest.param(name, marks=slow) for name in ("sweep.md", "sweep.parquet", "report.html"))]
)
def test_a_file_of_a_sweep_that_cannot_be_written_is_exit_4(name: str, tmp_path: Path) -> None:
    words = ("-m", *CONSISTENCY, "report=[]", "seed=1,2", "hydra.sweep.dir=sweep")
    block(tmp_path / "sweep", name)
    done = run_auditfw(words, tmp_path)
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, named(last), REFUSED in last) == (4, name, True), done.stderr
    assert names_in(tmp_path / "sweep") >= {"sweep.json", "sweep.md", "sweep.parquet", "report.html"} - {name}
    assert [result_of(tmp_path / "sweep" / job)["exit_code"] for job in "01"] == [0, 0]
    assert "2 jobs" in done.stdout


def test_a_job_whose_folder_cannot_be_made_fails_alone(command: Command, tmp_path: Path) -> None:
    (tmp_path / "sweep").mkdir()
    (tmp_path / "sweep" / "0").write_text("in the way", "utf-8")
    done = command("-m", *CONSISTENCY, "report=[]", "seed=1,2", "hydra.sweep.dir=sweep")
    assert done.returncode == 4
    assert "Traceback" not in done.stderr
    assert "seed=1: sweep/0/.hydra: cannot be written" in done.stderr.replace(f"{tmp_path}/", "")
    assert result_of(tmp_path / "sweep" / "1")["exit_code"] == 0


def test_the_link_to_the_latest_run_is_a_warning(command: Command, tmp_path: Path) -> None:
    block(tmp_path, "latest")
    done = command(*CONSISTENCY, "report=[]", "hydra.run.dir=run")
    assert done.returncode == 0
    assert done.stderr.startswith("auditfw: warning: ")
    assert named(done.stderr) == "latest"


@pytest.mark.parametrize("words", [("report=[json]",), ("list",), pytest.param(("probe",), marks=slow)])
def test_a_full_standard_output_is_named(words: tuple[str, ...], tmp_path: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "auditfw", *words],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert done.stderr.startswith(says.AUDITFW_ERROR_STANDARD_OUTPUT_CANNOT)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        *(pytest.param(words, code, marks=slow) for words, code in ((("lst",), 2), (("compare", "a", "b"), 3))),
        *((("list",), 4), (("report=[]", "gate=[]", "hydra.run.dir=run"), 0)),
    ],
)
def test_a_full_standard_error_changes_no_code(words: tuple[str, ...], code: int, tmp_path: Path) -> None:
    """Nor does a full standard output beside it, where the command prints nothing there."""
    with open("/dev/full", "w", encoding="utf-8") as full:
        command = [sys.executable, "-m", "auditfw", *words]
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=full, check=False)
    assert done.returncode == code


@pytest.mark.parametrize(
    ("words", "code"), [(("lst",), 2), (("gate=[]", "report=[]"), 0), pytest.param(("list",), 0, marks=slow)]
)
def test_a_terminal_that_is_gone_changes_no_code(
    words: tuple[str, ...], code: int, tmp_path: Path, nohup: None
) -> None:
    """Reading and writing there is an I/O error from then on."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "auditfw", *words]
    running = subprocess.Popen(command, cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.close(ours)
    assert running.wait(timeout=60) == code


def test_a_table_whose_end_a_full_disk_refuses_is_named() -> None:
    """Polars names no errno there."""
    wide = pl.DataFrame({f"column {number}": ["a", "b"] for number in range(400)})
    message = r"^run/trials.parquet: cannot be written or read \(the disk did not take all of it\)"
    with pytest.raises(IncompleteError, match=message), guarded("run/trials.parquet"):
        wide.write_parquet("/dev/full", compression="lz4")


PANICS = """from dataclasses import dataclass

import polars as pl
from auditfw.kinds.registry import register


@register("report", "panics")
@dataclass(frozen=True)
class Panics:
    \"\"\"Ends as Polars does where it cannot open its files.\"\"\"

    def __call__(self, result, folder):
        raise pl.exceptions.PanicException("`Result::unwrap()` on an `Err` value: Os { code: 24, kind: Uncategorized }")
"""


def test_a_panic_of_a_library_is_an_error(command: Command, tmp_path: Path) -> None:
    """Python takes it for no Exception."""
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "panics.py").write_text(PANICS, "utf-8")
    done = command("report=[panics]", "gate=[]", "hydra.run.dir=run")
    assert (done.returncode, done.stderr.count("\n")) == (4, 1), done.stderr
    assert says.PLUGINS_A_COMPONENT_FAILED_PANICEXCEPTION in done.stderr
    own = refused(pl.exceptions.PanicException("an `Err` value: Os { code: 24, kind: Uncategorized }"), "run")
    assert str(own).startswith(says.RUN_CANNOT_BE_WRITTEN_OR)


def test_a_run_that_failed_leaves_why(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"id": 1}\n{"id": 2,\n', "utf-8")
    words = ("source=jsonl", "source.path=mine.jsonl", "by=[]", "gate=[]", "hydra.run.dir=run")
    done = command(*words)
    assert done.returncode == 3
    error = json.loads((tmp_path / "run" / "error.json").read_text("utf-8"))
    assert error["exit_code"] == 3
    assert f"auditfw: error: {error['error']}" == done.stderr.splitlines()[0]
    row = {"id": 1, "raw_text": "Paris", "parsed_text": "Paris", "ground_truth": "Paris", "stored": 1}
    (tmp_path / "mine.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    assert command(*words).returncode == 0, "the folder is taken again"
    assert not (tmp_path / "run" / "error.json").exists()
