"""Answers that a step finds: options, numbers and their spellings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.components.step import answers, patterns, words

OPTION_LETTERS = [
    *(("The answer is (J).", "J"), ("(H)", "H"), ("G. Because", "G"), ("option f", "F"), ("I", "I"), ("**I**", "I")),
    *(("Answer: I", "I"), ("The answer is I.", "I"), ("So it must be I.", "I"), (r"$\boxed{I}$", "I"), ("(I)", "I")),
    *(("I think so", ""), ("I think it is B.", "B"), ("I'd say C", "C"), ("C. I am sure", "C"), ("Am I right?", "")),
    *(("Answer: I think B", "B"), ("Answer: I DO NOT KNOW", ""), ("the choice I made", ""), ("and so I", "")),
    *(("My answer: I, however, doubt it", ""), ("B is what I, personally, took", ""), ("(i) one, (ii) two", "")),
    *(("I. Intro\nII. Body", ""), ("Both I and II, so (D)", "D"), ("J. K. Rowling", ""), ("by H.G. Wells", "")),
    *(("72 °F", ""), ("B, at 72°F", "B"), ("B, with 5 J", "B"), ("(B), as x(i) = a[j]", "B"), ("K", ""), ("(K)", "")),
    *(("A cat sat", ""), ("H2O", ""), ("F-score", "F"), ("Answer: J. R. R. Tolkien", "")),
]


@pytest.mark.parametrize(("text", "letter"), OPTION_LETTERS)
def test_which_option_a_text_chooses_of_ten(text, letter):
    assert answers.ChoiceLetter()(text) == letter


@given(
    st.lists(st.sampled_from(["A", "B", "(C)", "D.", "E", "the", "answer is", "42", "\n", "not", ",", "*"]), max_size=9)
)
def test_texts_that_name_only_five_options_are_read_as_before(words_of):
    """Ten letters instead of five change nothing where none of the other five stands."""
    text = " ".join(words_of)
    assert answers.ChoiceLetter()(text) == answers.ChoiceLetter("ABCDE")(text)


ANSWERS = [
    (answers.LastNumber(), "he pays $1,234.50.", "$1,234.50"),
    (answers.LastNumber(), "from 3 to -5", "-5"),
    (answers.LastNumber(), "about .5 kg", ".5"),
    (answers.LastNumber(), "1,2,3", "3"),
    (answers.LastNumber(), "none", ""),
    (answers.FirstNumber(), "H2O, 18 g", "2"),
    (answers.Boxed(), r"so \boxed{\frac{1}{2}} holds", r"\frac{1}{2}"),
    (answers.Boxed(), r"\boxed{1} then \boxed{ 2 } {x}", "2"),
    (answers.Boxed(), r"\boxed{1} then \boxed{2", "1"),
    (answers.Boxed(), r"\boxed{a \} b}", r"a \} b"),
    (answers.Boxed(), r"\boxed{3} \fbox{ 4 } }", "4"),
    (answers.Boxed(), r"\boxed{}", ""),
    (answers.Boxed(), r"\boxed{5", ""),
    (answers.Boxed(), "{1}", ""),
    (answers.ChoiceLetter(), "The answer is (C).", "C"),
    (answers.ChoiceLetter(), "the answer is **b**", "B"),
    (answers.ChoiceLetter(), "Answer: $\\boxed{D}$", "D"),
    (answers.ChoiceLetter(), "(A) no, (B) yes", "B"),
    (answers.ChoiceLetter("I"), "as in part ii: (I)", "I"),
    (answers.ChoiceLetter(), "C. Because it is so", "C"),
    (answers.ChoiceLetter(), " d ", "D"),
    (answers.ChoiceLetter(), "I take E", "E"),
    (answers.ChoiceLetter(), "A cat sat", ""),
    (answers.ChoiceLetter(), "The answer is a cat", ""),
    (answers.ChoiceLetter("AB"), "I take E", ""),
    (answers.Tag(), "<answer>1</answer> <ANSWER> 2 </Answer> <answer>3", "2"),
    (answers.Tag("x"), "<x>1<x>2</x>", "2"),
    (answers.Tag(), "no tags", ""),
    (answers.AnswerIs(), "So the answer is 4.\nNo: the **answer is**: Paris, France.\nBye", "Paris, France"),
    (answers.AnswerIs(), "Answer: 42", "42"),
    (answers.AnswerIs(), "no phrase", ""),
    (patterns.Capture("A: (.*)"), "A: 1\nA: 2", "2"),
    (patterns.Capture("A: (.*)", which="first"), "A: 1\nA: 2", "1"),
    (patterns.Capture("(a)|(b)"), "b", ""),
    (patterns.Capture("x(.)?y"), "xy", ""),
    (patterns.Capture("(a)|(b)", group="filled"), "b", "b"),
    (patterns.Capture("(a)|(b)", group="filled", which=0), "ba", "b"),
    (patterns.Capture("(x)?(y)?z", group="filled", fallback="none"), "z", "none"),
    (patterns.Capture("x(.)?y", fallback="none"), "xy", "none"),
    (patterns.Capture(r"\d", group=0, which=1), "1 2 3", "2"),
    (patterns.Capture(r"\d", group=0, which=-2), "1 2 3", "2"),
    (patterns.Capture(r"\d", group=0, which=-3), "1 2 3", "1"),
    (patterns.Capture(r"\d", group=0, which=3, fallback="?"), "1 2 3", "?"),
    (patterns.Capture(r"\d", group=0, which=-4, fallback="?"), "1 2 3", "?"),
    (patterns.Capture("a: (.)", flags="i"), "A: 1", "1"),
    (patterns.Capture("^a(.*)z$", flags="ms"), "x\nab\ncz", "b\nc"),
    (patterns.Substitute(","), "1,000,000", "1000000"),
    (patterns.Substitute(r"\.$"), "18.\n", "18\n"),
    (patterns.Substitute(r"\.$"), "18..", "18."),
    (patterns.Substitute("(?s).*#### "), "a #### 5\nb #### 18", "18"),
    (patterns.Substitute("#+", "-"), "a##b#", "a-b-"),
    (patterns.Substitute(r"(\w+)@(?P<host>\w+)", r"\g<host> \1"), "me@here", "here me"),
    (patterns.Substitute("a", flags="i"), "Banana", "Bnn"),
    (patterns.Substitute(r"\s*$"), "x  ", "x"),
    (patterns.Substitute("x"), "", ""),
    (patterns.JsonField(), '```json\n{"reasoning": "a {b}\n", "answer": "18"}\n```', "18"),
    (patterns.JsonField(), '{"answer": 18.50}', "18.50"),
    (patterns.JsonField(), '{"answer": true}', "true"),
    (patterns.JsonField(), '{"answer": null} "answer": 3', ""),
    (patterns.JsonField(), '{"reasoning": "cut off ", "answer": "7"', "7"),
    (patterns.JsonField(), '{"x": 1}\nanswer: 9', "9"),
    (patterns.JsonField(fallback_pattern=""), "answer: 9", ""),
    (patterns.JsonField("final"), '{ {"final": ["a"]}', '["a"]'),
]


@pytest.mark.parametrize(("step", "text", "expected"), ANSWERS)
def test_the_answer_a_step_finds(step, text, expected):
    assert step(text) == expected


NUMBERS = [
    *(("18.00", "18"), ("$1,000", "1000"), ("# 18", "18"), ("50%", "50"), ("3/4", "0.75"), (r"\frac{1}{2}", "0.5")),
    *(
        ("-0", "0"),
        ("−7", "-7"),
        ("-$5", "-5"),
        ("007", "7"),
        (".50", "0.5"),
        ("1e400", "1"),
        ("1/0", ""),
        ("none", ""),
    ),
    *(("100", "100"), ("1/3", "0." + "3" * 28), ("0.1", "0.1"), ("9" * 60 + ".10", "9" * 60 + ".1")),
]


@pytest.mark.parametrize(("text", "expected"), NUMBERS)
def test_the_plain_spelling_of_a_number(text, expected):
    assert words.Number()(text) == expected


@given(st.integers(), st.integers(0, 999))
def test_a_number_survives_its_spellings(whole, part):
    plain = words.Number()(f"{whole}.{part:03}")
    assert words.Number()(f"about $ {whole:,}.{part:03}000 in all") == plain
    assert words.Number()(plain) == plain
