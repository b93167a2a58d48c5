"""Does a series come some steps too early or too late?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from auditfw.core.document import some
from auditfw.core.errors import brief
from auditfw.core.results.findings import CellCount, Finding, FindingKind, NotChecked
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

if TYPE_CHECKING:
    from auditfw.formulas.outcomes.pairs import Floats

    from .outcome_rows import AskedOutcome, OutcomeRows

KIND = FindingKind("late", "Series that come some steps too early or too late.", (), False)
LEAST_STEPS = 8
AT = "@"  # between the name of a series and a time
NONE = f"no outcome is a series of {LEAST_STEPS} steps or more (NAME@TIME)"


@declare("question", "late_series")
class LateSeries:
    """Whether a series comes some steps too early or too late."""

    finds: ClassVar[tuple[FindingKind, ...]] = (KIND,)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Compares each series with itself one to three steps before and after."""
        from auditfw.formulas.outcomes.lags import series_lag

        table = cast("OutcomeRows", rows)
        series = {name: steps for name, steps in _series(table.outcomes).items() if len(steps) >= LEAST_STEPS}
        if not series:
            yield KIND.unchecked(NONE)
            return
        lags = {name: lag for name, steps in series.items() if (lag := series_lag(*_columns(steps))) is not None}
        if not lags:
            return
        texts = [
            f"{brief(name, 60)} comes {some(abs(lag.steps), 'step')} too {'late' if lag.steps > 0 else 'early'} in "
            f"{lag.n:,} of {some(lag.of, table.sampled)}"
            for name, lag in lags.items()
        ]
        yield KIND(
            sum(lag.n for lag in lags.values()), sum(lag.of for lag in lags.values()), f"{'; '.join(texts[:3])}.",
            cells=[CellCount({"key": name}, lag.steps) for name, lag in lags.items()],
        )  # fmt: skip


def _series(outcomes: Sequence[AskedOutcome]) -> Mapping[str, Sequence[AskedOutcome]]:
    """The outcomes `NAME@TIME` by name, in the order of their times."""
    series: dict[str, dict[float, AskedOutcome]] = {}
    for outcome in outcomes:
        name, _, time = outcome.key.rpartition(AT)
        try:
            series.setdefault(name, {})[float(time)] = outcome
        except ValueError:
            continue
    return {name: [steps[time] for time in sorted(steps)] for name, steps in series.items() if name}


def _columns(steps: Sequence[AskedOutcome]) -> tuple[Floats, Floats]:
    import numpy as np

    return np.stack([one.pairs.intended for one in steps], 1), np.stack([one.pairs.actual for one in steps], 1)
