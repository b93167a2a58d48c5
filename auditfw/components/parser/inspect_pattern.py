"""The parser of Inspect AI's scorer pattern."""

from __future__ import annotations

from typing import Literal

from auditfw.formulas.texts.finders import JOINED, Find, KeptPart, finder
from auditfw.formulas.texts.patterns import BETWEEN_GROUPS, check_pattern, lint, search, written
from auditfw.kinds.registry import declare


@declare("parser", "inspect_pattern")
class InspectPattern:
    """Keeps what the pattern of Inspect AI's scorer pattern captures: the groups of its first match, else the match.

    The groups that matched are separated by U+001F; the matcher inspect_pattern compares each of them.

    Source: `pattern` of inspect_ai/scorer/_pattern.py (github.com/UKGovernmentBEIS/inspect_ai, commit 499e615).
    """

    pattern: str
    ignore_case: bool = True
    column: Literal["raw_text", "parsed_text"] = "raw_text"
    only_with: str | None = None
    deadline: float = 1.0

    def __post_init__(self) -> None:
        check_pattern(self.pattern, self.deadline, empty=True)
        written(self.pattern, "", "re")

    @property
    def _flagged(self) -> str:
        return written(self.pattern, "i" if self.ignore_case else "", "re")

    @property
    def fast(self) -> Find | None:
        """The same by the native kernel; None where the pattern is not for it."""
        return finder(self._flagged, KeptPart(0, JOINED), self)

    def __call__(self, text: object) -> str:
        match = search(self._flagged, str(text), 0, self.deadline) if text else None
        if match is None:
            return ""
        return BETWEEN_GROUPS.join(group for group in match.groups() or (match[0],) if group is not None)

    def lint(self) -> str | None:
        """What may be slow about the pattern, or None."""
        return lint(self.pattern)
