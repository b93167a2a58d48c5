"""Runs in MLflow: names and tags looked up by hand; what needs the package is run where it is installed (slow)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from field_packages import python_with_extra
from made_up_audit import HOSTILE
from places import ROOT
from sentences import report as says

import auditfw
from auditfw.commands.run import finish, send
from auditfw.commands.trust import code_in, may_start
from auditfw.components.report.mlflow import MlflowReport, metric_name, metrics_of, tags_of
from auditfw.core.errors import IncompleteError, UsageError
from auditfw.core.records import Answer, Estimate, Measurement, Result

ANSWER = Answer("fragile", "It depends.", ["First.", "Second."], "Look.", "all")


def test_metrics_are_overall_and_by_key(plain: Result) -> None:
    keyed = Measurement("combined", "actual", {"key": "gdp/head +%"}, Estimate(0.5, 1))
    undefined = Measurement("kappa", "x", {}, Estimate(None, 0, undefined="why"))
    values = metrics_of(replace(plain, measurements=[*plain.measurements, keyed, undefined]))
    assert values["error_rate/answer_v2.v2"] == 55.5
    assert values["delta_pp/after_think.v2"] == 8.8
    assert values["combined/actual/gdp_head __"] == 0.5
    cells = [one for one in plain.measurements if not one.overall]
    assert len(cells) == 3
    assert len(values) == len(plain.measurements) - 3 - 1 + 1  # without cells and the undefined one, with the key's


def test_names_that_are_the_same_are_numbered(plain: Result) -> None:
    twice = [Measurement("n", "a", {"key": key}, Estimate(i, 1)) for i, key in enumerate(("x+", "x@", "x/"))]
    assert metrics_of(replace(plain, measurements=twice)) == {"n/a/x_": 0.0, "n/a/x__2": 1.0, "n/a/x__3": 2.0}
    assert len(metric_name(Measurement("n", "a" * 999, {}, Estimate(1.0)))) == 240


def test_names_of_hostile_results(hostile: Result) -> None:
    allowed = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.- ")
    assert HOSTILE
    assert all(set(name) <= allowed for name in metrics_of(hostile))


def test_tags_say_the_answer(plain: Result) -> None:
    tags = tags_of(replace(plain, answer=ANSWER))
    assert tags.pop("auditfw.folder") == str(Path(str(plain.folder)).absolute())
    assert tags == {
        "auditfw.audit": "parsing", "auditfw.verdict": "fail", "auditfw.exit_code": "1", "auditfw.answer": "fragile",
        "auditfw.headline": "It depends.", "auditfw.because": "First.\nSecond.", "auditfw.next": "Look.",
        "auditfw.config_hash": "cd" * 32, "auditfw.seed": "0", "auditfw.version": "0.1.0",
    }  # fmt: skip
    assert "auditfw.answer" not in tags_of(plain)
    assert "auditfw.folder" not in tags_of(replace(plain, folder=None))
    assert len(tags_of(replace(plain, audit="x" * 9_999))["auditfw.audit"]) == 5_000


def test_without_the_package_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(UsageError) as error:
        auditfw.run({"experiment": "posiwid", "report": ["mlflow"]})
    line = says.THE_REPORT_MLFLOW_NEEDS_THE
    assert str(error.value) == line


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\\b", "/etc/passwd"])
def test_files_are_those_of_the_run_folder(name: str, there: None) -> None:
    with pytest.raises(UsageError, match=r"^files\[1\]: is not the name of a file in the run folder"):
        MlflowReport(files=("result.json", name))


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the package were installed, as far as it is only looked for."""
    monkeypatch.setattr("auditfw.components.report.mlflow.find_spec", lambda name: name)


def test_a_stored_run_asks_before_it_sends(there: None) -> None:
    part = MlflowReport(tracking_uri="https://elsewhere.example")
    assert code_in(part) == [says.THE_REPORT_SENDS_FILES_OF]
    assert may_start({"reports": {"a": {"use": "mlflow"}}})
    assert not may_start({"reports": {"a": {"use": "html"}}})
    assert not may_start({"reports": None})


@dataclass(frozen=True)
class Sending:
    """Notes what is there when it is called."""

    calls: list[Any] = field(default_factory=list)
    error: Exception | None = None
    sends: ClassVar[bool] = True

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        self.calls.append(folder and sorted(one.name for one in Path(folder).iterdir() if one.suffix == ".json"))
        if self.error is not None:
            raise self.error
        return ()


