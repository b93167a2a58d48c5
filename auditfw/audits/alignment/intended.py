"""What was meant, as columns: for each key the ends of its bands, and whatever else an intention may say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from auditfw.core.errors import DataError, refuse
from auditfw.core.imports import NDArray, np
from auditfw.formulas.alignment import AlignmentRule, mean_of, row_means
from auditfw.formulas.outcome_columns import DOWN, ROUNDING, SAME, UP, OutcomeColumn
from auditfw.kinds.scenarios import Intention, intention
from auditfw.kinds.simulation import Columns

from .actual import MISSING, NONFINITE, NOT_MEANT, Averaged, Codes, Noise

Floats: TypeAlias = "NDArray[np.float64]"
Flags: TypeAlias = "NDArray[np.bool_]"
Changes: TypeAlias = "NDArray[np.int8]"


_CHANGES = {"": 0, "up": UP, "down": DOWN, "same": SAME}
_PLAIN = frozenset({int, float})


@dataclass
class IntendedBands:
    """What was meant of one key: `low is high` where all are plain numbers; None for what no intention says.

    `meant` is None where every scenario means something of the key; `change` holds UP, DOWN, SAME or 0; `bounded` marks
    intentions that say themselves when they are met; `declared` says that some intention names its level.
    """

    low: Floats
    high: Floats
    meant: Flags | None = None
    change: Changes | None = None
    tolerance: Floats | None = None
    should: Flags | None = None
    bounded: Flags | None = None
    weight: Floats | None = None
    unit: str = ""
    declared: bool = False

    def ends(self, base: float | None) -> tuple[Floats, Floats]:
        """The ends of the bands, where `unchanged` is a band about the baseline's value."""
        if self.change is None or base is None:
            return self.low, self.high
        rows = self.change == SAME
        tolerance = np.zeros(len(rows)) if self.tolerance is None else self.tolerance
        return np.where(rows, base - tolerance, self.low), np.where(rows, base + tolerance, self.high)


@dataclass
class Meaning:
    """What was meant in some scenarios, key by key; `alike` where all name the same keys in one order."""

    aims: dict[str, IntendedBands]
    orders: Sequence[tuple[str, ...]]
    alike: bool

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.aims)


def meaning(intended: Sequence[Any], names: Sequence[str], may_be_empty: Iterable[Any]) -> Meaning:
    """Reads the intended outcomes of scenarios called `names`. Raises DataError or Findings naming scenario and key."""
    if isinstance(intended, Columns):
        return _of_columns(intended, names)
    errors: list[DataError] = []
    orders: list[tuple[str, ...]] = []
    for wanted, name, free in zip(intended, names, may_be_empty, strict=True):
        sound = isinstance(wanted, Mapping)
        orders.append(tuple(wanted) if sound else ())
        if not sound or not (wanted or free):
            what = "intended is not a mapping" if wanted is not None and not sound else "nothing is intended"
            errors.append(
                DataError(f"scenario {name}", what, None if sound else wanted, "write intended: {KEY: NUMBER}")
            )
    keys = list(dict.fromkeys(key for order in dict.fromkeys(orders) for key in order))
    aims = {} if errors else {key: _aims(key, intended, names, errors) for key in keys}
    _refuse(errors)
    return Meaning({str(key): bands for key, bands in aims.items()}, orders, len(set(orders)) == 1)


def _of_columns(intended: Columns, names: Sequence[str]) -> Meaning:
    errors: list[DataError] = []
    order = tuple(map(str, intended.columns))
    aims: dict[str, IntendedBands] = {}
    for key, column in intended.columns.items():
        try:
            low = np.asarray(column, dtype=np.float64)
        except (TypeError, ValueError):
            aims[str(key)] = _aims(key, [{key: value} for value in column], names, errors)
            continue
        wrong = np.flatnonzero(~np.isfinite(low))
        errors += [_refusal(names[i], str(key), f"is not finite ({low[i]})") for i in wrong[:1]]
        aims[str(key)] = IntendedBands(low, low)
    _refuse(errors)
    return Meaning(aims, [order] * len(intended), True)


