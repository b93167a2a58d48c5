"""The level of alpha follows the scale of the labels, and the report says it with the weights of others."""

from __future__ import annotations

import pytest
from judging import judged

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): 0.743 nominal, 0.815 ordinal, 0.849 interval
PUBLISHED = ("1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 .")
WORDS = dict(zip("12345", ("awful", "bad", "fair", "good", "great"), strict=True))


@pytest.mark.parametrize(
    ("scale", "words", "alpha"),
    [(None, False, 0.743), ("nominal", False, 0.743), ("ordinal", False, 0.849), ("ordinal", True, 0.815)],
)
def test_alpha_by_scale(scale: str | None, words: bool, alpha: float) -> None:
    labels = [[None if one == "." else WORDS[one] if words else one for one in row.split()] for row in PUBLISHED]
    table = [{"id": f"u{i}", **dict(zip("abcd", row, strict=True))} for i, row in enumerate(zip(*labels, strict=True))]
    declared = list(WORDS.values() if words else WORDS)
    audit = {"raters": list("abcd"), "reference": "a", "labels": declared, "acceptable": [], "scale": scale}
    result = judged(table, audit=audit, metric=["krippendorff_alpha"], gate=[], policy=[])
    measured = result.measurement("krippendorff_alpha", "all").estimate.value
    assert measured == pytest.approx(alpha, abs=5e-4)
