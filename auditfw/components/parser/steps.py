"""The parser that is a list of steps."""

from __future__ import annotations

from typing import ClassVar, Literal

from auditfw.core.errors import UsageError, nearest
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
