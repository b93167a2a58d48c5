"""Annotations: the worst ones, one command each whatever they tell, in files of the checkout only."""

from __future__ import annotations

import pytest
from build_servers import EVIL, RUNNER, flips, made, read
from hostile_texts import hostile
from hypothesis import given
from hypothesis import strategies as st
from sentences import report as says

from auditfw.components.report.code_hosts import AnnotationsReport, commands
from auditfw.core import escaping as sinks
from auditfw.core.errors import UsageError
from auditfw.core.records import GateResult, Input


def test_the_worst_are_annotated_and_the_rest_counted() -> None:
    lines = [read(line) for line in commands(made(trials=flips(*(f"t{i:02}" for i in range(30)))), 10)]
    assert [line[0] for line in lines] == ["error", "warning", *["notice"] * 9]
    assert lines[0][1:] == (
        {"title": "auditfw parsing: gate/few", "file": "data/trials.jsonl"},
        says.GATE_FEW_FAILED_FLIPS_THE,
    )
    assert lines[1][2] == says.GATE_OPEN_IS_INCONCLUSIVE_SHIFT
    assert lines[2][2] == says.TRIAL_STORED_AS_RIGHT_WRONG
    assert lines[-1][2] == says.MORE_IN_THE_REPORT_OF
    assert [line[0] for line in map(read, commands(made(exit_code=4, gates=[]), 10))] == ["error"]
    with pytest.raises(UsageError):
        AnnotationsReport(0)


@given(hostile | st.just(EVIL), hostile, st.sampled_from(["utf-8", "ascii", "latin-1"]))
def test_an_annotation_is_one_command_whatever_it_tells(one: str, other: str, encoding: str) -> None:
    shown = made(audit=one, gates=[GateResult(other, one, other, 1.0, "fail", one)], inputs=[Input(other, "ab", 1)])
    [line] = commands(shown, 10, encoding)
    line.encode(encoding)
    assert len(line.splitlines()) == 1
    assert line.isprintable() or any(c in line for c in "\xa0\u3000") or not line.isascii()
    assert not RUNNER.search(line)
    _, properties, message = read(line)
    if encoding == "utf-8":
        assert properties["title"] == sinks.log_line(f"auditfw {one}: gate/{other}")
        assert sinks.log_line(one)[:200] in message


@pytest.mark.parametrize("path", ["/etc/x", "../x", "", "a/../b"])
def test_files_elsewhere_are_not_named(path: str) -> None:
    [line] = commands(made(gates=made().gates[:1], inputs=[Input(path, "ab", 1)]), 10)
    assert set(read(line)[1]) == {"title"}
