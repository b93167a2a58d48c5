"""Gates in a line each: what failed with its number, what passed with its scope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auditfw.components.report import wording
from auditfw.core.document import some
from auditfw.core.records import GateResult, MetricStyle, Result

MOST = 4
SCOPES = {
    "baseline_reproduces": "labels reproduce",
    "aligned": "mean score",
    "better_than_free": "not worse than trivial baselines",
    "must_met": "requirements met",
    "agreement": "percent agreement",
    "abstain": "abstentions",
    "coverage": "items that each rater labelled",
    "hard_flags": "no flagged item rated VALID",
    "joins": "joined rows match",
    "solved": "solve rate",
    "stable": "a stable answer",
    "whole": "the table is whole",
}


def scope(gate: GateResult) -> str:
    """What a gate is about, in words: a shipped gate's own, else its name."""
    return SCOPES.get(gate.name, gate.name.replace("_", " "))


def passed_scopes(gates: Sequence[GateResult]) -> list[str]:
    """What the gates that passed are about."""
    return [scope(gate) for gate in gates if _told_passed(gate)]


def _told_passed(gate: GateResult) -> bool:
    """Whether a gate passed by a number: one that had nothing to judge is no news."""
    return gate.status == "pass" and not (gate.metric is not None and gate.value is None and gate.why)


def raised_lines(result: Result) -> list[str]:
    """The gates that failed in a line, and those that are inconclusive."""
    return [line for status in ("fail", "inconclusive") for line in _of_status(result, status)]


def passed_lines(result: Result) -> list[str]:
    """The gates that passed in a line: one with its number, several by what they are about."""
    passed = [gate for gate in result.gates if _told_passed(gate)]
    if sum(gate.status == "pass" for gate in result.gates) < 2:
        return [f"PASS: {_told(result, gate)}" for gate in passed]
    if not passed:
        return []
    more = f" and {len(passed) - MOST} more" if len(passed) > MOST else ""
    return [f"PASS: {', '.join(passed_scopes(passed[:MOST]))}{more}"]


def _of_status(result: Result, status: str) -> Iterator[str]:
    own = [gate for gate in result.gates if gate.status == status]
    if own:
        more = f"; and {some(len(own) - MOST, 'more gate')}" if len(own) > MOST else ""
        yield f"{status.upper()}: {'; '.join(_told(result, gate) for gate in own[:MOST])}{more}"


def _told(result: Result, gate: GateResult) -> str:
    """A gate with what it found, what it asks for, and of which reading: `kappa (0.7118, at least 0.75; scholar)`."""
    if gate.answer is not None:
        return f"{gate.name} ({wording.rule_text(gate)})"
    name, part = scope(gate), wording.of_a_part(result, gate)
    every = (result.audit, gate.reading) == ("alignment", "actual")  # what all numbers there are of
    of = [wording.introduced(gate.reading, result.titles)] if gate.reading and not every else []
    value, bound = _counted(result, gate) or wording.gate_value(gate, result.styles), _bound(gate)
    if bound and gate.value is not None:
        style = result.styles.get(gate.metric or "", MetricStyle())
        title = wording.title(gate.metric or "", result.styles).removesuffix(f" ({style.weights})")
        weights = f", {style.weights}" if style.weights else ""
        named = title.replace("_", " ") in ("", name) or title == gate.name
        name, about = (f"{name}{weights}", "") if named else (name, f"{title}{weights} ")
        found = f"{about}{value}, {bound}"
    else:
        number = "" if gate.value is None and not gate.reading else f": {value}"
        found = f"{wording.rule_text(gate, result.styles)}{number}"
    return f"{name} ({'; '.join(filter(None, [found, *of, part]))})"


def _counted(result: Result, gate: GateResult) -> str:
    """What a gate on a share of outcomes found, in numbers: `61 of 80 outcomes`; "" for others."""
    of = ("must_met", gate.reading)
    own = [m.estimate for m in result.measurements if m.overall and (m.metric, m.reading) == of]
    if gate.metric != "must_met" or gate.cell or not own or own[0].value is None:
        return ""
    n = own[0].counted
    return f"{round(own[0].value * n):,} of {some(n, 'outcome')}"


def _bound(gate: GateResult) -> str:
    """What a gate on the value of a metric asks for; "" for one that says it better itself."""
    if gate.on not in (None, "value") or not isinstance(gate.bound, int | float) or gate.strict or gate.cell:
        return ""
    bound = f"{100 * gate.bound:g} %" if gate.metric == "must_met" else f"{gate.bound:g}"
    return f"{'at least' if gate.side == 'min' else 'at most'} {bound}"
