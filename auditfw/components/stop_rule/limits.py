"""The stop rule that replays other budgets on stored attempts."""

from __future__ import annotations

from auditfw.kinds.ledger import Pick, StopBounds
from auditfw.kinds.registry import declare


@declare("stop_rule", "limits")
class LimitsRule(StopBounds):
    """Replays the stored attempts under other budgets: where the loop would have stopped.

    The budgets of the live rule, all off by default; `pick` says whether the best stored attempt is returned or the
    last. A stored attempt that exceeds the time budget still counts.
    """

    pick: Pick = "best"