def _aims(key: Any, intended: Sequence[Any], names: Sequence[str], errors: list[DataError]) -> IntendedBands:
    """The column of one key, from mappings that may lack it."""
    values = [wanted.get(key) for wanted in intended]
    if _PLAIN.issuperset(map(type, values)):
        try:
            low = np.array(values, dtype=np.float64)
        except OverflowError:
            low = np.array([np.nan])
        if np.isfinite(low).all():
            return IntendedBands(low, low)
    intentions: list[Intention | None] = []
    for value, wanted, name in zip(values, intended, names, strict=True):
        try:
            intentions.append(intention(value) if key in wanted else None)
        except ValueError as error:
            errors.append(_refusal(name, str(key), str(error)))
            intentions.append(None)
    return _gathered(str(key), intentions, names, errors)


def _gathered(
    key: str, intentions: Sequence[Intention | None], names: Sequence[str], errors: list[DataError]
) -> IntendedBands:
    meant = np.array([one is not None for one in intentions])
    sure = [one or Intention(0.0, 0.0) for one in intentions]
    low, high = np.array([one.low for one in sure]), np.array([one.high for one in sure])
    aims = IntendedBands(low, low if bool((low == high).all()) else high, None if meant.all() else meant)
    if any(one.change for one in sure):
        aims.change = np.array([_CHANGES[one.change] for one in sure], dtype=np.int8)
    if any(one.tolerance for one in sure):
        aims.tolerance = np.array([one.tolerance for one in sure])
    if any(one.level == "should" for one in sure):
        aims.should = np.array([one.level == "should" for one in sure])
    if any(one.bounded for one in sure):
        aims.bounded = np.array([one.bounded for one in sure])
    if any(one.weight != 1.0 for one in sure):
        aims.weight = np.array([one.weight for one in sure])
    units = {one.unit: name for one, name in zip(sure, names, strict=True) if one.unit}
    if len(units) > 1:
        (first, here), (second, there) = list(units.items())[:2]
        what = f"is in {first} for scenario {here} and in {second} for scenario {there}"
        errors.append(DataError(f"key '{key}'", what, None, "give it one unit"))
    aims.unit, aims.declared = next(iter(units), ""), any(one.declared for one in sure)
    return aims


def _refusal(name: str, key: str, what: str) -> DataError:
    return DataError(f"scenario {name}", f"intended '{key}' {what}", None, "write a number, or say what is meant")


def _refuse(errors: Sequence[DataError]) -> None:
    refuse(errors)


# Scores of whole columns: one key of some scenarios, and all keys of each scenario together.


@dataclass
class KeyScores:
    """One key of some scenarios: what was meant and came, and how that scores (NaN where nothing was matched).

    `should`, `weight` and `bounded` are None where no intention says so.
    """

    key: str
    compared: OutcomeColumn
    codes: Codes
    direction: Floats
    magnitude: Floats
    combined: Floats
    should: Flags | None = None
    weight: Floats | None = None
    unit: str = ""
    noise: Noise | None = None
    bounded: Flags | None = None

    @property
    def matched(self) -> Flags:
        """Which outcomes have scores: those that are not finite have zeros."""
        return np.asarray(self.codes <= NONFINITE)

    def taken(self, rows: Any) -> KeyScores:
        """Only these rows, without noise."""
        direction, magnitude, combined = self.direction[rows], self.magnitude[rows], self.combined[rows]
        weight = None if self.weight is None else self.weight[rows]
        bounded = None if self.bounded is None else self.bounded[rows]
        should = None if self.should is None else self.should[rows]
        compared, codes = self.compared.taken(rows), self.codes[rows]
        return KeyScores(self.key, compared, codes, direction, magnitude, combined, should, weight, bounded=bounded)

    def met(self, tolerance: float) -> Flags:
        """Which outcomes are what was intended, within `tolerance` where they do not say themselves when they are."""
        return np.asarray(self.compared.met(tolerance, False if self.bounded is None else self.bounded))

    def numbers_meant(self, tolerance: float) -> tuple[Floats, Floats]:
        """The intended number of each scenario, the middle of a band, and the room about it; NaN where there is none.

        What says itself when it is met has half the width of its band, any other number `tolerance` times its size (at
        least the floor). Where one end is open, or only a change is meant, there is no number.
        """
        of = self.compared
        with np.errstate(all="ignore"):
            numbers = np.where(self.codes == NOT_MEANT, np.nan, of.low / 2 + of.high / 2)
            numbers = np.where(np.isfinite(numbers), numbers, np.nan)
            if of.change is not None:
                numbers[of.moves] = np.nan
            assumed = tolerance * np.maximum(np.abs(numbers), of.floor)
            bounded = False if self.bounded is None else self.bounded
            return numbers, np.where(bounded, of.high / 2 - of.low / 2, assumed) + ROUNDING * np.abs(numbers)


