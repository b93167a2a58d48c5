"""texts.parquet: every trial and reading with its verbatim texts, whatever the workers; and what is refused."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import Command
from sentences import report as says

import auditfw
from auditfw.commands.report import report
from auditfw.core.errors import AuditError, UsageError

RAW = "It is 18.\nUser: =1+1 \x00\r\n##[error]a</think>\u202eParis\u2028"
ROWS = [
    {"id": 7, "item": "q1", "m": "a", "raw_text": RAW, "parsed_text": "It is 18.", "ground_truth": "18", "stored": 1},
    {"id": 8, "item": "q1", "m": "b", "raw_text": RAW, "parsed_text": "no", "ground_truth": ["18", "x"], "stored": 0},
    {"id": 9, "item": "q2", "m": None, "raw_text": None, "parsed_text": "", "ground_truth": "18", "stored": 0},
    {"id": 10, "item": "q2", "m": "a", "raw_text": "gone", "parsed_text": "", "ground_truth": None, "stored": 0},
]
SCHEMA = {
    "id": pl.String(), "item": pl.String(), "m": pl.String(), "ground_truth": pl.List(pl.String()),
    "raw_text": pl.String(), "reading": pl.String(), "answer": pl.String(), "label": pl.Boolean(),
}  # fmt: skip


def audited(rows: list[dict[str, Any]], folder: Path | None, **more: Any) -> auditfw.Result:
    source = {"use": "frame", "frame": rows, "nulls": {"ground_truth": []}}
    chosen = {"experiment": "answer_parsing", "parser": ["stored", "answer_v2"], "normalizer": ["v1"]}
    chosen["audit"] = {"baseline": None}
    return auditfw.run(
        {**chosen, "source": source, "by": ["m"], "gate": [], "report": ["texts"], "engine": {"workers": 1}, **more},
        folder,
    )


def table(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(folder / "texts.parquet")


def test_each_audited_trial_has_a_row_a_reading(tmp_path: Path) -> None:
    audited(ROWS, tmp_path / "run")
    found = table(tmp_path / "run")
    assert dict(found.schema) == SCHEMA
    assert found.select("id", "item", "m", "reading", "answer", "label").rows() == [
        ("7", "q1", "a", "stored", "It is 18.", True),
        ("7", "q1", "a", "stored+v1", "It is 18.", True),
        ("7", "q1", "a", "answer_v2+v1", "\u202eParis", False),
        ("8", "q1", "b", "stored", "no", False),
        ("8", "q1", "b", "stored+v1", "no", False),
        ("8", "q1", "b", "answer_v2+v1", "\u202eParis", False),
        ("9", "q2", None, "stored", "", False),
        ("9", "q2", None, "stored+v1", "", False),
        ("9", "q2", None, "answer_v2+v1", None, None),
    ]
    assert found["raw_text"].to_list() == [RAW] * 6 + [None] * 3
    assert found["ground_truth"].to_list() == [["18"]] * 3 + [["18", "x"]] * 3 + [["18"]] * 3


def test_without_stored_labels_there_is_no_reading_stored(tmp_path: Path) -> None:
    rows = [{name: row[name] for name in ("id", "raw_text", "ground_truth")} for row in ROWS]
    audited(rows, tmp_path / "run", by=[], parser=["answer_v2"], audit={"baseline": None})
    found = table(tmp_path / "run")
    assert found.columns == ["id", "item", "ground_truth", "raw_text", "reading", "answer", "label"]
    assert found["reading"].unique().to_list() == ["answer_v2+v1"]
    assert found["item"].to_list() == [None] * 3


def test_a_cell_whose_name_is_taken(tmp_path: Path) -> None:
    audited([{**row, "label": "x"} for row in ROWS], tmp_path / "run", by=["label", "m"])
    found = table(tmp_path / "run")
    assert found.columns == ["id", "item", "cell.label", *list(SCHEMA)[2:]]
    assert found["cell.label"].to_list() == ["x"] * 9


def test_python_gets_the_table_without_a_folder() -> None:
    assert audited(ROWS, None).tables["texts"].lazy().collect().height == 9
    assert "texts" not in audited(ROWS, None, report=[]).tables


TEXT = st.text(max_size=12).filter(lambda text: text == text.encode("utf-8", "ignore").decode())


@pytest.mark.slow
@settings(max_examples=3, deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT, st.sampled_from(["8", "b", "\n"])), min_size=5, max_size=40))
def test_labels_are_those_of_the_trials_and_texts_are_verbatim(rows: list[tuple[str, str, str]]) -> None:
    names = ("raw_text", "parsed_text", "ground_truth")
    records = [dict(zip(names, row, strict=True)) | {"id": i, "m": "a", "stored": i % 2} for i, row in enumerate(rows)]
    with tempfile.TemporaryDirectory() as folder:
        audited(records, Path(folder) / "run", audit={"keep_text": True})
        found, trials = table(Path(folder) / "run"), pl.read_parquet(Path(folder) / "run" / "trials.parquet")
    for reading in ("stored+v1", "answer_v2+v1"):
        own = found.filter(pl.col("reading") == reading)
        assert own["label"].to_list() == trials[reading].to_list()
        assert own["answer"].to_list() == trials[f"text.{reading.partition('+')[0]}"].to_list()
        assert own["raw_text"].to_list() == [row[0] for row in rows]


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_workers(command: Command, tmp_path: Path) -> None:
    own = ({"id": i, "raw_text": f"{RAW} {i % 900}", "ground_truth": str(i % 9)} for i in range(20_000))
    lines = [{**one, "stored": i % 2, "m": [None, 1, 2.5][i % 3]} for i, one in enumerate(own)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    words = ["source=jsonl", "source.path=t.jsonl", "parser=[answer_v2]", "by=[m]", "report=[texts]", "gate=[]"]
    for workers in (1, 2):
        done = command(*words, f"engine.workers={workers}", f"hydra.run.dir=run{workers}", "audit.baseline=null")
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
    one, two = ((tmp_path / f"run{n}" / "texts.parquet").read_bytes() for n in (1, 2))
    assert one == two
    found = table(tmp_path / "run1")
    readings = found["reading"].n_unique()
    assert found.height == 20_000 * readings
    assert found["raw_text"].to_list()[::readings] == [line["raw_text"] for line in lines]
    digests = json.loads((tmp_path / "run1" / "result.json").read_text("utf-8"))["digests"]
    assert "texts.parquet" in digests
    assert pl.scan_parquet(tmp_path / "run1" / "texts.parquet").select(pl.len()).collect().item() == found.height


@pytest.mark.slow
def test_jobs_of_a_sweep_have_their_own(command: Command, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({**row, "m": "a"}) + "\n" for row in ROWS), "utf-8")
    words = ["source=jsonl", "source.path=t.jsonl", "report=[texts]", "by=[m]", "gate=[]", "normalizer=[v1]"]
    done = command("-m", *words, "parser=[stored,answer_v2],[stored,raw]", "hydra.sweep.dir=s")
    assert done.returncode == 0, done.stderr
    alone = command(*words, "parser=[stored,raw]", "hydra.run.dir=alone")
    assert alone.returncode == 0, alone.stderr
    assert (tmp_path / "s/1/texts.parquet").read_bytes() == (tmp_path / "alone/texts.parquet").read_bytes()
    assert (tmp_path / "s/0/texts.parquet").read_bytes() != (tmp_path / "alone/texts.parquet").read_bytes()


def test_what_is_refused(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = command("experiment=posiwid", "report=[texts]", "hydra.run.dir=run")
    line = says.NEEDS_THE_TEXTS_OF_TRIALS
    assert (done.returncode, done.stderr.strip()) == (2, says.AUDITFW_ERROR_LEAVE_IT_OUT.format(line))
    assert not (tmp_path / "run" / "result.json").exists()
    monkeypatch.chdir(tmp_path)
    auditfw.run({"experiment": "answer_parsing", "report": ["json"]}, tmp_path / "plain")
    with pytest.raises(UsageError, match=r"^reports\.texts: this run kept no texts \(plain\) - .*rerun plain report="):
        report(["plain", "report=[texts]"])


def test_a_finished_run_has_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    auditfw.run({"experiment": "answer_parsing", "report": ["texts"]}, tmp_path / "run")
    assert report(["run", "report=[texts]"]) == 0
    (tmp_path / "run" / "texts.parquet").write_bytes(b"other")
    with pytest.raises(AuditError, match=r"texts\.parquet: does not match its SHA-256"):
        report(["run", "report=[texts]"])
