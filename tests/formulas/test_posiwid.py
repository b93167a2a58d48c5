"""The aggregate of the seed: what its auditor says of the same outcomes."""

from __future__ import annotations

import pytest

import auditfw
from auditfw.formulas.alignment import score_alignment
from auditfw.formulas.posiwid import aggregate


def test_auditor_is_the_seeds() -> None:
    model = auditfw.SimulatorWrapper(lambda p: {"fitness": p["x"] * 2, "energy": 1 - p["x"]}, {"x": (0.0, 1.0)})
    auditor = auditfw.POSIWIDAuditor(model)
    found = auditor.audit({"fitness": 1.0, "energy": 0.5}, {"x": 0.1})
    assert list(found) == ["intended", "actual", "params", "alignment"]
    assert found["actual"] == {"fitness": 0.2, "energy": 0.9}
    assert found["alignment"]["per_key"]["fitness"]["magnitude_match"] == pytest.approx(0.2)
    rows = [{"intended": {"fitness": 0.8}, "params": {"x": x}, "label": f"x={x}"} for x in (0.4, 0.5, 0.6)]
    batch = auditor.batch_audit(rows)
    assert batch["aggregate"]["mean_overall"] == pytest.approx(0.875)
    assert batch["aggregate"]["std_overall"] == pytest.approx(0.1020620726)
    first = batch["individual_results"][0]
    assert first["label"] == first.label == "x=0.4"
    assert "label" not in first
    assert dict(first) == first == auditor.audit({"fitness": 0.8}, {"x": 0.4})
    assert auditfw.POSIWIDAuditor(None).score_alignment({"a": 1}, {"a": 1})["overall"] == 1.0
    with pytest.raises(KeyError):
        first["no such key"]


def test_nothing_is_zero_for_the_seed() -> None:
    assert aggregate([])["min_overall"] == 0.0
    assert score_alignment({}, {}) == {"per_key": {}, "overall": 0.0, "n_keys_matched": 0, "n_keys_missing": 0}
