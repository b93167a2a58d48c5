"""Parsers made of steps, or of a pattern as Inspect AI reads one."""

from __future__ import annotations

from typing import ClassVar, Literal

from auditfw.core.errors import UsageError, nearest
from auditfw.formulas.texts.finders import JOINED, Find, KeptPart, finder
from auditfw.formulas.texts.patterns import BETWEEN_GROUPS, check_pattern, lint, search, written
from auditfw.kinds.capabilities import capability
from auditfw.kinds.component_index import shipped
from auditfw.kinds.registry import declare
from auditfw.kinds.text import FAMILIES, Step, apply


@declare("parser", "steps")
class ParserSteps:
    """Finds the answer by a list of steps over the raw or the stored text.

    `family` says how, which readings are compared by; by default that of the last of the steps that has one.
    """

    by_steps: ClassVar[bool] = True

    column: Literal["raw_text", "parsed_text"] = "raw_text"
    steps: tuple[Step, ...] = ()
    only_with: str | None = None
    family: str = ""

    def __post_init__(self) -> None:
        if self.family and self.family not in FAMILIES:
            raise UsageError("family", f"no family '{self.family}'", None, nearest(self.family, FAMILIES))
        if not self.family:
            whole = "whole" if self.column == "raw_text" else "stored"
            object.__setattr__(self, "family", _family(self.steps, whole))

    def __call__(self, text: object) -> str:
        return apply(self.steps, text)


def _family(steps: tuple[Step, ...], whole: str) -> str:
    """The family of the last step that has one; `whole` where all only cut and tidy, "" where one may find anything."""
    for step in reversed(steps):
        choices = getattr(step, "choices", None)
        family = _family(choices[0], whole) if choices else capability(step, "family")
        if family is None and not shipped(type(step).__module__):
            return ""
        if family not in (None, whole):
            return str(family)
    return whole


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
