"""The matcher of promptfoo's assertions: labels that promptfoo 0.121.20 gives, and what it cannot read."""

from __future__ import annotations

import pytest

from auditfw.components.matcher.harness import PromptfooAssertion
from auditfw.core.errors import UsageError
from auditfw.formulas.texts.javascript import UnquotedError, separated

TABLE = [
    ("equals", "42", "42", True),
    ("equals", "42 ", "42", False),
    ("contains", "It is Rome", "Rome", True),
    ("contains", "ROME", "Rome", False),
    ("icontains", "ROME", "rome", True),
    ("icontains", "Straße", "STRASSE", False),
    ("icontains", "CAFÉ", "café", True),
    ("contains-any", "It is Rome", '["Paris", "Rome"]', True),
    ("contains-any", "It is Rome", '["Paris", "rome"]', False),
    ("icontains-any", "It is Rome", '["Paris", "rome"]', True),
    ("contains-all", "It is Rome", '["It", "Rome"]', True),
    ("contains-all", "It is Rome", '["It", "Paris"]', False),
    ("icontains-all", "It is Rome", '["IT", "rome"]', True),
    ("starts-with", "It is", "It", True),
    ("starts-with", "So It is", "It", False),
    ("regex", "line\n42", r"line\s\d+", True),
    ("regex", "42\n", r"\d$", False),
]


@pytest.mark.parametrize(("assertion", "answer", "truth", "right"), TABLE)
def test_what_assertions_accept(assertion: str, answer: str, truth: str, right: bool) -> None:
    assert PromptfooAssertion(assertion)(answer, truth) is right
    assert PromptfooAssertion(f"not-{assertion}")(answer, truth) is not right


@pytest.mark.parametrize(
    ("assertion", "truth"),
    [
        *(("regex", "(?i)a"), ("contains-all", "a"), ("not-contains-any", "[]"), ("contains-any", "3")),
        pytest.param("contains-any", "[" * 100_000, id="many floors"),
    ],
)
def test_truths_that_it_cannot_read(assertion: str, truth: str) -> None:
    matcher = PromptfooAssertion(assertion)
    assert matcher("a", truth) is None
    assert matcher.refuses(truth) is not None
    assert matcher.refuses("[1]") is None


def test_only_equality_compares_with_an_empty_text() -> None:
    """The others refuse: "contains" assertion type must have a string or number value."""
    kinds = ("equals", "not-equals", "contains", "starts-with", "regex", "contains-any")
    assert [PromptfooAssertion(kind).compares_empty for kind in kinds] == [True, True, False, False, False, False]
    assert [PromptfooAssertion(kind)("Paris", "") for kind in kinds[:2]] == [False, True]


def test_settings_that_are_none() -> None:
    with pytest.raises(UsageError, match=r"no such assertion \(contians\) - did you mean 'contains'"):
        PromptfooAssertion("contians")
    with pytest.raises(UsageError, match="expected a number of seconds above 0"):
        PromptfooAssertion(deadline=0)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Rome, Roma", ["Rome", "Roma"]),
        (" ,x,,y ,", ["x", "y"]),
        ('"a, b", c', ["a, b", "c"]),
        (r'"a \"b\" \\", "c ""d"""', ['a "b" \\', 'c "d"']),
        ('""', [""]),
        ('a "b", c', ['a "b"', "c"]),
        ("", []),
    ],
)
def test_values_that_are_several(text: str, parts: list[str]) -> None:
    assert separated(text) == parts


@pytest.mark.parametrize("text", ['"a', '"a" b', '"a\\"'])
def test_quotes_that_do_not_fit(text: str) -> None:
    with pytest.raises(UnquotedError):
        separated(text)
