"""The matcher of lm-evaluation-harness for MATH by the texts of its makers: answers written the same way are equal."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from auditfw.kinds.registry import declare

_FIRST = (
    ("\n", ""), ("\\!", ""), ("\\\\", "\\"), ("tfrac", "frac"), ("dfrac", "frac"), ("\\left", ""), ("\\right", ""),
    ("^{\\circ}", ""), ("^\\circ", ""), ("\\$", ""),
)  # fmt: skip
_UNIT = "\\text{ "
_THEN = (("\\%", ""), (" .", " 0."), ("{.", "{0."))
_ROOT, _FRACTION, _HALF = "\\sqrt", "\\frac", "\\frac{1}{2}"


@declare("matcher", "hendrycks_math")
class HendrycksMath:
    r"""Accepts what hendrycks_math of lm-evaluation-harness accepts: what is written between $ signs is the truth.

    The answer is what lies between the first and the last $, else the whole text. Both sides lose line ends, \left,
    \right, degrees, percent and the unit on the right; `x=` before them, blanks, and short forms of roots and fractions
    (\frac12, 1/2, 0.5) are written out. Where one side cannot be, as x/2, both are compared as they stand.

    Source: `process_results` and `is_equiv` of lm_eval/tasks/hendrycks_math/utils.py
    (github.com/EleutherAI/lm-evaluation-harness, releases 0.4.3 to 0.4.13, the same in all).
    """

    family: ClassVar[str] = "equality"

    compares_empty: ClassVar[bool] = True

    def __call__(self, answer: str, truth: str) -> bool:
        first, last = answer.find("$"), answer.rfind("$")
        if last > first:
            answer = answer[first + 1 : last]
        try:
            return _written(answer) == _wanted(truth)
        except ValueError:
            return answer == truth


def _written(text: str) -> str:
    """A text as it is compared. Raises ValueError where the harness gives up."""
    text = _replaced(text, _FIRST)
    text, _, more = text.partition(_UNIT)
    if _UNIT in more:
        raise ValueError("two units")
    text = _replaced(text, _THEN)
    if not text:
        return text
    if text[0] == ".":
        text = f"0{text}"
    name, equals, value = text.partition("=")
    if equals and "=" not in value and len(name) <= 2:
        text = value
    text = _fractions(_roots(text).replace(" ", ""))
    return _HALF if text == "0.5" else _divided(text)


_wanted = lru_cache(maxsize=65536)(_written)


def _replaced(text: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for before, after in pairs:
        text = text.replace(before, after)
    return text


def _roots(text: str) -> str:
    r"""`\sqrt3` as `\sqrt{3}`. Raises ValueError where nothing follows a root."""
    first, *after = text.split(_ROOT)
    return first + "".join(_ROOT + (one if _begins(one) == "{" else f"{{{one[0]}}}{one[1:]}") for one in after)


def _fractions(text: str) -> str:
    r"""`\frac12` as `\frac{1}{2}`, `\frac1{72}` as `\frac{1}{72}`; all as it was where a lone character follows one.

    Raises ValueError where nothing does.
    """
    first, *after = text.split(_FRACTION)
    parts = [first]
    for one in after:
        if _begins(one) == "{":
            parts.append(one)
        elif len(one) == 1:
            return text
        else:
            parts.append(f"{{{one[0]}}}" + (one[1:] if one[1] == "{" else f"{{{one[1]}}}{one[2:]}"))
    return _FRACTION.join(parts)


def _begins(text: str) -> str:
    if not text:
        raise ValueError("nothing follows")
    return text[0]


def _divided(text: str) -> str:
    r"""`1/2` as `\frac{1}{2}`. Raises ValueError where two parts are no whole numbers."""
    parts = text.split("/")
    if len(parts) != 2:
        return text
    over, under = map(int, parts)
    return f"{_FRACTION}{{{over}}}{{{under}}}" if text == f"{over}/{under}" else text
