"""The coefficient by which raters are compared: on the first screen, in the answer and in a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from auditfw.audits.consistency.settings import ConsistencySettings
from auditfw.core.records import Estimate
from auditfw.formulas.agreement import Interval, Judged, scorer
from auditfw.formulas.agreement.ratings import Abstain, Pair, Spacing
from auditfw.kinds.registry import name_of

from .scale import is_number, many_valued, unordered

if TYPE_CHECKING:
    from auditfw.formulas.agreement.coefficients import Array, Level, Weights

KAPPA, WEIGHTED_KAPPA, QUADRATIC = "kappa", "weighted_kappa", "quadratic_kappa"
TWO = 2  # labels: their kappa is the same with any weights


@dataclass(frozen=True)
class Coefficient:
    """Cohen's kappa as the run measures it, of labels in order weighted; `many`: numbers of very many values."""

    weights: Weights = "none"
    spacing: Spacing = "order"
    abstain: Abstain = "label"
    interval: Interval = field(default_factory=Interval)
    many: bool = False

    def __call__(self, judged: Judged) -> Estimate | None:
        """Kappa of a candidate and its reference with its interval; None for what is no pair."""
        from auditfw.formulas.agreement import coefficients, estimates

        pair = judged.pair(self.abstain)
        if pair is None:
            return None
        sampling = judged.sampling(self.interval)
        if not self.ordered:
            return estimates.of_pair(pair, coefficients.cohen, sampling, scorer.kappa(pair.table))
        at = self.places(pair.labels, pair.values)
        return estimates.of_pair(pair, coefficients.weighted_cohen(at, self.weights), sampling)

    def bare(self, judged: Judged) -> float | None:
        """Its value alone."""
        estimate = replace(self, interval=Interval("none"))(judged)
        return None if estimate is None else estimate.value

    @property
    def ordered(self) -> bool:
        """Whether labels are steps of a scale."""
        return self.weights != "none"

    @property
    def name(self) -> str:
        """What it is called as a metric; of very many values by its weights."""
        return QUADRATIC if self.many else WEIGHTED_KAPPA if self.ordered else KAPPA

    @property
    def level(self) -> Level:
        """The level of Krippendorff's alpha of such labels."""
        return "interval" if self.many else "ordinal" if self.ordered else "nominal"

    @property
    def title(self) -> str:
        """Its name with its weights."""
        return f"weighted kappa, {self.weights}" if self.ordered else "kappa"

    @property
    def words(self) -> str:
        """Its name in a sentence, with its weights."""
        if self.many:
            return "quadratic kappa"
        return f"weighted kappa ({self.weights})" if self.ordered else "kappa"

    def places(self, labels: Sequence[str], values: Sequence[float] | None) -> tuple[float, ...]:
        """Where labels are on a line: one step apart, or at their numbers; what is none, which nobody gave, at 0."""
        if self.spacing == "order":
            return tuple(map(float, range(len(labels))))
        return tuple(values or (float(label) if is_number(label) else 0.0 for label in labels))

    def weighing(self, pair: Pair) -> Array | None:
        """How far the labels of a pair agree; None where they are names."""
        return self.matrix(pair.labels, pair.values) if self.ordered else None

    def matrix(self, labels: Sequence[str], values: Sequence[float] | None) -> Array:
        """How far these labels agree, k × k."""
        from auditfw.formulas.agreement.coefficients import agreement_weights

        return agreement_weights(self.places(labels, values), self.weights)


def coefficient_of(audit: ConsistencySettings) -> Coefficient:
    """Weighted kappa where labels are in order, else kappa, with the settings of the run's metric of that kind."""
    named = len([label for label in audit.named_labels if label not in audit.abstain])
    if many_valued(audit):
        return Coefficient("quadratic", "numbers", "missing", many=True)
    ordered = named > TWO and not unordered(audit)
    plain = Coefficient("linear", "order", "missing") if ordered else Coefficient()
    metric: Any = next((metric for metric in audit.metrics.values() if name_of(metric) == plain.name), None)
    settings = {name: getattr(metric, name, getattr(plain, name)) for name in ("weights", "spacing", "abstain")}
    interval = getattr(metric, "interval", plain.interval)
    return replace(plain, **settings, interval=plain.interval if interval.method == "none" else interval)
