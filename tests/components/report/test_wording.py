"""What every report says in the same words, of one made-up parsing audit."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from sentences import report as says

from auditfw.components.report import wording
from auditfw.components.report.markdown import report_text
from auditfw.components.report.page.content import result_page
from auditfw.components.report.page.page import page_text
from auditfw.core.records import Estimate, Input, Result
from auditfw.core.result_json import dumps, result_document


def test_counts_say_what_was_not_audited(plain: Result) -> None:
    assert wording.counts_text(plain.counts) == says.OF_TRIALS_AUDITED_NOT_AUDITED
    assert wording.counts_text({"read": 3, "audited": 0, "b": 1, "a": 2}).endswith("; not audited: 2 a, 1 b")
    repeated = {"read": 267, "audited": 60, "duplicate": 207}
    assert wording.counts_text(repeated) == says.OF_ROWS_AUDITED_NOT_AUDITED


def test_intervals_stand_in_brackets() -> None:
    assert wording.estimate_text(Estimate(12.3, 9, 0, 10.1, 14.8), "error_rate") == "12.30 [10.10, 14.80]"
    assert wording.estimate_text(Estimate(12.3, 9, 0, None, 14.8), "error_rate") == "12.30"
    assert wording.estimate_text(Estimate(None, 0, undefined="no trial")) == "–"


@pytest.mark.parametrize(
    ("verdict", "code", "head", "status"),
    [
        ("pass", 0, "PASS", "pass"),
        ("pass", 4, says.INCOMPLETE_PASS_ON_WHAT_WAS, "inconclusive"),
        ("none", 4, says.INCOMPLETE_NO_GATES_ON_WHAT, "inconclusive"),
        ("fail", 4, says.INCOMPLETE_FAIL_ON_WHAT_WAS, "fail"),
        ("inconclusive", 1, "INCONCLUSIVE", "inconclusive"),
    ],
)
def test_an_incomplete_run_is_no_pass(plain: Result, verdict: str, code: int, head: str, status: str) -> None:
    found = replace(plain, verdict=verdict, exit_code=code)
    assert (wording.verdict_text(found), wording.verdict_status(found)) == (head, status)
    assert f"**Verdict: {head}** (exit code {code})" in report_text(found)
    assert (result_page(found).word, result_page(found).status) == (head, status)


def test_reports_load_without_rich() -> None:
    code = "import sys, auditfw.components.report; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def inputs(n: int) -> list[Input]:
    return [Input(f"logs/{i:03}.jsonl", f"{i:064x}", 1_000 + i) for i in range(n)]


@pytest.mark.parametrize(("n", "listed"), [(1, 1), (10, 10), (11, 5), (523, 5)])
def test_many_inputs_are_one_line_and_the_first_few(plain: Result, n: int, listed: int) -> None:
    result = replace(plain, inputs=inputs(n))
    text = report_text(result).split("## Inputs")[1]
    assert text.count("| logs/") == listed
    # What `sha256sum` would print of the files, hashed.
    digest = hashlib.sha256("".join(f"{i:064x}  logs/{i:03}.jsonl\n" for i in range(n)).encode()).hexdigest()
    line = says.INPUTS_BYTES_SHA_OF_THEIR.format(n, sum(1_000 + i for i in range(n)), digest)
    assert (line in text) == (n > 10)
    assert (says.THE_WHOLE_LIST_IS_IN in text) == (n > 10)
    assert (f"and {n - 5} more rows" in text) == (n > 10)
    document = json.loads(dumps(result_document(result)))
    assert len(document["inputs"]) == n
    page = page_text(result_page(result), 5_000_000)
    closed = re.findall(r'<details class="folded"><summary>([^<]*)</summary>', page)
    assert closed == ([says.THE_WHOLE_LIST_IS_IN_2.format(line)] if n > 10 else [])
    assert page.count('<th scope="row">logs/') == n


def test_an_input_of_any_name_has_a_digest(plain: Result) -> None:
    odd = [Input("\ud800\n|", "0" * 64, 1)] * 11
    assert "11 inputs, 11 bytes" in report_text(replace(plain, inputs=odd))
