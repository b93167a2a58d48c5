"""`auditfw report`: what it refuses; tests/components/report has what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from running import Command
from sentences import commands as says

import auditfw
from auditfw.commands.main import with_latest
from auditfw.commands.report import report
from auditfw.core.errors import AuditError, UsageError

REFUSED = [
    (["report=[htm]"], "report=[htm]: no report named 'htm' - did you mean 'html'?"),
    (["reports.html.max_bites=3"], "reports.html.max_bites: unknown setting (3) - did you mean 'max_bytes'?"),
    (["report=[]"], "report: the run has no report of its own (run) - write report=[NAMES]"),
    (["report.max_rows=3"], "report.max_rows: cannot change a finished run (report.max_rows=3) - write report=[NAMES]"),
    (["--html"], "--html: cannot change a finished run (--html) - write report=[NAMES] or reports.NAME.KEY=..."),
    (["other"], "other/result.json: no such file - name the folder of a finished run"),
]


def test_report_refuses_what_it_cannot_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small = {"source": {"where": "temperature = 0"}, "parser": ["stored"], "normalizer": ["v1"], "report": ["html"]}
    auditfw.run(small, tmp_path / "run")
    for words, line in REFUSED:
        with pytest.raises(AuditError) as error:
            report(["run", *words])
        assert str(error.value).startswith(line)


def test_each_run_of_a_pattern_is_written_once(command: Command, tmp_path: Path) -> None:
    for _ in range(2):
        assert command("report=[]", "source.where='temperature = 0'", "parser=[stored]").returncode == 0
    runs = sorted(tmp_path.glob("outputs/parsing/*/*"))
    assert [run.name for run in runs if run.is_symlink()] == ["latest"]
    done = command("report", *map(str, runs), "report=[markdown]")
    assert (done.returncode, done.stderr) == (0, "")
    assert all((run / "report.md").is_file() for run in runs)
    explained = command("explain", *(f"{run}/" for run in runs[1:]))  # the last one, and the link to it
    assert (explained.returncode, explained.stderr) == (0, "")
    newest = command("explain", "latest", "--json")
    assert json.loads(newest.stdout)["run"] == str(runs[1].relative_to(tmp_path))


def test_the_latest_run_is_the_newest_by_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for verb, what in (("report", "run"), ("sweep", "sweep")):
        with pytest.raises(
            UsageError, match=f"latest: no finished {what} is below outputs/ - name the folder of a {what}"
        ):
            with_latest([verb, "latest"])
    for place in (
        "consistency/2026-01-02/09",
        "parsing/2026-01-02/10",
        "parsing/2026-01-01/11",
        "sweeps/2026-01-01/12",
    ):
        folder = Path("outputs", place)
        folder.mkdir(parents=True)
        (folder.parent / "latest").symlink_to(folder.name)
    assert with_latest(["compare", "a", "latest"]) == ["a", "outputs/parsing/2026-01-02/10"]
    assert with_latest(["sweep", "latest"]) == ["outputs/sweeps/2026-01-01/12"]
    Path("latest").touch()
    assert with_latest(["report", "latest"]) == ["latest"]


def test_a_run_whose_folder_looks_like_a_setting(command: Command, tmp_path: Path) -> None:
    name = "baseline=model=gpt4,temp=0"
    assert command("report=[]", "source.where='temperature = 0'", f"hydra.run.dir='{name}'").returncode == 0
    for words in (["report", "report=[json]"], ["explain"], ["export"], ["accept"], ["rerun"], ["compare", name]):
        done = command(*words, name)
        assert (done.returncode, done.stderr) == (0, "")
    assert command(f"resume={name}").stderr.startswith(says.AUDITFW_ERROR_RESUME_THE_PARSING)
