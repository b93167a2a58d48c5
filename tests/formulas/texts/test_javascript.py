"""Patterns of JavaScript: what Node 20 says of each, and what is refused."""

from __future__ import annotations

import pytest

from auditfw.formulas.texts.javascript import UntranslatableError, translated
from auditfw.formulas.texts.patterns import search


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"\d+$", "42", True),
        (r"\d+$", "42\n", False),
        ("^b", "a\nb", False),
        ("a.b", "a\u2028b", False),
        ("a.b", "a\u0085b", True),
        (r"\d", "\u0663", False),
        (r"\w", "\u00e9", False),
        (r"\bé", "\u00e9", False),
        (r"\s", "\ufeff", True),
        (r"\s", "\u001c", False),
        (r"\S", "\u001c", True),
        (r"[\s\S]", "\n", True),
        (r"[^\S]", "x", False),
        (r"[^\W_]", "_", False),
        ("[]", "a", False),
        ("a[^]b", "a\nb", True),
        ("[a-]", "-", True),
        (r"[\d-x]", "-", True),
        (r"[\b]", "\b", True),
        ("[[:alpha:]]", "b", False),
        ("[[:alpha:]]", ":]", True),
        ("[a&&b]", "&", True),
        ("x{,2}", "x", False),
        ("x{,2}", "x{,2}", True),
        ("x{e}", "x{e}", True),
        ("^x{2}$", "xx", True),
        (r"\p{L}", "p{L}", True),
        (r"\p{L}", "\u00e9", False),
        (r"\Aa", "Aa", True),
        (r"\x41\u0042", "AB", True),
        (r"\/\-\_", "/-_", True),
        (r"(a)?b\1$", "b", True),
        (r"(?<n>a|b)\k<n>", "bb", True),
        ("(?<=a)b(?!c)", "abd", True),
        ("(?<!a)b", "ab", False),
        ("]}", "]}", True),
        (r"\0", "\u0000", True),
        ("é+?", "\u00e9\u00e9", True),
        ("#", "#", True),
        (r"[\w-]+", "a-b", True),
        (r"\n", "n", False),
        (r"\h", "h", True),
    ],
)
def test_what_a_pattern_of_javascript_finds(pattern: str, text: str, found: bool) -> None:
    assert (search(translated(pattern), text, 0, 1.0) is not None) is found


@pytest.mark.parametrize(
    "pattern",
    ["(?i)a", "a**", "*a", "(a", "a)", "[z-a]", "[a", "a\\", "^*", r"\b+", "(?<=a)+b", "(?<n>a)(?<n>b)", "(?P<n>a)",
     "a++", "(?#c)", "(?>a)", "{2}a", "a|+", "(+)", "a{1}{2}"],
)  # fmt: skip
def test_what_javascript_refuses(pattern: str) -> None:
    with pytest.raises(UntranslatableError):
        translated(pattern)


@pytest.mark.parametrize(
    "pattern", [r"\1(a)", r"(a|(b))+\2", r"\k<n>(?<n>a)", r"(?<=x)(a)\1", r"(a)\1(?<!x)", r"\01", r"\ud83d", r"\ca"]
)
def test_what_the_engines_do_not_share(pattern: str) -> None:
    with pytest.raises(UntranslatableError):
        translated(pattern)


def test_a_character_of_two_halves_counts_as_one() -> None:
    """For JavaScript without flags it is two: ^.$ does not find it."""
    assert search(translated("^.$"), "😀", 0, 1.0) is not None
