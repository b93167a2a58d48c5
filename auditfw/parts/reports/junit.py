"""The report a build server reads: junit.xml, a suite an audit and a case a gate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from auditfw.machine import finite, write_whole
from auditfw.records import GateResult, Result
from auditfw.registry import register
from auditfw.sinks import xml

FILE = "junit.xml"
NAME_LIMIT = 1_024


@register("report", "junit")
@dataclass(frozen=True)
class JunitReport:
    """Writes junit.xml: a failed gate is a failure, an inconclusive one is skipped with its reason."""

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        return () if folder is None else (write_whole(folder, FILE, junit_text(result)),)


def junit_text(result: Result) -> str:
    """The whole file, a pure function of the result.

    A run that ended with neither 0 nor 1 has a case `run` with an error, so that no reader takes it for a good one.
    """
    broken = result.exit_code not in (0, 1)
    statuses = [gate.status for gate in result.gates]
    totals = (
        f'tests="{len(statuses) + broken}" failures="{statuses.count("fail")}" '
        f'errors="{int(broken)}" skipped="{statuses.count("inconclusive")}"'
    )
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="auditfw" {totals}>',
        f' <testsuite name="{_name(result.audit)}" {totals}>',
        *_properties(result),
        *(line for gate in result.gates for line in _case(result.audit, gate)),
        *(_broken(result) if broken else ()),
        " </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _properties(result: Result) -> Iterator[str]:
    yield "  <properties>"
    for name, value in (("verdict", result.verdict), ("config_hash", result.config_hash), ("seed", str(result.seed))):
        yield f'   <property name="{name}" value="{_name(value)}"/>'
    yield "  </properties>"


def _case(audit: str, gate: GateResult) -> Iterator[str]:
    head = f'  <testcase classname="auditfw.{_name(audit)}" name="{_name(gate.name)}"'
    if gate.status == "pass":
        yield f"{head}/>"
        return
    yield f"{head}>"
    if gate.status == "fail":
        yield f'   <failure type="gate" message="{xml(_message(gate))}">{xml(gate.why or _message(gate))}</failure>'
    else:
        yield f'   <skipped message="{xml(f"inconclusive: {gate.why or _message(gate)}")}"/>'
    yield "  </testcase>"


def _broken(result: Result) -> Iterator[str]:
    message = xml(f"the run ended with exit code {result.exit_code}")
    yield f'  <testcase classname="auditfw.{_name(result.audit)}" name="run">'
    yield f'   <error type="run" message="{message}"/>'
    yield "  </testcase>"


def _message(gate: GateResult) -> str:
    value = finite(gate.value)
    where = f" of {gate.reading}" if gate.reading else ""
    return f"{gate.rule}: {'no value' if value is None else f'value {value!r}'}{where}"


def _name(text: str) -> str:
    return xml(text, NAME_LIMIT)
