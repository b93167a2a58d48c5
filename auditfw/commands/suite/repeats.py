"""Any and all of k repeats on two sides: the value of each item, and the drop over the items that both have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.commands.comparison.items import ID, MODEL, STATUS, LabelledSide
from auditfw.commands.comparison.pairing import PairedSides
from auditfw.commands.planning.sides import FAILED, trial_labels
from auditfw.core.imports import np, pl
from auditfw.formulas.budget.ended import KINDS
from auditfw.formulas.repeats.of_k import OfK, all_of_k, any_of_k, difference_of_k
from auditfw.formulas.repeats.planning import PSEUDO, mean_square
from auditfw.formulas.repeats.repeated import ItemRepeats, item_repeats
from auditfw.formulas.student import t_quantile

CHANCES: Mapping[str, OfK] = {"any_of_k": any_of_k, "all_of_k": all_of_k}
COUNTED = ("audited", *FAILED)


@dataclass(frozen=True)
class PairedRepeats:
    """Shares of both sides over the items that both have k repeats of; A less B with its interval.

    `square` is the mean square of an item's difference; `items` are those of both, `only` those of one side alone.
    """

    shares: tuple[float, float]
    change: tuple[float, float | None, float | None]
    square: float
    items: int
    only: tuple[int, int]


def repeats_asked(metric: str, config: Mapping[str, Any]) -> tuple[OfK, int] | None:
    """The formula and the k of a metric of repeats, as a run's config has them; None of another metric."""
    chance = CHANCES.get(component_of(metric, config))
    return None if chance is None else (chance, int(config["metrics"][metric]["k"]))


def component_of(metric: str, config: Mapping[str, Any]) -> str:
    """The component behind a metric, which a run may call as it likes."""
    one = (config.get("metrics") or {}).get(metric)
    return str(one.get("use", metric)) if isinstance(one, Mapping) else metric


def paired_repeats(
    both: PairedSides, readings: Sequence[str], zero: Sequence[bool], chance: OfK, k: int
) -> PairedRepeats | None:
    """Any or all of k of two sides, each by its reading; None where no item has k repeats on both.

    `zero`: whether a side's trials without a truth are wrong, else they are left out. Where no item differs, the
    interval is that of two items more of which either side wins one.
    """
    number = both.matched.items
    rows = zip(both.sides, both.matched.numbers, readings, zero, strict=True)
    one, other = (_repeats(*of, number).values(chance, k) for of in rows)
    apart = difference_of_k(one, other)
    if apart is None:
        return None
    there = ~np.isnan(one), ~np.isnan(other)
    common = there[0] & there[1]
    square = mean_square(one, other) or 0.0
    low, high = apart.low, apart.high
    if not square and apart.items > 1:
        half = t_quantile(0.975, apart.items - 1) * math.sqrt(PSEUDO) / (apart.items + PSEUDO)
        low, high = -half, half
    shares = (math.fsum(values[common].tolist()) / apart.items for values in (one, other))
    only = int((there[0] & ~common).sum()), int((there[1] & ~common).sum())
    return PairedRepeats((next(shares), next(shares)), (apart.mean, low, high), square, apart.items, only)


def _repeats(side: LabelledSide, items: Any, reading: str, zero: bool, number: int) -> ItemRepeats:
    """The repeats of a side, as the metrics count them."""
    frame = side.frame
    at = np.flatnonzero((items >= 0) & frame[STATUS].is_in(list(COUNTED)).to_numpy())
    labels, errors = (column[at] for column in trial_labels(frame, reading, zero))
    if "row.ended" in frame.columns:
        ended = frame["row.ended"].fill_null(KINDS["unknown"]).to_numpy()[at] == KINDS["error"]
        errors = errors | (ended & (labels != 1))
    return item_repeats(items[at], number, _conditions(frame)[at], np.where(errors, -1, labels), errors)


def _conditions(frame: Any) -> Any:
    """A number for the cell and the model of each trial."""
    columns = list(frame.columns)
    names = [*columns[columns.index(ID) + 1 : columns.index(STATUS)], *([MODEL] if MODEL in columns else [])]
    if not names:
        return np.zeros(frame.height, np.int64)
    return frame.select(pl.struct(names).rank("dense").fill_null(0).alias("n"))["n"].to_numpy().astype(np.int64)
