"""Items that models lack, and questions under several items: by hand."""

from __future__ import annotations

from types import SimpleNamespace

from label_rows import TableOfLabels, asked, codes, hashes
from sentences import parsing as says

from auditfw.audits.parsing.questions.items import ItemsOfModels

WHERE_MODEL = "no column names the models: map source.columns.model"
WHERE_ITEM = "no column says which rows are of one item: source.columns.item holds nothing"


def table(rows: list[tuple[str, int, bool]], **further: object) -> TableOfLabels:
    models, items, right = zip(*rows, strict=True)
    columns = {"model": models, "row.item": [f"q{item}" for item in items], "code.stored": codes(right)}
    return TableOfLabels({**columns, **further}, ["model"], "model")


def test_hard_items_that_a_model_lacks() -> None:
    """m is right in 60 of 100; n lacks the 20 hardest of these, and is right in 60 of its 80."""
    rows = [*(("m", i, i < 60) for i in range(100)), *(("n", i, i < 60) for i in range(80))]
    known, _ = asked(ItemsOfModels(), table(rows))
    one = known["items_uneven"]
    assert one.text.startswith(says.LACKS_OF_ITEMS_IS_RIGHT)
    assert (one.value, one.of, round(one.points or 0, 9), one.effect) == (20, 200, 15, "fragile")
    assert [(dict(of.cell), of.value) for of in one.cells] == [({"model": "n"}, 20)]
    assert one.detail == {"rates": {"m": 60, "n": 75}, "common": {"m": 75, "n": 75}}
    assert one.items[0] == "q80"


def test_items_that_are_lacking_at_random() -> None:
    rows = [*(("m", i, i % 5 < 3) for i in range(100)), *(("n", i, i % 5 < 3) for i in range(80))]
    assert asked(ItemsOfModels(), table(rows))[0]["items_uneven"].effect == "reported"


def test_the_same_items_and_other_ones() -> None:
    both = [(model, i, i < 60) for model in "mn" for i in range(100)]
    assert asked(ItemsOfModels(), table(both))[0] == {}
    apart = [("m" if i < 50 else "n", i, i < 60) for i in range(100)]
    assert asked(ItemsOfModels(), table(apart))[0] == {}, "by design"


def test_questions_that_stand_twice() -> None:
    rows = [("m", i, i < 60) for i in range(100)]
    questions = hashes([f"question {max(2, i)}" for i in range(100)])
    truths = hashes([f"truth {i if i == 2 else max(1, i)}" for i in range(100)])
    one = asked(ItemsOfModels(), table(rows, **{"row.question": questions, "row.truth_key": truths}))[0][
        "question_twice"
    ]
    assert one.text == says.OF_ITEMS_HAVE_A_QUESTION
    assert (one.value, one.of, one.effect, one.detail) == (3, 100, "reported", {"questions": 1, "truths": 1})
    assert sorted(one.items) == ["q0", "q1", "q2"]


def test_ids_that_are_row_numbers() -> None:
    rows = table([(model, i, i < 60) for model in "mn" for i in range(100)])
    rows.settings = rows.settings._replace(source=SimpleNamespace(columns={"id": "#", "item": "qid"}))
    one = asked(ItemsOfModels(), rows)[0]["ids_numbered"]
    assert (one.text, one.effect, one.shown) == (
        says.IDS_ARE_ROW_NUMBERS_SINCE, "reported", False,
    )  # fmt: skip


def test_a_form_in_place_of_the_question() -> None:
    rows = [("m", i, i < 60) for i in range(100)]
    alike = hashes(["Answer the following question."] * 100)
    known, whys = asked(ItemsOfModels(), table(rows, **{"row.question": alike}))
    assert (known, whys) == ({}, {})
    known, whys = asked(ItemsOfModels(), table(rows, **{"row.item": [None] * 100, "row.question": alike}))
    assert whys["items_uneven"] == WHERE_ITEM


def test_items_by_their_questions() -> None:
    rows = [*(("m", i, i < 60) for i in range(100)), *(("n", i, i < 60) for i in range(80))]
    questions = hashes([f"question {item}" for _, item, _ in rows])
    known, _ = asked(ItemsOfModels(), table(rows, **{"row.item": [None] * 180, "row.question": questions}))
    assert known["items_uneven"].effect == "fragile"


def test_what_could_not_be_looked_for() -> None:
    rows = TableOfLabels({"row.item": [f"q{i}" for i in range(9)], "code.stored": codes([True] * 9)})
    assert asked(ItemsOfModels(), rows)[1]["items_uneven"] == WHERE_MODEL
    assert asked(ItemsOfModels(), TableOfLabels({"code.stored": codes([True] * 9)}))[1]["items_uneven"] == WHERE_ITEM
