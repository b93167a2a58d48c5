"""Steps: tables to check by hand, laws on hostile texts, and hints that equal the definitions."""

from __future__ import annotations

import pickle
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.components.normalizer.steps import NormalizerSteps
from auditfw.components.parser.steps import ParserSteps
from auditfw.components.step import answers, characters, cuts, patterns, words
from auditfw.core.errors import UsageError
from auditfw.formulas.markers import MarkerScan
from auditfw.kinds.registry import components

THINK = "</think>"
MARKERS = (
    *("passage:", "question:", "user:", "assistant:", "system:", "\nuser", "\nassistant", "\n\nuser", "\n\nquestion"),
    *("article:", "movie title:", "movie plot:"),
)
V1 = ".,;:!?'\"()[]{}"
V2 = V1 + "*_`~"

PIECES = (
    *("İ", "ſ", "\u212a", "Σ", "ς", "σ", "ẞ", "ß", "²", "½", "₂", "⁹", "①", "٣", "é", "e\u0301", "\u0307", "\u200d"),
    *("\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\xa0", "\u2028", "\u3000", "\ufeff", "\t", "\n", "\n\n", "\r\n", " "),
    *(
        "_",
        "*",
        ".",
        ",",
        "-",
        "−",
        "$",
        "`",
        "[",
        "(",
        "{",
        "}",
        "\\",
        "/",
        '"',
        ":",
        "<",
        ">",
        "\ud800",
        "\U0001f600",
    ),
    *("a", "b", "A", "K", "the", "An", "a.b.c", "U.S.", "d.c.", "8", "18", "1,000", "3.50", ".5", "1/0", "ΑΣ", "京都"),
    *(
        THINK,
        "</THINK>",
        "</thin\u212a>",
        "</ think>",
        "<think>",
        "user:",
        "USER:",
        "\nuser",
        "\n\nUser",
        "Movie plot:",
    ),
    *("movie title:", "superuser:", "\\boxed{", "<answer>", "</answer>", '{"answer": ', "answer is ", "(C)"),
)
texts = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=24).map("".join)

HINTED = [
    characters.Lower(),
    characters.Casefold(),
    characters.Collapse(),
    characters.Digits(),
    *(characters.ReplaceCharacters(V2, by) for by in (" ", "", "-", "..", "é")),
    *(characters.ReplaceCharacters("é²_") for _ in (1,)),
    *(characters.RemoveCharacters(chars) for chars in (V2, "é²_", "\x1c ")),
    *(characters.UnicodeForm(form) for form in ("NFC", "NFD", "NFKC", "NFKD")),
    words.Undot(),
    *(cuts.AfterLast(delimiter, case) for delimiter in (THINK, "K", "A: ", "İ") for case in (True, False)),
    *(cuts.BeforeLast(delimiter, case) for delimiter in (THINK, "K") for case in (True, False)),
    *(cuts.BeforeFirst(MARKERS, case) for case in (True, False)),
    cuts.BeforeFirst(("K", "Σ", "a:b:", "user", ":")),
    cuts.FirstOf(((cuts.AfterLast(THINK), characters.Strip()), (cuts.BeforeLast(THINK), cuts.BeforeFirst(MARKERS)))),
    cuts.FirstOf(((characters.Lower(), cuts.BeforeFirst(MARKERS), characters.Strip()), (cuts.FirstLine(),))),
]


@pytest.mark.parametrize("step", HINTED, ids=repr)
@given(text=texts)
def test_hints_equal_the_definition(step, text):
    assert step.fast(text) == step(text)
    if hasattr(step, "cut"):
        assert step.cut(text, text.lower()) == step(text)


@pytest.mark.parametrize("step", HINTED, ids=repr)
def test_steps_travel_to_other_processes(step):
    step.fast("a.b²</think>USER: é")
    assert pickle.loads(pickle.dumps(step)) == step


@given(text=texts)
def test_blanks_are_single_blanks(text):
    step = characters.ReplaceCharacters(V2)
    assert step(text) == "".join(" " if c in step.blanks else c for c in text)
    assert characters.ReplaceCharacters(V2, by="").blanks is None


@pytest.mark.parametrize(
    "step",
    [
        characters.Strip(),
        characters.Collapse(),
        characters.Digits(),
        characters.Casefold(),
        characters.ReplaceCharacters(V2),
        characters.RemoveCharacters(V2),
        cuts.FirstLine(),
        cuts.LastLine(),
        words.Number(),
        answers.LastNumber(),
        answers.FirstNumber(),
    ],
    ids=repr,
)
@given(text=texts)
def test_doing_it_twice_changes_nothing_more(step, text):
    assert step(step(text)) == step(text)


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@given(text=texts)
def test_a_unicode_form_is_reached(form, text):
    assert unicodedata.is_normalized(form, characters.UnicodeForm(form)(text))


