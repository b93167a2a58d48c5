"""The words of a command line that is being typed: quotes may be open, the last word is not finished."""

from __future__ import annotations

from dataclasses import dataclass

ACTIVE = frozenset(" \t\n\"'\\$&;|<>()*?!`#")  # what a shell would act on, brackets apart: with those one types lists


@dataclass(frozen=True)
class TypedLine:
    """The words before the one that is typed, and that one up to the cursor.

    `quote` is the quote that is open in it; what a shell replaces begins `cut` characters into the word.
    """

    words: tuple[str, ...]
    word: str
    quote: str = ""
    cut: int = 0


def typed(text: str, breaks: str = "") -> TypedLine:
    """Reads a line up to the cursor; after the characters in `breaks` a shell takes a new word to begin."""
    words: list[str] = []
    word, quote, cut, inside, escaped = "", "", 0, False, False
    for character in text:
        if escaped:
            word, escaped = word + character, False
        elif character == "\\" and quote != "'":
            escaped, inside = True, True
        elif quote:
            if character == quote:
                quote = ""
            else:
                word += character
        elif character in "\"'":
            quote, inside, cut = character, True, len(word) if character in breaks else cut
        elif character in " \t\n":
            if inside:
                words.append(word)
            word, cut, inside = "", 0, False
        else:
            word, inside = word + character, True
            cut = len(word) if character in breaks else cut
    return TypedLine(tuple(words), word, quote, cut)


def unquoted(word: str) -> str:
    """A word as a shell hands it on, whose quotes may be open."""
    line = typed(word.replace(" ", "\\ ") if "'" not in word and '"' not in word and "\\" not in word else word)
    return " ".join([*line.words, line.word])


def escaped_for(text: str, quote: str) -> str:
    """A text as it is typed behind an open quote, or behind none."""
    if quote == "'":
        return text.replace("'", "'\\''")
    special = '"$`\\' if quote else ACTIVE
    return "".join(f"\\{character}" if character in special else character for character in text)
