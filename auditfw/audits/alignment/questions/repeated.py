"""Does a scenario give the same when it runs again, and in a process of its own?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, cast

from auditfw.core.digits import short_apart
from auditfw.core.document import some
from auditfw.core.errors import brief
from auditfw.core.results.findings import Finding, FindingKind, NotChecked
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

if TYPE_CHECKING:
    from .outcome_rows import OutcomeRows

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
