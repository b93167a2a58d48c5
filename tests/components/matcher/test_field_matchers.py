"""Matchers of other programs' rules, and the plain ones beside them: tables to check by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditfw
from auditfw.components.matcher.choice import InspectChoice
from auditfw.components.matcher.harness import CapturedGroups, HelmFinalNumber, InspectIncludes, OpencompassGsm8k
from auditfw.components.matcher.inspect_match import InspectMatch
from auditfw.components.matcher.texts import Substring, Suffix
from auditfw.formulas.texts.inspect_numbers import option_positions


@pytest.mark.parametrize(
    ("answer", "truth", "where"),
    [
        ("It is Paris.", "paris", {"end", "any"}),
        ("**PARIS!**", "Paris", {"end", "begin", "any", "exact"}),
        ("Paris, I think", " Paris ", {"begin", "any"}),
        ("comparison", "paris", {"any"}),
        ("Berlin", "Paris", set()),
        ("Straße", "STRASSE", {"end", "begin", "any", "exact"}),
        ("x +", "+", {"end", "begin", "any"}),
        ("25", "5", {"end", "any"}),
        ("\u00a0Paris\u2028", "Paris", {"end", "begin", "any", "exact"}),
        ("“Paris”", "Paris", {"any"}),
    ],
)
def test_where_inspects_match_finds_a_text(answer: str, truth: str, where: set[str]) -> None:
    places = [InspectMatch(place) for place in ("end", "begin", "any", "exact")]  # type: ignore[arg-type]
    assert {matcher.location for matcher in places if matcher(answer, truth)} == where
    assert auditfw.load("matcher", "inspect_match_begin")(answer, truth) is ("begin" in where)


@pytest.mark.parametrize(
    ("answer", "truth", "where"),
    [
        ("So 5 and 18.", "18", {"end", "any"}),
        ("25", "5", set()),
        ("It costs \\$1,234.50, no less", "1234.5", {"end", "begin", "any"}),
        ("**42**", "42", {"end", "begin", "any", "exact"}),
        ("(42)", "42", {"end", "begin", "any"}),
        ("3.141592", "3.14159", {"end", "begin", "any", "exact"}),
        ("3.14", "3.14159", set()),
        ("18 apples in 3 bags", "18", {"begin", "any"}),
        ("x = 7", "$7.00", {"end", "begin", "any"}),
        ("no number", "7", set()),
        ("60%", "60", set()),
        ("60%", "60%", {"end", "begin", "any", "exact"}),
        ("the end", "end", {"end", "any"}),
        ("2½", "2.5", {"end", "begin", "any", "exact"}),
    ],
)
def test_where_inspects_match_finds_a_number(answer: str, truth: str, where: set[str]) -> None:
    places = [InspectMatch(place, numeric=True) for place in ("end", "begin", "any", "exact")]  # type: ignore[arg-type]
    assert {matcher.location for matcher in places if matcher(answer, truth)} == where


@pytest.mark.parametrize(
    ("matcher", "answer", "truth", "right"),
    [
        (InspectMatch(ignore_case=False), "It is Paris", "paris", False),
        (InspectMatch(ignore_case=False), "It is Paris.", "Paris", True),
        (InspectIncludes(), "comPARISon", "Paris", True), (InspectIncludes(), "STRASSE", "straße", True),
        (InspectIncludes(False), "comPARISon", "Paris", False), (InspectIncludes(False), "a Paris", "Paris", True),
        (Substring(), "comparison", "paris", True), (Substring(), "Paris", "paris", False),
        (Substring(), "a", "ab", False), (Suffix(), "to Paris", "Paris", True), (Suffix(), "Paris.", "Paris", False),
        (CapturedGroups(), "Paris", "paris", True), (CapturedGroups(), "a\x1fParis", "paris", True),
        (CapturedGroups(), "a\x1fb", "paris", False), (CapturedGroups(ignore_case=False), "Paris", "paris", False),
        (CapturedGroups(match_all=True), "a\x1fA", "a", True), (CapturedGroups(match_all=True), "a\x1fb", "a", False),
        (CapturedGroups(match_all=True), "b\x1fa", "a\x1fb\x1fc", True),
        (CapturedGroups(match_all=True), "\x1fa", "a", False), (CapturedGroups(), "\x1fa", "a", True),
        (InspectChoice(), "B", "B", True), (InspectChoice(), "A, C", "C,A", True),
        (InspectChoice(), "A, C", "AC", True),
        (InspectChoice(), "A", "AC", False), (InspectChoice(), "A, C", "A", False), (InspectChoice(), "B", "b", True),
        (InspectChoice(), "1", "1", True), (InspectChoice(), "none (", "A", False), (InspectChoice(), "A", "(", None),
        (InspectChoice(), "A", "0", None), (InspectChoice(), "A", "ß", None), (InspectChoice(), "A", "½", None),
        (HelmFinalNumber(), "15", "The answer is 15.", True), (HelmFinalNumber(), "1000", "3 or 1,000", True),
        (HelmFinalNumber(), "15", "none", False), (HelmFinalNumber(), "5 12", "5 12", True),
        (HelmFinalNumber(), "12", "5 12", False), (HelmFinalNumber(), " ", "none", False),
        (OpencompassGsm8k(), "18", "18", True), (OpencompassGsm8k(), "18.0000001", "18", True),
        (OpencompassGsm8k(), "18.00001", "18", False), (OpencompassGsm8k(), "18", "18.0", False),
        (OpencompassGsm8k(), "NULL", "18", False), (OpencompassGsm8k(), "NULL", "NULL", True),
    ],
)  # fmt: skip
def test_what_matchers_accept(matcher: Any, answer: str, truth: str, right: bool | None) -> None:
    assert matcher(answer, truth) is right


def test_a_target_that_names_no_option_is_refused() -> None:
    assert InspectChoice().refuses("A, C") is None
    assert InspectChoice().refuses("(") is not None


@given(*[st.text(st.sampled_from("ABZaé,ß ²½1203.-"), max_size=8)] * 2)
def test_options_are_compared_as_the_places_that_both_texts_name(answer: str, truth: str) -> None:
    """By the definition, without the quick look at how many there are."""
    places = []
    for text in (answer, truth):
        try:
            places.append(option_positions(text))
        except ValueError:
            places.append(None)
    assert InspectChoice()(answer, truth) is (places[0] == places[1] if places[1] else None)
