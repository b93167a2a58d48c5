"""The bound on the number of cells: a run that would have too many is refused, with the number and the setting."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from auditfw import run
from auditfw.core.errors import UsageError

ROWS = 6
PARSING = pl.DataFrame(
    {
        "id": [str(i) for i in range(ROWS)],
        "row": [str(i) for i in range(ROWS)],
        "place": [str(i % 3) for i in range(ROWS)],
        "raw_text": ["18"] * ROWS,
        "parsed_text": ["18"] * ROWS,
        "ground_truth": ["18"] * ROWS,
        "stored": [True] * ROWS,
    }
)
JUDGED = pl.DataFrame(
    {
        "id": [str(i) for i in range(ROWS)],
        "row": [str(i) for i in range(ROWS)],
        "place": [str(i % 3) for i in range(ROWS)],
        "scholar": ["VALID"] * ROWS,
        "auditor": ["VALID", "REJECT"] * (ROWS // 2),
    }
)
GRIDS = pl.DataFrame(
    {
        "id": [str(i) for i in range(ROWS)],
        "row": [str(i) for i in range(ROWS)],
        "place": [str(i % 3) for i in range(ROWS)],
        "train": [[{"input": [[1]], "output": [[1]]}]] * ROWS,
        "test": [[{"input": [[1]], "output": [[1]]}]] * ROWS,
    }
)
SCENARIOS = [
    {"label": str(i), "intended": {"y": 1.0}, "params": {"x": float(i)}, "group": str(i % 3)} for i in range(ROWS)
]
SETTINGS: dict[str, tuple[dict[str, Any], str, str]] = {
    "parsing": ({"experiment": "answer_parsing", "source": {"use": "frame", "frame": PARSING}}, "place", "row"),
    "consistency": ({"experiment": "cross_agent", "source": {"use": "frame", "frame": JUDGED}}, "place", "row"),
    "self_audit": ({"experiment": "self_audit", "source": {"use": "frame", "frame": GRIDS}}, "place", "row"),
    "alignment": (
        {
            "experiment": "posiwid",
            "scenarios": {"use": "inline", "rows": SCENARIOS},
            "simulator": {"use": "python", "function": "toy_simulators:echo"},
        },
        "group",
        "label",
    ),
}


def _run(audit: str, by: str, most: int | None) -> Any:
    return run({**SETTINGS[audit][0], "by": [by], "max_cells": most, "engine": {"workers": 1}})


@pytest.mark.parametrize("audit", SETTINGS)
def test_as_many_cells_as_allowed_pass_and_one_more_is_refused(audit: str) -> None:
    _, three, six = SETTINGS[audit]
    assert _run(audit, three, 3).exit_code in (0, 1)
    assert _run(audit, six, None).exit_code in (0, 1)
    with pytest.raises(UsageError) as error:
        _run(audit, six, 5)
    assert str(error.value) == (
        f"by: {six} make too many cells (at least 6 cells, at most 5 are allowed) - "
        "name columns with fewer values, or allow more with max_cells=N (null: any number)"
    )
