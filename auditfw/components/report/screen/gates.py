"""Gates in a line each: what failed with its number, what passed with its scope."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.components.report import wording
from auditfw.core.document import some
from auditfw.core.records import GateResult, Result

MOST = 4
SCOPES = {
    "baseline_reproduces": "labels reproduce",
    "aligned": "mean score",
    "better_than_free": "not worse than trivial baselines",
    "must_met": "requirements met",
    "agreement": "percent agreement",
    "abstain": "abstentions",
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
    return [scope(gate) for gate in gates if gate.status == "pass"]


def gate_lines(result: Result) -> list[str]:
    """A line for each gate that did not pass, and one for all that did."""
    lines = [_line(result, gate) for gate in result.gates if gate.status != "pass"]
    lines = [*lines[:MOST], *([f"and {some(len(lines) - MOST, 'more gate')}"] if len(lines) > MOST else [])]
    passed = [gate for gate in result.gates if gate.status == "pass"]
    if len(passed) == 1:
        lines.append(_line(result, passed[0]))
    elif passed:
        names = passed_scopes(passed[:MOST])
        more = f" and {len(passed) - MOST} more" if len(passed) > MOST else ""
        lines.append(f"pass: {', '.join(names)}{more}")
    return lines


def _line(result: Result, gate: GateResult) -> str:
    value = wording.gate_value(gate, result.styles)
    name = scope(gate) if gate.status == "pass" else gate.name
    reading = f"{wording.introduced(gate.reading, result.titles)}: " if gate.reading else ""
    part = wording.of_a_part(result, gate)
    value += f", {part}" if part else ""
    number = "" if gate.value is None and not gate.reading else f"; {reading}{value}"
    return f"{gate.status}: {name} ({wording.rule_text(gate, result.styles)}{number})"
