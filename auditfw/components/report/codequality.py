"""The findings as GitLab's code quality report: gl-code-quality-report.json."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.core.escaping import visible
from auditfw.core.records import Result
from auditfw.core.result_json import dumps, write_whole
from auditfw.kinds.registry import register

from .findings import findings
from .sarif import ELSEWHERE, cut, fingerprints

FILE = "gl-code-quality-report.json"
MOST = 1_000
SEVERITY = {"error": "major", "warning": "minor", "note": "info"}


@register("report", "codequality")
@dataclass(frozen=True)
class CodeQualityReport:
    """Writes gl-code-quality-report.json for GitLab: the 1,000 worst findings, each with a severity."""

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        return () if folder is None else (write_whole(folder, FILE, dumps(codequality_document(result))),)


def codequality_document(result: Result) -> list[dict[str, Any]]:
    """The whole file, a pure function of the result; a place that is not known is line 1."""
    listed = findings(result, MOST).listed
    return [
        {
            "description": visible(cut(finding.text)),
            "check_name": visible(finding.rule),
            "fingerprint": key,
            "severity": SEVERITY[finding.level],
            "location": {"path": visible(finding.path or ELSEWHERE), "lines": {"begin": finding.line or 1}},
        }
        for finding, key in zip(listed, fingerprints(result.audit, listed), strict=True)
    ]
