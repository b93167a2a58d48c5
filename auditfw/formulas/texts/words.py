"""The words of a text one by one, for rules that stop at the first that is a number."""

from __future__ import annotations

from collections.abc import Iterator

NEAR = 8  # words that are split off before the text is split as a whole


def likely_numbers(text: str, *, backwards: bool) -> Iterator[str]:
    """The words of a text between white space, from its beginning or its end.

    Of all but a few, words of ASCII letters alone are left out: they are no numbers.
    """
    parts = text.rsplit(None, NEAR) if backwards else text.split(None, NEAR)
    if len(parts) <= NEAR:
        yield from reversed(parts) if backwards else parts
        return
    yield from reversed(parts[1:]) if backwards else parts[:-1]
    rest = [word for word in parts[0 if backwards else -1].split() if not (word.isascii() and word.isalpha())]
    yield from reversed(rest) if backwards else rest
