"""Flips between readings, against those of each row."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from auditfw.audits.parsing.engine.plan import BLANK, ERROR, FALSE, MISSING, TRUE, UNDEFINED
from auditfw.audits.parsing.flips import RIGHT, WRONG, FlipLimits, flips_of
from auditfw.audits.parsing.labels import label_of


def test_flips_by_hand() -> None:
    stored = bytearray([TRUE, TRUE, FALSE, FALSE, MISSING, TRUE, TRUE])
    one = bytearray([TRUE, FALSE, TRUE, BLANK, TRUE, UNDEFINED, ERROR])
    two = bytearray([BLANK, FALSE, TRUE, TRUE, FALSE, MISSING, TRUE])
    sound = bytearray([1, 1, 1, 1, 1, 1, 0])
    zero = flips_of(FlipLimits(2, 1, "zero"), stored, [one, two], sound)
    assert {s: zero.of(s) for s in zero.masks} == {
        (0, RIGHT): [2],
        (0, WRONG): [1, 5],
        (1, RIGHT): [2, 3],
        (1, WRONG): [0, 1],
    }
    assert flips_of(FlipLimits(2, 1, "drop"), stored, [one, two], sound).of((0, WRONG)) == [1]


CODES = st.sampled_from([FALSE, TRUE, BLANK, UNDEFINED, MISSING])


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(*[CODES] * 5), max_size=40), undefined=st.sampled_from(["zero", "drop"]))
def test_flips_are_those_of_each_row(rows: list[tuple[int, ...]], undefined: Any) -> None:
    stored, *labels = (bytearray(column) for column in zip(*rows, strict=True)) if rows else [bytearray()] * 5
    found = flips_of(FlipLimits(4, 1, undefined), stored, labels, bytearray([1]) * len(rows))
    told = [[label_of(code, undefined) for code in row] for row in rows]
    for (reading, direction), _ in found.masks.items():
        after = direction == RIGHT
        assert found.of((reading, direction)) == [
            i for i, (before, *row) in enumerate(told) if before is (not after) and row[reading] is after
        ]
