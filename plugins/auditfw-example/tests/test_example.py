"""The example plugin's own tests: its components by hand, and through a run."""

from __future__ import annotations

import pytest
from auditfw_example import AgreementPercent, YesOrNo

import auditfw
from auditfw import LabelCounts


@pytest.mark.parametrize(
    ("text", "kept"),
    [("Yes, of course", "yes"), ("I would say no. Yes?", "no"), ("notes", ""), ("", ""), ("YES", "yes")],
)
def test_step(text: str, kept: str) -> None:
    assert YesOrNo()(text) == kept


def test_metric() -> None:
    assert AgreementPercent()(LabelCounts(3, 1, 0, 0, 2, 1, 1, 0)).value == 50.0
    assert AgreementPercent()(LabelCounts(0, 0, 4, 0, 0, 0, 0, 0)).undefined


def test_in_a_run() -> None:
    rows = [
        {"id": "1", "raw_text": "no?</think> Yes.", "ground_truth": "yes", "stored": False},
        {"id": "2", "raw_text": "maybe", "ground_truth": "no", "stored": False},
    ]
    settings = {
        "source": {"use": "frame", "frame": rows},
        "parser": ["yes_no"],
        "normalizer": ["v1"],
        "metrics": {"agreement": {"use": "agreement_percent"}},
        "by": [],
    }
    result = auditfw.run(settings)
    assert result.measurement("agreement", "yes_no+v1").estimate.value == 50.0
    assert result.measurement("flips_to_true", "yes_no+v1").estimate.value == 1.0
