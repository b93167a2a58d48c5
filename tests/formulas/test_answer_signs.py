"""Signs that an accepted answer is none: tables that one can read."""

from __future__ import annotations

import pytest

from auditfw.formulas.answer_signs import denies, inside_longer, options_named


@pytest.mark.parametrize(
    ("answer", "truth", "denied"),
    [
        ("It is not Paris", "Paris", True),
        ("It isn't Paris.", "Paris", True),
        ("It isn’t the PARIS", "Paris", True),
        ("It is not\n the Paris", "Paris", True),
        ("rather than the 'Paris'", "Paris", True),
        ("Lyon instead of Paris", "Paris", True),
        ("neither Paris nor Lyon", "Lyon", True),
        ("It cannot be 7", "7", True),
        ("I do not think it is Paris", "Paris", True),
        ("anything but Paris", "Paris", True),
        ("Paris", "Paris", False),
        ("Paris, not Lyon", "Paris", False),
        ("Not Lyon but Paris", "Paris", False),
        ("not only Paris", "Paris", False),
        ("Paris? No, it is not Paris", "Paris", False),  # one of the two is not denied
        ("knot Paris", "Paris", False),
        ("It cannot be 17", "7", False),
        ("not here: Paris", "Paris", False),
        ("not", "Paris", False),
        ("not", "", False),
        ("", "Paris", False),
        ("x" * 80 + " not Paris", " Paris ", True),
        ("not " + "x" * 80 + " Paris", "Paris", False),
    ],
)
def test_denies(answer: str, truth: str, denied: bool) -> None:
    assert denies(answer, truth) is denied


@pytest.mark.parametrize(
    ("answer", "truth", "inside"),
    [
        ("category", "cat", True),
        ("concat", "cat", True),
        ("my_cat", "cat", True),
        ("17", "7", True),
        ("7.5", "7", True),
        ("3.7", "7", True),
        ("1,700", "700", True),
        ("700,1", "700", True),
        ("it is 7, or", "7", False),
        ("it is 7.", "7", False),
        ("a.7", "7", False),
        ("(7)", "7", False),
        ("cat", "cat", False),
        ("category: cat", "cat", False),
        ("a cat.b", "cat", False),
        ("US$5", "$5", False),
        ("dog", "cat", False),
        ("", "cat", False),
        ("cat", "", False),
    ],
)
def test_inside_longer(answer: str, truth: str, inside: bool) -> None:
    assert inside_longer(answer, truth) is inside


@pytest.mark.parametrize(
    ("answer", "options", "named"),
    [
        ("yes or no", ["yes", "no"], 2),
        ("Yes.", ["yes", "no"], 1),
        ("nothing", ["yes", "no"], 0),
        ("New York", ["York", "New York"], 1),
        ("York and New York", ["York", "New York"], 2),
        ("New York and New York", ["York", "New York", "York"], 1),
        ("-----b", ["---", "b"], 2),
        ("17", ["7", "17"], 1),
        ("yes", [], 0),
        ("(A) or (B)", ["A", "B"], 2),
        ("A and B", ["A", "B"], 2),
        ("Both A/B", ["A", "B"], 2),
        ("Answer: A, B, C", ["A", "B", "C", "D"], 3),
        ("B", ["A", "B"], 1),
        ("the answer is B because", ["A", "B"], 1),
        ("A cat is B.", ["A", "B"], 1),  # an article
        ("AB.", ["A", "B"], 0),
        ("a or b", ["A", "B"], 0),
    ],
)
def test_options_named(answer: str, options: list[str], named: int) -> None:
    assert options_named(answer, options) == named
