"""texts.parquet as others open it: the packages datasets and pandas."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import polars as pl
import pytest
from field_packages import python_with
from running import run_auditfw

pytestmark = pytest.mark.slow
CODE = """
import datasets, json, pandas, sys
rows = datasets.load_dataset("parquet", data_files=sys.argv[1], split="train", cache_dir="cache")
frame = pandas.read_parquet(sys.argv[1])
first = {**frame.iloc[0].to_dict(), "ground_truth": list(frame.iloc[0]["ground_truth"])}
print(json.dumps({"features": {k: str(v) for k, v in rows.features.items()}, "row": rows[0], "rows": len(rows),
                  "frame": list(frame.shape), "first": first, "raw": rows["raw_text"][:] == list(frame["raw_text"])}))
"""


def test_datasets_and_pandas_open_it(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    python = python_with("datasets", tmp_path_factory)
    done = run_auditfw(["report=[texts]", "hydra.run.dir=run"], tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    file = tmp_path / "run" / "texts.parquet"
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    read = subprocess.run(
        [python, "-c", CODE, file], check=True, capture_output=True, text=True, timeout=600, cwd=tmp_path,
        env={**clean, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")},
    )  # fmt: skip
    found, table = json.loads(read.stdout.splitlines()[-1]), pl.read_parquet(file)
    assert found["row"] == found["first"] == table.row(0, named=True)
    assert (found["rows"], found["frame"], found["raw"]) == (table.height, list(table.shape), True)
    assert list(found["features"]) == table.columns
    assert "bool" in found["features"]["label"]
