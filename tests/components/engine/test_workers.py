"""Workers load beforehand what the work names, and no more."""

from __future__ import annotations

from judgement_lines import RATERS

from auditfw.audits.consistency.rules import Rules
from auditfw.audits.consistency.scoring import ConsistencyScorer
from auditfw.components.engine.local import named_in, packed


def test_workers_load_beforehand_what_the_work_names_and_no_more() -> None:
    work = packed(ConsistencyScorer(Rules(RATERS, ("VALID", "REJECT"), {}), (), 0, 5))
    assert work is not None
    named = named_in(work)
    assert {"auditfw.audits.consistency.scoring", "auditfw.audits.consistency.rules"} <= set(named)
    assert not [name for name in named if name.startswith("auditfw.components")]
