"""The matcher of readings whose rows were scored by rules of their own: each row is compared by that of its rule."""

from __future__ import annotations

from typing import ClassVar

from auditfw.kinds.registry import declare


@declare("matcher", "of_rule")
class OfRule:
    """Compares each row by the matcher that `audit.baseline.rules` has for it, so that all readings compare alike."""

    by_rule: ClassVar[bool] = True

    def __call__(self, answer: str, truth: str) -> None:
        """Knows nothing of a row without a rule."""
        return
