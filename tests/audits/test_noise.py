"""The noise of a rate in words: sources, shares, what is below 0, what to buy next."""

from __future__ import annotations

import numpy as np
import pytest
from sentences import parsing as says

from auditfw.audits.noise import WAYS, noise_blocks, noise_document, noise_row
from auditfw.core.document import Note, Table
from auditfw.formulas.repeats.purchases import JUDGE, purchases
from auditfw.formulas.repeats.variance import VarianceParts, variance_parts


def parts(labels: list[list[int]], items: list[int]) -> VarianceParts:
    made = variance_parts(np.array(labels), np.array(items))
    assert made is not None
    return made


# Four items of two repeats by two raters; by hand the shares of the noise add up to all of it.
LABELS = [[1, 1], [1, 0], [0, 0], [0, 0], [1, 1], [1, 1], [0, 1], [1, 0]]
ITEMS = [0, 0, 1, 1, 2, 2, 3, 3]


def test_raters_have_four_sources() -> None:
    own = parts(LABELS, ITEMS)
    blocks = noise_blocks(own, purchases(own, judges=True), ["one", "two"], priced=False)
    sources, buys = [block for block in blocks if isinstance(block, Table)]
    assert [row[0] for row in sources.rows] == [
        "items", "repeats of an item", "readings by item", "readings by repeat",
    ]  # fmt: skip
    assert sum(int(row[2]) for row in sources.rows) in (99, 100, 101)
    assert WAYS[JUDGE] in [row[0] for row in buys.rows]


def test_one_rater_has_two_and_shares_are_by_hand() -> None:
    """Items 1, 0, 1/2, all of two repeats: 3 items, MSB 1/2, MSW 1/6; components 1/6 and 1/6; V = 1/18 + 1/36."""
    own = parts([[1], [1], [0], [0], [1], [0]], [0, 0, 1, 1, 2, 2])
    sources, _ = [block for block in noise_blocks(own, purchases(own), ["stored"], False) if isinstance(block, Table)]
    assert [list(row) for row in sources.rows] == [["items", "0.1667", "67"], ["repeats of an item", "0.1667", "33"]]
    assert noise_row(own, purchases(own))[:4] == ["3", "2", "0.1667", "0.1667"]


def test_what_is_below_zero_is_said() -> None:
    own = parts([[1], [0], [0], [1], [1], [0]], [0, 0, 1, 1, 2, 2])
    notes = [block.text for block in noise_blocks(own, purchases(own), ["stored"], False) if isinstance(block, Note)]
    assert own.item.negative
    assert notes[0] == says.BELOW_0_COUNTS_AS_NONE
    assert noise_document(own, purchases(own))["variance"]["item"]["value"] == 0


@pytest.mark.parametrize(("priced", "head"), [(False, "gain per 1,000 calls"), (True, "gain per 1,000 spent")])
def test_what_is_gained_has_its_unit(priced: bool, head: str) -> None:
    own = parts([[1], [1], [0], [0], [1], [0]], [0, 0, 1, 1, 2, 2])
    *_, buys = noise_blocks(own, purchases(own), ["stored"], priced)
    assert isinstance(buys, Table)
    assert buys.columns[-1] == head
