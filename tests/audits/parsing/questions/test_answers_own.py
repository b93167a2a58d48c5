"""Answers that are not those of their text, options or items: what is said, with its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from label_rows import TableOfLabels, asked, codes

from auditfw.audits.parsing.questions.answers_own import AnswersOwn

N = 400
ROWS = np.arange(N)
MODELS = ["m" if i < 200 else "n" for i in ROWS]


def known(**columns: Any) -> Any:
    made = {
        "model": MODELS,
        "row.item": [f"q{i % 200}" for i in ROWS],
        "code.stored": codes((ROWS % 10 < 6).tolist()),
        **{name.replace("_", ".", 1): values for name, values in columns.items()},
    }
    return asked(AnswersOwn(), TableOfLabels(made, ["model"], "model"))


def test_stored_answers_that_are_not_in_the_text() -> None:
    """The last of every ten answers of n that are wrong: none of them is right."""
    sourced = [bool(i < 200 or i % 10 < 9) for i in ROWS]
    one = known(row_sourced=sourced)[0]["answers_unsourced"]
    assert one.text == (
        "In 20 answers of n the stored answer is not in the text; 0 % of them are right, 67 % of its others."
    )
    assert (one.value, one.of, one.effect, one.points) == (20, 400, "fragile", 0)
    assert one.items[0] == "q9"
    assert known(row_sourced=[True] * N)[0] == {}
    assert known(row_sourced=[None, *[i > 1 for i in ROWS[1:]]])[0] == {}, "one answer of n"


@pytest.mark.parametrize("models", [[*"m" * 200, *[None] * 200], [None] * N])
def test_rows_without_a_model(models: list[str | None]) -> None:
    one = known(row_sourced=[bool(i < 200 or i % 10 < 9) for i in ROWS], model=models)[0]["answers_unsourced"]
    assert one.text.startswith("In 20 answers the stored answer is not in the text; ")
    assert [of.cell for of in one.cells] == ([{"model": None}] if "m" in models else [])


def test_letters_beside_the_text_of_another_option() -> None:
    letters = (ROWS % 4).tolist()
    texts = [(i + (i >= 200 and i % 3 == 0)) % 4 for i in ROWS]
    made = {"row_option_letter": letters, "row_option_text": texts}
    made = {name: pl.Series(values, dtype=pl.UInt8) for name, values in made.items()}
    one = known(**made)[0]["options_permuted"]
    assert one.text == "Where model = n, letter and option text name different options in 34 % of 200 answers."
    assert (one.effect, one.value, one.of, one.points) == ("fragile", 67, 200, 16.75)
    made["row_option_text"] = pl.Series(letters, dtype=pl.UInt8)
    assert known(**made)[0] == {}


def test_a_model_whose_truths_are_those_of_other_items() -> None:
    truths = np.random.default_rng(1).integers(1, 60, 200)
    answers = np.concatenate([np.where(ROWS[:200] % 10 < 8, truths, 99), np.where(ROWS[:200] % 10 < 8, truths, 99)])
    moved = np.concatenate([truths, np.random.default_rng(2).permutation(truths)])
    keys = {"row_answer_key": answers, "row_truth_key": moved}
    keys = {name: pl.Series(values, dtype=pl.UInt64) for name, values in keys.items()}
    one = known(**keys, code_stored=codes((answers == moved).tolist()))[0]["cell_no_skill"]
    assert one.text.startswith("Where model = n, answers are right as often as they equal other items' truths (")
    assert (one.effect, one.points, one.value) == ("reported", None, 200)


def test_what_could_not_be_looked_for() -> None:
    assert known()[1] == {
        "answers_unsourced": "no stored answer is a number, a letter, yes or no",
        "options_permuted": "no column holds the options of questions: source.columns.choices holds nothing",
        "cell_no_skill": "no answer or truth could be read",
    }
