"""Rows and models that stand twice: what is said, with its numbers, and when an order hangs on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from label_rows import TableOfLabels, asked, codes, hashes
from sentences import parsing as says

import auditfw
from auditfw.audits.parsing.questions.items import CopiesOfRows

N = 100


def table(rows: Sequence[tuple[str, int, str, bool]], **further: Any) -> TableOfLabels:
    """A table of rows: the model, the item, the text and whether it is right."""
    models, items, texts, right = zip(*rows, strict=True)
    columns = {
        "model": models,
        "row.item": [f"q{item}" for item in items],
        "code.stored": codes(right),
        "row.text": hashes(texts),
        "row.truth_key": hashes([f"truth {item}" for item in items]),
        "row.rest": hashes(models),
        "row.mask": hashes(texts),
        "row.mask_chars": [len(text) for text in texts],
        "row.chars": [len(text) for text in texts],
    }
    return TableOfLabels({**columns, **further}, ["model"], "model")


def own(model: str, right: int, text: str = "") -> list[tuple[str, int, str, bool]]:
    """A row for each item, so many of them right."""
    return [(model, item, f"{text or model} answers item {item} like this", item < right) for item in range(N)]


def test_rows_that_stand_twice() -> None:
    rows = own("m", 60)
    known, whys = asked(CopiesOfRows(), table([*rows, *rows[:20]]))
    one = known["rows_twice"]
    assert one.text == says.ROWS_STAND_TWICE_RIGHT_WITHOUT
    assert (one.value, one.of, one.effect) == (20, 120, "fragile")
    assert round(one.points or 0, 6) == round(100 * (80 / 120 - 0.6), 6)
    assert one.places[:2] == ["mine.jsonl:1", "mine.jsonl:101"], "a row and its copy"
    assert one.next == says.COMPARE_WITH_WAS_A_FILE
    assert whys == {}


def test_a_few_of_them_turn_no_order() -> None:
    rows = [*own("m", 60), *own("n", 40)]
    one = asked(CopiesOfRows(), table([*rows, rows[3]]))[0]["rows_twice"]
    assert one.text.startswith("1 row stands twice: ")
    assert one.effect == "reported"


def test_other_repeats_are_no_copies() -> None:
    twice = [row for row in own("m", 60) for _ in range(2)]
    rows = [(model, item, f"{text} {i % 2}", right) for i, (model, item, text, right) in enumerate(twice)]
    assert asked(CopiesOfRows(), table(rows))[0] == {}


def test_a_model_under_two_names() -> None:
    long = "a text that is long enough to be no template, and goes on for a while:"
    rows = [*own("m", 60, long), *own("n", 60, long), *own("o", 50)]
    known, _ = asked(CopiesOfRows(), table(rows))
    one = known["cell_twice"]
    assert one.text == says.IS_A_COPY_OF_OF
    assert (one.effect, one.value, one.points) == ("fragile", 1, None)
    assert one.explains == ["rows_twice", "items_uneven"]
    assert one.items[0] == "q0"
    assert one.places[0] == "mine.jsonl:101"


def test_a_column_of_filters_is_no_copy() -> None:
    long = "a text that is long enough to be no template, and goes on for a while:"
    rows = table([*own("m", 60, long), *own("n", 60, long)])
    rows = TableOfLabels({**rows.table.to_dict(), "filter": rows.table["model"], "model": ["m"] * 200}, ["filter"])
    assert asked(CopiesOfRows(), rows)[0] == {}


def test_repeats_that_are_all_equal() -> None:
    rows = [row for row in own("m", 60) for _ in range(4)]
    further = {"repeat": [i % 4 for i in range(400)], "row.rest": hashes([f"m{i % 4}" for i in range(400)])}
    made = table(rows, **further)
    made.by = ["model", "repeat"]
    one = asked(CopiesOfRows(), made)[0]["repeats_equal"]
    assert (one.value, one.of, one.effect) == (100, 100, "reported")


@pytest.mark.parametrize("lacking", ["row.text", "row.truth_key"])
def test_texts_and_truths_are_both_needed(lacking: str) -> None:
    rows = own("m", 60)
    known, whys = asked(CopiesOfRows(), table([*rows, *rows[:20]], **{lacking: hashes([None] * 120)}))
    assert (known, set(whys)) == ({}, {"rows_twice", "repeats_equal", "cell_twice"})


def test_without_texts() -> None:
    _, whys = asked(CopiesOfRows(), TableOfLabels({"code.stored": codes([True] * 9)}))
    assert set(whys.values()) == {says.NO_TEXTS_ARE_READ_HOLDS}


@pytest.mark.parametrize(
    ("known", "pairs"), [({}, "2 of 2"), ({"cell_twice": {"value": 1, "why": "two quantisations"}}, "3 of 3")]
)
def test_a_copy_is_not_compared_with_its_original(known: dict[str, Any], pairs: str) -> None:
    """m and n have the same texts, and other labels."""
    words = ["red", "blue", "green", "white", "black", "brown", "grey", "pink", "gold", "plum"]
    rows = [
        {"id": f"{model}{item}", "item": item, "model": model, "ground_truth": "x", "stored": right,
         "raw_text": f"{text} {words[item // 10]} and {words[item % 10]} {'and so it goes on and on ' * 3}"}
        for model, item, text, right in [*own("m", 90, "It"), *own("n", 60, "It"), *own("o", 20)]
    ]  # fmt: skip
    settings = {"parser": ["last_line"], "normalizer": ["none"], "matcher": "exact", "by": ["model"], "gate": []}
    source = {"use": "frame", "frame": rows}
    audit = {"baseline": None, "known": known}
    result = auditfw.run({"experiment": "answer_parsing", "source": source, "audit": audit, **settings})
    assert [one.kind for one in result.findings if one.kind == "cell_twice"] == ["cell_twice"]
    assert result.answer is not None
    assert f"Significantly different pairs: model {pairs}" in result.answer.scope
