"""Judgements: their evidence as records have it, and what more than half of the raters say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quick_consistency import HARD

from auditfw.kinds.judgements import CLEAR, FaultError, more_than_half, weigh


@pytest.mark.parametrize(
    ("flags", "answer", "retrieved", "expected"),
    [
        (None, None, None, CLEAR),
        ({}, None, None, CLEAR),
        ({"provenance_violation": True}, None, None, (True, False, False)),
        ({"other": "text"}, None, None, CLEAR),
        (None, {"citations": []}, None, CLEAR),
        (None, {"citations": ["a"]}, ["a", "b"], CLEAR),
        (None, {"citations": ["a"]}, ["b"], (False, True, False)),
        (None, {"citations": ["a"]}, [], (False, True, False)),
        (None, {"citations": ["a"]}, None, (False, False, True)),
        (None, {}, None, CLEAR),
    ],
)
def test_evidence(flags: Any, answer: Any, retrieved: Any, expected: Any) -> None:
    assert weigh(flags, answer, retrieved, HARD) == expected


@pytest.mark.parametrize(
    ("flags", "answer", "retrieved"),
    [
        ((), None, None),
        ([], None, None),
        ("x", None, None),
        ({"provenance_violation": 1}, None, None),
        ({"provenance_violation": None}, None, None),
        (None, "text", None),
        (None, {"citations": "text"}, None),
        (None, {"citations": [{"id": 1}]}, None),
        (None, {"citations": ["a"]}, "a"),
    ],
)
def test_evidence_of_a_wrong_type(flags: Any, answer: Any, retrieved: Any) -> None:
    with pytest.raises(FaultError):
        weigh(flags, answer, retrieved, HARD)


LABELS = ("VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN")


@given(st.lists(st.sampled_from([*LABELS, None]), max_size=9))
def test_more_than_half_is_what_it_says(votes: list[str | None]) -> None:
    given_votes = [vote for vote in votes if vote is not None]
    expected = [label for label in LABELS if 2 * given_votes.count(label) > len(given_votes)]
    assert more_than_half(votes) == (expected[0] if expected else None)
