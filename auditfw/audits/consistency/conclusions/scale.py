"""Whether labels are steps of a scale, and which coefficients are left out where they are names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from auditfw.formulas.agreement.ratings import SCALE, Ratings
from auditfw.kinds.metrics import Metric
from auditfw.kinds.registry import name_of

NUMBER = re.compile(r"(<|>=)?(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?: to <.*)?$", re.I)
ALPHA = "krippendorff_alpha"
PLAIN = frozenset(("kappa", "fleiss_kappa"))
WEIGHTED = frozenset(("weighted_kappa", "gwet_ac2"))
FIT = "kappa, scott_pi, fleiss_kappa, gwet_ac1 and krippendorff_alpha at the nominal level suit categories"


MANY = 12  # numbers of more values are measured, not named


def many_valued(audit: Any) -> bool:
    """Whether labels are numbers of so many values that hardly two raters say exactly the same."""
    labels = [label for label in audit.labels if label not in audit.abstain]
    numbers = audit.values if audit.values is not None else [label for label in labels if is_number(label)]
    return len(labels) > MANY and len(numbers) == len(audit.labels if audit.values is not None else labels)


def steps(labels: Sequence[str]) -> bool:
    """Whether labels are numbers, or ranges of numbers, which are steps of a scale whatever anybody says."""
    return all(NUMBER.match(label) for label in labels)


def is_number(label: str) -> bool:
    """Whether a label is a finite number."""
    try:
        return isfinite(float(label))
    except ValueError:
        return False


def pair_kappas(ratings: Ratings, audit: Any) -> Any | None:
    """Quadratic kappa of every two raters as a square table; None of labels that are no steps of a scale."""
    from auditfw.formulas.agreement.with_others import quadratic_kappas

    if unordered(audit):
        return None
    held = ratings.abstaining(audit.abstain, "missing")
    numbers = held.values or Ratings.numeric([label for label in held.labels if label not in audit.abstain])
    whole = numbers is not None and len(numbers) == len(held.labels)
    return quadratic_kappas(held, numbers if whole and numbers is not None else range(len(held.labels)))


def label_order(label: str) -> tuple[int, float, int, str]:
    """Numbers and ranges of them by size, before texts by code point."""
    match = NUMBER.match(label)
    return (0, float(match[2]), int(match[1] != "<"), label) if match else (1, 0.0, 0, label)


def unordered(audit: Any) -> dict[str, str]:
    """Why coefficients that weigh how far labels are apart say nothing, by the word SCALE; {} where they do."""
    labels = [label for label in audit.labels if label not in audit.abstain]
    numbers = audit.values is not None or steps(labels)
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
    return kind in WEIGHTED or (kind == ALPHA and (getattr(metric, "level", None) or "nominal") != "nominal")


def weights_called(audit: Any) -> dict[str, str]:
    """Of labels in order which weights coefficients have that show none: kappa none, alpha its level."""
    called = {}
    for name, metric in audit.metrics.items():
        kind = name_of(metric)
        if kind == ALPHA or kind in PLAIN:
            called[name] = _level(metric, audit) if kind == ALPHA else "unweighted"
    return called


def weights_used(audit: Any) -> str:
    """Which weights the coefficients have that weigh distances, and at which level alpha is, in words; "": none."""
    parts = []
    for name, metric in audit.metrics.items() if not unordered(audit) else ():
        kind = name_of(metric)
        if kind in WEIGHTED:
            space = "in their order" if metric.spacing == "order" else "by their numbers"
            parts.append(f"{name} has {metric.weights} weights, labels apart {space}")
        elif kind == ALPHA:
            parts.append(f"{name} is at the {_level(metric, audit)} level")
    return f"{'; '.join(parts)}." if parts else ""


def _level(metric: Any, audit: Any) -> str:
    """The level of alpha."""
    if metric.level is not None or audit.scale != "ordinal":
        return metric.level or "nominal"
    labels = [label for label in audit.labels if label not in audit.abstain]
    return "ordinal" if audit.values is None and Ratings.numeric(labels) is None else "interval"
