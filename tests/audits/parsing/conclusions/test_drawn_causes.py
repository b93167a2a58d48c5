"""The draw of flips whose causes are looked for: the same for any processes, whenever they are traced."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.audits.parsing.conclusions import drawn_causes
from auditfw.audits.parsing.conclusions.drawn_causes import (
    NO_STEP,
    Bar,
    DrawnCause,
    DrawnCauses,
    DrawnFlip,
    FlipCause,
    FlipTexts,
    cause_text,
)


class Lengths:
    """Names the length of a text as the cause, and counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def trace(self, reading: int, flips: Sequence[FlipTexts]) -> list[FlipCause]:
        self.asked += len(flips)
        return [FlipCause(f"{reading}: {flip.size}", sufficient=True, right=True, signs=()) for flip in flips]


def drawn(rank: int, raw: str = "a", parsed: str | None = None) -> DrawnFlip:
    return DrawnFlip(rank.to_bytes(8), f"id {rank}", FlipTexts(raw, parsed, "t", b""))


@given(
    batches=st.lists(st.lists(st.tuples(st.integers(0, 40), st.text("ab", max_size=30)), max_size=12), max_size=12),
    most=st.integers(1, 6),
    seed=st.integers(0, 3),
    processes=st.integers(1, 3),
    characters=st.sampled_from([0, 60, 10**6]),
)
def test_the_draw_is_that_of_all_flips(
    batches: list[list[tuple[int, str]]], most: int, seed: int, processes: int, characters: int
) -> None:
    deal, workers = random.Random(seed), [Bar(most) for _ in range(processes)]
    whole = DrawnCauses(most, Lengths())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn_causes, "CHARACTERS", characters)
        for rows in batches:
            ranked = [(rank.to_bytes(8), i) for i, (rank, _) in enumerate(rows)]
            passed = deal.choice(workers).under(ranked)
            whole.take({3: [drawn(rows[i][0], rows[i][1]) for _, i in passed]} if passed else {})
    in_order = sorted((row for rows in batches for row in rows), key=lambda row: row[0])[:most]  # stable, as input is
    assert whole.of(3) == [DrawnCause(rank.to_bytes(8), f"id {rank}", _cause(len(raw))) for rank, raw in in_order]
    assert whole.of(3) == whole.of(3)
    assert whole.of(2) == []


def _cause(size: int) -> FlipCause:
    return FlipCause(f"3: {size}", sufficient=True, right=True, signs=())


def test_only_what_stays_in_the_draw_is_traced() -> None:
    lengths = Lengths()
    causes = DrawnCauses(2, lengths)
    for rank in reversed(range(100)):
        causes.take({0: [drawn(rank)]})
    assert [one.id for one in causes.of(0)] == ["id 0", "id 1"]
    assert lengths.asked == 2


def test_texts_that_wait_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they are too many, what was drawn so far is traced, and its texts are forgotten."""
    monkeypatch.setattr(drawn_causes, "CHARACTERS", 10)
    lengths = Lengths()
    causes = DrawnCauses(3, lengths)
    causes.take({0: [drawn(5, "abcde")], 1: [drawn(5, "abcd", "e")]})
    assert lengths.asked == 0  # ten characters
    causes.take({0: [drawn(1, "a")]})
    assert lengths.asked == 3
    causes.take({0: [drawn(2, "b"), drawn(9, "c"), drawn(10, "d")]})
    assert [(one.id, one.cause.step) for one in causes.of(0)] == [("id 1", "0: 1"), ("id 2", "0: 1"), ("id 5", "0: 5")]
    assert lengths.asked == 4  # of the three only the one that is drawn


def test_texts_are_counted_as_they_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn_causes, "CHARACTERS", 10)
    lengths = Lengths()
    causes = DrawnCauses(1, lengths)
    causes.take({0: [drawn(3, "abcde")]})
    causes.take({0: [drawn(2, "abcde")]})
    assert lengths.asked == 0
    causes = DrawnCauses(1, lengths)
    causes.take({0: [drawn(rank, "abcd") for rank in range(3)]})  # of the three one waits
    causes.take({1: [drawn(1, "abcdef")]})
    assert lengths.asked == 0
    causes.take({2: [drawn(1, "a")]})
    assert lengths.asked == 3
    causes.take({1: [drawn(0, "abcdefgh")]})  # those that were traced wait no more
    assert lengths.asked == 3
    assert len(causes.of(1)) == 1
    causes.take({2: [drawn(0, "abcdefgh")]})
    assert lengths.asked == 4


def test_rows_of_one_id_pass_together() -> None:
    bar = Bar(2)
    ranked = [(bytes([rank]), i) for i, rank in enumerate((3, 1, 1, 1, 2))]
    assert bar.under(ranked) == [(b"\1", 1), (b"\1", 2), (b"\1", 3)]
    assert bar.under([(b"\2", 9), (b"\5", 8)]) == [(b"\2", 9), (b"\5", 8)]
    assert bar.under([(b"\2", 7), (b"\3", 6)]) == [(b"\2", 7)]


def test_texts_of_a_flip() -> None:
    assert FlipTexts("abc", None, "t", b"").size == 3
    assert FlipTexts(None, "ab", ("t", "u"), b"").size == 2
    assert FlipTexts(None, None, ("t", "u"), b"").truths == ("t", "u")
    assert FlipTexts(None, None, "tu", b"").truths == ("tu",)


@pytest.mark.parametrize(
    ("step", "sufficient", "text"),
    [
        ("digits", True, "digits (sufficient)"),
        ("digits", False, "digits (with other steps)"),
        (NO_STEP, False, "no step: the reference reads a different text"),
    ],
)
def test_a_cause_in_words(step: str, sufficient: bool, text: str) -> None:
    assert cause_text(FlipCause(step, sufficient, True, ())) == text
