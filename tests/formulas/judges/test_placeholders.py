"""Labels that say that there is none, and those that only look so."""

from __future__ import annotations

import numpy as np
import pytest

from auditfw.formulas.judges.placeholders import RatedItems, placeholders

N = 100
YES = ["yes", "no"]


def labels(words: list[str], seed: int = 0) -> list[list[str]]:
    """Two raters that agree on nine of ten items."""
    draw = np.random.default_rng(seed)
    one = draw.choice(words, N)
    return [one.tolist(), np.where(draw.random(N) < 0.1, draw.choice(words, N), one).tolist()]


def rated(rows: list[list[str]], reference: int | None = 0) -> RatedItems:
    names = sorted({label for row in rows for label in row} - {""})
    codes = [[names.index(label) if label else -1 for label in row] for row in rows]
    return RatedItems(names, np.array(codes, np.int16), reference)


@pytest.mark.parametrize("word", ["None", "nan", "null", "undefined", "#N/A"])
@pytest.mark.parametrize("words", [YES, ["1", "2", "3"]])
def test_words_of_programs(word: str, words: list[str]) -> None:
    rows = labels(words)
    rows[1][:6] = [word] * 6
    rows[0][5:7] = [word] * 2
    found = placeholders(rated(rows))
    assert found is not None
    assert (list(found.names), found.n, found.total, found.by_rater, found.touched) == ([word], 8, 2 * N, [2, 6], 7)
    assert found.sure
    assert placeholders(rated(rows), [word, *words]) is None, "declared labels are labels"


@pytest.mark.parametrize(
    ("words", "word", "times", "sure"),
    [
        (YES, "None", 1, False),  # one is a slip
        (YES, "None", 2, False),
        (YES, "N/A", 10, False),  # people choose it
        (YES, "error", 10, False),
        (["1", "2"], "N/A", 10, True),  # not among numbers
        (YES, "-1", 10, True),
        (["0", "1", "2", "3"], "-1", 10, True),
    ],
)
def test_how_sure(words: list[str], word: str, times: int, sure: bool) -> None:
    rows = labels(words)
    rows[1][:times] = [word] * times
    found = placeholders(rated(rows))
    assert found is not None
    assert found.sure is sure


@pytest.mark.parametrize(
    ("words", "word"),
    [
        (YES, "none"),  # written so by people
        (["0", "1"], "-1"),  # a step below
        (["-2", "-1", "0", "1"], "-1"),
        (["mild", "severe"], "none"),
    ],
)
def test_labels_of_people(words: list[str], word: str) -> None:
    rows = labels(words)
    rows[1][:10] = [word] * 10
    assert placeholders(rated(rows)) is None


def test_minus_one_is_the_lowest_step() -> None:
    """The others say 0 where one rater says -1."""
    rows = labels(["0", "1", "2", "3"])
    low = [i for i, label in enumerate(rows[0]) if label == "0"]
    for i in low[:10]:
        rows[1][i] = "-1"
    assert placeholders(rated(rows)) is None


def test_a_label_that_raters_agree_on() -> None:
    """Both give None to the same items: among words that may be a label, among numbers it is none."""
    for words, sure in ((YES, False), (["1", "2", "3"], True)):
        rows = labels(words)
        for row in rows:
            row[:14] = ["None"] * 14
        found = placeholders(rated(rows))
        assert found is not None
        assert found.sure is sure


def test_nothing_else() -> None:
    assert placeholders(rated([["None"] * 9, ["None"] * 9])) is None
    assert placeholders(rated([[""] * 9, [""] * 9])) is None


@pytest.mark.parametrize(
    ("sets", "sure"),
    [
        (["", "1", "2", "3", "12", "13", "23", "123"] * 5, True),  # pairs are 6 in 8, as by chance
        ([*["123"] * 30, "1", *[""] * 69], False),
    ],
)
def test_three_raters_that_agree_on_none(sets: list[str], sure: bool) -> None:
    words = labels(YES)[0][: len(sets)]
    rows = [["None" if rater in one else word for one, word in zip(sets, words, strict=True)] for rater in "123"]
    found = placeholders(rated(rows))
    assert found is not None
    assert found.sure is sure
