"""What was meant, as columns: for each key the ends of its bands, and whatever else an intention may say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditfw.core.errors import DataError, refuse
from auditfw.formulas.outcome_columns import DOWN, SAME, UP
from auditfw.kinds.scenarios import Intention, intention
from auditfw.kinds.simulation import Columns

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Changes = NDArray[np.int8]


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
