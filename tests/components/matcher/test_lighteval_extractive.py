"""lighteval's extractive_match by Math-Verify: labels that lighteval 0.13.0 itself gives."""

from __future__ import annotations

import importlib.util

import pytest

from auditfw.components.matcher import math
from auditfw.components.matcher.math import LightevalExtractive
from auditfw.core.errors import UsageError


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(math, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'auditfw\[math\]'"):
        LightevalExtractive()


needs_math = pytest.mark.skipif(
    importlib.util.find_spec("math_verify") is None, reason="the extra math is not installed"
)


@needs_math
@pytest.mark.parametrize(
    ("answer", "truth", "gold", "right"),
    [
        ("So 5 and then 18.", "18", "expr", True),
        ("So 18 and then 5", "18", "expr", False),
        (r"\boxed{18}, so 5", "18", "expr", True),
        ("1,000 eggs", "1000", "expr", True),
        ("The answer is $\\frac{1}{2}$", "0.5", "expr", True),
        ("0.5000001", "0.5", "expr", True),
        ("0.51", "0.5", "expr", False),
        ("$x^2+1$", "$1+x^2$", "latex", True),
        ("I do not know", "18", "expr", False),
    ],
)
def test_what_extractive_match_accepts(answer: str, truth: str, gold: str, right: bool) -> None:
    assert LightevalExtractive(gold)(answer, truth) is right  # type: ignore[arg-type]


@needs_math
def test_a_deadline_is_above_zero_and_kept() -> None:
    with pytest.raises(UsageError, match=r"^deadline: expected a number of seconds above 0"):
        LightevalExtractive(deadline=0)
    with pytest.raises(TimeoutError, match=r"^lighteval_extractive: no result for '7' within 0\.5 s$"):
        LightevalExtractive(deadline=0.5)("$9^{9^{9^{9}}}$", "7")
