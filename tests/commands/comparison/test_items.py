"""Which items of two label tables are the same, and the paired comparison of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sentences import commands as says

from auditfw.commands.comparison.items import LabelledSide, MatchedItems, clash_note, matched_items, numberings
from auditfw.commands.comparison.pairing import paired_sides
from auditfw.core.errors import AuditError, DataError, NothingAudited

HASHES = ("row.question", "row.options", "row.truth")


def side(labels: list[bool | None] | None = None, **columns: Any) -> LabelledSide:
    """A side of trials; `item=["a"]` is row.item, and so on."""
    stored = {f"row.{name}" if name != "id" else name: values for name, values in columns.items()}
    number = len(next(iter(stored.values())))
    frame = {"id": [f"{number}/{row}" for row in range(number)], "stored": labels or [True] * number, **stored}
    schema = {name: pl.UInt64 for name in HASHES if name in frame}
    return LabelledSide(Path("run"), pl.DataFrame(frame, schema_overrides={"stored": pl.Boolean, **schema}), "stored")


def shared(matched: MatchedItems) -> list[str]:
    return sorted(matched.names.filter(pl.Series(matched.common)))


@pytest.mark.parametrize(
    ("one", "other", "key", "items"),
    [
        (side(item=["a", "b", "c"]), side(item=["c", "a", "d"]), "row.item", ["a", "c"]),
        (side(item=["x/1", "x/2"]), side(item=["y/2", "y/3"]), "row.item", ["2"]),
        (side(item=["1:a", "1:b"]), side(item=["a", "b"]), "row.item", ["a", "b"]),
        (side(item=["x/1", "x/2"]), side(item=["x/2", "y/1"]), "row.item", ["x/2"]),
        (side(question=[1, 2]), side(question=[2, 3]), "row.question", ["2"]),
        (side(item=[None, None], question=[1, 2]), side(item=["a", "b"], question=[2, 3]), "row.question", ["2"]),
        (
            side(question=[1, 1, 2], options=[5, 6, 7], truth=[1, 2, 3]),
            side(question=[1, 1, 2], options=[6, 5, 7], truth=[2, 1, 3]),
            "question and options",
            ["1/5", "1/6", "2/7"],
        ),
        (side(id=["a", "b"]), side(id=["b", "c"]), "id", ["b"]),
    ],
)
def test_the_key_with_the_most_common_items(one: LabelledSide, other: LabelledSide, key: str, items: list[str]) -> None:
    matched = matched_items(one, other)
    assert (matched.key, shared(matched)) == (key, items)


def test_ids_of_two_numberings_give_way_to_questions() -> None:
    numbers = list(range(100))
    one = side(item=[str(n) for n in numbers], question=numbers)
    other = side(item=[str(n) for n in numbers], question=[*numbers[:97], 98, 99, 97])
    matched = matched_items(one, other)
    assert (matched.key, matched.common.sum()) == ("row.question", 100)
    assert numberings(matched.refused) == says.ITEMS_ARE_TWO_NUMBERINGS
    near = side(item=[str(n) for n in numbers], question=[*numbers[:98], 99, 98])
    assert matched_items(one, near).key == "row.item"


def test_trials_of_one_item_and_trials_of_other_truths() -> None:
    """Item a has two trials of one truth, item b trials of two truths: it is left out, and counted."""
    one = side(item=["a", "a", "b", "b", "c"], truth=[1, 1, 2, 3, 4])
    other = side(item=["a", "b", "c"], truth=[9, 2, 4])
    matched = matched_items(one, other)
    assert (shared(matched), matched.clashes) == (["a", "c"], (1, 0))
    assert clash_note(matched) == says.AN_ITEM_OF_DIFFERENT_TRUTHS
    assert matched.numbers[0].tolist() == [0, 0, -1, -1, 1]
    assert matched.other_truth.tolist() == [True, False]


def test_sets_and_sums() -> None:
    """a on both; b without a label in B; c only in A; d only in B; e has another truth."""
    one = side([True, False, True, True, True], item=["a", "a", "b", "c", "e"], truth=[1, 1, 2, 3, 5])
    other = side([True, None, False, False], item=["a", "b", "d", "e"], truth=[1, 2, 4, 6])
    both = paired_sides(one, other)
    names = ["common", "only_a", "only_b", "unscored_a", "unscored_b", "other_truth"]
    assert both.sets() == dict(zip(names, (2, 1, 1, 0, 1, 1), strict=True))
    assert [column.tolist() for column in both.sums] == [
        [2, 1, 1, 1, 0],
        [1, 1, 1, 1, 0],
        [1, 0, 0, 1, 1],
        [1, 0, 0, 0, 0],
    ]
    assert both.rows().rows() == [("a", 0, 0), ("e", 4, 3)]
    assert both.paired().rates.difference == pytest.approx((1 + 1) / 3 - 1 / 2)


@pytest.mark.parametrize(
    ("one", "other", "on", "kind", "message"),
    [
        (side(item=["a"]), side(item=["b"]), None, NothingAudited, "0 of 1 and 1 items are common (tried item)"),
        (side(item=["a"]), side(question=[1]), "item", DataError, "run has no such column"),
        (side(item=["a", "a"], truth=[1, 2]), side(item=["a"], truth=[1]), "item", DataError, "not an item"),
        (
            side(item=["a"], question=[1]),
            side(item=["a"], question=[2]),
            None,
            NothingAudited,
            "two numberings: 0 of 1 question agree",
        ),
        (side(item=["a"]), side(item=["b"]), "item", NothingAudited, "0 of 1 and 1 items are common (tried item)"),
    ],
)
def test_what_cannot_be_matched(
    one: LabelledSide, other: LabelledSide, on: str | None, kind: type[AuditError], message: str
) -> None:
    with pytest.raises(kind, match=message.replace("(", r"\(").replace(")", r"\)")):
        matched_items(one, other, on)


def test_no_common_item_has_a_label() -> None:
    with pytest.raises(NothingAudited, match="no item of 1 and 1 has a label on both sides"):
        paired_sides(side([None], item=["a"]), side([True], item=["a"]))
