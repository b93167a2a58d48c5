"""The gate on what an audit concludes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditfw.core.errors import UsageError
from auditfw.core.records import Answer, GateResult, Measurement, Status
from auditfw.kinds.metrics import ON_ANSWER
from auditfw.kinds.registry import register

STATUSES: dict[str, Status] = {"stable": "pass", "unknown": "inconclusive", "fragile": "fail", "broken": "fail"}


@register("gate", "answer")
@dataclass(frozen=True)
class AnswerGate:
    """Passes where the answer is `stable`, fails where it is `fragile` or `broken`, is inconclusive where `unknown`."""

    def metrics(self) -> Sequence[tuple[str, str | None]]:
        return []

    def judge_answer(self, name: str, answer: Answer | None) -> GateResult:
        """The result for an answer. Raises UsageError for an audit that draws none."""
        if answer is None:
            raise UsageError("", "this audit draws no answer", None, "leave the gate out: gate=[]")
        status = STATUSES[answer.status]
        why = "" if status == "pass" else answer.headline
        return GateResult(name, f"{ON_ANSWER}{answer.status}", None, None, status, why)

    def __call__(self, name: str, measurements: Sequence[Measurement], reference: str) -> GateResult:
        raise UsageError("", "needs the answer of a run", None, "run it as a gate of an audit")
