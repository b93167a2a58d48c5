"""The labels of records: their own, or the numbers of their rows."""

from __future__ import annotations

from typing import Any

import pytest

from auditfw.components.files.labels import labels
from auditfw.core.errors import DataError

NUMBERS, PLACES = ["1", "2", "3"], ["a:1", "a:2", "a:3"]


@pytest.mark.parametrize(
    ("column", "held"),
    [
        (None, NUMBERS),
        (["x", "y", "z"], ["x", "y", "z"]),
        (["x", None, ""], ["x", "2", "3"]),
        ([7, 0.5, "z"], ["7", "0.5", "z"]),
    ],
)
def test_labels_of_records(column: list[Any] | None, held: list[str]) -> None:
    assert labels(column, NUMBERS, PLACES) == held


@pytest.mark.parametrize("value", [True, float("nan"), ["x"]])
def test_what_is_no_label(value: Any) -> None:
    with pytest.raises(DataError, match=r"a:2.*the label is not text"):
        labels(["x", value, "z"], NUMBERS, PLACES)
