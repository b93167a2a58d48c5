"""Settings of a list of matchers: where the first of them stands."""

from __future__ import annotations

from typing import Any

import pytest

from auditfw.config.variants import first_of, following, listed
from auditfw.core.errors import UsageError

A, B = {"use": "choice", "letters": "AB"}, {"use": "exact"}


def settings(matcher: Any, matchers: Any = None) -> dict[str, Any]:
    audit = {"use": "parsing"} | ({} if matcher is None else {"matcher": matcher})
    return {"audit": audit | ({} if matchers is None else {"matchers": matchers}), "seed": 0}


def test_what_a_list_named() -> None:
    assert listed(settings(A, {"a": A, "b": B}), "matcher") == {"a": A, "b": B}
    for other in ({}, settings(A), settings(A, {}), settings(A, "a"), {"audit": "parsing"}):
        assert listed(other, "matcher") == {}
    assert listed({"audit": {"parsers": {"a": A}}}, "parser") == {}  # a kind that has one place


@pytest.mark.parametrize(
    ("matcher", "matchers", "place", "first"),
    [
        (A, None, "audit.matcher", A),
        (None, None, "audit.matcher", None),
        (A, {"a": A, "b": B}, "audit.matchers.a", A),
        (None, {"b": B, "a": A}, "audit.matchers.b", B),
        (A, {"a": {"letters": "A"}}, "audit.matcher", A),  # left over from a list that is no longer chosen
        ("choice", {"b": B}, "audit.matchers.b", B),
        ({"use": "choice"}, {"a": A}, "audit.matchers.a", A),
    ],
)
def test_the_first(matcher: Any, matchers: Any, place: str, first: Any) -> None:
    assert first_of(settings(matcher, matchers), "matcher", matcher) == (place, first)


def test_two_places_that_differ() -> None:
    with pytest.raises(UsageError) as caught:
        first_of(settings({**A, "letters": "ABC"}, {"a": A, "b": B}), "matcher", {**A, "letters": "ABC"})
    assert str(caught.value) == (
        "audit.matcher: differs from audit.matchers.a, the first of several - set it there: audit.matchers.a.KEY=..."
    )


def test_the_first_follows_a_change_in_the_list() -> None:
    before = settings(A, {"a": A, "b": B})
    wide = {"use": "choice", "letters": "ABC"}
    after = following(before, {"audit": {"matchers": {"a": {"letters": "ABC"}}}, "seed": 1})
    assert after == {**settings(wide, {"a": wide, "b": B}), "seed": 1}
    assert before == settings(A, {"a": A, "b": B})
    assert following(before, {"audit": {"matchers": {"b": {"tidy": 1}}}})["audit"]["matcher"] == A
    assert following(settings(B), {"audit": {"matchers": {"a": A}}})["audit"]["matcher"] == A
    given = {"audit": {"matchers": {"a": {"letters": "ABC"}}, "matcher": {"letters": "A"}}}
    assert following(before, given)["audit"]["matcher"] == {"use": "choice", "letters": "A"}
    assert following(settings(A), {"seed": 2}) == {**settings(A), "seed": 2}
