"""What is hidden is masked."""

from __future__ import annotations

from typing import Any

import pytest

from auditfw.core.masking import masked_data


def test_what_is_hidden_is_masked_and_nothing_else_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditfw.core.masking._hidden", {"s3cret", "s3cret-long"})
    data: dict[str, Any] = {"s3cret": ["a s3cret-long", ("s3cret", 1)], "same": ["x", {"y": 2.0}]}
    made = masked_data(data)
    assert made == {"s3cret": ["a [masked]", ("[masked]", 1)], "same": ["x", {"y": 2.0}]}
    assert made["same"] is data["same"]
