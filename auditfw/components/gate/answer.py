"""The gate on what an audit concludes."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.core.errors import UsageError
from auditfw.core.records import GateResult, Measurement, Status
from auditfw.core.results.terms import GateTerm
from auditfw.kinds.context import Outcome
from auditfw.kinds.registry import declare

STATUSES: dict[str, Status] = {"stable": "pass", "unknown": "inconclusive", "fragile": "fail", "broken": "fail"}


@declare("gate", "answer")
class AnswerGate:
    """Passes where the answer is `stable`, fails where it is `fragile` or `broken`, is inconclusive where `unknown`."""

    def metrics(self) -> Sequence[tuple[str, str | None]]:
        return []

    def judge_outcome(self, name: str, outcome: Outcome) -> GateResult:
        """The result for the answer of an audit. Raises UsageError for one that draws none."""
        answer = outcome.answer
        if answer is None:
            raise UsageError("", "this audit draws no answer", None, "leave the gate out: gate=[]")
        status = STATUSES[answer.status]
        why = "" if status == "pass" else answer.headline
        rules = [rule for rule in answer.rules if rule.fired and rule.status == answer.status]
        terms = [GateTerm(r.rule, r.reading, r.bound, None, r.value, r.low, r.high) for r in rules]
        rule = f"answer is stable: {answer.status}"
        return GateResult(name, rule, None, None, status, why, terms=terms, answer=answer.status)

    def __call__(self, name: str, measurements: Sequence[Measurement], reference: str) -> GateResult:
        raise UsageError("", "needs the answer of a run", None, "run it as a gate of an audit")
