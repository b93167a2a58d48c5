"""An accepted run: what `auditfw accept` keeps of it, and what is refused in its place."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from running import run_auditfw
from sentences import commands as says

from auditfw.commands.comparison.label_changes import (
    accepted_labels,
    changes_of,
    keys_of,
    labels_file,
    paired,
    read_accepted,
    run_or_accepted,
)
from auditfw.core.errors import DataError


@pytest.fixture
def accepted(two_runs: Path, tmp_path: Path) -> Path:
    shutil.copytree(two_runs, tmp_path, dirs_exist_ok=True)
    done = run_auditfw(("accept", "one"), tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith(says.AS_THE_BASELINE_ITS_LABELS)
    return tmp_path / "baseline.json"


def test_numbers_answer_gates_and_labels_are_kept(accepted: Path) -> None:
    run = read_accepted(accepted)
    result = json.loads((accepted.parent / "one" / "result.json").read_text("utf-8"))
    for name in ("audit", "verdict", "exit_code", "counts", "measurements", "inputs", "gates", "seed", "versions"):
        assert run.result[name] == result[name], name
    assert run.result["answer"] == {name: result["answer"][name] for name in ("status", "headline", "because", "next")}
    labels = pl.read_parquet(labels_file(accepted))
    assert labels.columns == ["id", "stored", "stored+v1"]
    assert labels["stored+v1"].to_list() == [True, True, True, False, True, False]


def test_labels_are_compared_with_those_of_a_run(accepted: Path) -> None:
    trials = paired(accepted, accepted.parent / "two")
    assert trials is not None
    [change] = changes_of(trials)
    assert (change.reading, change.both, change.changed, change.to_true, change.to_false) == ("stored+v1", 6, 2, 0, 2)
    assert (change.ids, change.before, change.after) == (["t1", "t4"], ["true", "true"], ["false", "false"])
    same = paired(accepted, accepted.parent / "one")
    assert same is not None
    assert changes_of(same) == []
    shown = run_auditfw(("compare", "baseline.json", "two"), accepted.parent)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "│ stored+v1: t1, t4" in shown.stdout
    assert "Config" not in shown.stdout


def test_a_run_is_accepted_again_in_place_of_the_first(accepted: Path) -> None:
    before = labels_file(accepted).read_bytes()
    done = run_auditfw(("accept", "two"), accepted.parent)
    assert (done.returncode, says.DIFFER_FROM_THE_BASELINE_THAT in done.stdout) == (0, True)
    assert labels_file(accepted).read_bytes() != before
    again = paired(accepted, accepted.parent / "two")
    assert again is not None
    assert changes_of(again) == []


def test_a_table_of_somebody_else_is_not_overwritten(two_runs: Path, tmp_path: Path) -> None:
    shutil.copytree(two_runs, tmp_path, dirs_exist_ok=True)
    theirs = tmp_path / "kept.labels.parquet"
    theirs.write_bytes(b"theirs")
    done = run_auditfw(("accept", "one", "baseline=kept.json"), tmp_path)
    assert (done.returncode, says.EXISTS_AND_BELONGS_TO_NO in done.stderr) == (2, True)
    assert (theirs.read_bytes(), (tmp_path / "kept.json").exists()) == (b"theirs", False)


def changed(**keys: Any) -> Callable[[Path], None]:
    """Changes keys of the file; None takes one away."""

    def change(file: Path) -> None:
        document = {**json.loads(file.read_text("utf-8")), **keys}
        file.write_text(json.dumps({k: v for k, v in document.items() if v is not None}), "utf-8")

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda file: file.write_text("[1]", "utf-8"), "is not an object"),
        (lambda file: file.write_text("{", "utf-8"), "is not JSON"),
        (changed(schema="auditfw.result/2"), "is not of schema auditfw.baseline/1"),
        (changed(gates=None), "has no key 'gates'"),
        (changed(answer={"status": "stable"}), "answer has no key 'headline'"),
        (changed(measurements=[{"metric": "n"}]), "measurements[0] has no key 'reading'"),
        (changed(labels="0" * 64), says.DOES_NOT_MATCH_ITS_SHA),
        (lambda file: labels_file(file).unlink(), "no such file"),
        (lambda file: labels_file(file).write_bytes(b"PAR1"), says.DOES_NOT_MATCH_ITS_SHA_2),
    ],
)
def test_what_is_no_accepted_run(accepted: Path, change: Callable[[Path], object], problem: str) -> None:
    change(accepted)
    with pytest.raises(DataError) as caught:
        run_or_accepted(accepted)
    assert problem in str(caught.value)


def test_labels_that_nothing_names(accepted: Path) -> None:
    document = json.loads(accepted.read_text("utf-8"))
    accepted.write_text(json.dumps({**document, "labels": None}), "utf-8")
    with pytest.raises(DataError, match=r"is a table that baseline\.json does not list"):
        read_accepted(accepted)
    labels_file(accepted).unlink()
    assert paired(accepted, accepted.parent / "two") is None
    assert read_accepted(accepted).result["labels"] is None


@pytest.mark.parametrize(
    ("columns", "keys"),
    [
        (["id", "stored"], ["id"]),
        (["scenario", "key", "actual"], ["scenario", "key"]),
        (["scenario", "actual"], None),
        ([], None),
    ],
)
def test_what_tells_trials_apart(columns: list[str], keys: list[str] | None) -> None:
    assert keys_of(columns) == keys


@pytest.mark.parametrize("duplicate", ["left", "right", ""])
def test_trials_of_one_id_are_not_paired(duplicate: str, tmp_path: Path) -> None:
    for name in ("left", "right"):
        (tmp_path / name).mkdir()
        ids = ["a", "a"] if duplicate == name else ["a", "b"]
        frame = pl.DataFrame({"id": ids, "rater": ["YES", None], "status": ["scored", name]})
        frame.write_parquet(tmp_path / name / "trials.parquet")
    trials = paired(tmp_path / "left", tmp_path / "right")
    assert (trials is None) == bool(duplicate)
    if trials is not None:
        assert (trials.names, changes_of(trials)) == (["rater"], [])


def test_a_label_that_one_side_lacks_is_no_change(tmp_path: Path) -> None:
    sides = {"left": ["YES", "NO", None, None, "NO"], "right": ["NO", None, "NO", None, "NO"]}
    for name, labels in sides.items():
        (tmp_path / name).mkdir()
        frame = pl.DataFrame({"id": list("abcde"), "rater": labels})
        frame.write_parquet(tmp_path / name / "trials.parquet")
    trials = paired(tmp_path / "left", tmp_path / "right")
    assert trials is not None
    [change] = changes_of(trials)
    assert (change.both, change.changed, change.p) == (2, 1, None)
    assert (change.ids, change.before, change.after) == (["a"], ["YES"], ["NO"])


@pytest.mark.parametrize(
    ("columns", "kept"),
    [
        ({"id": ["a", "b"], "stored": [True, None], "r": [1, 2], "other": ["x", "y"]}, ["id", "stored", "r"]),
        ({"scenario": [0, 0], "key": ["x", "y"], "r": [1, 2]}, ["scenario", "key", "r"]),
        ({"id": ["a", "a"], "r": [1, 2]}, None),
        ({"name": ["a", "b"], "r": [1, 2]}, None),
        (None, None),
    ],
)
def test_labels_of_a_run(columns: dict[str, Any] | None, kept: list[str] | None, tmp_path: Path) -> None:
    if columns is not None:
        pl.DataFrame(columns).write_parquet(tmp_path / "trials.parquet")
    labels = accepted_labels(tmp_path, {"measurements": [{"reading": "r"}, {"reading": "r"}, {"reading": "absent"}]})
    assert (None if labels is None else labels.columns) == kept


def test_an_accepted_run_beside_logs(tmp_path: Path) -> None:
    """Of 30 trials B lacks one and has the first ten wrong: the labels are paired by id, and no part is made up."""
    for name, first, wrong in (("A", 0, 0), ("B", 1, 10)):
        rows = [
            {
                "id": str(at),
                "item": f"q{at}",
                "question": f"Which number is {at}?",
                "ground_truth": str(at),
                "raw_text": f"{at + (100 if at < wrong else 0)}",
                "stored": at >= wrong,
            }
            for at in range(first, 30)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert run_auditfw(("A.jsonl", "hydra.run.dir=run", "gate=[]"), tmp_path).returncode == 0
    assert run_auditfw(("accept", "run"), tmp_path).returncode == 0
    done = run_auditfw(("compare", "baseline.json", "B.jsonl", "--json"), tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["schema"], document["parts"], document["unknown"]) == (
        "auditfw.comparison/2",
        [],
        {"parts": "labels without texts"},
    )
    assert (document["paired"]["won"], document["paired"]["lost"], document["paired"]["tied"]) == (9, 0, 20)
    assert document["answer"]["because"][1] == says.ONE_TRIAL_ALONE
    screen = run_auditfw(("compare", "baseline.json", "B.jsonl"), tmp_path)
    assert says.LABELS_PAIRED in screen.stdout
    refused = run_auditfw(("compare", "baseline.json", "B.jsonl", "gate=[stable]"), tmp_path)
    assert refused.returncode == 2
