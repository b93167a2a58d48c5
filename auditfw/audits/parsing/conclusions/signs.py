"""Signs in texts that often go with a changed label: what to look at first.

They say what is in the texts, not what changed the label.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from auditfw.audits.parsing.engine.kernels import Signs
from auditfw.formulas.texts.options import LINE_BLANKS, OPTIONS

THINK, MARKER, SEVERAL, NUMBERS, CASE, MARKDOWN, LATEX, UNICODE, EMPTY = NAMES = (
    "think delimiter",
    "garbage marker",
    "several candidates",
    "number format",
    "case",
    "Markdown",
    "LaTeX",
    "Unicode form",
    "empty answer",
)
MEANINGS = {
    THINK: "the text has the end of its thinking, as </think>",
    MARKER: "the text runs on, as with Question:",
    SEVERAL: "what is compared holds several answers",
    NUMBERS: "a number with separators, $ or %, as 1,234",
    CASE: "answer and truth differ in capital letters",
    MARKDOWN: "the text has marks of Markdown, as **",
    LATEX: "the text has LaTeX, as \\boxed",
    UNICODE: "a character in another form, as ² for 2",
    EMPTY: "nothing is left to compare",
}
ENDS = 2_000  # characters at either end of a long text that are looked at

_MARKDOWN = ("**", "__", "~~", "`", "](", *(f"\n{mark} " for mark in ("#", "##", "###", "####", "-", "*", "+", ">")))
_ANNOUNCED = ("answer is", "answer:", "\\boxed")
_LATEX = re.compile(r"\\(?:[A-Za-z]+|[()\[\]])|\$[^$\s](?:[^$\n]*[^$\s])?\$(?!\d)")
_FORMAT = re.compile(r"\d,\d|[$€£¥]\s?[-−]?[.\d]|\d\s?[%€£¥]")
_OPTION = re.compile(rf"[(\[]([{OPTIONS}{OPTIONS.lower()}])[)\]]|(?m:^[{LINE_BLANKS}*_`]*([{OPTIONS}])[.):])")
_DIGIT = re.compile("[0-9]")
_NUMBER = re.compile("[0-9]+(?:[.,][0-9]+)*")
_LETTER = re.compile(rf"\W*[{OPTIONS}{OPTIONS.lower()}]\W*")


def signs_of(whole: str, sides: Sequence[str], truths: Sequence[str], signs: Signs) -> tuple[str, ...]:
    """The signs in the texts of a flip, in the order of their names.

    Delimiters, markers, Markdown and LaTeX are looked for in the whole text; the others in the truths and the
    `sides`, what the reading and the reference kept of it (the reading first). A long text is looked at by its ends.
    """
    whole, sides = ends(whole), [ends(side) for side in sides]
    low = whole.lower()
    present = (
        signs.delimiter in low,
        any(marker in low for marker in signs.any_marker.markers),
        any(several_candidates(side, truths) for side in sides),
        any(map(_digits, truths)) and any(map(number_format, (*sides, *truths))),
        any(other_case(side, truth) for side in sides for truth in truths),
        has_markdown(whole),
        has_latex(whole),
        any(map(other_form, (*sides, *truths))),
        not any(side.strip() for side in sides[:1]),
    )
    return tuple(name for name, there in zip(NAMES, present, strict=True) if there)


def ends(text: str) -> str:
    """A text; of a long one its two ends."""
    return text if len(text) <= 2 * ENDS else f"{text[:ENDS]}\n{text[-ENDS:]}"


def several_candidates(text: str, truths: Sequence[str]) -> bool:
    """Whether a text holds several different answers of the truth's sort.

    Several numbers where the truth holds a digit, several options where it is the letter of one, else several
    announcements ("answer is", \\boxed).
    """
    if any(map(_digits, truths)):
        return _differ(match[0] for match in _NUMBER.finditer(text))
    if any(map(_LETTER.fullmatch, truths)):
        return _differ((match[1] or match[2]).upper() for match in _OPTION.finditer(text))
    low = text.lower()
    return sum(map(low.count, _ANNOUNCED)) > 1


def _differ(values: Iterator[str]) -> bool:
    first = next(values, None)
    return any(value != first for value in values)


def number_format(text: str) -> bool:
    """Whether a number of a text has a separator or decimal comma, a currency sign or a percent sign."""
    return _FORMAT.search(text) is not None


def _digits(text: str) -> bool:
    return _DIGIT.search(text) is not None


def other_case(text: str, truth: str) -> bool:
    """Whether a text holds a truth in other case alone."""
    return bool(truth.strip()) and truth not in text and truth.casefold() in text.casefold()


def has_markdown(text: str) -> bool:
    """Whether a text holds marks of Markdown."""
    lines = f"\n{text}"
    return any(mark in lines for mark in _MARKDOWN)


def has_latex(text: str) -> bool:
    r"""Whether a text holds a LaTeX command or $…$."""
    return ("\\" in text or "$" in text) and _LATEX.search(text) is not None


def other_form(text: str) -> bool:
    """Whether a text changes by Unicode's compatibility composition (NFKC): ², full-width letters, é in two parts."""
    return not text.isascii() and not unicodedata.is_normalized("NFKC", text)
