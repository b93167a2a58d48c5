"""The kernel in C against Python: the same for every code point, every step, every needle, and whole batches."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hostile_readings import GRID, KERNELS, MATCHERS, NORMALIZERS, PARSERS, PIECES, SIGNS, TEXTS, TRUTHS
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_ways import ALWAYS, MODULE, built, ran, through, told
from searching import examples

import auditfw
from auditfw.audits.parsing.engine.kernels import Native, Plain, kernel
from auditfw.audits.parsing.engine.plan import BLANK, ERROR, FALSE, TRUE, ReadingPlan
from auditfw.audits.parsing.engine.reference import evaluate
from auditfw.components.matcher.texts import Containment, Exact
from auditfw.components.step import answers, characters, cuts, words
from auditfw.kinds.capabilities import Named
from auditfw.kinds.text import Step

EDGES = (characters.Strip, cuts.FirstLine, cuts.LastLine)
WORDS = st.lists(PIECES, min_size=1, max_size=4).map(tuple)
CHARACTERS = st.lists(PIECES, min_size=1, max_size=6).map("".join)
STEPS = st.one_of(
    st.sampled_from(ALWAYS),
    st.builds(cuts.AfterLast, TRUTHS, st.booleans()),
    st.builds(cuts.BeforeLast, TRUTHS, st.booleans()),
    st.builds(cuts.BeforeFirst, WORDS, st.booleans()),
    st.builds(characters.RemoveCharacters, CHARACTERS),
    st.builds(characters.ReplaceCharacters, CHARACTERS, st.sampled_from([" ", "x", "é", "", "--"])),
    st.builds(words.RemoveWords, WORDS),
    st.just(answers.LastNumber()),
)
CHOICES = st.lists(st.lists(STEPS, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple)
CHAINS = st.lists(st.one_of(STEPS, st.builds(cuts.FirstOf, CHOICES)), min_size=1, max_size=4)


# What lies beyond is without properties of its own.
POINTS = [*map(chr, range(0x20000)), *map(chr, range(0xE0000, 0xE0200)), chr(sys.maxunicode)]


@built
@pytest.mark.parametrize("step", ALWAYS, ids=lambda step: type(step).__name__)
def test_every_code_point_is_taken_as_in_python(step: Step) -> None:
    whole = [f"a{c}b {c}A{c}B.c{c} {c}the{c} {c}d.c.{c}" for c in POINTS]
    texts = ["".join(whole[at : at + 512]) for at in range(0, len(whole), 512)]
    texts += [f"{c}x{c}y{c}" for c in POINTS] if type(step) in EDGES else []
    wrong = [i for i, made in enumerate(through([step], texts)) if made != step(texts[i])]
    assert wrong == []


@built
@pytest.mark.parametrize("beside", ["x", "é", "\u0a8a", "\u3a3a", "\U0001f60a", "\U0010ff0a"])
def test_places_are_found_across_blocks_in_any_width(beside: str) -> None:
    """Characters of which a byte is that of a line break, a colon or a bracket hide none and feign none."""
    steps: list[Step] = [
        cuts.AfterLast("</think>"),
        cuts.AfterLast("e"),
        cuts.BeforeLast(":"),
        cuts.BeforeFirst(("\nuser", "user:", "\u3000")),
        characters.Digits(),
        words.Undot(),
    ]
    for size in (0, 1, 30, 31, 32, 33, 63, 64, 65, 130):
        fill = beside * size
        texts = [f"{fill}{piece}{fill}" for piece in ("</think>", "\nuser", "user:", "²", "e.e", "\u3000", "x<>:")]
        texts.append(f"²{fill}</think>{fill}₄user:{fill}</think{fill}\nuse")
        for step in steps:
            assert through([step], texts) == [step(text) for text in texts], (step, size)


@built
@settings(max_examples=examples(150), deadline=None)
@given(steps=CHAINS, texts=st.lists(TEXTS, min_size=1, max_size=3))
def test_any_steps_give_what_they_give_in_python(steps: list[Step], texts: list[str]) -> None:
    for text, made in zip(texts, through(steps, texts), strict=True):
        wanted = text
        for step in steps if text else ():
            wanted = step(wanted)
        assert made == wanted


@built
@settings(max_examples=examples(150))
@given(text=TEXTS, truth=TRUTHS, blanks=st.one_of(st.none(), CHARACTERS.map(frozenset)))
def test_needles_find_what_they_find_in_python(text: str, truth: str, blanks: frozenset[str] | None) -> None:
    matcher = Containment()
    for wanted in (truth, truth.lower(), " ".join(truth.split()), text[1:4], text[2:9]):
        shape = matcher.shape(wanted, blanks) if wanted else None
        if shape is not None:
            tokens, gap, boundaries = shape
            found = MODULE.Needle(tokens, "".join(gap), boundaries)(text)
            assert found is matcher.needle(wanted, blanks)(text), (wanted, text)


@built
@pytest.mark.parametrize(
    ("tokens", "blanks", "boundaries", "text", "found"),
    [
        (("8",), "", True, "it is 8.", True),
        (("8",), "", True, "18", False),
        (("8",), "", True, "8", True),
        (("8",), "", True, "_8_", False),
        (("8",), "_", True, "_8_", True),
        (("8",), "", True, "8\u0664", False),
        (("8",), "", True, "18 8", True),
        (("new", "york"), ".", False, "a new. . york", True),
        (("new", "york"), ".", False, "newyork", False),
        (("york", "new"), ".", False, "yorknew", False),
        (("york", "new"), ".", False, "york.new", True),
        (("a", "bc", "d"), "", False, "a bc x a\u2028bc\td", True),
        (("\U0001d7e0",), "", False, "only latin", False),
    ],
)
def test_a_needle_by_hand(tokens: tuple[str, ...], blanks: str, boundaries: bool, text: str, found: bool) -> None:
    assert MODULE.Needle(tokens, blanks, boundaries)(text) is found


@pytest.mark.parametrize(
    ("tokens", "blanks", "whole", "text", "found"),
    [
        (("new", "york"), ".", 1, " new. york.", True),
        (("new", "york"), ".", 1, "new york city", False),
        (("new", "york"), ".", 1, "a new york", False),
        (("new", "york"), ".", 1, "newyork", False),
        (("new",), ".", 1, "", False),
        (("é",), "", 1, "\u2028é\t", True),
        (("8",), "", 2, "8", True),
        (("8",), "", 2, "8 ", False),
        (("8 9",), "", 2, "8 9", True),
    ],
)
@built
def test_a_needle_that_is_the_whole_text(
    tokens: tuple[str, ...], blanks: str, whole: int, text: str, found: bool
) -> None:
    assert MODULE.Needle(tokens, blanks, False, whole)(text) is found
    matcher = Exact()
    assert matcher.needle(" ".join(tokens), frozenset(blanks) if whole == 1 else None)(text) is found


@built
@settings(max_examples=examples(150))
@given(text=TEXTS, truth=TRUTHS, blanks=st.one_of(st.none(), CHARACTERS.map(frozenset)))
def test_whole_needles_find_what_they_find_in_python(text: str, truth: str, blanks: frozenset[str] | None) -> None:
    """A text is what its definition says, too: its blanks told apart and tidied, it is the truth."""
    matcher = Exact()
    gap = rf"[\s{re.escape(''.join(sorted(blanks)))}]+" if blanks is not None else None
    for wanted in (truth, text, " ".join(text.split()), re.sub(gap, " ", text).strip() if gap else text):
        if not wanted:
            continue
        said = matcher.needle(wanted, blanks)(text)
        assert said is ((re.sub(gap, " ", text).strip() if gap else text) == wanted), (wanted, text)
        shape = matcher.shape(wanted, blanks)
        if shape is not None:
            tokens, between, *edges = shape
            assert MODULE.Needle(tokens, "".join(between), *edges)(text) is said, (wanted, text)


COLUMN = st.one_of(st.none(), TEXTS)
ROWS = st.lists(st.tuples(COLUMN, COLUMN, st.one_of(TRUTHS, st.tuples(TRUTHS, TRUTHS))), min_size=1, max_size=5)


@built
@pytest.mark.parametrize("matcher", MATCHERS)
@settings(max_examples=examples(60), deadline=None)
@given(rows=ROWS, absent=st.sampled_from(["", "", "raw", "parsed"]))
def test_both_kernels_tell_the_same(matcher: str, rows: list[tuple[Any, Any, Any]], absent: str) -> None:
    plan = ReadingPlan(PARSERS, NORMALIZERS, auditfw.load("matcher", matcher), GRID)
    raw, parsed = ([row[i] for row in rows] if absent != name else None for i, name in enumerate(("raw", "parsed")))
    assert told(Native(plan, SIGNS), raw, parsed, rows) == told(Plain(plan, SIGNS), raw, parsed, rows)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(
    ("matcher", "normalizer", "right"),
    [
        ("openai_evals_match", "none", (True, True, True, True)),
        ("inspect_includes", "none", (True, True, True, True)),
        ("inspect_match", "none", (True, True, True, True)),
        ("inspect_match_numeric_2025", "none", (True, True, True, True)),
        ("inspect_match_exact", "none", (False, True, True, True)),
        ("lm_eval_strict_match", "none", (False, False, False, True)),
        ("lm_eval_strict_match", "v1", (False, True, True, True)),
        ("promptfoo", "none", (None, None, None, False)),
        ("exact", "none", (None, None, None, False)),
        ("prefix", "v1", (None, None, None, False)),
    ],
)
def test_what_an_empty_truth_accepts(name: str, matcher: str, normalizer: str, right: tuple[bool | None, ...]) -> None:
    """The programs that compare with an empty text as with any other; the plain matchers say nothing of it."""
    part, texts = auditfw.load("matcher", matcher), ["Paris", ".", " ", ""]
    raw, norm = (
        Named(each, auditfw.load(kind, each)) for kind, each in (("parser", "raw"), ("normalizer", normalizer))
    )
    scores = kernel(name, ReadingPlan((raw,), (norm,), part, ((0, 0),)), SIGNS).score(texts, None, [""] * 4)
    labels = tuple({FALSE: False, BLANK: False, TRUE: True}.get(code) for code in scores.labels[0])
    assert labels == right == tuple(evaluate(text, "", norm.part, part) for text in texts)


class Picky:
    """A step of a careless plugin, which fails on some texts."""

    def __call__(self, text: str) -> str:
        if "8" in text:
            raise ZeroDivisionError(text)
        return text.upper()


@built
@settings(max_examples=examples(60), deadline=None)
@given(rows=ROWS)
def test_rows_on_which_a_step_fails_are_told_alike(rows: list[tuple[Any, Any, Any]]) -> None:
    picky = Named("picky", type(PARSERS[0].part)(steps=(Picky(),)))
    failing = Named("failing", type(NORMALIZERS[0].part)(steps=(characters.Strip(), Picky())))
    for parsers, normalizers in (((*PARSERS[:2], picky), NORMALIZERS[:2]), (PARSERS[:2], (failing, NORMALIZERS[0]))):
        grid = tuple((p, n) for p in range(len(parsers)) for n in range(2))
        plan = ReadingPlan(parsers, normalizers, Containment(), grid)
        columns = ([row[0] for row in rows], [row[1] for row in rows])
        assert told(Native(plan, SIGNS), *columns, rows) == told(Plain(plan, SIGNS), *columns, rows)


@built
def test_rows_that_fail_leave_the_others_to_the_kernel() -> None:
    picky = Named("picky", type(PARSERS[0].part)(steps=(Picky(),)))
    plan = ReadingPlan((picky,), (Named("none", auditfw.load("normalizer", "none")),), Containment(), ((0, 0),))
    scores = kernel("native", plan, SIGNS).score(["paris", "8", "user: 9"], None, ["PARIS", "8", "x"])
    assert scores.labels == [bytearray([TRUE, ERROR, FALSE])]
    assert scores.problems == ["picky: ZeroDivisionError: 8"]
    assert scores.facts == {"raw.role": 1, "raw.differs": 0}


class Counting:
    """A step that counts how often it is asked."""

    asked = 0

    def __call__(self, text: str) -> str:
        Counting.asked += 1
        return text + "!"


@pytest.mark.parametrize("name", KERNELS)
def test_a_step_of_python_is_asked_once_about_each_text(name: str) -> None:
    Counting.asked = 0
    parser = Named("p", type(PARSERS[0].part)(steps=(Counting(),)))
    plan = ReadingPlan((parser,), NORMALIZERS[:2], auditfw.load("matcher", "exact"), ((0, 0), (0, 1)))
    kernel(name, plan, SIGNS).score(["a", "b", "a"], None, ["a!", "b", "x"])
    assert Counting.asked == 2


@pytest.mark.slow
def test_the_run_folder_is_the_same_by_either_kernel(tmp_path: Path) -> None:
    results = []
    for wanted in ("python", *(["native"] if MODULE is not None else [])):
        (tmp_path / wanted).mkdir()
        done = ran(tmp_path / wanted, wanted)
        assert (done.returncode, done.stderr) == (0, "")
        folder = tmp_path / wanted / "run"
        assert json.loads((folder / "manifest.json").read_text("utf-8"))["kernel"] == wanted
        names = ("result.json", "sections.json", "trials.parquet", "measurements.parquet")
        results.append([(folder / name).read_bytes() for name in names])
    assert results[0] == results[-1]
