"""LaTeX in one spelling, and under which form two formulas are the same."""

from __future__ import annotations

import re

from .number_forms import WAYS, number_form

_DROPPED = (
    r"\left", r"\right", r"\!", r"\,", r"\;", r"\:", r"\ ", "~", r"\$", "$",
    r"\displaystyle", r"\[", r"\]", r"\(", r"\)",
)  # fmt: skip
_SPELLED = (
    ("dfrac", "frac"), ("tfrac", "frac"), (r"\%", "%"), (r"^{\circ}", "°"), (r"^\circ", "°"), (r"\degree", "°"),
    (r"\cdot", "*"), (r"\times", "*"), (r"\infty", "∞"), ("+∞", "∞"), ("{,}", ","),
)  # fmt: skip
_PATTERNS = tuple(
    (re.compile(pattern), by)
    for pattern, by in (
        (r"\\(?:text|mbox|mathrm|textbf|mathbf)\s*\{([^{}]*)\}", r"\1"),
        (r"\\frac\s*(\d)\s*(\d)", r"\\frac{\1}{\2}"),
        (r"\\frac\s*\{([^{}]*)\}\s*(\d)(?!\d)", r"\\frac{\1}{\2}"),
        (r"\\sqrt\s*(\w)", r"\\sqrt{\1}"),
        (r"^\s*[a-zA-Z]\s*(?:=|\\in\b)\s*", ""),
        (r"(?<=\d),(?=\d{3}(?!\d))", ""),
        (r"\s+", ""),
        (r"\.+$", ""),
        (r"(\.\d*?)0+(?!\d)", r"\1"),
        (r"\.(?!\d)", ""),
    )
)
_UNIT = re.compile(r"\\text\{[^{}]*\}")
_LONE = re.compile(
    r"\s*\\?\$?\s*[-−]?(?:\\[dt]?frac\s*\{?-?\d+\}?\s*\{?\d+\}?|[\d,.]+(?:/\d+)?)\s*"
    r"(?:\\?%|\^?\{?\\circ\}?|\\text\{[^{}]*\}|(?:[A-Za-z]{2}[A-Za-z .]*)?)\s*\$?\s*"
)
_LIKE_NUMBERS = (*WAYS, "rounding", "rounding_coarse")


def plain_latex(text: str) -> str | None:
    """A formula in one spelling: without spaces and sizes, a unit of degrees or per cent, zeros at the end."""
    plain = text.strip()
    for dropped in _DROPPED:
        plain = plain.replace(dropped, "")
    for spelled, by in _SPELLED:
        plain = plain.replace(spelled, by)
    for pattern, by in _PATTERNS:
        plain = pattern.sub(by, plain)
    return plain.removesuffix("°").removesuffix("%") or None


def latex_form(answer: str, truth: str) -> str | None:
    """The form under which two formulas are the same; those of numbers where each is one number and maybe a unit."""
    plain = plain_latex(answer)
    if plain is not None and plain == plain_latex(truth):
        return "latex"
    if _LONE.fullmatch(answer) is None or _LONE.fullmatch(truth) is None:
        return None
    form = number_form(_UNIT.sub(" unit", answer), _UNIT.sub(" unit", truth))
    return "fraction" if form == "equal" else form if form in _LIKE_NUMBERS else None
