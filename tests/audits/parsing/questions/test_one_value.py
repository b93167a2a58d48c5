"""One truth for nearly all items, one label for all rows: what is said."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest
from label_rows import TableOfLabels, asked, codes
from sentences import parsing as says

from auditfw.audits.parsing.kept.keys import key_of
from auditfw.audits.parsing.questions.truths import OneValue
from auditfw.formulas.texts.truth_kinds import kind_of


def of(truths: Sequence[str], stored: Sequence[bool], called: Sequence[bool]) -> TableOfLabels:
    keys = pl.Series([key_of(truth, kind_of(truth), truth) for truth in truths], dtype=pl.UInt64)
    items = [f"q{i}" for i in range(len(truths))]
    return TableOfLabels(
        {"row.item": items, "row.truth_key": keys, "code.stored": codes(stored), "code.last": codes(called)}
    )


@pytest.mark.parametrize(
    ("truths", "text", "effect"),
    [
        (["A"] * 40, says.ALL_ITEMS_HAVE_ONE_TRUTH, "unknown"),
        (["12"] * 38 + ["13", "14"], says.OF_ITEMS_HAVE_ONE_TRUTH, "reported"),
        (["A"] * 75 + list("BCDBC") * 5, says.OF_ITEMS_HAVE_ONE_TRUTH_2, "reported"),
        (["yes"] * 75 + ["no"] * 25, "", ""),
        (list("ABCD") * 10, "", ""),
        (["A"] * 19, "", ""),
    ],
)
def test_one_truth(truths: list[str], text: str, effect: str) -> None:
    right = [i % 2 > 0 for i in range(len(truths))]
    one = asked(OneValue(), of(truths, right, right))[0].get("one_truth")
    assert (text, effect) == ("", "") if one is None else (one.text, one.effect) == (text, effect)


def test_one_label() -> None:
    truths = [str(i) for i in range(40)]
    one = asked(OneValue(), of(truths, [True] * 40, [i < 30 for i in range(40)]))[0]["one_label"]
    assert one.text == says.ALL_STORED_LABELS_ARE_RIGHT
    assert (one.effect, one.value, one.points) == ("unknown", 40, 25)
    assert one.items[0] == "q30"
    unfit = of(truths, [True] * 40, [i < 30 for i in range(40)])
    unfit.unfit = ["last"]
    assert asked(OneValue(), unfit)[0] == {}
    one = asked(OneValue(), of(truths, [False] * 40, [i < 30 for i in range(40)]))[0]["one_label"]
    assert one.text == says.ALL_STORED_LABELS_ARE_WRONG
    assert asked(OneValue(), of(truths, [True] * 40, [i < 39 for i in range(40)]))[0] == {}
    assert asked(OneValue(), of(truths, [i < 9 for i in range(40)], [True] * 40))[0] == {}
