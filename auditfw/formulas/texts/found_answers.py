"""The answer that a whole text gives to a question whose truth is of one kind, in its canonical form.

As the default readings of the kind find it, the first that finds one: what the text announces, then what stands last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from auditfw.formulas.lowercase import lowered
from auditfw.formulas.markers import BLOCK_MARKERS, ROLE_MARKERS, THINK_END, MarkerScan, last_number

from .boxes import quick_last_box
from .canonical import ascii_digits, bare, latex_form, letter_form, number_form, yes_no_form
from .finders import REST, Find, KeptPart, searcher
from .truth_kinds import Kind

LONGEST = 200  # characters of an answer in words
_RUN_ON = MarkerScan([*ROLE_MARKERS, *BLOCK_MARKERS])
_NUMBER = r"[-−]?\$?(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?(?:/[0-9]+)?"
_ANNOUNCED_NUMBER = rf"(?i)(?:answer(?: is)?|####|boxed\{{)[\s:*_(\\$]*({_NUMBER})"
_ANNOUNCED_LETTER = r"(?:answer is \(?|[aA]nswer:\s*)([A-J])(?![A-Za-z])"
_ANNOUNCEMENT = r"(?i)(?:answer is|answer:)[\s:*_]*"


@lru_cache
def _search(pattern: str, part: KeptPart) -> Find:
    return searcher(pattern, part, engine="re")


def answer_part(text: str) -> str:
    """What follows the thinking, before a further turn begins."""
    part = text.rpartition(THINK_END)[2].strip()
    end = _RUN_ON.first(lowered(part))
    return part if end < 0 else part[:end]


def found_number(text: str) -> str:
    """The number that the answer announces, else its last one, else the last one of the text."""
    text = ascii_digits(text)
    part = answer_part(text)
    return number_form(_search(_ANNOUNCED_NUMBER, KeptPart(-1, 1))(part) or last_number(part) or last_number(text))


def found_letter(text: str) -> str:
    """The letter of the option that a text chooses, else the first that it announces."""
    return letter_form(text) or _search(_ANNOUNCED_LETTER, KeptPart(0, 1))(text)


def found_words(text: str) -> str:
    """What the answer announces, else its last line; "" where that is long."""
    part = answer_part(text) or text.strip()
    answer = (
        _search(_ANNOUNCEMENT, KeptPart(-1, REST))(part).strip().strip("*_").rstrip(".")
        or part.rpartition("\n")[2].strip()
    )
    return bare(answer) if len(answer) <= LONGEST else ""


def found_formula(text: str) -> str:
    """The content of the last box."""
    return latex_form(quick_last_box(text))


FINDERS: Mapping[Kind, Callable[[str], str]] = {
    "number": found_number,
    "letter": found_letter,
    "yes_no": yes_no_form,
    "latex": found_formula,
    "text": found_words,
    "long": found_words,
    "structured": found_words,
}


def found_answer(text: str, kind: Kind) -> str:
    """The form of the answer that a text gives to a truth of a kind; "" without one."""
    finder = FINDERS.get(kind)
    return finder(text) if finder is not None else ""
