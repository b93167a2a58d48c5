"""Signs that an accepted answer is none: it denies the truth, names several options, has it inside a longer word."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.audits.parsing.engine.reference import Truth, alternatives
from auditfw.formulas.answer_signs import denies, folded, inside_longer, options_named

DENIES, SEVERAL, INSIDE = (
    "denies the truth",
    "names several options",
    "contains the truth only inside a longer word or number",
)
SIGNS = (DENIES, SEVERAL, INSIDE)


def signs_of(answer: str, truth: Truth, options: Sequence[str]) -> tuple[str, ...]:
    """The signs that an accepted answer is none; of several truths all must be denied, or inside longer words."""
    texts = [text for text in alternatives(truth) if text]
    if answer in texts:
        return ()
    present = [text for text in texts if folded(text).strip() in folded(answer)]
    signs = []
    if present and all(denies(answer, text) for text in present):
        signs.append(DENIES)
    if options and options_named(answer, options) > 1:
        signs.append(SEVERAL)
    if present and all(inside_longer(answer, text) for text in present):
        signs.append(INSIDE)
    return tuple(signs)
