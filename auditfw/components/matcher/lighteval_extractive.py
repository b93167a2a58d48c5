"""The matcher of lighteval's metric extractive_match."""

from __future__ import annotations

from importlib.util import find_spec
from typing import ClassVar, Literal

from auditfw.core.errors import UsageError, brief
from auditfw.kinds.registry import declare

from .math import ask


@declare("matcher", "lighteval_extractive")
class LightevalExtractive:
    """Compares a completion with a truth as lighteval's extractive_match does, by Math-Verify (an extra).

    `gold` says how the truth is read: as a plain expression ("expr", as in GSM8K) or as LaTeX ("latex", as in MATH). In
    the completion boxed LaTeX comes first, then the last expression; what cannot be parsed is compared as text.
    Math-Verify grew out of lighteval's own code and reads a few texts differently, such as one with two boxes, or 50%
    as LaTeX.

    Source: `MultilingualExtractiveMatchMetric` of src/lighteval/metrics/dynamic_metrics.py
    (github.com/huggingface/lighteval, commit 3fd1526).
    """

    family: ClassVar[str] = "symbolic"

    slow: ClassVar[bool] = True

    gold: Literal["expr", "latex"] = "expr"
    deadline: float = 5.0

    def __post_init__(self) -> None:
        if find_spec("math_verify") is None:
            raise UsageError(
                "", "the matcher lighteval_extractive needs Math-Verify", None, "pip install 'auditfw[math]'"
            )
        if self.deadline <= 0:
            raise UsageError("deadline", "expected a number of seconds above 0", self.deadline)

    def __call__(self, answer: str, truth: str) -> bool | None:
        try:
            return ask(self.gold, answer, truth, self.deadline)
        except TimeoutError:
            what = f"lighteval_extractive: no result for {brief(truth, 60)!r} within {self.deadline:g} s"
            raise TimeoutError(what) from None
