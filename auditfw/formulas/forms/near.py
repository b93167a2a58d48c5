"""The first form, in order of trust, under which one of some answers is the truth."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from auditfw.formulas.texts.truth_kinds import kind_of
from auditfw.kinds.capabilities import capability
from auditfw.kinds.forms import Form

from .latex import latex_form
from .number_forms import WAYS, number_form
from .numbers import numbers_of
from .texts import PAIRS, PLAINER, VALUES, beside_numbers, inside_form, other_script, part_of_truth, text_form

SPAN = 200  # characters of an answer that is compared whole, and of its end in which a number is looked for
READ = 5_000  # characters of an answer, or of a truth, that are read at all

# All forms, in the order of trust.
NUMBERS = (*WAYS, "percent_fraction", "float_noise", "last")
TEXTS = (*PLAINER, *VALUES, *PAIRS)
INSIDE = tuple(f"inside{end}" for end in ("", "_words", "_spacing", "_date", "_initials", "_plural"))
COUNTED = tuple(dict.fromkeys(("equal", "latex", *TEXTS, *NUMBERS, *INSIDE)))
LISTED = (
    "rounding", "rounding_coarse", "comma", "last_loose", "part_of_truth", "elsewhere", "other_script",
    "letter_text", "text_letter",
)  # fmt: skip
FORMS = (*COUNTED, *LISTED)

_COUNTED = frozenset(COUNTED)
_BEFORE = re.compile(r"\s*[a-z]+\s+[\d.,]+\s*")
Compare = Callable[[str, str], str | None]


def form_name(cls: type) -> str:
    """The name of a form by that of its class: AsDecimalComma is decimal_comma."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removeprefix("As")).lower()


def shortest_first(answers: Iterable[str | None]) -> list[str]:
    """The distinct answers, cut to what is read of them: the end of a long one."""
    distinct = dict.fromkeys(answer[-READ:] for answer in answers if answer)
    return sorted(distinct, key=lambda answer: (len(answer), answer))


def near_form(answers: Iterable[str | None], truth: str, kind: str | None = None) -> str | None:
    """The first form under which one of the answers is the truth: whole ones first, then numbers in them, then parts.

    `kind` is that of the truth, by default its own. A form that does not count comes after all that do.
    """
    return first_form(shortest_first(answers), truth[:READ], kind)


def first_form(texts: Sequence[str], truth: str, kind: str | None = None) -> str | None:
    """The same of texts that are the shortest first, distinct, and cut to what is read, as the truth is."""
    listed = None
    for form in _found(texts, truth, kind or kind_of(truth)):
        if form in _COUNTED:
            return form
        listed = listed or form
    return listed


def _found(texts: Sequence[str], truth: str, kind: str) -> Iterator[str]:
    """All forms that fit, in order of trust."""
    short = [text for text in texts if len(text) <= SPAN]
    tries: list[tuple[Compare, Sequence[str]]] = []
    if kind == "number":
        ends = dict.fromkeys(text[-SPAN:] for text in texts if len(text) > SPAN)
        tries = [(number_form, short), (number_form, list(ends))]
    elif kind == "latex":
        tries = [(latex_form, short)]
    elif kind != "letter":
        tries = [(text_form, short)]
    if kind == "text":
        tries += [(_number_in_text, short)] if any(map(str.isdigit, truth)) else []
        tries += [(inside_form, texts), (_part, short)]
    for compare, of in tries:
        for text in of:
            form = compare(text, truth)
            if form is not None:
                yield form


def _number_in_text(answer: str, truth: str) -> str | None:
    """The form of the numbers of two texts, of which one says no more beside its number than the other.

    The truth may have one small word of its own before the number: late 1968.
    """
    form = number_form(answer, truth)
    if form in (None, "equal", "last"):
        return None
    one, other = beside_numbers(answer), beside_numbers(truth)
    return form if one <= other or other <= one or _BEFORE.fullmatch(truth) else None


def _part(answer: str, truth: str) -> str | None:
    if part_of_truth(answer, truth):
        return "part_of_truth"
    return "other_script" if other_script(answer, truth) else None


def part_of(answer: str, truth: str, form: str) -> str:
    """The part of an answer that is the truth in a form: its last number where the form is one of numbers."""
    last = numbers_of(answer[-SPAN:]).last if form in NUMBERS else None
    return last.written if last is not None and number_form(answer[-SPAN:], truth) == form else answer


def holds_other_number(answer: str, truth: str, counted: Collection[str]) -> bool:
    """Whether the last number of an answer that is called right is another one than the truth's."""
    form = number_form(answer, truth)
    return form not in counted and form not in ("equal", "last_loose") and numbers_of(answer).last is not None


def elsewhere(line: str, truth: str) -> bool:
    """Whether the last line of a text holds the truth."""
    if kind_of(truth) == "number":
        return number_form(line[-SPAN:], truth) in _COUNTED
    return inside_form(line[-READ:], truth) is not None


def same_under(form: Form, answer: str, truth: str) -> bool:
    """Whether an answer is the truth under a form."""
    same = capability(form, "same")
    if same is not None:
        return bool(same(answer, truth))
    value = form.value(answer)
    return value is not None and value == form.value(truth)
