"""Whether labels are steps of a scale, and which coefficients are left out where they are names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from auditfw.formulas.agreement.ratings import SCALE
from auditfw.kinds.metrics import Metric
from auditfw.kinds.registry import name_of

NUMBER = re.compile(r"(<|>=)?(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?: to <.*)?$", re.I)
WEIGHTED = frozenset(("weighted_kappa", "gwet_ac2"))
FIT = "kappa, scott_pi, fleiss_kappa, gwet_ac1 and krippendorff_alpha at the nominal level suit categories"


def label_order(label: str) -> tuple[int, float, int, str]:
    """Numbers and ranges of them by size, before texts by code point."""
    match = NUMBER.match(label)
    return (0, float(match[2]), int(match[1] != "<"), label) if match else (1, 0.0, 0, label)


def unordered(audit: Any) -> dict[str, str]:
    """Why coefficients that weigh how far labels are apart say nothing, by the word SCALE; {} where they do."""
    labels = [label for label in audit.labels if label not in audit.abstain]
    numbers = audit.values is not None or all(NUMBER.match(label) for label in labels)
    if audit.scale == "ordinal" or (audit.scale is None and numbers):
        return {}
    return {SCALE: f"the labels {', '.join(labels)} are categories, not steps of a scale"}


def left_out(metrics: Mapping[str, Metric], unfit: Mapping[str, str]) -> dict[str, str]:
    """The metrics that these labels do not fit, each with the reason."""
    if SCALE not in unfit:
        return {}
    do = f"{FIT}; write audit.scale=ordinal if the labels have an order"
    return {name: f"{unfit[SCALE]}: {do}" for name, metric in metrics.items() if _weighs(metric)}


def _weighs(metric: Metric) -> bool:
    kind = name_of(metric)
    return kind in WEIGHTED or (kind == "krippendorff_alpha" and getattr(metric, "level", "nominal") != "nominal")
