"""A text with its answer taken out: equal ones are of one template, or copies."""

from __future__ import annotations

import re
from collections.abc import Iterable

GAP = "_"

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_LETTER = re.compile(r"\([A-J]\)|(?<![A-Za-z'])(?:[B-J]|A(?! [a-z]))(?![A-Za-z'])")
_YES_NO = re.compile(r"\b(?:yes|no)\b", re.IGNORECASE)


def masked(body: str, given: Iterable[str]) -> str:
    """A text's body with the truth and the stored answer `given` taken out, then whatever else may be an answer.

    Each number becomes a 0; each of these texts that is longer than a character, each letter A to J alone (but "A" as
    an article) and each yes or no a gap. An answer that was not stored is not looked for.
    """
    for text in given:
        if len(text) > 1:
            body = body.replace(text, GAP)
    return _YES_NO.sub(GAP, _LETTER.sub(GAP, _NUMBER.sub("0", body)))
