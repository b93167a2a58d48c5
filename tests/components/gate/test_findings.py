"""The gate on findings: none of some kinds beyond a number, but for what is known or was not looked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from auditfw.components.gate.conclusions import FindingsGate
from auditfw.core.errors import UsageError
from auditfw.core.results.findings import Finding, NotChecked
from auditfw.kinds.context import Outcome

KINDS = ("rows_twice", "cell_twice", "truths_differ", "labels_shifted")


def outcome(findings: Sequence[Finding], unseen: Sequence[NotChecked] = ()) -> Outcome:
    return Outcome({}, [], [], [], lambda _: [], findings=findings, not_checked=unseen, asked=KINDS)


def twice(value: float, **detail: str) -> Finding:
    return Finding("rows_twice", value, 100, "Some are.", detail=detail)


@pytest.mark.parametrize(
    ("finding", "most", "status", "rule"),
    [
        (twice(0), 0, "pass", "at most 0 of 4 kinds of findings"),
        (twice(26), 0, "fail", "at most 0 of 4 kinds of findings; rows_twice 26"),
        (twice(26), 26, "pass", "at most 26 of 4 kinds of findings"),
        (twice(26, known="joined"), 0, "pass", "at most 0 of 4 kinds of findings"),
    ],
)
def test_it_bounds_what_is_not_known(finding: Finding, most: float, status: str, rule: str) -> None:
    result = FindingsGate(KINDS, most).judge_outcome("whole", outcome([finding]))
    assert (result.status, result.rule, result.why) == (status, rule, "")
    assert [term.metric for term in result.terms] == list(KINDS)


def test_what_was_not_looked_for_is_said_and_does_not_fail() -> None:
    unseen = [NotChecked("rows_twice", "no text"), NotChecked("cut_off", "no reasons")]
    result = FindingsGate(("rows_twice",)).judge_outcome("whole", outcome([], unseen))
    assert (result.status, result.rule) == ("pass", "at most 0 of rows_twice")
    assert (result.why, list(result.terms)) == ("rows_twice not looked for: no text", [])


def test_a_kind_that_no_audit_looks_for_is_refused() -> None:
    with pytest.raises(UsageError, match=r"kinds\[0\]: no such kind of finding \(row_twice\) - did you mean"):
        FindingsGate(("row_twice",)).judge_outcome("whole", outcome([]))


def test_kinds_of_other_audits_are_left_out_unless_none_is_left() -> None:
    gate = FindingsGate(("rows_twice", "cut_off"))
    alone = replace(outcome([]), asked=["rows_twice"])
    assert gate.judge_outcome("whole", alone).rule == "at most 0 of rows_twice"
    with pytest.raises(UsageError, match="kinds: this audit looks for none of them"):
        gate.judge_outcome("whole", replace(outcome([]), asked=[]))
