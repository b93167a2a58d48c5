"""What is compiled and what is not: the bounds of patterns, by their size alone."""

from __future__ import annotations

import time

import pytest

from auditfw.formulas.texts.pattern_bounds import PatternError, check_bounds, compiled

TOO_LARGE = [
    ("a" * 10_001, "10,001 characters"),
    ("(" * 51 + "a" + ")" * 51, "51 brackets in each other"),
    ("(?V1)" + "[" * 51 + "a" + "]" * 51, "51 brackets in each other"),
    ("|" * 5000, "5,001 alternatives"),
    ("a{100001}", "100,001 counted repeats"),
    ("a{,100001}", "100,001 counted repeats"),
    ("a{9" + "9" * 9_000 + "}", "100,001 counted repeats"),
    ("a{60000}b{40001}", "100,001 counted repeats"),
    ("(a{1000}){1000}", "1,000,000 counted repeats"),
    ("((((((a{9}){9}){9}){9}){9}){9})", "531,441 counted repeats"),
    ("(?:a{1000}|b{1000}){51}", "102,000 counted repeats"),
    ("a{400}{400}", "160,000 counted repeats"),
    ("(?:" + "xy" * 4000 + "){1000}", "parts once its repeats are written out"),
    ("(?:a|" * 40 + "a" + ")++" * 40, "parts once its repeats are written out"),  # + writes what it repeats twice
    ("(?:x" * 30 + "y|z){2,}" * 30, "counted repeats"),
    (r"(?:\R\R){60000}", "parts"),
    ("(?if)" + "[!-\uffff]" * 1500, "parts"),
    ("()" * 2001, "2,001 groups"),
    # where the repeats are, not what looks like a set, a comment or a flag
    ("(?x)#[\n(a{1000}){1000}#]", "1,000,000 counted repeats"),
    ("(?x:#[\n)(a{1000}){1000}#])", "1,000,000 counted repeats"),
    ("(?x)a{10 00}#\n{1 000}", "1,000,000 counted repeats"),
    ("(?x)(?-x:#(a{1000}){1000}\n)", "1,000,000 counted repeats"),
    ("a(?i)#(b{1000}){1000}(?x)\n", None),  # x counts everywhere, wherever it is
    ("(?#[)(a{1000}){1000}(?#])", "1,000,000 counted repeats"),
    ("(?x)[[:alpha:]#](a{1000}){1000}", "1,000,000 counted repeats"),
    (r"[\]](a{1000}){1000}[\]]", "1,000,000 counted repeats"),
    ("[]](a{1000}){1000}[]]", "1,000,000 counted repeats"),
    ("(?V1)[a--]](a{1000}){1000}[a--]]", "1,000,000 counted repeats"),
    ("(?V1)[a[b]](a{1000}){1000}[a]", "1,000,000 counted repeats"),
    # calls of groups, whose matches need memory without a bound
    ("a(?R)?b", "calls a group"),
    ("(a|(?1)b)", "calls a group"),
    ("(?P<n>a(?&n)?)", "calls a group"),
    ("(?P<n>a(?P>n)?)", "calls a group"),
    ("(a)(?-1)", "calls a group"),
]


@pytest.mark.parametrize(("pattern", "why"), TOO_LARGE)
def test_what_is_too_large(pattern: str, why: str | None) -> None:
    if why is None:
        check_bounds(pattern)
    else:
        with pytest.raises(PatternError, match=why):
            compiled(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "a" * 10_000,
        "(" * 50 + "a" + ")" * 50,
        "|".join("ab" * 2500),
        "a{100000}",
        "(a{1000}){100}",
        "(?:ab){50000}",
        "(?:\\w+\\s*){0,50}(answer|choice)+(?:\\s*[:=]\\s*)+\\(?([A-J])\\)?",
        "(?i)[({]{2}[a-z]{1,3}[)}]{2}",
        "(?V1)[\\w--[_0-9]]{3}",
        "(?x) a {3} # three times [ (\n b",
        "(?:ab){e<=3}",
        "(a)?(?(1)b|c)",
        "(?P<n>a)(?P=n)",
        "(?|(a)|(b)){3}",
        "[[:alpha:](]{3}",
        "{9}]",
    ],
)
def test_what_is_compiled(pattern: str) -> None:
    check_bounds(pattern)
    if not pattern.startswith("{"):
        compiled(pattern)


@pytest.mark.parametrize("pattern", ["(", "[a", "a{2,1}", "*", "(?P<n>a)(?P<n", "\\", r"\L<words>", "(?(9)a)", "(?q)"])
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(PatternError, match="not a regular expression"):
        compiled(pattern)


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    ["a", "[ab]", "(?:ab|cd)", "(?:a|bc)*?d", "a++", "(?<=ab)", r"\b", r"\R", "(?:ab){e<=2}", "(?if:[b-é])"],
)
@pytest.mark.parametrize("times", [1, 60, 300])
def test_the_largest_within_the_bounds_takes_less_than_a_second(part: str, times: int) -> None:
    inside = part * min(times, 9_000 // len(part))
    sizes = (100_000, 50_000, 20_000, 5_000, 1_000, 200, 50, 10, 1)
    n = next((n for n in sizes if _fits(f"(?:{inside}){{{n}}}")), 0)
    start = time.process_time()
    compiled(f"(?:{inside}){{{n}}}")
    assert time.process_time() - start < 2  # a second, doubled for slow machines


def _fits(pattern: str) -> bool:
    try:
        check_bounds(pattern)
    except PatternError:
        return False
    return True


def test_a_pattern_that_is_rewritten_may_be_longer() -> None:
    check_bounds(f"(?#{'a' * 199_996})", rewritten=True)
    with pytest.raises(PatternError, match="200,001 characters"):
        check_bounds(f"(?#{'a' * 199_997})", rewritten=True)