@pytest.mark.parametrize(
    "step",
    [
        cuts.AfterLast(THINK),
        cuts.BeforeLast(THINK),
        cuts.BeforeFirst(MARKERS),
        cuts.FirstLine(),
        cuts.LastLine(),
        characters.Strip(),
        answers.Boxed(),
        answers.Tag(),
        answers.AnswerIs(),
        answers.LastNumber(),
        answers.FirstNumber(),
        patterns.Capture(r"(\w+)"),
    ],
    ids=repr,
)
@given(text=texts)
def test_a_cut_is_a_stretch_of_the_text(step, text):
    assert step(text) in text


@given(text=texts)
def test_the_markers_are_found_as_defined(text):
    low = text.lower()
    for markers in (MARKERS, ("user", "a.b", ":", "i\u0307"), ("\n", "r:", "er:", "a:b:"), ("user:",)):
        found = [low.find(marker) for marker in markers]
        assert MarkerScan(markers).first(low) == min((at for at in found if at > 0), default=-1)
        assert MarkerScan(markers).present(low) == any(marker in low for marker in markers)


@pytest.mark.parametrize(
    ("text", "first", "present"),
    [
        ("", -1, False),
        ("user: Paris", -1, True),
        ("user: Paris user: again", -1, True),
        ("user: Paris\nuser: again", 11, True),
        ("particle: x", 1, True),
        ("the movie title: x user: y", 4, True),
    ],
)
def test_first_marker(text, first, present):
    scan = MarkerScan(("user:", "\nuser", "movie title:", "article:"))
    assert scan.first(text) == first
    assert scan.present(text) is present


@given(text=texts)
def test_what_is_cut_at_a_marker_is_never_empty(text):
    """Why the fallback of the seed, the first line that is not blank, is never reached."""
    stripped = text.strip()
    assert bool(cuts.BeforeFirst(MARKERS)(stripped).strip()) == bool(stripped)


CUTS = [
    (cuts.AfterLast(THINK), "a</think>b</THINK>\n c ", "c "),
    (cuts.AfterLast(THINK), "  no delimiter ", "  no delimiter "),
    (cuts.AfterLast(THINK), "Paris</think>", ""),
    (cuts.AfterLast(THINK), "İ</think>Paris", "aris"),
    (cuts.AfterLast(THINK), "x</thin\u212a>Paris", "Paris"),
    (cuts.AfterLast(THINK, ignore_case=False), "x</THINK>Paris", "x</THINK>Paris"),
    (cuts.BeforeLast(THINK), "a</think>b</think>c", "a</think>b"),
    (cuts.BeforeFirst(MARKERS), "Paris\nUsers like it", "Paris"),
    (cuts.BeforeFirst(MARKERS), "superuser: x", "super"),
    (cuts.BeforeFirst(MARKERS), "user: Paris user: again", "user: Paris user: again"),
    (cuts.BeforeFirst(MARKERS, ignore_case=False), "Paris USER: x", "Paris USER: x"),
    (cuts.FirstLine(), "\n  \n one \ntwo", "one"),
    (cuts.LastLine(), "one\n two \n\n", "two"),
    (cuts.FirstLine(), " \n", ""),
    (cuts.FirstOf(((cuts.AfterLast(THINK),), (cuts.BeforeLast(THINK),))), "Paris</think> \n", "Paris"),
    (cuts.FirstOf(((cuts.AfterLast(THINK),), (cuts.BeforeLast(THINK),))), "</think>", ""),
    (characters.Casefold(), "Straße", "strasse"),
    (characters.Digits(), "H₂O 10²", "H2O 102"),
    (characters.Collapse(), " a \x1c\u2028 b\n", " a b "),
    (characters.RemoveCharacters(), "it's (a) $5.", "its a 5"),
    (characters.UnicodeForm("NFKC"), "ﬁ①", "fi1"),
    (words.Undot(), "washington, d.c. and u.s.a", "washington, dc. and usa"),
    (words.Undot(), "a.b.cd ph.d. j. f. k.", "ab.cd ph.d. j. f. k."),
    (words.RemoveWords(), "the cat in a theatre", "  cat in   theatre"),
    (
        words.StripMarkdown(),
        "# Title\n- **Paris** is *the* `city`\n> [see](http://x) __it__",
        "Title\nParis is the city\nsee it",
    ),
    (words.StripMarkdown(), "```python\nx = 2 * 3 * 4\n```\n1. snake_case_name", "x = 2 * 3 * 4\n1. snake_case_name"),
]


