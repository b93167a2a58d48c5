"""The matcher of Inspect AI's scorer choice."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from auditfw.core.records import Refusal
from auditfw.formulas.texts.inspect_numbers import option_positions, options_named
from auditfw.kinds.registry import declare


@declare("matcher", "inspect_choice")
class InspectChoice:
    """Accepts what the scorer choice of Inspect AI accepts: exactly the options of the target, such as "B" or "A, C".

    Use it with the parser inspect_choice. All options of one truth must be chosen. If there are several truths, any may
    match, so write a target that is a list of options as one text.

    Source: `choice` of inspect_ai/scorer/_choice.py (github.com/UKGovernmentBEIS/inspect_ai, commit 499e615).
    """

    family: ClassVar[str] = "equality"

    def __call__(self, answer: str, truth: str) -> bool | None:
        wanted = _wanted(truth)
        if not wanted:
            return None
        return options_named(answer) == len(wanted) and _named(answer) == wanted

    def refuses(self, truth: str) -> Refusal | None:
        """What is wrong with a truth that names something else than options, None otherwise."""
        return None if _wanted(truth) else Refusal("name no option of a multiple-choice question")


def _named(text: str) -> list[int] | None:
    try:
        return option_positions(text)
    except ValueError:
        return None


_wanted = lru_cache(maxsize=4096)(_named)  # of truths, which come again
