"""junit.xml: a case for each gate and cell, bounded in size, valid whatever it tells."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from build_servers import check_junit, made
from hostile_texts import hostile
from hypothesis import given, settings
from searching import examples

from auditfw.audits.spine import judge_cells
from auditfw.components.gate.bound import BoundGate
from auditfw.components.report.junit import junit_text
from auditfw.core.records import CellResult, Estimate, GateCells, GateResult, Measurement


def test_a_gate_on_cells_has_a_case_for_each() -> None:
    errors = {"x": 10.0, "y": 95.0, "z": None}
    measured = [
        Measurement("error_rate", reading, {"t": name}, Estimate(value, 4, undefined=None if value else "no trial"))
        for reading in ("stored", "a+b")
        for name, value in errors.items()
    ]
    gate = BoundGate("error_rate", max=90, cell="worst")
    judged = gate("no_bad_cell", measured, "stored")
    [cells] = judge_cells({"no_bad_cell": gate, "n": BoundGate("n", min=1)}, measured, "stored", ["no_bad_cell", "n"])
    assert (judged.status, judged.value) == ("fail", 95.0)
    assert [(c.reading, dict(c.cell)["t"], c.value, c.status) for c in cells.cells] == [
        ("a+b", "y", 95.0, "fail"),
        ("a+b", "z", None, "inconclusive"),
        ("a+b", "x", 10.0, "pass"),
    ]
    cases = check_junit(junit_text(made(gates=[judged], cells=[cells])))
    assert [(c.get("classname"), c.get("name"), [child.tag for child in c]) for c in cases] == [
        ("auditfw.parsing", "no_bad_cell", ["failure"]),
        ("auditfw.parsing.no_bad_cell", "a+b: t=y", ["failure"]),
        ("auditfw.parsing.no_bad_cell", "a+b: t=z", ["skipped"]),
        ("auditfw.parsing.no_bad_cell", "a+b: t=x", []),
    ]
    rule = "error_rate in every cell <= 90"
    assert cases[1][0].get("message") == f"{rule}: value 95.0 of a+b, t=y"
    assert cases[2][0].get("message") == "inconclusive: no trial"


def test_more_cells_than_are_listed_are_counted() -> None:
    measured = [Measurement("n", "a", {"t": i}, Estimate(float(i), 1)) for i in range(7)]
    cells = BoundGate("n", min=4, cell="worst").cells("g", measured, "", 3)
    assert cells is not None
    assert [c.value for c in cells.cells] == [0.0, 1.0, 2.0]
    assert cells.left_out == {"fail": 1, "pass": 3}
    assert BoundGate("n", min=4).cells("g", [Measurement("n", "a", {}, Estimate(1.0, 1))], "", 3) is None


@pytest.mark.slow
def test_junit_stays_under_a_megabyte() -> None:
    """Two gates with 1,000 long cells each: those that failed come first, and what is left out is counted."""
    long = "\x00&\"'<" * 300
    listed = [CellResult("r", {"t": f"{i}{long}"}, 1.0, "fail" if i % 2 else "pass", long) for i in range(1_000)]
    cells = [GateCells(name, listed, {"pass": 5}) for name in ("one", "two")]
    text = junit_text(made(cells=cells))
    assert len(text.encode()) < 1_000_000
    cases = [case for case in check_junit(text) if case.get("classname") != "auditfw.parsing"]
    assert 50 < len(cases) < 2_000
    assert all(case.find("failure") is not None for case in cases)
    left = {
        p.get("name"): int(p.get("value") or 0)
        for p in ET.fromstring(text.encode()).iter("property")
        if "cells" in (p.get("name") or "")
    }
    assert sum(left.values()) + len(cases) == 2_010
    assert left["cells left out, two: pass"] == 505


@settings(deadline=None, max_examples=examples(40))
@given(hostile, hostile)
def test_junit_is_valid_whatever_it_tells(one: str, other: str) -> None:
    gates = [
        GateResult("g", one, other, 1.0, "fail", one),
        GateResult(f"h{one}", other, one, None, "inconclusive", other),
    ]
    cells = [GateCells(one, [CellResult(other, {one: other}, None, "fail", one)], {other: 1})]
    check_junit(junit_text(made(audit=one, gates=gates, cells=cells, exit_code=4)))
