"""Gates on what an audit concludes: its answer, its findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from auditfw.core.errors import UsageError, nearest
from auditfw.core.records import GateResult, Measurement, Status
from auditfw.core.results.views import GateTerm
from auditfw.kinds.context import Outcome
from auditfw.kinds.registry import declare, in_order

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


NAMED = 3  # kinds in the words of a rule


@declare("gate", "findings")
class FindingsGate:
    """Passes where none of these `kinds` of findings has more than `max` rows, items …, but for what is known.

    What could not be looked for does not fail it, and is said; kinds that only other audits look for are left out.
    """

    kinds: tuple[str, ...]
    max: float = 0.0

    def metrics(self) -> Sequence[tuple[str, str | None]]:
        return []

    def judge_outcome(self, name: str, outcome: Outcome) -> GateResult:
        """The result for the findings of an audit. Raises UsageError for kinds that no audit, or not this one, has."""
        findings, not_checked = outcome.findings, outcome.not_checked
        known = {kind.name for entry in in_order("question") for kind in cast(Any, entry.cls).finds}
        for i, kind in enumerate(self.kinds):
            if kind not in known:
                raise UsageError(f"kinds[{i}]", "no such kind of finding", kind, nearest(kind, sorted(known)))
        kinds = [kind for kind in self.kinds if kind in outcome.asked]
        if not kinds:
            raise UsageError("kinds", "this audit looks for none of them", None, "leave the gate out")
        values: Mapping[str, float] = {one.kind: one.value for one in findings if not one.known}
        over = {kind: values[kind] for kind in kinds if values.get(kind, 0.0) > self.max}
        unseen = {one.kind: one.why for one in not_checked if one.kind in kinds}
        parts = [f"{kind} not looked for: {why}" for kind, why in unseen.items()]
        seen = [kind for kind in kinds if kind not in unseen]
        terms = [GateTerm(kind, None, self.max, "max", values.get(kind, 0.0)) for kind in seen]
        kinds_text = ", ".join(kinds) if len(kinds) <= NAMED else f"{len(kinds)} kinds of findings"
        rule = f"at most {self.max:g} of {kinds_text}"
        rule += "; " + ", ".join(f"{kind} {value:,.10g}" for kind, value in over.items()) if over else ""
        return GateResult(name, rule, None, None, "fail" if over else "pass", "; ".join(parts), terms=terms)

    def __call__(self, name: str, measurements: Sequence[Measurement], reference: str) -> GateResult:
        raise UsageError("", "needs the findings of a run", None, "run it as a gate of an audit")
