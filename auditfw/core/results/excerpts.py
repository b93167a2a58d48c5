"""What is shown of a text where there is one line for it."""

from __future__ import annotations

BEFORE, AFTER, KEPT = 90, 40, 50  # characters that are shown around what a reading kept, and of that


def around(text: str, at: int, length: int) -> str:
    """What stands around a part of a text, with line breaks as marks; without a place (-1) the end of the text."""
    start = max(0, at - BEFORE) if at >= 0 else max(0, len(text) - BEFORE - AFTER)
    end = min(len(text), at + min(length, KEPT) + AFTER) if at >= 0 else len(text)
    shown = text[start:end].strip()
    return f"{'… ' if start else ''}{one_line(shown)}{' …' if end < len(text) else ''}"


def brief_line(text: str) -> str:
    """The start of a text as a line."""
    shown = one_line(text.strip())
    return shown if len(shown) <= KEPT else f"{shown[: KEPT - 1]}…"


def one_line(text: str) -> str:
    """A text as a line, its line breaks as marks."""
    return "⏎".join(" ".join(line.split()) for line in text.splitlines())


def quoted(text: str) -> str:
    """The start of a text in quotes; in words that there is nothing but white space."""
    return f'"{brief_line(text)}"' if text.strip() else "nothing"
