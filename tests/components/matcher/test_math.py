"""Math: what math-verify is handed, what it says, and a hang that costs one pair."""

from __future__ import annotations

import importlib.util
import json
from itertools import islice
from typing import Any

import pytest
from latex_pairs import pairs
from places import CASES

from auditfw.components.matcher import math as mathematics
from auditfw.components.matcher.math import Math, handed
from auditfw.core.errors import UsageError
from auditfw.core.records import Refusal

PAIRS = CASES / "data" / "math_pairs" / "pairs.jsonl"


def test_without_the_extra_math_says_what_to_install(monkeypatch):
    monkeypatch.setattr(mathematics, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'auditfw\[math\]'"):
        Math()


needs_math = pytest.mark.skipif(
    importlib.util.find_spec("math_verify") is None, reason="the extra math is not installed"
)

HANDED = [
    *(("2x+3", "$2x+3$"), (" 26\\pi\n", r"$26\pi$"), ("A", "$A$"), ("Tuesday", "$Tuesday$"), ("x = 5", "$x = 5$")),
    *((r"\$18", r"$\$18$"), ("$18", r"$\$18$"), ("$4\\sqrt{2}", r"$\$4\sqrt{2}$"), ("1 000", "1 000"), ("5.", "$5.$")),
    *(("**42**", "$42$"), ("`x^2`", "$x^2$"), ("1, 2, and 3", "$1, 2, and 3$"), ("ab + 2", "$ab + 2$")),
    *(("$x$ or 5", "$x$ or 5"), ("$x$ and $y$", "$x$ and $y$")),
    *((r"so \boxed{2x}", r"so \boxed{2x}"), (r"\(x\)", r"\(x\)"), ("\\[\nx\n\\]", "\\[\nx\n\\]")),
    *((r"\begin{pmatrix} 1 \\[2pt] 2 \end{pmatrix}", r"$\begin{pmatrix} 1 \\[2pt] 2 \end{pmatrix}$"),),
    *(("\\begin{pmatrix} 1 \\\\\n2 \\end{pmatrix}", r"$\begin{pmatrix} 1 \\ 2 \end{pmatrix}$"),),
    *(("3 \\text{ cm}", r"$3 \text{ cm}$"), ("42 dogs", "42 dogs"), ("The answer is 42.", "The answer is 42.")),
    *(("The answer is 4\\sqrt{2}.", r"The answer is $4\sqrt{2}$."), ("Answer: 2x+3", "Answer: $2x+3$")),
    *((r"1\frac{1}{2} inches", r"$1\frac{1}{2}$ inches"), ("She earns $18 a day", "She earns $18 a day")),
    *(("Ответ: 5", "Ответ: 5"), ("THE SUM IS 5", "THE SUM IS 5"), ("the 1st", "the 1st"), ("b) 5", "b) 5")),
    *(("So we get\n4\\sqrt{2}\nas said", "So we get\n$4\\sqrt{2}$\nas said"), ("5\\ ", "$5\\ $"), ("", "")),
]


@pytest.mark.parametrize(("text", "wanted"), HANDED)
def test_what_math_verify_is_handed(text, wanted):
    assert handed(text) == wanted


@pytest.mark.slow
@needs_math
def test_math_compares_and_a_hang_costs_one_pair():
    compare = Math()
    assert compare("$\\frac{1}{2}$", "0.5") is True
    assert compare("\\boxed{\\sqrt{4}}", "2") is True
    assert compare("3", "2") is False
    assert compare("2", "hello") is False
    assert compare("hello", "hello") is True
    nothing = "they all lived happily ever after, or so the story of the ducks goes"
    assert compare("2", nothing) is None
    assert compare.refuses(nothing) == Refusal("hold nothing that Math-Verify reads")
    assert compare.refuses("hello") is None
    with pytest.raises(TimeoutError, match="1 s"):
        Math(deadline=1.0)("$9^{9^{9^{9}}}$", "7")
    assert compare("$(2+x)^2$", "$x^2+4x+4$") is True


@needs_math
@pytest.mark.parametrize(("answer", "truth", "right"), [
    ("$\\boxed{2x+7}$", "2x+3", False), ("26", "26\\pi", False), ("4\\sqrt{3}", "4\\sqrt{2}", False),
    ("10", "10{,}000", False), ("7/4", "1\\frac{3}{4}", True), ("(9,11)", "(9,11)", True), ("A", "A", True),
    ("10,000", "10{,}000", True), ("The answer is (B).", "B", True), ("I do not know", "I", False),
    ("Monday", "\\text{Tuesday}", False), ("Tuesday", "\\text{Tuesday}", True), ("$18", "\\$18", True),
])  # fmt: skip
def test_math_reads_what_stands_without_marks(answer, truth, right):
    assert Math()(answer, truth) is right


def labelled() -> list[dict[str, Any]]:
    """The pairs that were labelled by hand."""
    return [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]


def test_the_labelled_pairs_are_many_and_few_of_them_differ():
    rows = labelled()
    assert len({(row["answer"], row["truth"]) for row in rows}) == len(rows) >= 200
    assert all(row["math_verify"] is not row["right"] for row in rows if "math_verify" in row)
    assert sum("math_verify" in row for row in rows) == 13


@needs_math
@pytest.mark.slow
def test_math_says_what_was_labelled_by_hand_but_where_math_verify_differs():
    compare = Math()
    for row in labelled():
        assert compare(row["answer"], row["truth"]) is row.get("math_verify", row["right"]), row


@needs_math
@pytest.mark.slow
def test_math_says_what_math_verify_says_of_texts_between_dollar_signs():
    """2,000 pairs; and asked the other way round, the same: no pair hangs on those before it."""
    from math_verify import parse, verify

    def direct(text: str) -> list[Any]:
        marked = any(mark in text for mark in ("\\boxed", "\\[", "\\(")) or text.replace("\\$", "").count("$") > 1
        found: list[Any] = parse(text if marked else f"${text}$", parsing_timeout=None)
        return found

    compare, rows = Math(deadline=30.0), list(islice(pairs(), 2000))
    said = [compare(answer, truth) for answer, truth in rows]
    assert 600 < sum(map(bool, said)) < 1400
    for (answer, truth), verdict in zip(rows, said, strict=True):
        assert verify(direct(truth), direct(answer), timeout_seconds=None) is verdict, (answer, truth)
    backwards = [compare(answer, truth) for answer, truth in reversed(rows[:500])]
    assert backwards[::-1] == said[:500]
