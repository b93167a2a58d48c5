"""The code quality report has what GitLab asks for."""

from __future__ import annotations

from build_servers import flips, made

from auditfw.components.report.code_hosts import codequality_document


def test_code_quality_has_what_gitlab_asks_for() -> None:
    rows = codequality_document(made(trials=flips("t1", "t2")))
    assert [(row["check_name"], row["severity"]) for row in rows] == [
        ("gate/few", "major"),
        ("gate/open", "minor"),
        ("flip-to-wrong", "info"),
        ("flip-to-wrong", "info"),
    ]
    assert all(set(row) == {"description", "check_name", "fingerprint", "severity", "location"} for row in rows)
    assert {row["location"]["path"] for row in rows} == {"data/trials.jsonl"}
    assert len({row["fingerprint"] for row in rows}) == 4
    assert codequality_document(made(gates=[], inputs=[], exit_code=5))[0]["location"] == {
        "path": "result.json",
        "lines": {"begin": 1},
    }
