"""Searches by the native kernel equal those by the engine that a pattern is written for, on hostile texts."""

from __future__ import annotations

import random
import re
import warnings

import pytest
import regex
from pattern_cases import own_patterns, pattern, searched, shipped_steps, text, ways

from auditfw.components.parser.steps import InspectPattern
from auditfw.components.step.patterns import Capture, Substitute
from auditfw.core.native import compiled
from auditfw.formulas.texts.finders import (
    FILLED,
    JOINED,
    REPLACED,
    REST,
    KeptPart,
    finder,
    quick_option_letter,
    searcher,
)
from auditfw.formulas.texts.options import OPTIONS, announced_option, option_letter
from auditfw.formulas.texts.pattern_syntax import parsed

NATIVE = compiled() is not None
native = pytest.mark.skipif(not NATIVE, reason="the kernel is not built")
STEPS = list(shipped_steps())
MOST_WAYS, MOST_CHARACTERS = 5, 12  # a pattern with more ways is searched in short texts


class GivenUp(Exception):
    """The kernel left a text to the engine."""


def give_up(text):
    raise GivenUp


def differences(step, draw, texts):
    for _ in range(texts):
        one = text(draw)
        if step.fast(one) != step(one):
            return one
    return None


@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_a_shipped_step_by_the_kernel_equals_its_definition(step):
    if step.fast is None:
        assert not NATIVE or "\\" in step.replacement
        return
    assert differences(step, random.Random(0), 60) is None


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS, ids=repr)
def test_a_shipped_step_by_the_kernel_equals_its_definition_on_many_texts(step):
    if step.fast is not None:
        assert differences(step, random.Random(1), 40_000) is None


@native
@pytest.mark.parametrize(("source", "engine"), own_patterns())
@pytest.mark.parametrize("which", [0, -1])
def test_the_package_s_own_patterns_are_for_the_kernel(source, engine, which):
    draw, search = random.Random(2), finder(source, KeptPart(which), give_up, engine)
    for _ in range(40):
        one = text(draw)
        assert search(one) == searched(source, one, KeptPart(which), engine)


def made_up(seed, patterns, texts):
    """How many searches were compared, by made-up patterns; and those that differ."""
    draw, compared, different = random.Random(seed), 0, []
    while patterns:
        source, engine = pattern(draw), draw.choice(("re", "regex"))
        try:
            groups = _groups(source, engine)
        except (re.error, regex.error, ValueError):
            continue
        part = draw.choice((0, 0, 1, FILLED, JOINED, REPLACED, REST))
        part = 0 if part > groups or (part == FILLED and not groups) else part
        kept = KeptPart(draw.choice((-1, -1, 0, 1, 2)), part, "??")
        search = finder(source, kept, give_up, engine)
        if search is None:
            continue
        patterns -= 1
        most = MOST_CHARACTERS if ways(parsed(source)[0]) > MOST_WAYS else None
        for _ in range(texts):
            one = text(draw)[:most]
            wanted, compared = searched(source, one, kept, engine), compared + 1
            try:
                found = search(one)
            except GivenUp:  # too many steps: left to the engine, whose answer is the wanted one
                found = wanted
            if found != wanted:
                different.append((source, engine, one, kept, wanted))
                break
    return compared, different


