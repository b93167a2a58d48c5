"""The words of a text one by one, for rules that stop at the first that is a number."""

from __future__ import annotations

from collections.abc import Iterator

NEAR = 8  # words that are split off before the text is split as a whole


def likely_numbers(text: str, *, backwards: bool) -> Iterator[str]:
    """The words of a text between white space, from its beginning or its end.

    Of all but a few, words of ASCII letters alone are left out: they are no numbers.
    """
    parts = text.rsplit(None, NEAR)[::-1] if backwards else text.split(None, NEAR)
    yield from parts[:NEAR]
    for rest in parts[NEAR:]:  # one, or none
        far = [word for word in rest.split() if not (word.isascii() and word.isalpha())]
        yield from reversed(far) if backwards else far
