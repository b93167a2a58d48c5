"""Generated trials: the plain definitions, the shape that is announced, the same folders every time."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from benchmarks import parsing
from benchmarks.data import conformity, corpus, generator
from benchmarks.plain import script

pytest.importorskip("pandas")


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


def test_generated_data_are_made_once_and_foreign_runs_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsing.prepared(tmp_path / "a", 20, seed=0)
    monkeypatch.setattr(parsing, "generate", lambda *_, **__: pytest.fail("made again"))
    assert parsing.prepared(tmp_path / "a", 20, seed=0).trials == 20
    (tmp_path / "b" / "runs").mkdir(parents=True)
    with pytest.raises(SystemExit, match="not generated here"):
        parsing.prepared(tmp_path / "b", 20, seed=0)


def test_rows_stream() -> None:
    assert len(list(islice(generator.rows(10**9, 0, seed=0), 3))) == 3
