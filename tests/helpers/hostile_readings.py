"""Parsers, normalizers and matchers that are shipped, and hostile texts for them."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

import auditfw
from auditfw.audits.parsing.engine.kernels import Signs
from auditfw.audits.parsing.facts import BLOCK_MARKERS, ROLE_MARKERS, THINK_END
from auditfw.config.variants import variants
from auditfw.core.native import compiled
from auditfw.formulas.markers import MarkerScan
from auditfw.kinds.capabilities import Named

PARSERS = tuple(Named(name, auditfw.load("parser", name)) for name in variants("parser"))
NORMALIZERS = tuple(Named(name, auditfw.load("normalizer", name)) for name in variants("normalizer"))
MATCHERS = ("containment", "exact", "prefix", "numeric", "choice")

PIECES = st.sampled_from([
    *"aAbB8_*.,'\"()-%$ \n\t²½₂⁹İıſKΣσςẞß\u0301\u200d\x1c\x1f\x85\xa0\u2028",
    "</think>", "</THINK>", "</thin\u212a>", "user:", "\nuser", "USER:", "passage:", "Question:", "system:",
    "a.b", "a.b.cd", "d.c.", "U.S.", "new york", "New  York", "1,000", "\\boxed{8}", "<answer>8</answer>",
    "A: 8", "the answer is 8", "(B)", '{"answer": "8"}', "#### 8", "the", "an ", "Paris", "é", "É", "𝟠", "🙂",
    "(K)", "F. ", "I ",
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
