"""A run in MLflow: its numbers as metrics, its answer as tags, its files as artifacts."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from auditfw.core.errors import AuditError, IncompleteError, UsageError, brief
from auditfw.core.records import Measurement, Result
from auditfw.core.result_json import RESULT, dumps, finite, result_document
from auditfw.kinds.registry import register

INSTALL = "pip install 'auditfw[mlflow]'"
FILES = (RESULT, "report.html", "report.md")
PREFIX = "auditfw"
AT_ONCE = 500  # metrics of one request
LONGEST_NAME, LONGEST_TAG = 240, 5_000
DEFAULT_EXPERIMENT = "0"
_UNFIT = re.compile(r"[^A-Za-z0-9_. -]")


@register("report", "mlflow")
@dataclass(frozen=True)
class MlflowReport:
    """Logs a run to MLflow: overall measurements as metrics, answer and verdict as tags, files as artifacts.

    Without settings it goes into the active run, also the one that MLFLOW_RUN_ID names; else a new run is made in the
    store that MLFLOW_TRACKING_URI names. `tracking_uri` is the store, `experiment` the experiment (made where there is
    none), `run` a run by its name, gone on with where the experiment has it. `files` are those of the run folder that
    become artifacts. What MLflow refuses is a warning. Needs `pip install 'auditfw[mlflow]'`.
    """

    sends: ClassVar[bool] = True

    tracking_uri: str | None = None
    experiment: str | None = None
    run: str | None = None
    files: tuple[str, ...] = FILES

    def __post_init__(self) -> None:
        if find_spec("mlflow") is None:
            raise UsageError("", "the report mlflow needs the package mlflow", None, INSTALL)
        for i, name in enumerate(self.files):
            if name in ("", ".", "..") or set(name) & set("/\\"):
                raise UsageError(f"files[{i}]", "is not the name of a file in the run folder", name)

    @property
    def starts(self) -> str:
        """Where it sends the files of a run."""
        return f"sends files of the run to {self.tracking_uri or 'the MLflow store of this machine'}"

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        try:
            with redirect_stdout(sys.stderr):  # standard output is not MLflow's
                self._log(result, folder)
        except AuditError:
            raise
        except Exception as error:
            detail = brief(f"{type(error).__name__}: {error}", 300)
            raise IncompleteError("reports.mlflow", "the run was not logged to MLflow", detail) from error
        return ()

    def _log(self, result: Result, folder: str | None) -> None:
        from mlflow import MlflowClient, active_run

        active = None if self.tracking_uri or self.experiment or self.run else active_run()
        client = MlflowClient(tracking_uri=self.tracking_uri)
        number, made = self._opened(client, result) if active is None else (active.info.run_id, False)
        log_numbers(client, number, result)
        self._log_files(client, number, result, folder)
        if made:
            client.set_terminated(number, "FINISHED")

    def _opened(self, client: Any, result: Result) -> tuple[str, bool]:
        """The run to log into, and whether it was made for this."""
        named = os.environ.get("MLFLOW_RUN_ID")
        if named and not (self.tracking_uri or self.experiment or self.run):
            return named, False
        experiment = self._experiment(client)
        if self.run is not None:
            quoted = self.run.replace("'", "''")
            known = client.search_runs([experiment], f"attributes.run_name = '{quoted}'", max_results=1)
            if known:
                return known[0].info.run_id, False
        place = "" if result.folder is None else f" {Path(result.folder).name}"
        run = client.create_run(experiment, run_name=self.run or f"{PREFIX} {result.audit}{place}")
        return run.info.run_id, True

    def _experiment(self, client: Any) -> str:
        """The id of the experiment, which is made where there is none of this name."""
        name = self.experiment or os.environ.get("MLFLOW_EXPERIMENT_NAME")
        if name is None:
            return os.environ.get("MLFLOW_EXPERIMENT_ID") or DEFAULT_EXPERIMENT
        known = client.get_experiment_by_name(name)
        return str(known.experiment_id if known is not None else client.create_experiment(name))

    def _log_files(self, client: Any, number: str, result: Result, folder: str | None) -> None:
        if folder is None:
            client.log_text(number, dumps(result_document(result)), f"{PREFIX}/{RESULT}")
            return
        for name in self.files:
            if (Path(folder) / name).is_file():
                client.log_artifact(number, str(Path(folder) / name), PREFIX)


def log_numbers(client: Any, number: str, result: Result) -> None:
    """Logs metrics and tags to a run."""
    from mlflow.entities import Metric, RunTag

    now = int(time.time() * 1000)
    values = [Metric(name, value, now, 0) for name, value in metrics_of(result).items()]
    for start in range(0, len(values), AT_ONCE):
        client.log_batch(number, metrics=values[start : start + AT_ONCE])
    client.log_batch(number, tags=[RunTag(name, text) for name, text in tags_of(result).items()])


def metrics_of(result: Result) -> dict[str, float]:
    """The overall measurements and those of each key that have a value, by the names that MLflow allows."""
    values: dict[str, float] = {}
    for measurement in result.measurements:
        value = finite(measurement.estimate.value)
        if value is None or not (measurement.overall or set(measurement.cell) == {"key"}):
            continue
        name, number = metric_name(measurement), 1
        while name in values:
            number += 1
            name = f"{metric_name(measurement)}_{number}"
        values[name] = value
    return values


def metric_name(measurement: Measurement) -> str:
    """`error_rate/answer_v2.v1` for `error_rate@answer_v2+v1`: MLflow allows neither @ nor +."""
    parts = [measurement.metric, measurement.reading.replace("+", "."), *map(str, measurement.cell.values())]
    return "/".join(_UNFIT.sub("_", part) for part in parts)[:LONGEST_NAME]


def tags_of(result: Result) -> dict[str, str]:
    """The answer, the verdict and what identifies the run, as texts."""
    answer = result.answer
    texts = {"audit": result.audit, "verdict": result.verdict, "exit_code": str(result.exit_code)}
    if answer is not None:
        because = "\n".join(answer.because)
        texts |= {
            "answer": answer.status,
            "words": answer.words,
            "headline": answer.headline,
            "because": because,
            "next": answer.next,
        }
    version = result.versions.get("auditfw", "")
    texts |= {"config_hash": result.config_hash, "seed": str(result.seed), "version": version}
    if result.folder is not None:
        texts["folder"] = str(Path(result.folder).absolute())
    return {f"{PREFIX}.{name}": text[:LONGEST_TAG] for name, text in texts.items() if text}
