"""Does every outcome come as it is intended: by its name, in its unit, with its sign, and does it differ at all?"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from auditfw.core.document import some
from auditfw.core.errors import brief
from auditfw.core.results.findings import EFFECTS, CellCount, Finding, FindingKind, NotChecked
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

if TYPE_CHECKING:
    from .outcome_faults import FaultyOutcome
    from .outcome_rows import OutcomeRows

BASELINES = ("no_better_than_free", "free_not_excluded")
MET = ("never_met", *BASELINES)
FACTOR = FindingKind(
    "outcome_factor", "Outcomes that come in another unit: by one factor, or by °C, °F and K.", ("outcome_sign", *MET)
)
SIGN = FindingKind("outcome_sign", "Outcomes that come with the other sign.", MET)
EXCHANGED = FindingKind(
    "outcomes_exchanged", "Outcomes that come under each other's name.", ("outcome_factor", "outcome_sign", *MET)
)
CONSTANT = FindingKind(
    "outcome_constant", "Outcomes that are one value, whatever is intended.",
    ("outcome_factor", "outcome_sign", "outcomes_exchanged", *MET),
)  # fmt: skip
MISSING = FindingKind("outcome_missing", "Intended outcomes that no scenario returns as a number.", MET)
NEVER = FindingKind("never_met", "Outcomes that no scenario meets.")
CAUSES = (MISSING, CONSTANT, EXCHANGED, SIGN, FACTOR, NEVER)  # what explains before what is explained
LEAST, NAMED = 6, 3  # scenarios that show anything, outcomes in a sentence
FEW = f"fewer than {LEAST} scenarios have both an intended number and one that came"


@declare("question", "outcomes")
class OutcomesAsked:
    """Whether every outcome comes by its name, in its unit, with its sign, and differs as is intended."""

    finds: ClassVar[tuple[FindingKind, ...]] = (FACTOR, SIGN, EXCHANGED, CONSTANT, MISSING, NEVER)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Looks at each outcome; a fault that another of the same outcome explains is left to that one."""
        from .outcome_faults import faults_of

        table = cast("OutcomeRows", rows)
        faults = {kind.name: of for kind, of in zip(CAUSES, faults_of(table), strict=True)}
        causes: dict[str, set[str]] = {}  # by outcome: the kinds that it has already
        whole: set[str] = set()  # kinds that others explain of all their outcomes
        for kind in CAUSES:
            free = [one for one in faults[kind.name] if not _explained(kind.name, one, causes)]
            if faults[kind.name] and not free:
                whole.add(kind.name)
            faults[kind.name] = free or faults[kind.name]
            for one in free:
                for key in one.keys:
                    causes.setdefault(key, set()).add(kind.name)
        for kind in self.finds:
            if faults[kind.name]:
                yield _finding(kind, faults[kind.name], whole)
        if table.drawn and all(len(one.pairs.complete) < LEAST for one in table.outcomes):
            yield from (kind.unchecked(FEW) for kind in (FACTOR, SIGN, EXCHANGED, CONSTANT))
        elif not table.drawn:
            yield from (kind.unchecked("no scenario was drawn (audit.draw)") for kind in CAUSES[1:5])


def _explained(name: str, fault: FaultyOutcome, causes: Mapping[str, Collection[str]]) -> bool:
    """Whether another fault of one of its outcomes is the cause of this one."""
    explaining = {kind.name for kind in CAUSES if name in kind.explains}
    if fault.detail.get("units") and "offset" not in fault.detail:
        explaining -= {"outcome_sign"}
    return any(explaining & set(causes.get(key, ())) for key in fault.keys)


def _finding(kind: FindingKind, faults: Sequence[FaultyOutcome], whole: Collection[str]) -> Finding:
    """The finding of a kind, of all outcomes that have the fault, those most concerned first."""
    faults = sorted(faults, key=lambda one: (EFFECTS.index(one.effect), -one.concerned))
    texts = [one.text for one in faults[:NAMED]]
    more = len(faults) - len(texts)
    text = "; ".join(texts) + (f"; and {some(more, 'more outcome')}" if more else "")
    concerned, first = sum(one.concerned for one in faults), faults[0]
    explains = [name for name in kind.explains if name in whole or name in BASELINES]
    return kind(
        sum(one.n for one in faults), sum(one.of for one in faults), f"{text}.", effect=first.effect,
        points=100 * concerned / max(1, first.intended), explains=explains, next=first.do,
        cells=[CellCount({"key": " and ".join(one.keys)}, one.n) for one in faults],
        detail={"outcomes": [{"keys": list(one.keys), "n": one.n, "of": one.of, **one.detail} for one in faults]},
        brief=f"{kind.name.replace('_', ' ')}: {', '.join(brief(' and '.join(one.keys), 40) for one in faults[:2])}",
    )  # fmt: skip
