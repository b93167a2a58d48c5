"""junit.xml reads back as what the run came to, and says where it broke."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

from auditfw.components.report.junit import JunitReport, junit_text
from auditfw.core.records import Result


def test_junit_reads_back(hostile: Result, tmp_path: Path) -> None:
    assert JunitReport()(hostile, None) == ()
    assert JunitReport()(hostile, str(tmp_path)) == ("junit.xml",)
    suite = ET.parse(tmp_path / "junit.xml").getroot()[0]
    assert {k: suite.get(k) for k in ("name", "tests", "failures", "errors", "skipped")} == {
        "name": "parsing",
        "tests": "4",
        "failures": "2",
        "errors": "0",
        "skipped": "1",
    }
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases[:3]] == ["baseline", "flips", "shift"]
    assert [[child.tag for child in case] for case in cases] == [[], ["failure"], ["skipped"], ["failure"]]
    assert cases[1][0].get("message") == "flips <= 25: value 1061.0 of answer_v2+v2"
    assert cases[1][0].text == "1,061 is above 25"
    assert cases[2][0].get("message") == "inconclusive: nothing was read"
    assert len((cases[3][0].text or "").encode()) < 16_500


def test_junit_has_an_error_where_the_run_broke(plain: Result) -> None:
    suite = ET.fromstring(junit_text(replace(plain, exit_code=4, gates=[])).encode())[0]
    assert suite.get("errors") == "1"
    assert suite.findall("testcase")[0][0].tag == "error"
