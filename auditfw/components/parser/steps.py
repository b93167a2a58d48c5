"""The parser that is a list of steps."""

from __future__ import annotations

from typing import ClassVar, Literal

from auditfw.kinds.registry import declare
from auditfw.kinds.text import Step, apply


@declare("parser", "steps")
class ParserSteps:
    """Finds the answer by a list of steps over the raw or the stored text."""

    by_steps: ClassVar[bool] = True

    column: Literal["raw_text", "parsed_text"] = "raw_text"
    steps: tuple[Step, ...] = ()
    only_with: str | None = None

    def __call__(self, text: object) -> str:
        return apply(self.steps, text)
