"""The gate that is a rule in SQL over measurements."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from auditfw.core.errors import UsageError, nearest
from auditfw.core.records import Estimate, GateResult, Measurement
from auditfw.core.results.views import GateTerm
from auditfw.kinds.metrics import Undefined
from auditfw.kinds.registry import declare


@declare("gate", "rule")
class RuleGate:
    """Checks a SQL condition over overall measurements, named as columns "metric@reading"."""

    where: str
    undefined: Undefined = "inconclusive"
    optional: bool = False

    def __post_init__(self) -> None:
        if not self.metrics():
            raise UsageError(
                "where", "names no measurement", self.where, 'write for example "flips@answer_v2+v2" <= 30'
            )

    def metrics(self) -> Sequence[tuple[str, str]]:
        return re.findall(r'"([^"@]+)@([^"]+)"', self.where)

    def __call__(self, name: str, measurements: Sequence[Measurement], reference: str) -> GateResult:
        import polars as pl

        estimates = {m.name: m.estimate for m in measurements if m.overall}
        numbers = {name: estimate.value for name, estimate in estimates.items()}
        for metric, reading in self.metrics():
            if f"{metric}@{reading}" not in numbers:
                raise UsageError(
                    "where", f'no measurement "{metric}@{reading}"', None, nearest(f"{metric}@{reading}", [*numbers])
                )
        terms = [_term(*pair, estimates) for pair in dict.fromkeys(self.metrics())]
        unfit = [f"{a}@{b}" for a, b in self.metrics() if not _finite(numbers[f"{a}@{b}"])]
        if unfit:
            return GateResult(name, self.where, None, None, self.undefined, f"{unfit[0]} is undefined", terms=terms)
        row = pl.DataFrame({n: [float(v)] for n, v in numbers.items() if v is not None})
        try:
            held = row.select(pl.sql_expr(self.where).alias("held"))["held"][0]
        except Exception as error:
            raise UsageError("where", "not a SQL condition", self.where, str(error).splitlines()[0]) from None
        if not isinstance(held, bool):
            raise UsageError("where", "expected a condition that is true or false", held)
        return GateResult(name, self.where, None, None, "pass" if held else "fail", terms=terms)


def _term(metric: str, reading: str, estimates: Mapping[str, Estimate]) -> GateTerm:
    """A number that the condition names: what it is compared with, the condition alone says."""
    estimate = estimates[f"{metric}@{reading}"]
    return GateTerm(metric, reading, None, None, estimate.value, estimate.low, estimate.high)


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
