"""The normalizer that is a list of steps."""

from __future__ import annotations

from typing import ClassVar

from auditfw.kinds.registry import declare
from auditfw.kinds.text import Step, apply


@declare("normalizer", "steps")
class NormalizerSteps:
    """Makes texts comparable by a list of steps."""

    by_steps: ClassVar[bool] = True

    steps: tuple[Step, ...] = ()

    def __call__(self, text: object) -> str:
        return apply(self.steps, text)