def test_it_is_called_when_all_files_are_written(
    plain: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last = Sending(error=IncompleteError("reports.mlflow", "the run was not logged", "no server"))
    finish(tmp_path, replace(plain, folder=str(tmp_path)), [last], {})
    assert last.calls == [["manifest.json", "result.json", "sections.json"]]
    line = says.AUDITFW_WARNING_THE_RUN_WAS
    assert capsys.readouterr().err == line
    send([last], replace(plain, folder=None))
    assert last.calls[1:] == [None]


RUNS = """
import json, sys, mlflow
from mlflow import MlflowClient
client = MlflowClient(tracking_uri=sys.argv[1])
found = [
    {"experiment": one.name, "name": run.info.run_name, "status": run.info.status, "metrics": run.data.metrics,
     "tags": run.data.tags, "files": [part.path for part in client.list_artifacts(run.info.run_id, "auditfw")]}
    for one in client.search_experiments() for run in client.search_runs([one.experiment_id])
]
print(json.dumps(found))
"""
ACTIVE = """
import json, mlflow, auditfw
from auditfw.components.report import mlflow as report
report.AT_ONCE = 3
mlflow.set_tracking_uri("sqlite:///store.db")
with mlflow.start_run(run_name="mine"):
    mlflow.log_metric("own", 1)
    result = auditfw.run({"experiment": "posiwid", "report": ["mlflow"]})
    assert mlflow.active_run() is not None
assert len(report.metrics_of(result)) > 4
open("names", "w").write(json.dumps(list(report.metrics_of(result))))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return python_with_extra("mlflow", tmp_path_factory)


@pytest.mark.slow
class TestStore:
    """The command in an environment of its own with the package, and a store in a file."""

    def ran(self, python: Path, folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "MLFLOW", "HYDRA"))}
        quiet = {"PYTHONPATH": str(ROOT), "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true", **more}
        return subprocess.run(
            [python, *words],
            cwd=folder,
            env={**clean, **quiet},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def runs(self, python: Path, folder: Path) -> list[dict[str, Any]]:
        done = self.ran(python, folder, "-c", RUNS, "sqlite:///store.db")
        assert done.returncode == 0, done.stderr
        found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
        return found

    def test_a_run_and_its_report_again(self, python: Path, tmp_path: Path) -> None:
        store = "reports.mlflow.tracking_uri=sqlite:///store.db"
        words = [store, "reports.mlflow.experiment=evals", "hydra.run.dir=run", "gate=[stable]"]
        done = self.ran(python, tmp_path, "-m", "auditfw", "report=[mlflow,html,json]", *words)
        assert done.returncode == 1, done.stderr
        document = json.loads(done.stdout)
        [run] = self.runs(python, tmp_path)
        assert (run["experiment"], run["name"], run["status"]) == ("evals", "auditfw parsing run", "FINISHED")
        assert run["files"] == ["auditfw/report.html", "auditfw/result.json"]
        assert run["tags"]["auditfw.headline"] == document["answer"]["headline"]
        assert (run["tags"]["auditfw.answer"], run["tags"]["auditfw.exit_code"]) == ("fragile", "1")
        values = [one for one in document["measurements"] if one["value"] is not None]
        names = {f"{one['metric']}/{one['reading'].replace('+', '.')}": one["value"] for one in values}
        assert run["metrics"] == pytest.approx(names)
        again = self.ran(python, tmp_path, "-m", "auditfw", "report", "run", "reports.mlflow.run=named")
        once_more = self.ran(python, tmp_path, "-m", "auditfw", "report", "run", "reports.mlflow.run=named")
        assert (again.returncode, once_more.returncode) == (1, 1), again.stderr + once_more.stderr
        assert sorted(one["name"] for one in self.runs(python, tmp_path)) == ["auditfw parsing run", "named"]

    def test_each_job_of_a_sweep_is_a_run(self, python: Path, tmp_path: Path) -> None:
        words = ["-m", "auditfw", "-m", "seed=1,2", "report=[mlflow]", "hydra.sweep.dir=sweep"]
        done = self.ran(python, tmp_path, *words, MLFLOW_TRACKING_URI="sqlite:///store.db", MLFLOW_EXPERIMENT_NAME="s")
        assert done.returncode == 0, done.stderr
        runs = sorted(self.runs(python, tmp_path), key=lambda run: run["name"])
        assert [(one["experiment"], one["name"], one["tags"]["auditfw.seed"]) for one in runs] == [
            ("s", "auditfw parsing 0", "1"),
            ("s", "auditfw parsing 1", "2"),
        ]

    def test_the_active_run_of_a_notebook(self, python: Path, tmp_path: Path) -> None:
        done = self.ran(python, tmp_path, "-c", ACTIVE)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        [run] = self.runs(python, tmp_path)
        assert (run["name"], run["status"], run["files"]) == ("mine", "FINISHED", ["auditfw/result.json"])
        assert run["metrics"].pop("own") == 1.0
        assert sorted(run["metrics"]) == sorted(json.loads((tmp_path / "names").read_text("utf-8")))
        assert "mean_overall/actual" in run["metrics"]

    def test_what_is_refused_is_a_warning(self, python: Path, tmp_path: Path) -> None:
        words = ["-m", "auditfw", "report=[mlflow]", "reports.mlflow.tracking_uri=nowhere://x", "hydra.run.dir=run"]
        done = self.ran(python, tmp_path, *words)
        assert done.returncode == 0
        assert done.stderr.startswith(says.AUDITFW_WARNING_THE_RUN_WAS_NOT)
        assert len(done.stderr.splitlines()) == 1
        assert (tmp_path / "run" / "result.json").is_file()
        again = self.ran(python, tmp_path, "-m", "auditfw", "report", "run")
        assert again.returncode == 4
        assert again.stderr.startswith(says.AUDITFW_ERROR_THE_RUN_WAS)
