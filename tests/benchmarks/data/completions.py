"""Completions that look real, 200 to 8,000 characters long, and end in the way that a rule looks for."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

SHORTEST, LONGEST, SENTENCES, OPTIONS = 200, 8000, 4000, "ABCDEFGHIJ"
WORDS = (
    "the", "of", "to", "and", "we", "have", "then", "so", "total", "each", "per", "day", "price", "cost", "dollars",
    "he", "she", "buys", "sells", "apples", "let", "find", "number", "multiply", "divide", "result", "gives", "sum",
    "because", "option", "which", "means", "correct", "one", "I", "think", "that", "would", "be", "is", "A", "step",
    "first", "next", "therefore", "each", "other", "people", "cell", "energy", "water", "answer", "question", "could",
    "should", "more", "than", "because", "of", "its", "rate",
)  # fmt: skip
BEYOND = ("café", "naïve", "“so”", "it’s", "45°", "x²", "π", "→", "2 × 3", "½", "日本")
ENDINGS: Mapping[str, str] = {
    "hashes": "So the result is @.\n#### @",
    "answer is": "Of these, (B) is too small.\nThe answer is (@).",
    "Answer": "That settles it.\n\nAnswer: @",
    "ANSWER": "That settles it.\n\nANSWER: @",
    "boxed": "Therefore the value is $\\boxed{@}$.",
    "line": "That is all.\nA: @",
    "think": "</think>\n\nIt is @.\nUser: and the next one?",
}


class CompletionKind(NamedTuple):
    """Completions that end in one way, with the letter of an option or a number."""

    ending: str
    letters: bool


def write(path: Path, rows: int, kinds: Sequence[CompletionKind], seed: int = 0) -> None:
    """Writes JSON Lines of `id`, `completion`, `answer` and `label`; an eighth of the texts goes beyond ASCII.

    The kinds of completions take turns.
    """
    draw = random.Random(f"{seed} {kinds}")
    pool = [_sentence(draw) for _ in range(SENTENCES)]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in range(rows):
            ending, letters = kinds[row % len(kinds)]
            answer = draw.choice(OPTIONS) if letters else f"{draw.randint(0, 2000)}"
            truth = answer if draw.random() < 0.7 else draw.choice(OPTIONS) if letters else "7"
            text = "".join(_body(draw, pool)) + ENDINGS[ending].replace("@", answer)
            label = truth == answer if draw.random() < 0.95 else truth != answer
            record = {"id": f"q{row}", "completion": text, "answer": truth, "label": label}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _sentence(draw: random.Random) -> str:
    words = [f"{draw.randint(1, 9999):,}" if draw.random() < 0.08 else draw.choice(WORDS) for _ in range(12)]
    return " ".join(words).capitalize() + draw.choice((". ", ". ", ".\n", ": ", "?\n"))


def _body(draw: random.Random, pool: list[str]) -> Iterator[str]:
    left = SHORTEST * (LONGEST / SHORTEST) ** (draw.random() ** 1.5)
    if draw.random() < 1 / 8:
        yield draw.choice(BEYOND) + " "
    while left > 60:
        sentence = draw.choice(pool)
        left -= len(sentence)
        yield sentence
