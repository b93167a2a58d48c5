"""Columns of the native kernel: seeded draws, and what is not a column of the data."""

from __future__ import annotations

import random

import pytest
from judgement_lines import BUILT

from auditfw.core.native import compiled
from auditfw.core.sampling import ranked, ranks

pytestmark = pytest.mark.skipif(compiled() is None, reason="the native kernel is not built")

SIZES = (1, 2, 5, 100, 119, 120, 126, 127, 128, 129, 255, 256, 257, 700)


def texts(draw: random.Random, count: int) -> list[str]:
    """Texts of all lengths about a block's, some of them twice."""
    made = ["".join(draw.choice("abcé中𝄞 \t-\x7f") for _ in range(draw.choice(SIZES))) for _ in range(count)]
    return [draw.choice(made) for _ in made] if draw.random() < 0.5 else made


@pytest.mark.parametrize("seed", range(40))
def test_native_draws_are_the_plain_ones(seed: int) -> None:
    draw = random.Random(seed)
    ids = texts(draw, draw.randrange(1, 120))
    rows = [i for i in range(len(ids)) if draw.random() < 0.5]
    section = draw.choice(["Red Flags", "", "x" * 90, "x" * 200])
    rank = ranks(seed, section)
    for bar in (None, rank("another")):
        wanted = [(rank(ids[i]), i) for i in rows if bar is None or rank(ids[i]) <= bar]
        assert ranked((seed, section), ids, rows, bar) == wanted


@BUILT
def test_the_kernel_refuses_columns_that_are_not_of_the_data() -> None:
    module = compiled()
    assert module is not None
    [held] = module.lines(b'{"a": "xyz"}', ((b"a",),), 1)
    for call in (
        lambda: module.texts(b"{", held),
        lambda: module.coded(b"{", held),
        lambda: module.within(b"", held, held),
        lambda: module.joined(b"{", held),
    ):
        with pytest.raises(ValueError, match="not of this data"):
            call()
    with pytest.raises(ValueError, match="more lines"):
        module.lines(b"{}\n{}\n", ((),), 1)
    with pytest.raises(ValueError, match="twice"):
        module.lines(b"{}", ((), ()), 1)
