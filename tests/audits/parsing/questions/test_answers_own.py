"""Answers that are not those of their text, options or items: what is said, with its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from label_rows import TableOfLabels, asked, codes
from sentences import parsing as says

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
    assert one.text == says.IN_ANSWERS_OF_THE_STORED
    assert (one.value, one.of, one.effect, one.points) == (20, 400, "fragile", 0)
    assert one.items[0] == "q9"
    assert known(row_sourced=[True] * N)[0] == {}
    assert known(row_sourced=[None, *[i > 1 for i in ROWS[1:]]])[0] == {}, "one answer of n"


def test_those_of_the_value_in_the_sentence_are_shown_first() -> None:
    """m lacks six, in items q5, q15, ..., and stands first; the sentence is about n's, in q9, q19, ..."""
    sourced = [i % 10 < 9 if i >= 200 else i % 10 != 5 or i > 60 for i in ROWS]
    one = known(row_sourced=[bool(each) for each in sourced])[0]["answers_unsourced"]
    assert (one.value, one.text) == (26, says.IN_ANSWERS_OF_THE_STORED)
    assert one.items[:2] == ["q9", "q19"]


@pytest.mark.parametrize("models", [[*"m" * 200, *[None] * 200], [None] * N])
def test_rows_without_a_model(models: list[str | None]) -> None:
    one = known(row_sourced=[bool(i < 200 or i % 10 < 9) for i in ROWS], model=models)[0]["answers_unsourced"]
    assert one.text.startswith(says.IN_ANSWERS_THE_STORED_ANSWER)
    assert [of.cell for of in one.cells] == ([{"model": None}] if "m" in models else [])


def test_letters_beside_the_text_of_another_option() -> None:
    letters = (ROWS % 4).tolist()
    texts = [(i + (i >= 200 and i % 3 == 0)) % 4 for i in ROWS]
    made = {"row_option_letter": letters, "row_option_text": texts}
    made = {name: pl.Series(values, dtype=pl.UInt8) for name, values in made.items()}
    one = known(**made)[0]["options_permuted"]
    assert one.text == says.WHERE_MODEL_LETTER_AND_OPTION
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
    assert one.text.startswith(says.WHERE_MODEL_ANSWERS_ARE_RIGHT)
    assert (one.effect, one.points, one.value) == ("reported", None, 200)


def test_the_points_of_a_model_that_answers_as_other_items_would_be() -> None:
    """All truths of n are 7, as half of its answers are, and none was called right; m is right in each item."""
    answers, truths = ([*range(100, 300), *rest] for rest in ([7, 8] * 100, [7] * 200))
    keys = {
        f"row_{name}_key": pl.Series(made, dtype=pl.UInt64) for name, made in (("answer", answers), ("truth", truths))
    }
    one = known(**keys, code_stored=codes([i < 200 for i in ROWS]))[0]["cell_no_skill"]
    assert one.text.startswith(f"{says.WHERE_MODEL_ANSWERS_ARE_RIGHT}-50.0 points in 200 trials)")


def test_what_could_not_be_looked_for() -> None:
    assert known()[1] == {
        "answers_unsourced": says.NO_STORED_ANSWER_IS_A,
        "options_permuted": says.NO_COLUMN_HOLDS_THE_OPTIONS,
        "cell_no_skill": says.NO_ANSWER_OR_TRUTH_COULD,
    }
