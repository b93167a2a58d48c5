"""trials.parquet of a run: a status, codes and what its text shows for every row, no code where a component failed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from failing_steps import FAILS_ON

import auditfw

ROWS = [  # the text, the stored answer, the truth, the stored label
    ("It is Paris", "Paris", "Paris", 1),
    ("It is Rome", "", "Paris", 0),
    ("It fails", "Rome", "Rome", 1),
    ("It is late", "Rome", "Rome", 0),
    ("No truth", "Rome", None, 1),
    (None, "Rome", "!", None),
]
EXPECTED = {
    "status": ["audited", "audited", "error", "timeout", "no_ground_truth", "audited"],
    "stored": [True, False, True, False, None, None],
    "picky+v1": [True, False, None, None, None, None],
    "stored+v1": [True, False, True, True, None, None],
    "code.stored": [1, 0, None, None, None, 3],
    "code.picky+v1": [1, 0, None, None, None, 3],
    "code.stored+v1": [1, 2, None, None, None, 4],
    "code.baseline": [1, 2, None, None, None, 4],
    "row.signs": [0, 0, 0, 0, 0, None],
    "row.chars": [11, 10, 8, 10, 8, None],
    "row.est": [3, 3, 2, 3, 2, None],
    "row.mask_chars": [7, 10, 8, 10, 7, None],  # without truth and answer; "No" is a gap
}


@pytest.mark.parametrize("folder", [None, "run"])
def test_every_row_has_a_status_and_codes(folder: str | None, tmp_path: Path) -> None:
    names = ("raw_text", "parsed_text", "ground_truth", "stored")
    rows = [{"id": str(n), **dict(zip(names, row, strict=True))} for n, row in enumerate(ROWS)]
    picky: dict[str, Any] = {
        "use": "steps",
        "column": "raw_text",
        "steps": [{"use": FAILS_ON, "text": "fails", "late": "late"}],
    }
    settings: dict[str, Any] = {
        "source": {"use": "frame", "frame": pl.DataFrame(rows)},
        "parser": ["raw"],  # the baseline, stored+v1, comes last
        "normalizer": ["v1"],
        "by": [],
        "gate": [],
        "audit": {"parsers": {"picky": picky}, "max_error_rate": 1.0},
    }
    result = auditfw.run(settings, tmp_path / folder if folder is not None else None)
    assert result.counts == {"read": 6, "audited": 3, "error": 1, "no_ground_truth": 1, "timeout": 1}
    trials = result.trials.lazy().collect()
    assert {name: trials[name].to_list() for name in EXPECTED} == EXPECTED
    assert trials["row.rank"].dtype == pl.UInt64
    assert trials["row.rank"].n_unique() == len(ROWS)
    facts = ("row.signs", "row.chars", "row.est", "row.text", "row.mask", "row.mask_chars")
    kinds = (pl.UInt8, pl.UInt32, pl.UInt32, pl.UInt64, pl.UInt64, pl.UInt32)
    assert [name for name in trials.columns if name in facts] == list(facts)
    assert tuple(trials[name].dtype for name in facts) == kinds
    assert trials["row.text"].n_unique() == len(ROWS)


def test_texts_of_another_type_and_none(tmp_path: Path) -> None:
    """A number is the text that it prints as; of a source without texts no row has one."""
    rows = {"id": ["1", "2"], "raw_text": [12, 7], "parsed_text": ["12", "7"], "ground_truth": ["12", "8"]}
    settings: dict[str, Any] = {"parser": ["stored"], "normalizer": ["v1"], "by": [], "gate": []}
    for columns, chars in ((list(rows), [2, 1]), (["id", "parsed_text", "ground_truth"], [None, None])):
        frame = pl.DataFrame({name: rows[name] for name in columns})
        trials = auditfw.run(settings | {"source": {"use": "frame", "frame": frame}}).trials.lazy().collect()
        assert trials["row.chars"].to_list() == chars
        assert trials["row.signs"].dtype == pl.UInt8
        assert trials["row.mask"].dtype == pl.UInt64
