"""Scenarios that give something else when they run again, and series that come too early or too late."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from auditfw.core.digits import short_apart
from auditfw.core.document import some
from auditfw.core.errors import brief
from auditfw.core.imports import np
from auditfw.core.results.findings import CellCount, Finding, FindingKind, NotChecked
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

if TYPE_CHECKING:
    from auditfw.formulas.outcomes.factors import Floats

    from .outcome_rows import AskedOutcome, OutcomeRows


KIND = FindingKind("not_deterministic", "Outcomes that differ when their scenario runs again.")
DIFFERENCES = 20  # named in detail
NEXT = (
    "Make the simulator deterministic (seed it, and keep no state between scenarios), or measure its noise: "
    "simulator.stochastic=true audit.replicates=10"
)


@declare("question", "repeated")
class RepeatedScenarios:
    """Whether a scenario gives the same when it runs again."""

    finds: ClassVar[tuple[FindingKind, ...]] = (KIND,)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Fragile where an outcome differs by more than half its tolerance, or is met in one run alone."""
        table = cast("OutcomeRows", rows)
        if not table.results.work.try_again:
            yield KIND.unchecked(_why(table))
            return
        differing = table.results.differing
        if not differing:
            return
        far = [one for one in differing if one.far]
        one = (far or differing)[0]
        first, second = short_apart(one.first, one.second)
        how = "in a process of its own" if one.apart else "when run again"
        text = (
            f"The simulator is not deterministic: in scenario {brief(one.scenario, 60)}, {brief(one.key, 60)} is "
            f"{first}, and {second} {how}."
        )
        yield KIND(
            len(differing), table.results.repeated, text, effect="fragile" if far else "reported",
            headline=f"The same scenario gives different outcomes when it runs again: {some(len(far), 'outcome')}.",
            next=NEXT,
            detail={"outcomes": [[item.scenario, item.key, *item.numbers] for item in differing[:DIFFERENCES]]},
            brief=f"{some(len(differing), 'outcome')} not the same when run again",
        )  # fmt: skip


def _why(table: OutcomeRows) -> str:
    """Why no scenario ran again."""
    settings = table.settings
    if settings.recorded:
        return "recorded outcomes do not run again"
    if settings.replicates > 1 or settings.simulator.stochastic:
        return "the simulator is declared stochastic, or scenarios run several times (audit.replicates)"
    return "audit.try_again=false"


# Does a series come some steps too early or too late?

LATE_SERIES = FindingKind("late", "Series that come some steps too early or too late.", (), False)
LEAST_STEPS = 8
AT = "@"  # between the name of a series and a time
NONE = f"no outcome is a series of {LEAST_STEPS} steps or more (NAME@TIME)"


@declare("question", "late_series")
class LateSeries:
    """Whether a series comes some steps too early or too late."""

    finds: ClassVar[tuple[FindingKind, ...]] = (LATE_SERIES,)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Compares each series with itself one to three steps before and after."""
        from auditfw.formulas.outcomes.factors import series_lag

        table = cast("OutcomeRows", rows)
        series = {name: steps for name, steps in _series(table.outcomes).items() if len(steps) >= LEAST_STEPS}
        if not series:
            yield LATE_SERIES.unchecked(NONE)
            return
        lags = {name: lag for name, steps in series.items() if (lag := series_lag(*_columns(steps))) is not None}
        if not lags:
            return
        texts = [
            f"{brief(name, 60)} comes {some(abs(lag.steps), 'step')} too {'late' if lag.steps > 0 else 'early'} in "
            f"{lag.n:,} of {some(lag.of, table.sampled)}"
            for name, lag in lags.items()
        ]
        yield LATE_SERIES(
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

    return np.stack([one.pairs.intended for one in steps], 1), np.stack([one.pairs.actual for one in steps], 1)
