"""Signs of texts that are empty, break off, loop or refuse, by hand; where a body ends, and how many tokens it has."""

from __future__ import annotations

import pytest

from auditfw.formulas.texts.endings import (
    EMPTY,
    FENCE,
    FUNCTION_WORDS,
    JOINED,
    JSON,
    LATEX,
    LOOP,
    REFUSAL,
    THINK,
    body,
    estimated_tokens,
    signs,
)

LONG = "All of these words are here to make forty characters. "
REFUSED = "I'm sorry, but I can't help with that."
SIGNS = {
    EMPTY: ["", " \n\u200b", "<|im_end|>\n</s> "],
    THINK: [
        "<think>So", "a</think><THINK>b", "<thin\u212a>b", "[think]x", "◁think▷x", "<|channel|>analysis x",
        "<seed:think>a</think>.", "<thinking>a</think>.",
    ],
    FENCE: ["```python\nx = 1", "  ~~~\nx", "````\n```\nx", "```\na\n```b\nc", "a\n```\nb\n```\n```\nc"],
    JSON: ['{"a": "b', "[1, [2], 3", '\n {"a": "\\"', '{"a": {"b": 1}, "c": 2'],
    LATEX: [
        "\\boxed{1", "\\boxed{1} \\boxed{\\frac{1}{2}", "\\begin{a}\\begin{b}\\end{b}", "\\[ x", "\\] \\( x",
        "a\nso $x^2", "$a$ and $b_1", "\\$ $x\\y", "\\begin{a*}\\end{a}",
    ],
    JOINED: ["x =", "(", "1 +", LONG + "So of", LONG + "The", LONG + "It: And", " " * 40 + "The"],
    LOOP: [
        "ab" * 120, "x " + "It is 12 o'clock, and so it is again now. " * 6,
        "Step 7: add the 31 apples to those; 18 now. " * 6,
    ],
    REFUSAL: [
        REFUSED, "<think>x</think>\nI cannot assist you", "As an AI, I do not know.", "I’m unable to provide it.",
        "I don't feel comfortable", "Well, my guidelines do not allow it.", "İ really can't say or share",
    ],
    FENCE | JSON: ["```\n[1, 2", '```json\n{"a": "x'],
    0: [
        "a", "Paris.", "<think>a</think>b", "a </think>", "```\na\n```", "```\na.", "    ```\na", "``\na",
        "``` a\n~~~\n```\nb", '{"a": "b"}', '{"a": 1} { x', '{"a": [1.', "x { y", '"{ y', "\\boxed{1}",
        "\\begin{a}\\end{a}", "\\end{a}", "\\[ x \\]",
        "costs $5", "$5 and $6", "$$x^2", "$x^2. So", "$x^2 $", '\\[ "}', "\\[ ```", "It ==", "((",
        LONG + "xThe", LONG + "So The", LONG + "of2", LONG + "A", LONG + "\x1cThe", "The cat and", "ab" * 119,
        "12 " * 80 + "x", "1 2 3 4 " * 3,
        LONG * 15 + REFUSED, "x" * 201 + " I cannot help", "I can help", "I cannot. Please help",
        "ai cannot help", LONG + "und",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("shown", "text"), [(shown, text) for shown, texts in SIGNS.items() for text in texts])
def test_the_signs_of_a_text(shown: int, text: str) -> None:
    assert signs(body(text)) == shown


def test_each_word_of_function_needs_another_one() -> None:
    assert len(FUNCTION_WORDS) == 61
    for word in FUNCTION_WORDS:
        assert signs(LONG + word) == JOINED
        assert signs(LONG + word.title()) == (JOINED if len(word) > 1 else 0)
        assert signs(LONG + "so " + word.title()) == 0


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a \t\u3000\ufeff", "a"),
        ("a<|eot_id|> \n<eos|></s><end_of_turn>", "a"),
        ("a<|end▁of▁sentence|>", "a"),
        ("<|return|>a", "<|return|>a"),
        ("a<eot>", "a<eot>"),
        ("a<||eos>", "a<||eos>"),
        (" a\x1c", " a\x1c"),
        ("</s>" * 100_000, ""),
    ],
)
def test_where_a_body_ends(text: str, kept: str) -> None:
    assert body(text) == kept


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("abcdef", 1),
        ("abcdefg h", 3),
        ("it's 42.\n", 7),
        ("né", 2),
        ("世界\u3000\r\n", 3),
        (" \t\x1c\u2028", 0),
        ("a" * 601, 101),
    ],
)
def test_about_how_many_tokens(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens
