"""Truths that are missing, and items with several: what is said, and what is no fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest
from label_rows import TableOfLabels, asked, codes
from sentences import parsing as says

from auditfw.audits.parsing.kept.keys import hashed, normalized_truth
from auditfw.audits.parsing.questions.truths import TruthsWhole

N = 100


def known(truths: Sequence[str], right: int = 60, item: str = "declared", models: str = "m" * N) -> dict[str, Any]:
    """What is said of a table of items in turn, the first of which are right."""
    keys = pl.Series([hashed(normalized_truth(truth)) if truth else None for truth in truths], dtype=pl.UInt64)
    items = [f"q{i % N}" for i in range(len(truths))]
    labels = codes([i % N < right for i in range(len(truths))])
    columns = {"row.item": items, "row.truth": keys, "row.truth_key": keys, "code.stored": labels, "code.last": labels}
    rows = TableOfLabels({**columns, "model": list(models)}, ["model"], "model", item)
    return asked(TruthsWhole(), rows)[0]


def own(first: int = 0) -> list[str]:
    return [f"truth {i}" for i in range(first, N)]


def test_truths_that_look_like_none() -> None:
    one = known([*own(10), "", "", "", "", "None", "none", "None", "None", "N/A", "N/A"])["truths_missing"]
    assert one.text == says.OF_TRUTHS_ARE_MISSING_ARE
    assert (one.value, one.of, one.points, one.effect) == (10, 100, 6, "reported")
    assert one.next == 'If they mean none: source.nulls={ground_truth: ["None", "none", "N/A", "n/a"]}'
    assert one.places[0] == "mine.jsonl:91"


def test_many_of_them_move_the_rate() -> None:
    assert known([*own(10), *["None"] * 10])["truths_missing"].effect == "fragile"
    assert known([*own(10), *[""] * 10])["truths_missing"].effect == "reported", "not scored"


def test_a_word_that_is_an_answer() -> None:
    assert known(["None", *own(1)]) == {}, "the first answer is right"


def test_items_with_two_truths() -> None:
    models = "m" * N + "n" * N
    one = known([*own(), *own()[:98], "a", "b"], models=models)["truths_differ"]
    assert one.text == says.OF_ITEMS_HAVE_MORE_THAN
    assert (one.value, one.of, one.points, one.effect) == (2, 100, 2, "reported")
    assert one.items == ["q98", "q99"]
    assert one.next == says.COMPARE_THE_TRUTHS_AT_AND
    assert known([*own(), *own()[:90], *"abcdefghij"], models=models)["truths_differ"].effect == "broken"


def test_where_items_are_guessed_they_are_reported() -> None:
    truths = [*own(), *own()[:90], *"abcdefghij"]
    assert known(truths, item="guessed", models="m" * N + "n" * N)["truths_differ"].effect == "reported"


@pytest.mark.parametrize("column", ["filter", "assertion"])
def test_rules_may_have_truths_of_their_own(column: str) -> None:
    """Each rule has its own truth of every item; of an assertion several of one name."""
    truths = [*own(), *(f"{truth} and more" for truth in own())]
    keys = pl.Series([hashed(truth) for truth in truths], dtype=pl.UInt64)
    labels, rules = codes([True] * 200), ["strict"] * N + ["loose" if column == "filter" else "strict"] * N
    columns = {"row.item": [f"q{i % N}" for i in range(200)], "row.truth": keys, "row.truth_key": keys}
    rows = TableOfLabels({**columns, "code.stored": labels, column: rules}, [column])
    assert [one.effect for one in asked(TruthsWhole(), rows)[0].values()] == ["reported"] * (column == "assertion")


def test_truths_of_their_own() -> None:
    assert known([*own(), *own()], models="m" * N + "n" * N) == {}
    assert "truths_differ" not in known([*own(), *own()[:99], "None"], models="m" * N + "n" * N)


def test_without_any_truth() -> None:
    one = asked(TruthsWhole(), TableOfLabels({"code.stored": codes([True] * 9)}))[0]["truths_missing"]
    assert (one.text, one.value, one.of, one.effect) == ("All 9 truths are empty.", 9, 9, "reported")
