"""Answers that a step finds: options, numbers and their spellings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditfw
from auditfw.components.step import answers, patterns, words

OPTION_LETTERS = [
    *(("The answer is (J).", "J"), ("(H)", "H"), ("G. Because", "G"), ("option f", "F"), ("I", "I"), ("**I**", "I")),
    *(("Answer: I", "I"), ("The answer is I.", "I"), ("So it must be I.", "I"), (r"$\boxed{I}$", "I"), ("(I)", "I")),
    *(("I think so", ""), ("I think it is B.", "B"), ("I'd say C", "C"), ("C. I am sure", "C"), ("Am I right?", "")),
    *(("Answer: I think B", "B"), ("Answer: I DO NOT KNOW", ""), ("the choice I made", ""), ("and so I", "")),
    *(("My answer: I, however, doubt it", ""), ("B is what I, personally, took", "B"), ("(i) one, (ii) two", "")),
    *(("I. Intro\nII. Body", ""), ("Both I and II, so (D)", "D"), ("J. K. Rowling", ""), ("by H.G. Wells", "")),
    *(("72 °F", ""), ("B, at 72°F", "B"), ("B, with 5 J", "B"), ("(B), as x(i) = a[j]", "B"), ("K", ""), ("(K)", "")),
    *(("A cat sat", ""), ("H2O", ""), ("F-score", "F"), ("Answer: J. R. R. Tolkien", "")),
    # a letter in a sentence: only A and I may be words
    *(("The answer is C because it fits.", "C"), ("Answer: B because D fails", "B"), ("B is correct.", "B")),
    *(("The answer is A because it fits", "A"), ("Answer: A\nbecause it is", "A"), ("A is the best answer", "A")),
    *(("I choose option B over A", "B"), ("I choose B over A", "B"), ("It's B, not A.", "B"), ("So D wins here", "D")),
    *(("I pick C rather than D.", "C"), ("I'd go with D because it rains", "D"), ("C fits since A and B fail", "C")),
    *(("The correct answer would be C because A is bad", "C"), ("The answer is not A but C", "C")),
    *(("A good answer is hard to find", ""), ("A good answer is the following: D", "D"), ("A is true, so B", "B")),
    *(("The answer is C. Option A is wrong. Option B is incorrect because of D", "C"), ("D fits; B does not", "D")),
    *(("The answer is C, not option B.", "C"), ("Neither B nor C is correct. It must be D", "D"), ("B or C", "C")),
    *(("B is correct. A, C and D are not.", "B"), ("Answer: B or C", "C"), ("The wrong answer is B", "B")),
    *(("Choose A to be the event", ""), ("points C and D are far", ""), ("C is at D and so on", "")),
    # letters beside Chinese, Japanese, Korean, Thai
    *(("答案是A。", "A"), ("정답은 C입니다.", "C"), ("正解はBです。", "B"), ("คำตอบคือC", "C"), ("所以本题选A。", "A")),
    *(("应当选择C选项，而不是B。", "C"), ("【答案】C\n【解析】D项不合题意。", "C"), ("答案不是A，而是C", "C")),
    *(
        ("正确答案是A。选项C不对。", "A"),
        ("正确答案是A。选项C描述了电场", "A"),
        ("选A不对，应选C", "C"),
        ("C选项正确", "C"),
    ),
    *(
        ("答えはBです。Aは誤りです。", "B"),
        ("正解はBではない。Cです。", "C"),
        ("Bが正しい。", "B"),
        ("「C」が答えです", "C"),
    ),
    *(
        ("C번이 정답입니다. A는 틀렸습니다.", "C"),
        ("선택지 B가 맞습니다.", "B"),
        ("故选：D．", "D"),
        ("維生素不夠", ""),
    ),
    # letters that look like Latin ones, and words that do
    *(
        ("The answer is \u0412.", "B"),
        ("\u0392", "B"),
        ("答案：\uff23", "C"),
        ("（\uff43）", "C"),
        ("\u041f\u0412", ""),
    ),
    *(
        ("\u0412 \u0420\u043e\u0441\u0441\u0438\u0438", ""),
        ("\u0410. \u0421. \u041f\u0443\u0448\u043a\u0438\u043d", ""),
    ),
    *(
        ("\u041e\u0442\u0432\u0435\u0442: \u0421, \u0434\u0430", "C"),
        ("\u0397 \u03bb\u03cd\u03c3\u03b7: C", "C"),
    ),
]


@pytest.mark.parametrize(("text", "letter"), OPTION_LETTERS)
def test_which_option_a_text_chooses_of_ten(text, letter):
    assert answers.ChoiceLetter()(text) == letter


SAME = ("A", "(A)", "A.", "**A**", "The answer is A", "Answer: (A) Paris")
OTHER = ("B", "AB", "ABC", "Banana", "Because A is wrong, C", "The answer is B. A would be wrong.")


@pytest.mark.parametrize("text", SAME + OTHER)
def test_what_names_another_option_is_never_read_as_a(text):
    """By the parsers of letters and the matcher that compares them."""
    read = [auditfw.load("parser", name)(text) for name in ("choice_letter", "mmlu_pro_three_step")]
    assert [letter == "A" for letter in read] == [text in SAME] * 2
    assert auditfw.load("matcher", "choice")(text, "A") is (text in SAME)


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
    (answers.LastNumber(), "about 1.5e3 kg", "1.5e3"),
    (answers.LastNumber(), "id 1e1234", "1234"),
    (answers.LastNumber("drop"), "he pays -$1,234.50.", "-1,234.50"),
    (answers.LastNumber("drop"), "$5 or none: 7", "7"),
    (answers.FirstNumber("drop"), "pays $5, then $7", "5"),
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
        ("1e3", "1000"),
        ("1e4000", ""),
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
