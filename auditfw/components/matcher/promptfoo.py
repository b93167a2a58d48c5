"""The matcher of promptfoo's assertions that compare texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import ClassVar, get_args

from auditfw.core.errors import UsageError, nearest
from auditfw.core.records import Refusal
from auditfw.formulas.texts.javascript import translated
from auditfw.formulas.texts.pattern_bounds import PatternError
from auditfw.formulas.texts.patterns import search
from auditfw.formulas.texts.promptfoo import NEGATION, SEVERAL, Assertion
from auditfw.kinds.registry import declare

UNREAD = Refusal("are no list of texts, or a regular expression that cannot be read as JavaScript reads it")


@declare("matcher", "promptfoo")
class PromptfooAssertion:
    """Accepts what an assertion of promptfoo accepts, including the `not-` types; `assertion` is its type.

    For `contains-any`, `contains-all` and the like the truth is a JSON list of texts. The pattern of `regex` is read as
    JavaScript reads it; a character beyond U+FFFF counts as one. A pattern that JavaScript refuses, such as (?i), or
    that the two engines read differently makes the truth unreadable. An empty answer is wrong, as everywhere.

    Source: src/assertions of promptfoo 0.121.20 (github.com/promptfoo/promptfoo).
    """

    family: ClassVar[str] = "containment"

    assertion: str = "contains"
    deadline: float = 1.0

    def __post_init__(self) -> None:
        if self._kind not in get_args(Assertion):
            known = [f"{start}{kind}" for kind in get_args(Assertion) for start in ("", NEGATION)]
            raise UsageError("assertion", "no such assertion", self.assertion, nearest(self.assertion, known))
        if self.deadline <= 0:
            raise UsageError("deadline", "expected a number of seconds above 0", self.deadline)

    @property
    def _kind(self) -> str:
        return self.assertion.removeprefix(NEGATION)

    @property
    def compares_empty(self) -> bool:
        """Equality alone knows an empty text; with the other types promptfoo refuses to compare."""
        return self._kind == "equals"

    @property
    def negative(self) -> bool:
        return self.assertion.startswith(NEGATION)

    def __call__(self, answer: str, truth: str) -> bool | None:
        if self.refuses(truth) is not None:
            return None
        kind = self._kind
        if kind == "regex":
            passed = search(translated(truth), answer, 0, self.deadline) is not None
        else:
            folded = kind.startswith("i")
            text, wanted = (answer.lower(), truth.lower()) if folded else (answer, truth)
            passed = COMPARED[kind.removeprefix("i")](text, wanted)
        return passed is not self.negative

    def refuses(self, truth: str) -> Refusal | None:
        """What is wrong with a truth that is no list, or no pattern that can be read; None otherwise."""
        if self._kind in SEVERAL:
            return None if _listed(truth) else UNREAD
        if self._kind == "regex":
            try:
                translated(truth)
            except PatternError:
                return UNREAD
        return None


@lru_cache(maxsize=4096)
def _listed(truth: str) -> tuple[str, ...]:
    """The texts of a list; none where it is something else."""
    try:
        parts = json.loads(truth)
    except (ValueError, RecursionError):
        return ()
    return tuple(map(str, parts)) if isinstance(parts, list) else ()


COMPARED: Mapping[str, Callable[[str, str], bool]] = {
    "equals": lambda answer, truth: answer == truth,
    "contains": lambda answer, truth: truth in answer,
    "starts-with": lambda answer, truth: answer.startswith(truth),
    "contains-any": lambda answer, truth: any(part in answer for part in _listed(truth)),
    "contains-all": lambda answer, truth: all(part in answer for part in _listed(truth)),
}
