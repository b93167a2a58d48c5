"""Claims about error rates, read with people's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auditfw.audits.claims import Sides, check_sides, conditions_of, contradictions, scale_of, select
from auditfw.audits.read_claims import ClaimEnds, ClaimResult, ReadClaim
from auditfw.core.errors import UsageError
from auditfw.core.imports import np
from auditfw.core.records import named_cells
from auditfw.formulas.claims import claim_verdict
from auditfw.formulas.people.shares import Share, difference
from auditfw.kinds.context import BoundStatement, Claim, OrderStatement, SideStatement

from .results import PEOPLE
from .trials import LabelledTrials


def read_by_people(claims: Mapping[str, Claim], trials: LabelledTrials) -> list[ReadClaim]:
    """What people's labels say of each claim. Raises UsageError."""
    made: list[ReadClaim] = []
    sides: dict[str, tuple[SideStatement | BoundStatement, Sides]] = {}
    for name, claim in claims.items():
        statement = claim()
        if isinstance(statement, OrderStatement):
            do = "claim differences: claim=[difference]"
            raise UsageError(f"claims.{name}", "labels of people tell no whole order", statement.of, do)
        settings = conditions_of(statement).items()
        chosen = [select(sql, f"claims.{name}.{key}", trials.cells, trials.by) for key, sql in settings]
        if isinstance(statement, SideStatement):
            check_sides(name, chosen, named_cells(trials.cells, trials.by))
        sides[name] = (statement, tuple(map(tuple, chosen)))
        shares = [trials.rows.error_rate(np.isin(trials.cell, cells)) for cells in chosen]
        made.append(ReadClaim(name, statement, {PEOPLE: _result(statement, shares)}, ()))
    for error in contradictions(sides):
        raise error
    return made


def _result(statement: SideStatement | BoundStatement, shares: Sequence[Share | None]) -> ClaimResult:
    known = [share for share in shares if share is not None]
    if len(known) < len(shares):
        return ClaimResult("cannot tell")
    scale = scale_of(statement.metric)
    if isinstance(statement, SideStatement):
        better, than = known
        shown = apart = difference(than, better)  # of error rates the lower one is better
        by = statement.by / scale
    else:
        [shown], bound, by = known, statement.value / scale, 0.0
        apart = Share(shown.value - bound, shown.low - bound, shown.high - bound)
        apart = Share(-apart.value, -apart.high, -apart.low) if statement.at_most else apart
    verdict = claim_verdict(apart.value, apart.low, apart.high, by)
    return ClaimResult(verdict, ClaimEnds(*(scale * end for end in (shown.value, shown.low, shown.high))))
