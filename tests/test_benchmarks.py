"""The benchmark's data are consistent, its script is right, and its comparison finds a difference."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import polars
import pytest
from conformity import build
from places import CASES

pytest.importorskip("pandas")

from auditfw.benchmarks import compare, conformity, corpus, generator, parsing, process, script, startup
from auditfw.benchmarks.__main__ import main

GOLDEN = Path(os.environ.get("AUDITFW_GOLDEN") or CASES / "golden")
TITLES = {
    "answer_v2+v1": "v2 parse + v1 normalization (isolates parsing effect)",
    "answer_v2+v2": "v2 parse + v2 normalization (parse + normalization)",
    "stored+v2": "stored parse + v2 normalization (isolates normalization effect)",
}
FLIPS = {"answer_v2+v1": "flips_parse_only", "answer_v2+v2": "flips_parse_norm", "stored+v2": "flips_norm_only"}
SAME = ("runs_loaded", "rows_total", "rows_factual", "v1_mismatches", "raw_role", "raw_block")
SAME = (*SAME, "parsed_role", "parsed_block", "think_rows", "think_flips")


def golden(name: str) -> list[dict[str, Any]]:
    path = GOLDEN / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["cases"] if path.is_file() else []


def printed(cell: dict[str, Any]) -> tuple[str, ...]:
    rates = (f"{cell['stored_error']:.2f}", f"{cell['error']:.2f}", f"{cell['delta']:+.2f}")
    where = (f"{cell['temperature']:.1f}", cell["variant"], cell["condition"])
    return (*where, str(cell["n"]), *rates, str(cell["flips"]))


@pytest.mark.parametrize(
    "case",
    [case for case in golden("answer_parsing_audit_e2e") if case["expected"].get("summary")],
    ids=lambda c: c["id"],
)
def test_script_agrees_with_the_original(case: dict[str, Any], tmp_path: Path) -> None:
    metadata, runs_dir = build(case, tmp_path)
    figures, summary = script.audit(runs_dir, metadata)[0], case["expected"]["summary"]
    assert {name: figures[name] for name in SAME} == {name: summary[name] or 0 for name in SAME}
    for reading, title in TITLES.items():
        assert figures["flips"][reading] == summary[FLIPS[reading]]
        cells = [printed(cell) for cell in figures["cells"][reading]]
        shown = {tuple(row) for row in summary["tables"][title]}
        assert shown <= set(cells)
        assert len(shown) == min(40, len(cells))


@pytest.mark.parametrize("case", golden("parse_answer_v1_runner"), ids=lambda c: c["id"])
def test_stored_parse_agrees_with_the_original(case: dict[str, Any]) -> None:
    assert generator.stored_parse(case["input"]["raw_text"] or "") == case["expected"]


@pytest.mark.parametrize("run", [0, 5])
def test_generated_rows_follow_the_plain_definitions(run: int) -> None:
    for row in generator.rows(400, run, seed=3):
        parsed, truth = row["parsed_answer_text"], row["ground_truth"]
        correct = script.evaluate_correctness(parsed, truth, script.normalize_v1)
        assert 200 <= len(row["raw_text"]) <= 3_000
        assert parsed == generator.stored_parse(row["raw_text"])
        assert row["is_correct"] == (None if truth is None else int(bool(correct)))


@pytest.mark.parametrize("truth", ["8", "3.14", "50%", "C++", "$100", "J.F.K.", "New York", "Σας", "İ", "...", "_x_"])
@pytest.mark.parametrize(
    "answer", ["", "18", "it is 8.", "3 14", "3.\n14", "50% c++ $100", "J. F. K.", "new_york", "ΣΑΣ", "i̇ x"]
)
def test_labels_without_normalising_equal_the_definition(truth: str, answer: str) -> None:
    quick = generator.labeller(truth)(answer) if answer else False
    assert quick == script.evaluate_correctness(answer, truth, script.normalize_v1)


def test_generated_trials_have_the_shape_that_is_announced() -> None:
    rows = list(generator.rows(3_000, 1, seed=0))
    items = corpus.corpus(0).factual
    texts = [row["raw_text"] for row in rows]
    assert len({item.truth for item in items}) == len(items) == corpus.TRUTHS
    assert len({(row["variant"], row["condition"]) for row in rows}) == 18
    shares = {
        "opinion": (sum(row["ground_truth"] is None for row in rows), 0.15),
        "correct": (sum(row["is_correct"] or 0 for row in rows), 0.42),
        "non-ASCII": (sum(not text.isascii() for text in texts), 0.25),
        "think": (sum(script.has_any(text, (script.THINK_END,)) for text in texts), 0.24),
        "markers": (sum(script.has_any(text, script.GARBAGE_MARKERS) for text in texts), 0.13),
    }
    for name, (n, share) in shares.items():
        assert n / len(rows) == pytest.approx(share, abs=0.05), name


def test_generated_folders_repeat_and_keep_their_keys(tmp_path: Path) -> None:
    dumps = []
    for name in ("a", "b"):
        metadata, runs_dir = generator.generate(tmp_path / name, trials=50, runs=3, seed=7)
        runs = json.loads(metadata.read_text())["experiments"]
        databases = [runs_dir / run["run_dir"] / conformity.DATABASE for run in runs.values()]
        connections = [sqlite3.connect(database) for database in databases]
        assert not any(list(db.execute("PRAGMA foreign_key_check")) for db in connections)
        assert [db.execute("SELECT count(*) FROM conformity_outputs").fetchone()[0] for db in connections] == [
            17,
            17,
            16,
        ]
        dumps.append(["\n".join(db.iterdump()) for db in connections])
        for db in connections:
            db.close()
    assert dumps[0] == dumps[1]


def test_two_outputs_share_one_trial(tmp_path: Path) -> None:
    row = next(generator.rows(1, 0, seed=0))
    path = conformity.write_run(tmp_path, [row, row], "another run")
    with closing(sqlite3.connect(path)) as db:
        counts = [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("runs", "conformity_trials")]
        outputs = [name for (name,) in db.execute("SELECT output_id FROM conformity_outputs ORDER BY rowid")]
    assert counts == [2, 1]
    assert outputs == [f"{row['trial']}-0", f"{row['trial']}-1"]


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
    assert "rows by path: not told by this run" in told
    assert "48 readings: " in told


def test_paths_are_read_where_they_are_told(tmp_path: Path) -> None:
    assert compare.paths(tmp_path) == {}
    (tmp_path / "manifest.json").write_text('{"paths": {"planned": 3, "reference": 1}}')
    assert compare.paths(tmp_path) == {"planned": 3, "reference": 1}


def test_a_command_is_measured_with_its_children(tmp_path: Path) -> None:
    child = "subprocess.run([sys.executable, '-c', 'import time; time.sleep(1)'])"
    code = f"import subprocess, sys; print('told'); {child}; sys.exit(3)"
    cost = process.measured([sys.executable, "-c", code], tmp_path / "log")
    assert cost.exit_code == 3
    assert cost.seconds >= 1
    assert (tmp_path / "log").read_text() == "told\n"
    assert (cost.main_mb is None) == (cost.child_mb is None) == (not process.PROC.is_dir())


def test_generated_data_are_made_once_and_foreign_runs_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsing.prepared(tmp_path / "a", 20, seed=0)
    monkeypatch.setattr(parsing, "generate", lambda *_, **__: pytest.fail("made again"))
    assert parsing.prepared(tmp_path / "a", 20, seed=0).trials == 20
    (tmp_path / "b" / "runs").mkdir(parents=True)
    with pytest.raises(SystemExit, match="not generated here"):
        parsing.prepared(tmp_path / "b", 20, seed=0)


def test_paths_are_quoted_for_the_command_line() -> None:
    data = parsing.Data(Path("it's"), Path("it's/m.json"), Path("a b"), 1)
    command = parsing.audit_command(data, Path("out"), 2, "parser=[stored]")
    assert command[2:] == [
        *("auditfw", "experiment=answer_parsing", "source=conformity", "source.metadata='it\\'s/m.json'"),
        *("source.runs_dir='a b'", "hydra.run.dir='out'", "engine.workers=2", "report=[json]", "parser=[stored]"),
    ]


@pytest.mark.parametrize(("arguments", "code"), [([], 2), (["--help"], 0), (["nonsense"], 2)])
def test_benchmarks_are_listed(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == code
    told = capsys.readouterr().out
    assert "parsing" in told
    assert str(startup.run.__doc__) in told


def test_rows_stream() -> None:
    assert len(list(islice(generator.rows(10**9, 0, seed=0), 3))) == 3
