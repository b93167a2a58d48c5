"""The labels of a table as plans and suites count them."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from auditfw.commands.planning.sides import trial_labels, undefined_is_wrong


@pytest.mark.parametrize(("zero", "undefined"), [(True, 0), (False, -1)])
def test_the_labels_of_codes(zero: bool, undefined: int) -> None:
    """Right is 1; wrong and nothing found are 0, without a truth by the setting; no label, no code, a run error -1."""
    codes = [1, 0, 2, 4, 3, None, 1, 0]
    status = ["audited"] * 6 + ["sample_error", "timeout"]
    frame = pl.DataFrame({"code.mine": pl.Series(codes, dtype=pl.UInt8), "status": status})
    labels, errors = trial_labels(frame, "mine", zero)
    assert labels.tolist() == [1, 0, 0, undefined, -1, -1, -1, -1]
    assert errors.tolist() == [False] * 6 + [True] * 2


@pytest.mark.parametrize(
    ("config", "wrong"),
    [
        ({}, True),
        ({"audit": {"undefined": "zero"}}, True),
        ({"audit": {"undefined": "drop"}}, False),
        ({"audit": 1}, True),
    ],
)
def test_a_trial_without_a_truth(config: dict[str, Any], wrong: bool) -> None:
    assert undefined_is_wrong(config) is wrong
