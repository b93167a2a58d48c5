"""The keys by which answers are the same, and what follows of them for a judge."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw import load
from auditfw.audits.same_keys import AnswerKeys
from auditfw.formulas.people.same_answers import Grades, same_pairs
from auditfw.formulas.texts.endings import text_hash, text_hashes

KEYS = AnswerKeys(load("normalizer", "same_answer"), 12)
ROW = st.tuples(
    st.integers(0, 2), st.sampled_from(["A", "a", "B", "b.", "the b", "...", "..", "", "C" * 12, "c" * 13, "C" * 13])
)


@pytest.mark.parametrize(
    ("first", "other", "same"),
    [
        ("A", "a.", True),
        ("...", "..", False),
        ("...", "...", True),
        ("", "", True),
        ("c" * 12, "C" * 12, True),
        ("c" * 13, "C" * 13, False),
        ("a", "=a", False),
        ("~a", "a", False),
        ("", None, False),
    ],
)
def test_which_texts_are_the_same(first: str, other: str | None, same: bool) -> None:
    keys, texts = KEYS.of([first, other, None], ["t", "t", "t"])
    assert (keys[0] == keys[1]) is same
    assert (texts[0] == texts[1]) is ((first or "") == (other or ""))
    assert keys[2] == texts[2] == 0


def test_what_is_beside_them_must_be_equal() -> None:
    keys, texts = KEYS.of(["A", "A", "A"], ["t", "T", ("t",)])
    assert len(set(keys)) == 3
    assert len(set(texts)) == 1


@given(st.text(alphabet="aAtThHeEnN 0.5,'²⁻(] \u00a0é“.:+", max_size=14))
def test_a_key_is_that_of_the_normalizer(text: str) -> None:
    key = KEYS.normalizer(text) if len(text) <= 12 else ""
    assert KEYS.key(text) == (f"~{key}" if key else f"={text}")


def pairs_of(rows: list[tuple[int, str]]) -> tuple[int, list[int], list[int]]:
    """The pairs of a judge whose grade is a function of the key."""
    keys, texts = (np.frombuffer(one, np.uint64) for one in KEYS.of([text for _, text in rows], ["t"] * len(rows)))
    items = np.array([item for item, _ in rows], np.int64)
    made = same_pairs(Grades(items, keys, texts, (keys % 2).astype(np.int64)))
    return made.groups, made.pairs.tolist(), made.differing.tolist()


@settings(max_examples=examples(50))
@given(st.lists(ROW, min_size=1, max_size=30), st.integers())
def test_a_judge_that_is_a_function_of_the_key_never_differs_in_any_order(
    rows: list[tuple[int, str]], seed: int
) -> None:
    shuffled = rows.copy()
    Random(seed).shuffle(shuffled)
    groups, pairs, differing = pairs_of(rows)
    assert (groups, pairs, differing) == pairs_of(shuffled)
    assert not any(differing)


@given(st.lists(st.text(st.characters(), min_size=1, max_size=300), max_size=9))
def test_hashes_are_made_at_once_as_one_by_one(texts: list[str]) -> None:
    assert text_hashes(texts).tolist() == [text_hash(text) for text in texts]
