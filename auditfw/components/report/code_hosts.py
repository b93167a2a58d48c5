"""The findings for code hosts, beside the files: SARIF 2.1.0, GitLab's code quality, GitHub's annotations."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, ClassVar

from auditfw.core.document import some, verb
from auditfw.core.errors import UsageError
from auditfw.core.escaping import github_text, github_value, sarif, uri, visible
from auditfw.core.records import Result
from auditfw.core.result_json import dumps, write_whole
from auditfw.kinds.registry import register

from .findings import ABOUT, Annotation, findings, rule_of

FILE = "report.sarif"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
HOST_LIMIT = 5_000  # GitHub shows so many results of a file, the worst
ELSEWHERE = "result.json"
TEXT_LIMIT = 1_000


@register("report", "sarif")
@dataclass(frozen=True)
class SarifReport:
    """Writes report.sarif: gates that did not pass, changed labels, disagreements, each with file and line if known.

    `max_results` is the most results it holds, at most 5,000; the worst come first, and the file counts the others.
    """

    max_results: int = 1_000

    def __post_init__(self) -> None:
        if not 1 <= self.max_results <= HOST_LIMIT:
            raise UsageError("max_results", f"expected a whole number from 1 to {HOST_LIMIT:,}", self.max_results)

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        return () if folder is None else (write_whole(folder, FILE, dumps(sarif_document(result, self.max_results))),)


def sarif_document(result: Result, most: int) -> dict[str, Any]:
    """The whole file, a pure function of the result. Source: the OASIS standard SARIF 2.1.0."""
    listing = findings(result, most)
    rules = dict.fromkeys([rule_of(gate.name) for gate in result.gates] + [one.rule for one in listing.listed])
    number = {rule: n for n, rule in enumerate(rules)}
    prints = fingerprints(result.audit, listing.listed)
    driver = {
        "name": "auditfw",
        "version": result.versions.get("auditfw", "0"),
        "rules": [_rule(rule, result) for rule in rules],
    }
    invocation: dict[str, Any] = {"executionSuccessful": result.exit_code in (0, 1), "exitCode": result.exit_code}
    notes = list(_notifications(result, listing.left_out))
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "automationDetails": {"id": f"auditfw/{visible(result.audit)}/"},
                "columnKind": "unicodeCodePoints",
                "invocations": [{**invocation, **({"toolExecutionNotifications": notes} if notes else {})}],
                "artifacts": [
                    {"location": {"uri": uri(one.path)}, "length": one.bytes, "hashes": {"sha-256": one.sha256}}
                    for one in dict.fromkeys(result.inputs)
                ],
                "results": [_result(one, number, key) for one, key in zip(listing.listed, prints, strict=True)],
                "properties": {"verdict": result.verdict, "found": listing.total, "leftOut": listing.left_out},
            }
        ],
    }


def fingerprints(audit: str, listed: Sequence[Annotation]) -> Iterator[str]:
    """What identifies each finding, alike in every run: made of audit, rule and what it is about."""
    seen: Counter[str] = Counter()
    for finding in listed:
        text = "\0".join((audit, finding.rule, finding.subject))
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        seen[digest] += 1
        yield f"{digest}:{seen[digest]}"


def cut(text: str) -> str:
    """A text of a length that hosts show."""
    return text if len(text) <= TEXT_LIMIT else f"{text[: TEXT_LIMIT - 1]}…"


def _rule(rule: str, result: Result) -> dict[str, Any]:
    gate = next((gate for gate in result.gates if rule_of(gate.name) == rule), None)
    about = ABOUT.get(rule, rule) if gate is None else gate.rule or rule
    level = "error" if gate is not None or rule == "run" else "note"
    message = {"text": sarif(cut(about))}
    return {
        "id": visible(rule),
        "shortDescription": message,
        "fullDescription": message,
        "help": message,
        "defaultConfiguration": {"level": level},
    }


def _result(finding: Annotation, number: Mapping[str, int], key: str) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": uri(finding.path or ELSEWHERE)}}
    if finding.line:
        place["region"] = {"startLine": finding.line}
    where: dict[str, Any] = {"physicalLocation": place}
    if finding.subject:
        where["logicalLocations"] = [{"fullyQualifiedName": visible(finding.subject)}]
    return {
        "ruleId": visible(finding.rule),
        "ruleIndex": number[finding.rule],
        "level": finding.level,
        "message": {"text": sarif(cut(finding.text))},
        "locations": [where],
        "partialFingerprints": {"auditfwFinding/v1": key, "primaryLocationLineHash": key},
    }


def _notifications(result: Result, left_out: int) -> Iterator[dict[str, Any]]:
    if left_out:
        several = f"{some(left_out, 'further finding')} {verb(left_out, 'is', 'are')}"
        text = f"{several} not listed here; the run folder has all of them."
        yield {"level": "note", "message": {"text": text}}
    for warning in result.warnings:
        yield {"level": "warning", "message": {"text": sarif(cut(warning))}}


QUALITY_FILE = "gl-code-quality-report.json"
MOST = 1_000
SEVERITY = {"error": "major", "warning": "minor", "note": "info"}


@register("report", "codequality")
@dataclass(frozen=True)
class CodeQualityReport:
    """Writes gl-code-quality-report.json for GitLab: the 1,000 worst findings, each with a severity."""

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        return () if folder is None else (write_whole(folder, QUALITY_FILE, dumps(codequality_document(result))),)


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


WORDS = {"error": "error", "warning": "warning", "note": "notice"}


@register("report", "annotations")
@dataclass(frozen=True)
class AnnotationsReport:
    """Prints the worst findings as GitHub annotations on standard output, and how many more there are.

    `most` is how many: GitHub shows ten of a kind from each step.
    """

    prints: ClassVar[bool] = True

    most: int = 10

    def __post_init__(self) -> None:
        if self.most < 1:
            raise UsageError("most", "expected a whole number of 1 or more", self.most)

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        sys.stdout.write("".join(f"{line}\n" for line in commands(result, self.most, encoding)))
        sys.stdout.flush()
        return ()


def commands(result: Result, most: int, encoding: str = "utf-8") -> Iterator[str]:
    """The lines, each one command that begins at the start of its line."""
    listing = findings(result, most)
    for finding in listing.listed:
        title = github_value(f"auditfw {result.audit}: {finding.rule}", encoding)
        place = _place(finding, encoding)
        yield f"::{WORDS[finding.level]} title={title}{place}::{github_text(cut(finding.text), encoding)}"
    if listing.left_out:
        title = github_value(f"auditfw {result.audit}", encoding)
        yield f"::notice title={title}::{listing.left_out:,} more in the report of the run"


def _place(finding: Annotation, encoding: str) -> str:
    """The file, where it may be in the repository, and the line."""
    path = PurePath(finding.path)
    if not finding.path or path.is_absolute() or ".." in path.parts or "://" in finding.path:
        return ""
    line = f",line={finding.line}" if finding.line else ""
    return f",file={github_value(path.as_posix(), encoding)}{line}"
