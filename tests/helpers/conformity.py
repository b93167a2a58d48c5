"""Builds the folder of one golden case of the whole answer-parsing audit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.data.conformity import write_metadata, write_run


def build(case: Mapping[str, Any], folder: Path) -> tuple[Path, Path]:
    """Writes the metadata file and the run folders of a case; returns the file and the folder of runs."""
    given = case["input"]
    experiments, databases = given["metadata_experiments"], given.get("databases", {})
    runs_dir = folder / "runs"
    runs_dir.mkdir(parents=True, exist_ok=True)
    metadata = write_metadata(folder / "metadata.json", experiments)
    listed = {run["run_dir"]: (key, run) for key, run in experiments.items() if "run_dir" in run}
    for name, rows in databases.items():
        key, run = listed[name]
        write_run(runs_dir / name, ({**row, "temperature": float(key)} for row in rows), run["run_id"])
    return metadata, runs_dir
