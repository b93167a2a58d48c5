"""What the label table holds of each text: its signs, its length, its hash, and those of its mask."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple

from auditfw.core.native import native_kernel

from .endings import (
    BLANKS,
    FUNCTION_WORDS,
    JOINING,
    REFUSAL,
    THOUGHTS,
    TURN_ENDS,
    body,
    estimated_tokens,
    refuses,
    signs,
)
from .masks import masked

NO_TEXT = 255  # in place of the signs: an empty text has no others
WORDS = (TURN_ENDS, tuple(chain(*THOUGHTS)), tuple(sorted(FUNCTION_WORDS)), BLANKS, JOINING)  # for the kernel

Truth = str | Sequence[str] | None


class TextFacts(NamedTuple):
    """A number for each text; where there is none its signs are NO_TEXT and the others 0."""

    signs: bytes
    chars: array[int]
    est: array[int]
    text: array[int]
    mask: array[int]
    mask_chars: array[int]


def text_facts(texts: list[str | None], truths: Sequence[Truth], answers: Sequence[str | None]) -> TextFacts:
    """The facts of texts with their truths and their stored answers.

    `chars`, `est` and `text` are of the body: its code points, about how many tokens it has, and its hash; `mask` and
    `mask_chars` the hash and the code points of the body with truth and answer taken out.
    """
    kernel = native_kernel()
    if kernel is None:
        return _facts(texts, truths, answers)
    codes, *numbers, doubtful = kernel.facts(texts, list(truths), list(answers), WORDS)
    for row in doubtful:
        if refuses(body(texts[row] or "")):
            codes[row] |= REFUSAL
    return TextFacts(bytes(codes), *(array(kind, part) for kind, part in zip("IIQQI", numbers, strict=True)))


def _facts(texts: Sequence[str | None], truths: Sequence[Truth], answers: Sequence[str | None]) -> TextFacts:
    """The same by the definitions."""
    rows = []
    for text, truth, answer in zip(texts, truths, answers, strict=True):
        if text is None:
            rows.append((NO_TEXT, 0, 0, 0, 0, 0))
            continue
        own = body(text)
        mask = masked(own, [*((truth,) if isinstance(truth, str) else truth or ()), answer or ""])
        rows.append((signs(own), len(own), estimated_tokens(own), text_hash(own), text_hash(mask), len(mask)))
    columns = list(zip(*rows, strict=True)) or [()] * 6
    return TextFacts(bytes(columns[0]), *(array(kind, part) for kind, part in zip("IIQQI", columns[1:], strict=True)))


def text_hash(text: str) -> int:
    """The first eight bytes of BLAKE2b of a text, read as the ranks of draws are; half a character is a "?"."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
