"""The tables of runs: fixed types whatever the data hold, the name in the footer, cells beside columns of our own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from running import run_auditfw
from sentences import commands as says

Rows = Sequence[Mapping[str, Any]]
REPLAY = {"id": "p", "train": [{"input": 1, "output": 2}], "attempts": [{"output": 2}]}
RICH = [{"output": 3, "seconds": 1, "tokens": 5, "cost": 2}, {"output": 2, "seconds": 2, "tokens": 5, "cost": 2}]
WORDS = {
    "parsing": [
        *("source=jsonl", "source.columns={raw_text: text, ground_truth: truth, stored: ok}", "parser=[answer_v2]"),
        *("normalizer=[v1]", "audit.keep_text=true", "report=[json,texts]"),
    ],
    "consistency": ["experiment=cross_agent", "source=pairs", "report=[json]"],
    "alignment": [
        *("experiment=posiwid", "scenarios=jsonl", "simulator=table", "simulator.path=recorded.jsonl"),
        *("audit.no_data=zero", "report=[json]"),
    ],
    "self_audit": [
        *("experiment=self_audit", "source=problems", "solver=replay", "stop.max_iterations=2", "report=[json]"),
        *("audit.max_error_rate=1", "solver.past_end=null", "scoring=exact"),
    ],
}
RECORDED = [{"label": "a", "actual": {"x": 1}}]
# Of each audit two inputs, of which the second leaves empty what the first has.
INPUTS: dict[str, tuple[Rows, Rows]] = {
    "parsing": (
        [{"id": i, "text": f"The answer is {i}", "truth": str(i % 2), "ok": i % 2, "part": "a"} for i in range(4)],
        [{"id": "x", "text": None, "truth": "1", "ok": None, "part": None}],
    ),
    "consistency": (
        [{"qid": i, "scholar": {"label": "VALID"}, "auditor": {"label": "REJECT"}, "part": "a"} for i in range(9)],
        [{"qid": "x", "scholar": {"label": None}, "auditor": {"label": "VALID"}, "part": None}],
    ),
    "alignment": (
        [{"label": "a", "intended": {"x": 1}, "params": {"q": 1}, "part": "a"}],
        [{"label": "b", "intended": {"x": 1.5}, "params": {"q": 0.5}, "part": None}],
    ),
    "self_audit": (
        [{**REPLAY, "part": "a", "test": [{"input": 1, "output": 2}], "attempts": RICH}],
        [{**REPLAY, "part": None, "attempts": [{"output": None}]}],
    ),
}


def written(file: Path, rows: Rows) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return file


def tables_of(audit: str, rows: Rows, by: str, folder: Path) -> dict[str, pl.DataFrame]:
    """The tables of a run on these rows, whose footers are looked at."""
    folder.mkdir()
    written(folder / "recorded.jsonl", RECORDED)
    file = written(folder / "rows.jsonl", rows)
    where = "scenarios.path" if audit == "alignment" else "source.path"
    words = [*WORDS[audit], f"{where}={file.name}", f"by=[{by}]", "hydra.run.dir=run"]
    done = run_auditfw(words, folder)
    files = sorted((folder / "run").glob("*.parquet"))
    assert files, done.stderr
    for one in files:
        assert pl.read_parquet_metadata(one)["auditfw.schema"] == f"auditfw.{one.stem}/1"
    return {one.stem: pl.read_parquet(one) for one in files}


@pytest.mark.slow
@pytest.mark.parametrize("audit", INPUTS)
def test_tables_of_unlike_runs_can_be_laid_end_to_end(audit: str, tmp_path: Path) -> None:
    one, other = (
        tables_of(audit, rows, "part", tmp_path / name) for rows, name in zip(INPUTS[audit], "ab", strict=True)
    )
    assert {"trials", "measurements"} <= one.keys() & other.keys()
    for name in one.keys() & other.keys():
        assert pl.Null not in one[name].dtypes + other[name].dtypes, name
        both = pl.concat([one[name], other[name]], how="diagonal")
        assert len(both) == len(one[name]) + len(other[name])


@pytest.mark.slow
@pytest.mark.parametrize(("audit", "tables"), {"parsing": ["trials"], "alignment": ["trials", "scenarios"]}.items())
def test_a_cell_column_named_as_one_of_ours_is_kept(audit: str, tables: list[str], tmp_path: Path) -> None:
    rows = [{**row, "status": "theirs"} for row in INPUTS[audit][0]]
    of_run = tables_of(audit, rows, "status", tmp_path / "a")
    for name in tables:
        assert of_run[name]["cell.status"].unique().to_list() == ["theirs"]
        assert "theirs" not in of_run[name]["status"]
    assert of_run["measurements"]["status"].drop_nulls().unique().to_list() == ["theirs"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("audit", "by"), [("consistency", "status"), ("self_audit", "status"), ("self_audit", "cost"), ("alignment", "key")]
)
def test_other_names_of_ours_are_refused_as_cells(audit: str, by: str, tmp_path: Path) -> None:
    written(tmp_path / "recorded.jsonl", RECORDED)
    written(tmp_path / "rows.jsonl", [{**row, by: 1} for row in INPUTS[audit][0]])
    where = "scenarios.path" if audit == "alignment" else "source.path"
    done = run_auditfw([*WORDS[audit], f"{where}=rows.jsonl", f"by=[{by}]"], tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert says.BY_IS_A_COLUMN_OF.format(by) in done.stderr
