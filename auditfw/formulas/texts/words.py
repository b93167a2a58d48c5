"""The numbers among a text's words: one by one for rules that stop at the first, or the last as others cut it."""

from __future__ import annotations

import re
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


_HELM = re.compile(r"-?[\d,]+(?:.\d+)?")


def helm_number(text: str) -> str:
    """The last number without its commas, "" without one; any one character counts as the decimal point.

    So "5 12" is one number. Source: `final_number_exact_match` of
    src/helm/benchmark/metrics/evaluate_reference_metrics.py (github.com/stanford-crfm/helm, commit 63754d0).
    """
    matches = _HELM.findall(text)
    return matches[-1].replace(",", "") if matches else ""
