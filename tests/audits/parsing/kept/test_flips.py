"""Flips whose texts are kept: those of each row; the same draw for any processes, whenever causes are looked for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.audits.parsing.engine.plan import BLANK, ERROR, FALSE, MISSING, TRUE, UNDEFINED
from auditfw.audits.parsing.kept import flips as module
from auditfw.audits.parsing.kept.flips import NO_FLIPS, RIGHT, WRONG, Bar, FlipDraw, FlipSettings, flips_of
from auditfw.audits.parsing.table import STORED, label_of
from auditfw.audits.parsing.trials import FlipCause, Trial

TWO = FlipSettings(2, shown=1, causes=1, undefined="zero", reference=STORED)


def test_flips_by_hand() -> None:
    stored = bytearray([TRUE, TRUE, FALSE, FALSE, MISSING, TRUE, TRUE])
    one = bytearray([TRUE, FALSE, TRUE, BLANK, TRUE, UNDEFINED, ERROR])
    two = bytearray([BLANK, FALSE, TRUE, TRUE, FALSE, MISSING, TRUE])
    sound = bytearray([1, 1, 1, 1, 1, 1, 0])
    zero = dict(flips_of(TWO, stored, [one, two], sound))
    assert zero == {(0, RIGHT): [2], (0, WRONG): [1, 5], (1, RIGHT): [2, 3], (1, WRONG): [0, 1]}
    drop = FlipSettings(2, 1, 1, "drop", STORED)
    assert dict(flips_of(drop, stored, [one, two], sound))[0, WRONG] == [1]
    assert list(flips_of(NO_FLIPS, bytearray(), [], bytearray())) == []


CODES = st.sampled_from([FALSE, TRUE, BLANK, UNDEFINED, MISSING])


@settings(max_examples=examples(60), deadline=None)
@given(rows=st.lists(st.tuples(*[CODES] * 5), max_size=40), undefined=st.sampled_from(["zero", "drop"]))
def test_flips_are_those_of_each_row(rows: list[tuple[int, ...]], undefined: Any) -> None:
    stored, *labels = (bytearray(column) for column in zip(*rows, strict=True)) if rows else [bytearray()] * 5
    four = FlipSettings(4, 1, 1, undefined, STORED)
    trials = [trial(i, codes=bytes(row)) for i, row in enumerate(rows)]
    for (reading, direction), numbers in flips_of(four, stored, labels, bytearray([1]) * len(rows)):
        after = direction == RIGHT
        known = [[label_of(code, undefined) for code in row] for row in rows]
        assert numbers == [
            i for i, (before, *row) in enumerate(known) if before is (not after) and row[reading] is after
        ]
        assert numbers == [i for i, one in enumerate(trials) if (reading, direction) in four.strata(one)]


class Lengths:
    """Names the length of a text as the cause, and counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def trace(self, reading: int, flips: Sequence[Trial]) -> list[FlipCause]:
        self.asked += len(flips)
        return [FlipCause(f"{reading}: {flip.size}", sufficient=True, right=True, signs=()) for flip in flips]


def trial(rank: int, raw: str = "a", codes: bytes = bytes([FALSE, TRUE, FALSE])) -> Trial:
    return Trial(f"id {rank}", "t", (), codes, raw, None, rank=rank.to_bytes(8))


ROW = st.tuples(st.integers(0, 40), st.text("ab", max_size=30), CODES, CODES, CODES)


@settings(max_examples=examples(80), deadline=None)
@given(
    batches=st.lists(st.lists(ROW, max_size=12), max_size=12),
    most=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    seed=st.integers(0, 3),
    processes=st.integers(1, 3),
    characters=st.sampled_from([0, 60, 10**6]),
)
def test_the_draw_is_that_of_all_flips(
    batches: list[list[Any]], most: tuple[int, int], seed: int, processes: int, characters: int
) -> None:
    draw = FlipDraw(FlipSettings(2, *most, "zero", STORED), Lengths())
    ways = [(reading, direction) for reading in (0, 1) for direction in (RIGHT, WRONG)]
    deal, workers = random.Random(seed), [{way: Bar(draw.settings.most) for way in ways} for _ in range(processes)]
    every: list[Trial] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHARACTERS", characters)
        patch.setattr(module, "SLACK", 1)
        for rows in batches:
            trials = [trial(rank, raw, bytes(codes)) for rank, raw, *codes in rows]
            bars, passed = deal.choice(workers), set()
            for way in ways:
                numbers = [i for i, one in enumerate(trials) if way in draw.settings.strata(one)]
                passed |= {i for _, i in bars[way].under((trials[i].rank, i) for i in numbers)}
            draw.take([trials[i] for i in sorted(passed)])
            every += [trial(rank, raw, bytes(codes)) for rank, raw, *codes in rows]
        in_order = sorted(every, key=lambda one: one.rank)  # stable, as the input is
        for reading in (0, 1):
            own = [one for one in in_order if reading in dict(draw.settings.strata(one))]
            causes = [(one.id, f"{reading}: {one.size}") for one in own[: most[1]]]
            assert [(one.id, cause.step) for one, cause in draw.causes(reading)] == causes
            for direction in (RIGHT, WRONG):
                one_way = [one for one in own if (reading, direction) in draw.settings.strata(one)][: most[0]]
                shown = draw.of(reading, most[0], [direction])
                assert [(one.id, one.raw) for one in shown] == [(one.id, one.raw) for one in one_way]


def test_only_what_stays_in_the_draw_is_looked_at() -> None:
    lengths = Lengths()
    draw = FlipDraw(FlipSettings(1, shown=0, causes=2, undefined="zero", reference=STORED), lengths)
    for rank in reversed(range(100)):
        draw.take([trial(rank)])
    assert [one.id for one, _ in draw.causes(0)] == ["id 0", "id 1"]
    assert lengths.asked == 2
    assert FlipDraw(draw.settings).causes(0) == []


def test_long_texts_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they are too many, the causes of those drawn so far are looked for, and only texts that are shown stay."""
    monkeypatch.setattr(module, "CHARACTERS", 10)
    lengths = Lengths()
    draw = FlipDraw(FlipSettings(1, shown=1, causes=3, undefined="zero", reference=STORED), lengths)
    draw.take([trial(5, "abcde"), trial(6, "abcde")])
    assert lengths.asked == 0  # ten characters
    draw.take([trial(1, "a")])
    assert lengths.asked == 3
    assert [one.raw for one in draw.trials()] == ["a", "", ""]
    draw.take([trial(2, "b"), trial(9, "c")])
    assert [(one.id, cause.step) for one, cause in draw.causes(0)] == [
        ("id 1", "0: 1"),
        ("id 2", "0: 1"),
        ("id 5", "0: 5"),
    ]
    assert lengths.asked == 4  # of the two only the one that is drawn


def test_rows_of_one_id_pass_together() -> None:
    bar = Bar(2)
    ranked = [(bytes([rank]), i) for i, rank in enumerate((3, 1, 1, 1, 2))]
    assert bar.under(ranked) == [(b"\1", 1), (b"\1", 2), (b"\1", 3)]
    assert bar.under([(b"\2", 9), (b"\5", 8)]) == [(b"\2", 9), (b"\5", 8)]
    assert bar.under([(b"\2", 7), (b"\3", 6)]) == [(b"\2", 7)]
