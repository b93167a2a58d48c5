"""The worst findings as workflow commands, which a GitHub runner shows as annotations."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import ClassVar

from auditfw.core.errors import UsageError
from auditfw.core.escaping import github_text, github_value
from auditfw.core.records import Result
from auditfw.kinds.registry import register

from .findings import Annotation, findings
from .sarif import cut

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
    if not finding.path or path.is_absolute() or ".." in path.parts:
        return ""
    line = f",line={finding.line}" if finding.line else ""
    return f",file={github_value(path.as_posix(), encoding)}{line}"
