"""What the best of several candidates is worth, in one sentence for models and for the jobs of a sweep."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.core.digits import chance, fixed
from auditfw.core.document import estimated
from auditfw.core.errors import UsageError
from auditfw.formulas.best_of import DRAWS, FEW_DRAWS, SPLITS, BestOf

MOST_DRAWS, MOST_SPLITS = 100_000, 1_000


@dataclass(frozen=True)
class BestSettings:
    """How the best of several is weighed: by so many `draws` without a difference, by so many `splits` in halves."""

    draws: int = DRAWS
    splits: int = SPLITS

    def __post_init__(self) -> None:
        for name, most in (("draws", MOST_DRAWS), ("splits", MOST_SPLITS)):
            if not 1 <= getattr(self, name) <= most:
                raise UsageError(name, f"expected a whole number from 1 to {most:,}", getattr(self, name))


def scores_about(best: BestOf, low: float | None, high: float | None) -> tuple[float, float | None, float | None]:
    """The rate of whatever wins in percent, with the width of the interval of the best, which `low` and `high` end."""
    chosen = 100 * best.chosen
    if low is None or high is None:
        return chosen, None, None
    half = (high - low) / 2
    return chosen, max(0.0, chosen - half), min(100.0, chosen + half)


def best_words(name: str, best: BestOf, low: float | None, high: float | None) -> str:
    """What the best, of this name, is worth; its interval ends at `low` and `high`, in percent."""
    k = best.candidates
    drawn = f" in {best.draws} draws" if best.draws <= FEW_DRAWS else ""
    return (
        f"{name} is the best of {k} with {fixed(100 * best.rate, 1)} % right; if none differed "
        f"the best of {k} would lie {fixed(100 * best.gain, 1)} points above the mean ({chance(best.p)}{drawn}). "
        f"Whatever wins scores about {estimated(*scores_about(best, low, high))} %."
    )
