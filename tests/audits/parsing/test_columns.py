"""trials.parquet of a run: a status and a code for every row, none where a component failed."""

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
    ("Any answer", "Rome", "!", None),
]
EXPECTED = {
    "status": ["audited", "audited", "error", "timeout", "no_ground_truth", "audited"],
    "stored": [True, False, True, False, None, None],
    "picky+v1": [True, False, None, None, None, None],
    "stored+v1": [True, False, True, True, None, None],
    "code.stored": [1, 0, None, None, None, 3],
    "code.picky+v1": [1, 0, None, None, None, 4],
    "code.stored+v1": [1, 2, None, None, None, 4],
    "code.baseline": [1, 2, None, None, None, 4],
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