def _groups(source, engine):
    """How many groups a pattern has; raises ValueError for one that matches empty text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = (re if engine == "re" else regex).compile(source)
    if made.search(""):
        raise ValueError
    return made.groups


@native
def test_made_up_patterns_find_what_their_engine_finds():
    compared, different = made_up(0, 60, 12)
    assert (compared, different) == (720, [])


@native
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 7))
def test_many_made_up_patterns_find_what_their_engine_finds(seed):
    """Each seed takes some seconds: also where a pattern takes the engine itself exponential time."""
    compared, different = made_up(seed, 1_500, 30)
    assert (compared, different) == (45_000, [])


@native
@pytest.mark.parametrize(
    "source",
    [
        "a*", "[^a]|[^b]", "a++", "(?>a)b", r"(a)\2", r"(?i)(a)\1", "[[:alpha:]]", "[a--b]", "(?x)a b", r"\Ka",
        r"\X", r"\Ga",
        "(?|(a)|b)", "a{e<=1}", "(?<=a+)b", r"\N{DIGIT ONE}", "(?(1)a|b)", "(?P<x>a)|(?P<x>b)", "(a){100}", "a(?i)b",
        r"(?<=\b)a", "(?=(a))a", "x{", "(?r)a", "(?:a|)+b",
    ],
)  # fmt: skip
def test_what_is_not_read_for_the_kernel_is_left_to_the_engine(source):
    assert finder(source, KeptPart(), give_up) is None
    assert finder("a", KeptPart(-2), give_up) is None, "the last match but one"


def test_the_python_kernel_searches_by_the_engine(monkeypatch):
    monkeypatch.setenv("AUDITFW_KERNEL", "python")
    assert Capture("([0-9])").fast is None
    assert Substitute("[0-9]").fast is None
    assert searcher("([0-9])x", KeptPart(-1, 1))("1x2x") == "2"
    assert searcher("([0-9])x", KeptPart(0, 1), engine="re")("1x2x") == "1"
    assert searcher("x", KeptPart(-1, REST), engine="re")("1x23\n4") == "23"
    assert searcher("x")("1") == ""


@native
def test_a_pattern_that_takes_very_many_steps_is_left_to_the_engine():
    search = finder("(?:(?:a|aa)(?:a|aa)){20}c", KeptPart(), give_up, "re")
    assert search("a" * 40 + "c") == "a" * 40 + "c"
    with pytest.raises(GivenUp):
        search("a" * 4000)
    deep = finder("(?:ab)+c", KeptPart(), give_up, "re")
    assert deep("ab" * 900 + "c") == "ab" * 900 + "c"
    with pytest.raises(GivenUp):
        deep("ab" * 9000)


@native
@pytest.mark.parametrize(
    ("source", "which", "text", "wanted"),
    [
        ("aa", -1, "aaa", "aa"), ("(a)|(b)", -1, "ab", "b"), ("a.a", -1, "ababa", "aba"), ("#+", -1, "x##y#", "#"),
        (r"[0-9]+", -1, "1\n22\n", "22"), (r"(?m)^\w+", -1, "ab cd\nef gh\n", "ef"), (r"\A\w", -1, "ab", "a"),
        (r".*[aA]nswer", 0, "x\ny answer z answer\n", "y answer z answer"), ("(.*)x\\1", 0, "abxb", "bxb"),
        ("(?i)answer", 0, "AN\u017fWER", "AN\u017fWER"), ("(?i)k", -1, "k\u212a", "\u212a"),
    ],
)  # fmt: skip
def test_matches_that_can_be_checked_by_hand(source, which, text, wanted):
    assert finder(source, KeptPart(which), give_up, "re")(text) == wanted


def test_the_kept_part_of_a_match():
    assert Capture("(a)|(b)", "filled", "first")("b") == (Capture("(a)|(b)", "filled", "first").fast or str)("b") == "b"
    joined = InspectPattern("(a)(x)?(b)")
    assert joined("ab") == (joined.fast or joined)("ab") == "a\x1fb"
    dropped = Substitute("[0-9]+", "#")
    assert dropped("a12b3") == (dropped.fast or dropped)("a12b3") == "a#b#"


def test_a_search_is_made_once() -> None:
    kept = KeptPart(-1, 1, "none")
    first = searcher(r"a(b+)c", kept, deadline=2.0)
    assert searcher(r"a(b+)c", kept, deadline=2.0) is first
    assert searcher(r"a(b+)c", kept, deadline=1.0) is not first
    assert searcher(r"a(b+)c", KeptPart(0, 1, "none"), deadline=2.0)("abc abbc") == "b"
    assert first("abc abbc") == "bb"


@pytest.mark.parametrize(
    ("text", "ten", "four"),
    [("I. Intro\nII. More", "", ""), ("I. Intro", "I", ""), ("(I) of II, so (B)", "B", "B"), ("(I) of II", "", "")],
)
def test_i_beside_a_roman_number_is_no_option(text, ten, four):
    for letters, letter in ((OPTIONS, ten), (OPTIONS[:4], four)):
        assert quick_option_letter(letters)(text) == option_letter(text, letters) == letter


@pytest.mark.parametrize(
    ("text", "announced", "chosen"),
    [("The answer is (B).", "B", "B"), ("B", "", "B"), ("B is correct", "", "B"), ("So (B)", "", "B"), ("so", "", "")],
)
def test_only_a_word_before_it_announces_an_option(text, announced, chosen):
    assert (announced_option(text, OPTIONS), option_letter(text, OPTIONS)) == (announced, chosen)