def scores(rule: AlignmentRule, compared: OutcomeColumn) -> tuple[Floats, Floats, Floats]:
    """Direction, magnitude and combined; where only a change is meant it is the score, and there is no magnitude."""
    direction, magnitude, combined = rule.columns(compared.low, compared.high, compared.actual)
    if compared.change is not None:
        rows = compared.moves
        direction[rows] = combined[rows] = np.nan_to_num(compared.moved_as_meant())[rows]
        magnitude[rows] = np.nan
    return direction, magnitude, combined


def key_scores(rule: AlignmentRule, key: str, aims: IntendedBands, base: float | None, got: Averaged) -> KeyScores:
    """Scores one key. An outcome to be compared with a baseline that lacks the key is missing."""
    codes = got.codes
    if aims.change is not None and base is None:
        codes = np.where(aims.change > 0, np.maximum(codes, MISSING), codes).astype(np.uint8)
    if aims.meant is not None:
        codes = np.where(aims.meant, codes, NOT_MEANT).astype(np.uint8)
    change = None if aims.change is None else np.where(aims.change == SAME, 0, aims.change).astype(np.int8)
    compared = OutcomeColumn(*aims.ends(base), got.values, rule.floor, base, change)
    columns = scores(rule, compared)
    if codes.max() > NONFINITE:
        for column in columns:
            column[codes > NONFINITE] = np.nan
    return KeyScores(key, compared, codes, *columns, aims.should, aims.weight, aims.unit, got.noise, aims.bounded)


def overall_scores(
    keys: Sequence[KeyScores], key_weights: Mapping[str, float], size: int, meant: Meaning | None = None
) -> tuple[Floats, Any]:
    """The mean of combined over each scenario's scored keys (NaN without one), and how many there are.

    With `meant` the order of summation is that of each scenario's own keys, to the last bit.
    """
    matched = np.zeros(size, np.int64)
    for one in keys:
        matched += one.matched
    weights = _weights(keys, key_weights)
    if weights is not None:
        return _weighted(keys, weights, size), matched
    complete = (matched == len(keys)) & (matched > 0)
    if meant is not None and not meant.alike:
        complete[:] = False
    if size and complete.all():
        return row_means([one.combined for one in keys]), matched
    overall = np.full(size, np.nan)
    if complete.any():
        overall[complete] = row_means([one.combined[complete] for one in keys])
    by_key = {one.key: one for one in keys}
    for i in np.flatnonzero(~complete & (matched > 0)).tolist():
        order = by_key if meant is None else meant.orders[i]
        own = [by_key[str(key)] for key in order]
        overall[i] = mean_of([float(one.combined[i]) for one in own if one.codes[i] <= NONFINITE])
    return overall, matched


def _weights(keys: Sequence[KeyScores], key_weights: Mapping[str, float]) -> list[Any] | None:
    """A weight for each key, a number or a column; None where all weigh the same."""
    by_key = [key_weights.get(one.key, 1.0) for one in keys]
    if all(one.weight is None for one in keys) and all(weight == 1.0 for weight in by_key):
        return None
    return [w if one.weight is None else w * one.weight for w, one in zip(by_key, keys, strict=True)]


def _weighted(keys: Sequence[KeyScores], weights: Sequence[Any], size: int) -> Floats:
    total, mass = np.zeros(size), np.zeros(size)
    with np.errstate(all="ignore"):
        for one, weight in zip(keys, weights, strict=True):
            total += np.where(one.matched, weight * one.combined, 0.0)
            mass += np.where(one.matched, weight, 0.0)
        return np.asarray(np.where(mass > 0, total / mass, np.nan))
