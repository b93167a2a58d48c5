"""Which build server gets which files, and that no data commands its runner."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from build_servers import EVIL, RUNNER, check_junit, check_sarif, lines_of, made, read, write_lines
from sentences import report as says

from auditfw.commands.error_output import print_error, warn
from auditfw.commands.run import speak
from auditfw.components.report.ci import CiReport, at_hand
from auditfw.components.report.code_hosts import AnnotationsReport
from auditfw.components.report.json import JsonReport
from auditfw.config import build as bridge
from auditfw.core.errors import DataError
from auditfw.core.result_json import dumps


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, "none"),
        ({"CI": "false"}, "none"),
        ({"CI": "true"}, "other"),
        ({"CI": "true", "GITHUB_ACTIONS": "true"}, "github"),
        ({"CI": "true", "GITLAB_CI": "true"}, "gitlab"),
        ({"TF_BUILD": "True"}, "other"),
        ({"JENKINS_URL": "http://x"}, "other"),
    ],
)
def test_the_environment_is_read(environment: dict[str, str], wanted: str) -> None:
    assert at_hand(environment) == wanted


@pytest.mark.parametrize(
    ("system", "files"),
    [
        ("github", ("junit.xml", "report.sarif")),
        ("gitlab", ("junit.xml", "gl-code-quality-report.json")),
        ("other", ("junit.xml",)),
        ("none", ("junit.xml", "report.sarif")),
    ],
)
def test_each_system_gets_its_files(
    system: Any,
    files: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "s.md"))
    report = CiReport(system)
    assert report(made(), str(tmp_path)) == files
    report.announce(made())
    out, err = capsys.readouterr()
    assert err.startswith("auditfw: report=ci on ")
    assert bool(out) == (system == "github") == (tmp_path / "s.md").exists()
    assert {path.name for path in tmp_path.iterdir()} == {*files, *(["s.md"] if system == "github" else [])}


def test_ci_may_be_chosen_alone_or_in_a_list() -> None:
    one, listed = (bridge.compose([word])["reports"] for word in ("report=ci", "report=[ci]"))
    assert one == listed == {"ci": {"use": "ci", "system": "auto"}}
    assert list(bridge.compose(["report=[console,ci]"])["reports"]) == ["console", "ci"]


def test_beside_json_the_others_leave_standard_output_alone(capsys: pytest.CaptureFixture[str]) -> None:
    speak([AnnotationsReport(), JsonReport(), CiReport("github")], made(), None)
    out, err = capsys.readouterr()
    assert json.loads(out)["verdict"] == "fail"
    assert err.count("::error title=") == 2
    speak([AnnotationsReport(), JsonReport(print=False)], made(), None)
    assert capsys.readouterr().out.startswith("::error")


@pytest.fixture(scope="module")
def on_a_runner(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """A run as on GitHub Actions, on completions, labels and cells that hold commands to runners."""
    base = tmp_path_factory.mktemp("runner")
    rows = [
        {
            "id": f"{EVIL}{i}",
            "raw_text": f"{EVIL}\nUser: {EVIL}",
            "parsed_text": EVIL,
            "stored": i % 2,
            "model": f"{EVIL}{i % 3}",
        }
        for i in range(24)
    ]
    for row in rows:
        row["ground_truth"] = "null" if row["stored"] else f"vso {EVIL}"
    write_lines(base / "evil.jsonl", rows)
    words = ["source=jsonl", "source.path=evil.jsonl", "by=[model]", "report=[console,ci]"]
    words += ["+gates.cells={use: bound, metric: error_rate, max: 10, cell: worst}"]
    environment = {**os.environ, "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "summary.md", "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, "-m", "auditfw", *words],
        cwd=base,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    [folder] = [path for path in base.glob("outputs/parsing/*/*") if not path.is_symlink()]
    return done, folder


def test_a_runner_sees_no_command_of_the_data(on_a_runner: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    done, _ = on_a_runner
    assert done.returncode == 1, done.stderr
    for stream in (done.stdout, done.stderr):
        assert not RUNNER.search(stream)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", stream)
    lines = done.stdout.splitlines()
    own = [line for line in lines if line.lstrip().startswith("::")]
    assert all(line.startswith(("╭ ", "│", "page: ", "run folder: ", "::")) for line in lines)
    assert len(own) == 11
    assert {read(line)[0] for line in own[:2]} == {"error"}
    assert not [line for line in done.stderr.splitlines() if line.lstrip().startswith("::")]
    assert says.ON_GITHUB_ACTIONS_JUNIT_SARIF in done.stderr
    assert "<U+0023>#vso[task.complete]␍␊::error::x" in done.stdout.replace("\n", "").replace("│ ", "")


def test_a_runner_gets_files_that_hold(on_a_runner: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    _, folder = on_a_runner
    result = json.loads((folder / "result.json").read_text("utf-8"))
    cases = check_junit((folder / "junit.xml").read_text("utf-8"))
    cells = [case for case in cases if case.get("classname") == "auditfw.parsing.cells"]
    assert len(cases) == len(result["gates"]) + len(cells)
    assert len(cells) == 3 * 5
    results = check_sarif(json.loads((folder / "report.sarif").read_text("utf-8")))
    assert {line[2] for line in lines_of(results)} == {"evil.jsonl"}
    assert all(
        one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in results if "flip" in one["ruleId"]
    )
    summary = (folder.parents[3] / "summary.md").read_text("utf-8")
    assert summary.startswith("# Audit: parsing\n")
    assert not RUNNER.search((folder / "result.json").read_text("utf-8"))


def test_what_goes_to_standard_error_commands_no_runner(capsys: pytest.CaptureFixture[str]) -> None:
    print_error(DataError("a.jsonl:1", "a label that is not declared", EVIL))
    warn(EVIL)
    told = capsys.readouterr().err
    assert not RUNNER.search(told)
    assert told.count("<U+0023>#vso[task.complete]") == 2
    assert len(told.splitlines()) == 2


def test_json_tells_the_same_and_commands_no_runner() -> None:
    text = dumps({"a": [EVIL]})
    assert not RUNNER.search(text)
    assert json.loads(text) == {"a": [EVIL]}
