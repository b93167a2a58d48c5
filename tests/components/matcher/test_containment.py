"""Matchers of texts: tables to check by hand, and needles that equal the definition on hostile texts."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import polars
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import auditfw
from auditfw import Result
from auditfw.components.matcher.choice import Choice
from auditfw.components.matcher.math import Math
from auditfw.components.matcher.numeric import Numeric
from auditfw.components.matcher.texts import Containment, Exact, Prefix
from auditfw.core.errors import UsageError
from auditfw.core.native import compiled

BLANK_SETS = (
    None, frozenset(), frozenset(".,;:!?'\"()[]{}"), frozenset(".,;:!?'\"()[]{}*_`~"), frozenset("ab8_^]\\-²"),
)  # fmt: skip
DROP = {"use": "remove_characters", "characters": "."}
SET_NAMES = ("as it stands", "white space", "v1", "v2", "odd")
PIECES = (
    *(
        "a",
        "b",
        "8",
        "18",
        "paris",
        "rome",
        "i\u0307",
        "ſ",
        "ς",
        "ß",
        "²",
        "½",
        "₂",
        "①",
        "京",
        "é",
        "e\u0301",
        "\u200d",
    ),
    *(
        "\x1c",
        "\x1f",
        "\x85",
        "\xa0",
        "\u2028",
        "\n",
        "\t",
        " ",
        "  ",
        ".",
        ",",
        "_",
        "*",
        "$",
        "%",
        "+",
        "-",
        "^",
        "]",
        "\\",
    ),
    *("a b", "new york", "c++", "50%", "$100", "-8", "1 000", "d.c.", "washington"),
)
texts = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=10).map("".join)


def tail(text: str, blanks: frozenset[str] | None) -> str:
    """What the end of a normalizer does: each of these characters a blank, runs of blanks one, none at the ends."""
    if blanks is None:
        return text
    text = "".join(" " if c in blanks or c.isspace() else c for c in text)
    return re.sub(" +", " ", text).strip(" ")


def agrees(text: str, truth: str, blanks: frozenset[str] | None) -> None:
    matcher = Containment()
    assert matcher.needle(truth, blanks)(text) is matcher(tail(text, blanks), truth)


@pytest.mark.parametrize("blanks", BLANK_SETS, ids=SET_NAMES)
@given(text=texts, truth=texts)
def test_a_needle_equals_the_definition(blanks, text, truth):
    truth = tail(truth, blanks)
    assume(truth)
    agrees(text, truth, blanks)
    agrees(f"{text}{truth}", truth, blanks)


@pytest.mark.parametrize("blanks", BLANK_SETS, ids=SET_NAMES)
@given(before=texts, truth=texts, after=texts, gap=st.sampled_from([" ", "\n", " \x1c\u2028", ". ", "*_", "\t,"]))
def test_a_needle_finds_what_is_there(blanks, before, truth, after, gap):
    truth = tail(truth, blanks)
    assume(truth)
    agrees(before + gap.join(truth.split(" ")) + after, truth, blanks)


@pytest.mark.parametrize("truth", [" a", "a ", "a  b", "a.b", "_", "a\nb", " washington  "])
@pytest.mark.parametrize("blanks", BLANK_SETS, ids=SET_NAMES)
@given(text=texts)
def test_a_needle_for_an_odd_truth_equals_the_definition(truth, blanks, text):
    agrees(text, truth, blanks)
    agrees(f"{text} {truth}", truth, blanks)


def test_what_counts_as_white_space_and_as_a_word_character():
    """The patterns take \\s and \\w for what strip(), split() and isalnum() say, on every character."""
    for character in map(chr, range(sys.maxunicode + 1)):
        assert bool(re.match(r"\s", character)) == character.isspace()
        assert bool(re.match(r"\w", character)) == (character.isalnum() or character == "_")


OTHER_NUMBERS = (
    ("2.97", "2.7"), ("1850", "18"), ("18.5", "18"), ("-5", "5"), ("0.5", "5"), ("3/4", "3"), ("1.8", "18"),
    ("1,234", "1"), ("250", "25"), ("12", "1.2"),
)  # fmt: skip
SAME_NUMBERS = (
    ("18", "18"), ("2,664", "2664"), ("2664", "2,664"), ("$18", "18"), ("18.0", "18"), ("0.5", ".5"), ("-5", "-5"),
    ("18 dollars", "18"),
)  # fmt: skip

CONTAINED = [
    *(("8 5", "8", True), ("-8", "8", True), ("18", "8", False), ("the answer is -8", "-8", False), ("-8", "-8", True)),
    *(("it is 50% now", "50%", False), ("50%", "50%", True), ("i like c++ a lot", "c++", False), ("a cat", "a", True)),
    *(("romequestion", "rome", False), ("parisian", "paris", True), ("11 0001", "1 000", True), ("", "paris", False)),
    *(("12345", "1234", False), ("x 12345 y", "12345", True), ("x123456", "12345", False)),
    ("我住在京都市", "京都", False),
]


@pytest.mark.parametrize(("answer", "truth", "expected"), CONTAINED)
def test_containment(answer, truth, expected):
    assert Containment()(answer, truth) is expected
    for blanks in BLANK_SETS[:2]:
        assert Containment().needle(truth, blanks)(answer) is expected


@pytest.mark.parametrize(
    ("matcher", "answer", "truth", "expected"),
    [
        (Exact(), "paris", "paris", True),
        (Exact(), "paris ", "paris", False),
        (Prefix(), "yes, it is", "yes", True),
        (Prefix(), "oh yes", "yes", False),
        (Numeric(), "18.00", "# 18", True),
        (Numeric(), "$1,000 or 2", "1000", True),
        (Numeric(), "2 or $1,000", "1000", False),
        (Numeric(which="last"), "2 or $1,000", "1000", True),
        (Numeric(which="any"), "2 or $1,000 or 3", "1000", True),
        (Numeric(which="any"), "none", "1000", False),
        (Numeric(), "3/4", "0.75", True),
        (Numeric(), "no number", "5", False),
        (Numeric(), "5", "no number", None),
        (Numeric(), "3.14", "3.1415", False),
        (Numeric(tolerance=0.01), "3.14", "3.1415", True),
        (Numeric(relative=0.01), "101", "100", True),
        (Numeric(relative=0.01), "-101", "-100", True),
        (Numeric(relative=0.01), "101.5", "100", False),
        (Numeric(relative=0.0), "0.1", "0.10000000000000000001", False),
        (Numeric(), "0.1", "0.10000000000000000001", True),
        (Numeric(), "3.999999999999999", "4", True),
        (Numeric(), "0.30000000000000004", "0.3", True),
        (Numeric(), "3.99999", "4", False),
        (Numeric(), "0.00000001", "0", False),
        # whole numbers have no noise
        (Numeric(), "10000000001", "10000000000", False),
        (Numeric(), "10,000,000,001.00", "1e10", False),
        (Numeric(), "1" + "0" * 40, "1" + "0" * 39 + "1", False),
        (Numeric(relative=1e-8), "10000000001", "10000000000", True),
        (Numeric(tolerance=1), "10000000001", "10000000000", True),
        # exponents
        (Numeric(), "1e3", "1000", True),
        (Numeric(), "1e3", "1", False),
        (Numeric(), "it is -2.5E-3 m", "-0.0025", True),
        (Numeric(), "1.5e−3", "0.0015", True),
        (Numeric(), "1e+03", "1000", True),
        (Numeric(which="last"), "2 or $1.5e3.", "1500", True),
        (Numeric(which="any"), "2, 1e3, 4", "1000", True),
        (Numeric(), "1e3/2", "500", True),
        (Numeric(), "1e", "1", True),
        (Numeric(), "1e999", "1", False),
        (Numeric(), "1e9999", "1", False),
        (Numeric(), "1", "1e9999", None),
        # what no number may accept, and what it must
        *((Numeric(), answer, truth, False) for answer, truth in OTHER_NUMBERS),
        *((Numeric(), answer, truth, True) for answer, truth in SAME_NUMBERS),
        (Choice(), "the answer is (c)", "C", True),
        (Choice(), "(A)", "b", False),
        (Choice(), "I do not know", "b", False),
        (Choice(), "(A)", "paris is", None),
        (Choice(), "the answer is (H)", "H", True),
        (Choice(), "I do not know", "I", False),
        (Choice(), "(A)", "K", None),
        (Choice("ABCDE"), "(C)", "F. Vitamin C", None),
        (Choice("ABCDE"), "(C)", "C. Vitamin F", True),
    ],
)
def test_other_matchers(matcher, answer, truth, expected):
    assert matcher(answer, truth) is expected


def trials_of(rows: list[tuple[str, str]], folder: Path, **audit: Any) -> tuple[Result, polars.DataFrame]:
    """A run over texts and truths of which the stored label is always right."""
    source = folder / "rows.jsonl"
    told = [{"raw_text": text, "ground_truth": truth, "stored": 1} for text, truth in rows]
    source.write_text("".join(json.dumps(row) + "\n" for row in told), "utf-8")
    settings = {"experiment": "answer_parsing", "source": {"use": "jsonl", "path": str(source)}, "by": [], "gate": []}
    settings |= {"parser": ["raw"], "normalizer": ["none"], "matcher": "choice", "audit": audit}
    audit |= {"verify": 1.0, "baseline": {"parser": "raw", "normalizer": "none"}}
    result = auditfw.run(settings, folder=folder / "run")
    return result, polars.read_parquet(folder / "run" / "trials.parquet")


def numbers_of(result: Result) -> dict[str, tuple[float | None, int, int]]:
    """Value, counted and missing of each overall measurement of the reading raw+none."""
    found = (m for m in result.measurements if m.overall and m.reading == "raw+none")
    return {m.metric: (m.estimate.value, m.estimate.counted, m.estimate.missing) for m in found}


@pytest.mark.parametrize("name", ["native", "python"])
@pytest.mark.parametrize("undefined", ["zero", "drop"])
def test_a_truth_that_a_matcher_cannot_read_has_no_label(name, undefined, monkeypatch, tmp_path):
    """Null and missing, for an empty answer too; one warning, which names the matcher and the setting."""
    if name == "native" and compiled() is None:
        pytest.skip("the kernel is not built")
    monkeypatch.setenv("AUDITFW_KERNEL", name)
    rows = [("(F)", "F"), ("(G)", "K"), ("", "L"), ("B", "paris is"), ("B", "C"), ("", "C"), ("A", "A")]
    result, trials = trials_of(rows, tmp_path, undefined=undefined)
    assert trials["raw+none"].to_list() == [True, None, None, None, False, False, True]
    numbers = numbers_of(result)
    assert numbers["n"] == (4.0, 4, 3)
    assert numbers["error_rate"] == (50.0, 4, 3)
    assert numbers["flips"] == (2.0, 4, 3)
    assert numbers["mismatches"] == (2.0, 4, 3)
    assert [warning for warning in result.warnings if "truth" in warning] == [
        "the matcher choice cannot read 3 ground truths (no label, counted as missing): "
        "2 name an option beyond audit.matcher.letters=ABCDEFGHIJ - write audit.matcher.letters=ABCDEFGHIJKL; "
        "1 name no option"
    ]


def test_the_setting_of_the_warning_reads_the_truths(tmp_path):
    letters = {"use": "choice", "letters": "ABCDEFGHIJKL"}
    result, trials = trials_of([("(G)", "K"), ("L", "L")], tmp_path, matcher=letters)
    assert trials["raw+none"].to_list() == [False, True]
    assert not [warning for warning in result.warnings if "truth" in warning]


def test_a_truth_without_a_number_is_missing_and_one_of_which_nothing_is_left_is_undefined(tmp_path):
    """The normalizer takes all of "..."; "many" is left, but is no number."""
    rows = [("5", "5"), ("5", "many"), ("", "many"), ("5", "...")]
    result, trials = trials_of(rows, tmp_path, matcher={"use": "numeric"}, normalizers={"none": {"steps": [DROP]}})
    assert trials["raw+none"].to_list() == [True, None, None, None]
    assert numbers_of(result)["n"] == (2.0, 2, 2)
    assert [warning for warning in result.warnings if "truth" in warning] == [
        "ground truths that normalize to nothing: 1 under none (counted as wrong: audit.undefined=zero)",
        "the matcher numeric cannot read 2 ground truths (no label, counted as missing): all hold no number",
    ]


@pytest.mark.parametrize("make", [lambda: Numeric(tolerance=-1.0), lambda: Choice(""), lambda: Math(deadline=0.0)])
def test_a_setting_that_cannot_be_meant_is_refused(make):
    with pytest.raises(UsageError):
        make()
