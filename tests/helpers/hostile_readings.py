"""Parsers, normalizers and matchers that are shipped, and hostile texts for them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

import auditfw
from auditfw.audits.parsing.engine.kernels import Signs
from auditfw.config.variants import variants
from auditfw.core.native import compiled
from auditfw.formulas.markers import BLOCK_MARKERS, ROLE_MARKERS, THINK_END, MarkerScan
from auditfw.kinds.capabilities import Named


def distinct(kind: str) -> tuple[Named[Any], ...]:
    """The variants of a kind, of those that do the same the one with the shortest name."""
    names: dict[object, str] = {}
    for name in sorted(variants(kind), key=len):
        names.setdefault(auditfw.load(kind, name), name)
    return tuple(sorted((Named(name, part) for part, name in names.items()), key=lambda named: named.name))


PARSERS, NORMALIZERS = distinct("parser"), distinct("normalizer")
MATCHERS = (
    "containment", "exact", "prefix", "numeric", "choice", "substring", "suffix", "inspect_match",
    "inspect_match_numeric", "inspect_includes", "inspect_choice", "inspect_pattern", "helm_final_number",
    "opencompass_gsm8k", "inspect_match_numeric_2025", "openai_evals_match", "lm_eval_strict_match",
)  # fmt: skip

PIECES = st.sampled_from([
    *"aAbB8_*.,'\"()-%$ \n\t²½₂⁹İıſKΣσςẞß\u0301\u200d\x1c\x1f\x85\xa0\u2028",
    "</think>", "</THINK>", "</thin\u212a>", "user:", "\nuser", "USER:", "passage:", "Question:", "system:",
    "a.b", "a.b.cd", "d.c.", "U.S.", "new york", "New  York", "1,000", "\\boxed{8}", "<answer>8</answer>",
    "A: 8", "the answer is 8", "(B)", '{"answer": "8"}', "#### 8", "the", "an ", "Paris", "é", "É", "𝟠", "🙂",
    "(K)", "F. ", "I ", "ANSWER: B", "\nAnswer : c.", "ANSWER: ", "5 12", "½",
])  # fmt: skip
TEXTS = st.lists(PIECES, max_size=14).map("".join)
TRUTHS = st.lists(PIECES, min_size=1, max_size=4).map("".join)


SIGNS = Signs(
    {name: MarkerScan(signs) for name, signs in (("role", ROLE_MARKERS), ("block", BLOCK_MARKERS))}, THINK_END
)
BUILT = compiled() is not None
KERNELS = ("python", pytest.param("native", marks=pytest.mark.skipif(not BUILT, reason="the kernel is not built")))
GRID = tuple((p, n) for p in range(len(PARSERS)) for n in range(len(NORMALIZERS)))


class Fails:
    """A step of a careless plugin."""

    def __init__(self, how: str) -> None:
        self.how = how

    def __call__(self, text: str) -> str:
        if self.how == "raises":
            raise ZeroDivisionError("no")
        if self.how == "late":
            raise TimeoutError("slow")
        return 5  # type: ignore[return-value]
