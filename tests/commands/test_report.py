"""`auditfw report`: what it refuses; tests/components/report has what it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

import auditfw
from auditfw.commands.report import report
from auditfw.core.errors import AuditError

REFUSED = [
    (["report=[htm]"], "report=[htm]: no report named 'htm' - did you mean 'html'?"),
    (["reports.html.max_bites=3"], "reports.html.max_bites: unknown setting (3) - did you mean 'max_bytes'?"),
    (["report=[]"], "report: the run has no report of its own (run) - write report=[NAMES]"),
    (["report.max_rows=3"], "report.max_rows: cannot change a finished run (report.max_rows=3) - write report=[NAMES]"),
    (["--html"], "--html: cannot change a finished run (--html) - write report=[NAMES] or reports.NAME.KEY=..."),
    (["other"], "report: needs one run folder (run other) - write auditfw report RUN"),
]


def test_report_refuses_what_it_cannot_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    auditfw.run({"experiment": "answer_parsing", "report": ["html"]}, tmp_path / "run")
    for words, line in REFUSED:
        with pytest.raises(AuditError) as error:
            report(["run", *words])
        assert str(error.value).startswith(line)
