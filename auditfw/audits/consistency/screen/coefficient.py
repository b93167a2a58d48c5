"""The coefficient by which raters are compared on the first screen, and what their labels come to on a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from auditfw.audits.consistency.conclusions.bounds import KAPPA
from auditfw.audits.consistency.conclusions.scale import is_number, many_valued, unordered
from auditfw.audits.consistency.settings import ConsistencySettings
from auditfw.core.records import Estimate
from auditfw.formulas.agreement import Interval, Judged, scorer
from auditfw.formulas.agreement.ratings import Abstain, Pair, Spacing
from auditfw.kinds.registry import name_of

if TYPE_CHECKING:
    from auditfw.formulas.agreement.coefficients import Array, Weights

TWO = 2  # labels: their kappa is the same with any weights


@dataclass(frozen=True)
class Coefficient:
    """Cohen's kappa as the run measures it, of labels in order weighted; `many`: numbers of very many values."""

    weights: Weights = "none"
    spacing: Spacing = "order"
    abstain: Abstain = "label"
    interval: Interval = field(default_factory=Interval)
    many: bool = False

    @property
    def ordered(self) -> bool:
        """Whether labels are steps of a scale."""
        return self.weights != "none"

    @property
    def title(self) -> str:
        """Its name with its weights."""
        return f"weighted kappa, {self.weights}" if self.ordered else "kappa"

    def matrix(self, labels: Sequence[str], values: Sequence[float] | None) -> Array:
        """How far these labels agree, k × k."""
        from auditfw.formulas.agreement.coefficients import agreement_weights

        return agreement_weights(places_of(labels, values if self.spacing == "numbers" else None), self.weights)

    def of_pair(self, judged: Judged, pair: Pair) -> Estimate:
        """Kappa of a candidate and its reference with its interval."""
        from auditfw.formulas.agreement import coefficients, estimates

        sampling = judged.sampling(self.interval)
        if not self.ordered:
            return estimates.of_pair(pair, coefficients.cohen, sampling, scorer.kappa(pair.table))
        weights = self.matrix(pair.labels, numbers_of(pair.labels, pair.values))
        return estimates.of_pair(pair, partial(coefficients.cohen, weights=weights), sampling)


def coefficient_of(audit: ConsistencySettings) -> Coefficient:
    """Weighted kappa where labels are in order, else kappa, with the settings of the run's metric of that kind."""
    named = len([label for label in audit.named_labels if label not in audit.abstain])
    if many_valued(audit):
        return Coefficient("quadratic", "numbers", "missing", many=True)
    ordered = named > TWO and not unordered(audit)
    plain = Coefficient("linear", "order", "missing") if ordered else Coefficient()
    kind = "weighted_kappa" if ordered else KAPPA
    metric: Any = next((metric for metric in audit.metrics.values() if name_of(metric) == kind), None)
    settings = {name: getattr(metric, name, getattr(plain, name)) for name in ("weights", "spacing", "abstain")}
    interval = getattr(metric, "interval", plain.interval)
    return replace(plain, **settings, interval=plain.interval if interval.method == "none" else interval)


def numbers_of(labels: Sequence[str], values: Sequence[float] | None) -> Sequence[float] | None:
    """Labels as numbers; None where they are names."""
    return values or ([float(label) for label in labels] if all(map(is_number, labels)) else None)


def places_of(labels: Sequence[str], values: Sequence[float] | None) -> Sequence[float]:
    """Where labels are on a line: at their numbers, else one step apart."""
    return values or range(len(labels))
