"""The benchmark's comparison finds a difference in any number or label, and none where there is none."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import polars
import pytest

from benchmarks import parsing
from benchmarks.data import generator
from benchmarks.plain import compare, script

pytest.importorskip("pandas")


@pytest.fixture
def compared(tmp_path: Path) -> tuple[Path, Path]:
    metadata, runs_dir = generator.generate(tmp_path, trials=120, runs=2, seed=1)
    out, folder = tmp_path / "script.json", tmp_path / "run"
    script.main([str(runs_dir), str(metadata), str(out)])
    pretend(out, folder)
    return out, folder


def pretend(out: Path, folder: Path) -> None:
    """Writes a run folder that holds the script's figures."""
    folder.mkdir()
    counted = dict(_trials(out))
    rows, overall = [], []
    for (metric, reading, cell), value in compare.script_figures(out).items():
        row = {"metric": metric, "reading": reading, "value": float(value or 0), "counted": counted.get(cell, 0)}
        rows.append(row | dict(zip(compare.CELL, cell or (None, None, None), strict=True)))
        if not cell:
            overall.append(row | {"cell": {}})
    polars.DataFrame(rows, infer_schema_length=None).write_parquet(folder / "measurements.parquet")
    (folder / "result.json").write_text(json.dumps({"measurements": overall}))
    labels = polars.read_csv(out.with_suffix(".csv")).rename({"output_id": "id", "is_correct": "stored"})
    labels.with_columns(polars.exclude("id").cast(polars.Boolean)).write_parquet(folder / "trials.parquet")


def _trials(out: Path) -> list[tuple[tuple[Any, ...], int]]:
    cells = json.loads(out.read_text())["cells"]["stored+v2"]
    return [(tuple(cell[name] for name in compare.CELL), cell["n"]) for cell in cells]


def test_equal_figures_show_no_difference(compared: tuple[Path, Path]) -> None:
    assert compare.label_differences(*compared) == ([], 6 * sum(n for _, n in _trials(compared[0])))
    lines, count = compare.differences(*compared)
    cells = len(_trials(compared[0]))
    assert lines == []
    assert count == 5 + cells * (1 + 3 * 3 + 3)


def test_each_changed_number_is_a_difference(compared: tuple[Path, Path]) -> None:
    out, folder = compared
    table = polars.read_parquet(folder / "measurements.parquet")
    shift = polars.when(polars.col("metric") == "delta_pp").then(1e-6).otherwise(0.0)
    wrong = table.with_columns(polars.col("value") + shift)
    wrong.write_parquet(folder / "measurements.parquet")
    assert len(compare.differences(out, folder)[0]) == 3 * len(_trials(out))
    result = json.loads((folder / "result.json").read_text())
    result["measurements"][0]["value"] += 1
    (folder / "result.json").write_text(json.dumps(result))
    assert len(compare.differences(out, folder)[0]) == 3 * len(_trials(out)) + 1


def test_each_changed_label_is_a_difference(compared: tuple[Path, Path]) -> None:
    out, folder = compared
    trials = polars.read_parquet(folder / "trials.parquet")
    first, second = trials["id"][:2]
    label, think = trials["stored+v2"][0], trials["after_think+v2"]
    wrong = trials.with_columns(
        polars.when(polars.col("id") == first).then(~polars.col("stored+v2")).otherwise("stored+v2").alias("stored+v2"),
        think.fill_null(False),
    ).filter(polars.col("id") != second)
    wrong.drop("stored").write_parquet(folder / "trials.parquet")
    lines, _ = compare.label_differences(out, folder)
    assert f"label of stored+v2 for {first}: script {int(label)}, auditfw {not label}" in lines
    assert "labels of stored: auditfw has no such column" in lines
    assert len(lines) == 1 + 1 + 4 + think.null_count() - (think[1] is None) + (think[1] is not None)


@pytest.mark.parametrize(("wrong", "code"), [(0, 0), (1, 1)])
def test_benchmark_fails_on_any_difference(
    wrong: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(data: parsing.Data, folder: Path, *_: object) -> list[str]:
        out = folder.parent / "script.json"
        if out.is_file():
            pretend(out, folder)
            result = json.loads((folder / "result.json").read_text())
            result["measurements"][0]["value"] += wrong
            (folder / "result.json").write_text(json.dumps(result))
        return [sys.executable, "-c", "pass"]

    monkeypatch.setattr(parsing, "audit_command", command)
    assert parsing.run(["--trials=60", f"--keep={tmp_path}", "--grid"]) == code
    told = capsys.readouterr().out
    assert f"different: {wrong}\n" in told
    assert "48 readings: " in told
