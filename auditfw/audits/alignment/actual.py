"""What came out, as columns: for each key a column of floats, and the bucket of each value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from auditfw.core.imports import NDArray, np
from auditfw.core.statistics import t975
from auditfw.formulas.alignment import is_number
from auditfw.kinds.simulation import Simulated

Floats: TypeAlias = "NDArray[np.float64]"
Codes: TypeAlias = "NDArray[np.uint8]"

SCORED, NONFINITE, MISSING, ERROR, TIMEOUT, OUT_OF_BOUNDS = range(6)
NOT_MEANT = 255
STATUS = ("scored", "nonfinite", "missing", "error", "timeout", "out_of_bounds")
FAILED = (ERROR, TIMEOUT, OUT_OF_BOUNDS)
BASELINE = 6  # of a scenario only: nothing is meant of it, others are compared with it
SCENARIO_STATUS = (*STATUS, "baseline")

OF_SIMULATION: Mapping[str, int] = {"ok": SCORED, "error": ERROR, "timeout": TIMEOUT, "out_of_bounds": OUT_OF_BOUNDS}

_PLAIN = frozenset({int, float})


class OddType(NamedTuple):
    """A note on outcomes: that those of a key came as a type that is no number."""

    key: str
    type: str

    def __str__(self) -> str:
        return f"outcome '{self.key}' is of type {self.type}, counted as missing"


Notes = Counter[str | OddType]


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of some scenarios: `column(key)` gives values and codes; `failed` codes and reasons."""

    simulated: Simulated
    size: int
    failed: Codes | None
    bool_as_number: bool

    @classmethod
    def of(cls, simulated: Simulated, size: int, bool_as_number: bool) -> Outcomes:
        """What a simulator gave for `size` scenarios. Raises RuntimeError where it gave another number."""
        held = len(simulated.outcomes) or size
        if len(simulated.status) != size or held != size:
            raise RuntimeError(
                f"a simulator returned {held} outcomes and {len(simulated.status)} statuses for {size} scenarios"
            )
        failed = None
        if simulated.status.count("ok") != size:
            failed = np.array([OF_SIMULATION.get(status, ERROR) for status in simulated.status], dtype=np.uint8)
        return cls(simulated, size, failed, bool_as_number)

    def names(self) -> Iterable[str]:
        """Every key that any scenario gave, by first appearance."""
        if not self.simulated.outcomes:
            return tuple(self.simulated.columns)
        return dict.fromkeys(key for one in self.simulated.outcomes if isinstance(one, Mapping) for key in one)

    def column(
        self, key: str, notes: Notes | None = None, meant: NDArray[np.bool_] | None = None
    ) -> tuple[Floats, Codes]:
        """The values of a key, NaN where there is none, and the bucket of each; odd types are noted where `meant`."""
        if not self.simulated.outcomes:
            column = self.simulated.columns.get(key)
            if column is None:
                return self._closed(np.full(self.size, np.nan), np.full(self.size, MISSING, np.uint8))
            values = np.asarray(column, dtype=np.float64)
            return self._closed(values, (~np.isfinite(values)).astype(np.uint8) * np.uint8(NONFINITE))
        return self._closed(*self._gathered(key, notes, meant))

    def _closed(self, values: Floats, codes: Codes) -> tuple[Floats, Codes]:
        if self.failed is not None:
            values = np.where(self.failed == SCORED, values, np.nan)
            codes = np.where(self.failed == SCORED, codes, self.failed)
        return values, codes

    def _gathered(self, key: str, notes: Notes | None, meant: NDArray[np.bool_] | None) -> tuple[Floats, Codes]:
        try:
            raw = [one[key] for one in self.simulated.outcomes]
        except (KeyError, TypeError, IndexError):
            raw = [one.get(key, _ABSENT) if isinstance(one, Mapping) else _ABSENT for one in self.simulated.outcomes]
        if _PLAIN.issuperset(map(type, raw)):
            try:
                values = np.array(raw, dtype=np.float64)
            except OverflowError:
                values = np.array([])
            if values.size == len(raw):
                sound = np.isfinite(values)
                whole = np.zeros(self.size, np.uint8)
                return values, whole if sound.all() else np.where(sound, SCORED, NONFINITE).astype(np.uint8)
        noted = np.ones(self.size, dtype=bool) if meant is None else meant
        return self._one_by_one(key, raw, notes, noted if self.failed is None else noted & (self.failed == SCORED))

    def _one_by_one(
        self, key: str, raw: Sequence[Any], notes: Notes | None, noted: NDArray[np.bool_]
    ) -> tuple[Floats, Codes]:
        values, codes = np.full(self.size, np.nan), np.zeros(self.size, np.uint8)
        for i, value in enumerate(raw):
            got = _number(value, self.bool_as_number)
            if got is None:
                codes[i] = MISSING
                if notes is not None and value is not _ABSENT and noted[i]:
                    notes[OddType(key, _type(value))] += 1
                continue
            values[i] = got
            codes[i] = SCORED if np.isfinite(got) else NONFINITE
        return values, codes


_ABSENT = object()


def _number(value: Any, bool_as_number: bool) -> float | None:
    """A value as a float; None where it is no number. Arrays without a dimension count as the number they hold."""
    if getattr(value, "shape", None) == () and not is_number(value) and hasattr(value, "item"):
        value = value.item()
    if not is_number(value) or (isinstance(value, bool) and not bool_as_number):
        return None
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _type(value: Any) -> str:
    kind = getattr(value, "sort", None)  # a simulator's stand-in for a value that cannot travel
    return "nothing" if value is None else kind if isinstance(kind, str) else type(value).__name__


@dataclass(frozen=True)
class Noise:
    """The noise of one key between replicates: the variance of each scenario, and what noise alone costs.

    `half` is half the width of the 95 % t interval of the mean over a scenario's replicates.
    """

    variance: Floats
    loss: Floats
    half: Floats


@dataclass(frozen=True)
class Averaged:
    """A key's values (the mean of replicates), their buckets (the worst of theirs), and the noise of several."""

    values: Floats
    codes: Codes
    noise: Noise | None = None


def averaged(
    runs: Sequence[Outcomes], key: str, floor: float, notes: Notes, meant: NDArray[np.bool_] | None = None
) -> Averaged:
    """One key over all replicates; odd types are noted where it is `meant` (None: everywhere)."""
    if len(runs) == 1:
        return Averaged(*runs[0].column(key, notes, meant))
    columns = [run.column(key, notes if run is runs[0] else None, meant) for run in runs]
    values = np.stack([values for values, _ in columns])
    codes: Codes = np.max(np.stack([codes for _, codes in columns]), axis=0)
    with np.errstate(all="ignore"):
        same = (values == values[0]).all(axis=0)
        mean = np.where(same, values[0], values.mean(axis=0))
        variance = np.where(codes == SCORED, np.where(same, 0.0, values.var(axis=0, ddof=1)), np.nan)
        off = np.minimum(1.0, np.abs(values - mean) / np.maximum(np.abs(mean), floor)).mean(axis=0)
        half = t975(len(runs) - 1) * np.sqrt(variance / len(runs))
    return Averaged(mean, codes, Noise(variance, np.where(codes == SCORED, off, np.nan), half))
