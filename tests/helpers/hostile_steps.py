"""Texts for steps: pieces that mean something to one of them, in any order."""

from __future__ import annotations

from hypothesis import strategies as st

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
