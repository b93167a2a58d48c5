"""Parsers and normalizers as lists of steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from auditfw.kinds.registry import register
from auditfw.kinds.text import Step


def apply(steps: tuple[Step, ...], text: object) -> str:
    """Sends a value through steps, in order: falsy gives "", anything else goes through `str()` first."""
    if not text:
        return ""
    result = str(text)
    for step in steps:
        result = step(result)
    return result


@register("parser", "steps")
@dataclass(frozen=True)
class ParserSteps:
    """Finds the answer by a list of steps over the raw or the stored text."""

    by_steps: ClassVar[bool] = True

    column: Literal["raw_text", "parsed_text"] = "raw_text"
    steps: tuple[Step, ...] = ()
    only_with: str | None = None

    def __call__(self, text: object) -> str:
        return apply(self.steps, text)


@register("normalizer", "steps")
@dataclass(frozen=True)
class NormalizerSteps:
    """Makes texts comparable by a list of steps."""

    by_steps: ClassVar[bool] = True

    steps: tuple[Step, ...] = ()

    def __call__(self, text: object) -> str:
        return apply(self.steps, text)