@pytest.mark.parametrize(("step", "text", "expected"), CUTS)
def test_what_a_step_keeps(step, text, expected):
    assert step(text) == expected


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
    (answers.Boxed(), "{1}", ""),
    (answers.ChoiceLetter(), "The answer is (C).", "C"),
    (answers.ChoiceLetter(), "the answer is **b**", "B"),
    (answers.ChoiceLetter(), "Answer: $\\boxed{D}$", "D"),
    (answers.ChoiceLetter(), "(A) no, (B) yes", "B"),
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


@pytest.mark.parametrize(
    ("make", "words_of"),
    [
        (lambda: patterns.Capture("\bfoo\b"), "single quotes"),
        (lambda: patterns.Capture("(a"), "single quotes"),
        (lambda: patterns.Capture("abc"), "group: 0"),
        (lambda: patterns.Capture("(a*)"), "empty text"),
        (lambda: patterns.Capture("(a)", deadline=0.0), "deadline"),
        (lambda: patterns.Capture("(a)", group=2), "1 groups"),
        (lambda: patterns.Capture("(a)", group=-1), "group"),
        (lambda: patterns.Capture("a", group="filled"), "no group"),
        (lambda: patterns.Capture("(a)", flags="g"), "flags"),
        (lambda: patterns.Substitute("(a"), "single quotes"),
        (lambda: patterns.Substitute(""), "empty text"),
        (lambda: patterns.Substitute("(a)", r"\2"), "replacement"),
        (lambda: patterns.Substitute("(a)", r"\g<b>"), "replacement"),
        (lambda: patterns.Substitute("a", "\\q"), "replacement"),
        (lambda: patterns.Substitute("a", flags="L"), "flags"),
        (lambda: patterns.Substitute("a", deadline=-1.0), "deadline"),
        (lambda: patterns.JsonField(fallback_pattern="(a"), "fallback_pattern"),
        (lambda: patterns.JsonField(""), "field"),
        (lambda: cuts.AfterLast(""), "delimiter"),
        (lambda: cuts.BeforeLast(""), "delimiter"),
        (lambda: cuts.BeforeFirst(()), "markers"),
        (lambda: cuts.BeforeFirst(("user:", "")), "markers"),
        (lambda: cuts.FirstOf(()), "choices"),
        (lambda: words.RemoveWords(("a", "")), "words"),
        (lambda: answers.AnswerIs(()), "phrases"),
        (lambda: answers.Tag("<answer>"), "name"),
        (lambda: answers.ChoiceLetter("A1"), "letters"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_refused(make, words_of):
    with pytest.raises(UsageError, match=words_of) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_slow_pattern_ends_at_the_deadline_and_is_named():
    with pytest.raises(TimeoutError, match=r"\(a\|aa\)\+c"):
        patterns.Capture("((a|aa)+c)|x", deadline=0.05)("xa" + "a" * 40)
    with pytest.raises(TimeoutError, match=r"\(a\|aa\)\+c"):
        patterns.Substitute("(a|aa)+c", deadline=0.05)("a" * 40)


@pytest.mark.parametrize(
    ("pattern", "warned"),
    [
        ("(a+)+$", True), (r"(?:\s*\w+)*x", True), ("((ab*)|c)+", True), ("(a{2,})*b", True),
        ("(ab)+", False), ("(a+)b+", False), (r"(\(+\))b", False), ("([+*]x)+", False), ("(a++)b", False),
        ("(a{1,3})+", False), ("(-?[$0-9.,]{2,})|(-?[0-9]+)", False), (r"(x\+)+", False),
    ],
)  # fmt: skip
def test_nested_repeats_are_pointed_out(pattern, warned):
    assert (patterns.Capture(pattern, group=0).lint() is not None) is warned
    assert (patterns.Substitute(pattern).lint() is not None) is warned


@pytest.mark.parametrize("text", [None, "", 0, False, [], 0.0])
def test_falsy_values_are_empty_text(text):
    assert ParserSteps()(text) == NormalizerSteps()(text) == ""


@pytest.mark.parametrize(("value", "expected"), [(42, "42"), (float("nan"), "nan"), (["A"], "['A']"), (b"x", "b'x'")])
def test_other_values_are_shown_as_text(value, expected):
    assert ParserSteps()(value) == NormalizerSteps()(value) == expected


def test_every_step_is_registered_with_a_sentence():
    shipped = components("step")
    assert {
        *("lower", "casefold", "strip", "collapse", "replace_characters", "remove_characters", "digits", "undot"),
        *(
            "after_last",
            "before_last",
            "before_first",
            "first_line",
            "last_line",
            "first_of",
            "capture",
            "unicode_form",
        ),
        *(
            "strip_markdown",
            "remove_words",
            "last_number",
            "first_number",
            "boxed",
            "choice_letter",
            "tag",
            "json_field",
        ),
        *("answer_is", "number", "substitute"),
    } <= set(shipped)
    assert all(entry.doc.endswith(".") for entry in shipped.values())
