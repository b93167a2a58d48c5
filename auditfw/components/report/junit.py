"""The report a build server reads: junit.xml, a suite an audit, a case a gate and a cell of a gate on cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from auditfw.core.escaping import xml
from auditfw.core.records import STATUSES, CellResult, GateCells, Result, Status
from auditfw.core.result_json import finite, write_whole
from auditfw.kinds.registry import register

FILE = "junit.xml"
NAME_LIMIT = 1_024
SIZE_LIMIT = 900_000  # of the cells' cases, so that the file stays under 1 MB


@register("report", "junit")
@dataclass(frozen=True)
class JunitReport:
    """Writes junit.xml: a case for each gate, and for each cell of a gate on every cell, the worst cells first.

    A failed case is a failure, an inconclusive one is skipped with its reason; cells that do not fit into 1 MB are
    only counted.
    """

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        return () if folder is None else (write_whole(folder, FILE, junit_text(result)),)


@dataclass(frozen=True)
class Case:
    """A test case: the class and name it goes by, its status and message."""

    of: str
    name: str
    status: Status
    message: str = ""
    why: str = ""

    def lines(self) -> Iterator[str]:
        """The case as lines of XML."""
        head = f'  <testcase classname="{_name(self.of)}" name="{_name(self.name)}"'
        if self.status == "pass":
            yield f"{head}/>"
            return
        yield f"{head}>"
        if self.status == "fail":
            text = xml(self.why or self.message)
            yield f'   <failure type="gate" message="{xml(self.message)}">{text}</failure>'
        else:
            yield f'   <skipped message="{xml(f"inconclusive: {self.why or self.message}")}"/>'
        yield "  </testcase>"


def junit_text(result: Result) -> str:
    """The whole file, a pure function of the result.

    A run that ended with neither 0 nor 1 has a case `run` with an error, so that no reader takes it for a good one.
    """
    broken = result.exit_code not in (0, 1)
    own = [*_gates(result)]
    cells, left = _fitting(result)
    statuses = Counter(case.status for case in (*own, *(case for case, _ in cells)))
    totals = f'tests="{statuses.total() + broken}" failures="{statuses["fail"]}" errors="{int(broken)}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="auditfw" {totals}>',
        f' <testsuite name="{_name(result.audit)}" {totals} skipped="{statuses["inconclusive"]}">',
        *_properties(result, left),
        *(line for case in own for line in case.lines()),
        *(_broken(result) if broken else ()),
        *(text for _, text in cells),
        " </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _gates(result: Result) -> Iterator[Case]:
    for gate in result.gates:
        where = f" of {gate.reading}" if gate.reading else ""
        message = f"{gate.rule}: {_value(gate.value)}{where}"
        yield Case(f"auditfw.{result.audit}", gate.name, gate.status, message, gate.why)


def _fitting(result: Result) -> tuple[list[tuple[Case, str]], Counter[str]]:
    """The cases of cells that fit, each with its XML, and for each gate how many cells of which status do not."""
    kept: list[tuple[Case, str]] = []
    left: Counter[str] = Counter()
    room = SIZE_LIMIT
    rules = {gate.name: gate.rule for gate in result.gates}
    for gate in result.cells:
        left.update({f"{gate.gate}: {status}": n for status, n in gate.left_out.items()})
    judged = [(gate, cell) for gate in result.cells for cell in gate.cells]
    for gate, cell in sorted(judged, key=lambda one: STATUSES.index(one[1].status)):
        case = _cell(result, gate, cell, rules.get(gate.gate, ""))
        text = "\n".join(case.lines())
        room -= len(text.encode()) + 1
        if room >= 0:
            kept.append((case, text))
        else:
            left[f"{gate.gate}: {cell.status}"] += 1
    return kept, left


def _cell(result: Result, gate: GateCells, cell: CellResult, rule: str) -> Case:
    where = ", ".join(f"{name}={value}" for name, value in cell.cell.items())
    message = f"{rule}: {_value(cell.value)} of {cell.reading}, {where}"[:NAME_LIMIT]
    of, name = f"auditfw.{result.audit}.{gate.gate}", f"{cell.reading}: {where}"
    return Case(of, name, cell.status, message, cell.why[:NAME_LIMIT])


def _properties(result: Result, left: Counter[str]) -> Iterator[str]:
    yield "  <properties>"
    answer = result.answer
    properties = {} if answer is None else {"answer": answer.status, "answer.headline": answer.headline}
    properties |= {} if answer is None else {"answer.next": answer.next}
    properties |= {"verdict": result.verdict, "config_hash": result.config_hash, "seed": str(result.seed)}
    for name, n in sorted(left.items()):
        properties[f"cells left out, {name}"] = f"{n}"
    for name, value in properties.items():
        yield f'   <property name="{_name(name)}" value="{_name(value)}"/>'
    yield "  </properties>"


def _broken(result: Result) -> Iterator[str]:
    message = xml(f"the run ended with exit code {result.exit_code}")
    yield f'  <testcase classname="auditfw.{_name(result.audit)}" name="run">'
    yield f'   <error type="run" message="{message}"/>'
    yield "  </testcase>"


def _value(number: float | None) -> str:
    value = finite(number)
    return "no value" if value is None else f"value {value!r}"


def _name(text: str) -> str:
    return xml(text, NAME_LIMIT)
