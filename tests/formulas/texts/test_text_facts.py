"""The facts of texts by both kernels: what the definitions say of each, whatever it holds, in linear time."""

from __future__ import annotations

import random
import time
from hashlib import blake2b

import pytest
from kernel_ways import built

from auditfw.formulas.texts.endings import NO_TEXT, TextFacts, Truth, text_facts

PIECES = [
    *"abcdeABCDIJyYnN0159-,.$\\^_{}[]()'\"`~<>|/:!?;=+*& \t\n\r\f\v\0\x1c\x85\xa0\u200b\u2028\u3000\ufeffé²ſıİ\u212a",
    *"σςΣ\u0301\u0660\u0669\u1680½世界、。！？→∈×≤𝟠😀\ud800\udfff’▁◁▷", "  ", "\n\n", "```", "~~~", "````", "```json\n",
    "</think>", "<think>", "<THINK>", "</thin\u212a>", "[think]", "[/think]", "◁think▷", "◁/think▷", "<seed:think>",
    "<|channel|>analysis", "<|channel|>final", "<|im_end|>", "<|end▁of▁sentence|>", "</s>", "<eos>", "<end_of_turn>",
    "\\boxed{", "\\begin{a}", "\\end{a}", "\\begin{a*}", "\\[", "\\]", "\\(", "\\)", "\\\\", "\\$", "$$", "The", "the",
    "and", "Between", " of", "  The", "I cannot help", "I can't", "as an AI", "I'm sorry, but I", "I’m unable to",
    "assist", "language model", "do not", "my guidelines don't allow", "refuse help", "(A)", "(B", "A b", "A B", "yes",
    "no", "No", "YES", "yeſ", "no-5", "-12,3.5", "1,000.25", '{"a": "b', "[1, {", '"}', "Paris", "answer", "x" * 45,
    "abc " * 12, "7 12 " * 9, "a" * 300,
]  # fmt: skip
KINDS = [  # characters and pieces of which there may be a million
    *"aA7 \t\n`~<[{}]\"\\$_-.世\u0661\u3000\x1c\u0301\ud800𝟠é’\0\u200bİ", "7,", "``` ", "```\n", "<think>", "</think>",
    "<|im_end|>", "<|im_end|> ", '" ', "\\[", "\\boxed{", "\\begin{", "\\begin{a}", "-1", ". ", "A ", "(A", "(A)",
    "yes ", "I cannot ", "x\n", '{"',
]  # fmt: skip
MOST = 1_000_000


def made_up(draw: random.Random) -> str:
    """A hostile text, of one, two or four bytes a character."""
    text = "".join(draw.choices(PIECES, k=draw.randrange(draw.choice((2, 4, 9, 21, 61)))))
    if draw.random() < 0.15:
        text *= draw.randrange(2, 12)
    if draw.random() < 0.1:
        text += draw.choice(PIECES) * draw.randrange(1, 90)
    most = draw.choice(("\x7f", "\xff", "\u7fff", "\U0010ffff"))
    return "".join(char for char in text if char <= most)


def given(draw: random.Random, text: str) -> str | None:
    start = draw.randrange(len(text) + 1)
    ways = (None, text, text[start : start + draw.randrange(6)], text[start:], "".join(draw.choices(PIECES, k=2)))
    return draw.choice(ways)


def both(
    monkeypatch: pytest.MonkeyPatch, texts: list[str | None], truths: list[Truth], answers: list[str | None]
) -> tuple[TextFacts, TextFacts]:
    facts = []
    for name in ("native", "python"):
        monkeypatch.setenv("AUDITFW_KERNEL", name)
        facts.append(text_facts(texts, truths, answers))
    return facts[0], facts[1]


def differing(seed: int, rows: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The made-up texts on which the kernels differ."""
    draw = random.Random(seed)
    texts = [made_up(draw) for _ in range(rows)]
    several = [tuple(filter(None, (given(draw, text), given(draw, text)))) for text in texts]
    truths: list[Truth] = [draw.choice((given(draw, text), more)) for text, more in zip(texts, several, strict=True)]
    native, python = both(monkeypatch, list(texts), truths, [given(draw, text) for text in texts])
    columns = zip(zip(*native, strict=True), zip(*python, strict=True), texts, strict=True)
    return [text for one, other, text in columns if one != other]


@built
def test_the_kernels_agree_on_hostile_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert differing(0, 600, monkeypatch) == []


@built
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
def test_the_kernels_agree_on_very_many(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert differing(seed, 20_000, monkeypatch) == []


@built
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_million_characters_of_one_kind_take_linear_time(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str | None] = [kind * (MOST // len(kind)) + end for end in ("", "x", " of")]
    begun = time.process_time()
    native, python = both(monkeypatch, texts, ["xy", ("of", kind * 9), kind * 400_000 + "x" + kind], ["aa", None, kind])
    assert native == python
    assert time.process_time() - begun < 10


@built
def test_a_long_answer_is_taken_out_in_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITFW_KERNEL", "native")
    answer = "a" * 100_000 + "b" + "a" * 100_000
    begun = time.process_time()
    facts = text_facts(["a" * MOST + answer + "é"], [None], [answer])
    assert facts.mask_chars[0] == MOST + 2
    assert time.process_time() - begun < 1


@pytest.mark.parametrize("kernel", ["python", pytest.param("native", marks=built)])
def test_the_columns(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITFW_KERNEL", kernel)
    texts = ["It is 7 </s>", None, "", "\ud800 = B", "I can't help you"]
    facts = text_facts(texts, ["is", None, "x", ("B", "= B"), "help"], [None, "x", None, None, "you"])
    bodies = ["It is 7", "", "", "? = B", "I can't help you"]
    masks = ["It _ 0", "", "", "? _", "_ can't _ _"]
    assert list(facts.signs) == [0, NO_TEXT, 1, 0, 128]
    assert list(facts.chars) == list(map(len, bodies))
    assert list(facts.est) == [3, 0, 0, 3, 6]
    assert list(facts.mask_chars) == list(map(len, masks))
    hashes = [[int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) for text in of] for of in (bodies, masks)]
    for of in hashes:
        of[1] = 0
    assert [list(facts.text), list(facts.mask)] == hashes


@pytest.mark.parametrize("kernel", ["python", pytest.param("native", marks=built)])
def test_no_texts(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITFW_KERNEL", kernel)
    assert list(map(len, text_facts([], [], []))) == [0] * 6


@built
@pytest.mark.parametrize(
    ("texts", "truths", "answers"),
    [
        ([1], [None], [None]),
        (["ab"], [1], [None]),
        (["ab"], [(None, 2)], [None]),
        (["ab"], [None], [b"ab"]),
        (["a"], [], []),
    ],
)
def test_what_is_no_text_is_refused(
    texts: list[str | None], truths: list[Truth], answers: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDITFW_KERNEL", "native")
    with pytest.raises((TypeError, ValueError)):
        text_facts(texts, truths, answers)
