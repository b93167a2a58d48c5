"""Counts of right and wrong labels of one reading beside the reference: what the parsing metrics read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .budget.cells import CellTrials
    from .clusters import ClusteredRate, ItemSums
    from .probe_rates import ProbeRates
    from .ranking.best_of import BestOf
    from .shifts import ShiftSums
    from .sign_flips import SignFlips


@dataclass(frozen=True)
class LabelItems:
    """The labels of one reading in one cell by item: wrong ones, those without an answer, changes."""

    wrong: ItemSums
    blank: ItemSums
    to_true: ItemSums
    to_false: ItemSums
    shift: ShiftSums
    flips: SignFlips


@dataclass(frozen=True)
class Reproduction:
    """How many of the `labelled` trials do not get their stored label from the best rule; None where `why` says so."""

    missed: int | None
    labelled: int
    why: str | None = None


@dataclass(frozen=True)
class TurnedCount:
    """How many pairs of values a reading turns round, of so many that the reference resolves; `why` there is none."""

    turned: int | None
    resolved: int = 0
    why: str = ""


@dataclass(frozen=True)
class LabelCounts:
    """The labels of one reading in one cell, crossed with the reference's.

    `right` and `wrong` count the reading's own labels, `missing` the audited trials where it has none; `blank` of the
    wrong ones are empty answers. `kept_right, to_false, to_true, kept_wrong` count the trials where both have one.
    `why` is the reason where nothing can be counted. `items` is None where the source has none: each trial is its own.
    `stored` says that the labels came with the data: nobody knows of their answers. `probe` is what was seen of the
    scorer on the trials drawn, `orders` the pairs that a compared reading turns, `reproduction` how well rules give all
    stored labels, `findings` the value of each kind of finding, or why it was not looked for; all None for a cell.
    `near` is the share of answers that are right in another form and count as wrong, `false_rights` that of the right
    ones with another number; a text says why it is not known.
    `budget` are the trials of the reference by the class of each, `best` what the best of its values is worth, or why
    that is not known; None for other readings.
    """

    right: int
    wrong: int
    missing: int
    blank: int
    kept_right: int
    to_false: int
    to_true: int
    kept_wrong: int
    why: str = "no trial with a label"
    why_unpaired: str = "no trial with both labels"
    items: LabelItems | None = None
    stored: bool = False
    orders: TurnedCount | None = None
    probe: ProbeRates | None = None
    reproduction: Reproduction | None = None
    findings: Mapping[str, float | str] | None = None
    near: ClusteredRate | str | None = None
    false_rights: ClusteredRate | str | None = None
    budget: CellTrials | None = None
    best: BestOf | str | None = None

    @property
    def counted(self) -> int:
        return self.right + self.wrong

    @property
    def paired(self) -> int:
        return self.kept_right + self.to_false + self.to_true + self.kept_wrong

    @property
    def unpaired(self) -> int:
        return self.counted + self.missing - self.paired


def error_percent(right: int, n: int) -> float:
    """The error rate in percent, (1 - right/n) * 100, computed in exactly this order."""
    return (1 - right / n) * 100


def delta_points(pairs: LabelCounts) -> float:
    """The reading's error rate less the reference's, in percentage points, over the trials where both have a label."""
    n = pairs.paired
    alternative = error_percent(pairs.kept_right + pairs.to_true, n)
    return alternative - error_percent(pairs.kept_right + pairs.to_false, n)
