"""Settings of the consistency audit that are quick, and the values of its metrics."""

from __future__ import annotations

from typing import Any

from auditfw.core.records import Result

LABELS = ("VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN")
HARD = ("provenance_violation", "constraints_mismatch")
NONE = {"interval": {"method": "none"}}
QUICK = dict.fromkeys(("percent_agreement", "kappa", "weighted_kappa", "scott_pi", "fleiss_kappa", "gwet_ac1"), NONE)
QUICK |= {"krippendorff_alpha": NONE}


def value(result: Result, name: str, **cell: Any) -> float | None:
    metric, reading = name.split("@")
    return result.measurement(metric, reading, **cell).estimate.value
