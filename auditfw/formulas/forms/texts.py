"""Under which form a whole answer, or a part of it, is the truth, both of them texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence

from auditfw.formulas.texts.truth_kinds import kind_of
from auditfw.kinds.capabilities import capability
from auditfw.kinds.text import Form

from . import words
from .names import clock_of, date_of, holds_date, holds_name, same_acronym, same_name
from .numbers import NUMBER_WORDS, WAYS, number_form, numbers_of
from .words import bare

# LaTeX in one spelling, and under which form two formulas are the same.

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


MOST_WORDS = 8  # of a truth that is looked for in an answer
Plain = Callable[[str], str]

# Each goes on from the one before.
PLAINER: Mapping[str, Plain] = {
    "case": words.caseless,
    "unicode": words.modern,
    "punctuation": words.unpunctuated,
    "articles": words.without_articles,
    "diacritics": words.unmarked,
}


def _by_word(change: Plain) -> Plain:
    return lambda text: " ".join(map(change, bare(text).split()))


def _spacing(text: str) -> str | None:
    plain = bare(text)
    return None if re.search(r"\d", plain) else plain.replace(" ", "")


def _and(text: str) -> str:
    return " ".join(word for word in bare(text).split() if word not in ("&", "and"))


def _roman(text: str) -> str | None:
    plain = bare(text).split()
    return " ".join(map(words.roman_word, plain)) if len(plain) > 1 else None


def _order(text: str) -> str | None:
    plain = bare(text)
    return None if re.search(r"\d", plain) else " ".join(sorted(plain.split()))


# What each form makes of a text; two texts of one value are the same. In the order of trust.
VALUES: Mapping[str, Callable[[str], Hashable | None]] = {
    "lead_in": words.without_lead_in,
    "parentheses": words.without_brackets,
    "spacing": _spacing,
    "and": _and,
    "roman": _roman,
    "words": _by_word(words.number_word),
    "plural": _by_word(words.singular),
    "date": date_of,
    "clock": clock_of,
    "order": _order,
}
PAIRS: Mapping[str, Callable[[str, str], bool]] = {"initials": same_name, "acronym": same_acronym}


def text_form(answer: str, truth: str) -> str | None:
    """The form under which a whole answer is the truth."""
    one, other = answer.strip(), truth.strip()
    if not one or not other:
        return None
    if one == other:
        return "equal"
    for form, plain in PLAINER.items():
        one, other = plain(one), plain(other)
        if one and one == other:
            return form
    for form, value_of in VALUES.items():
        value = value_of(answer)
        if value and value == value_of(truth):
            return form
    return next((form for form, same in PAIRS.items() if same(answer, truth)), None)


def text_value(form: str, text: str) -> Hashable | None:
    """What a form of whole texts makes of one; None where it says nothing of it."""
    if form in VALUES:
        return VALUES[form](text) or None
    if form not in PLAINER:
        return None
    plain = text.strip()
    for name, plainer in PLAINER.items():
        plain = plainer(plain)
        if name == form:
            break
    return plain or None


def inside_form(answer: str, truth: str) -> str | None:
    """The form under which whole words of an answer are the truth."""
    plain, wanted = bare(answer), bare(truth)
    sought = wanted.split()
    n = len(sought)
    if not 0 < n <= MOST_WORDS:
        return None
    if f" {wanted} " in f" {plain} ":
        return "inside"
    numbers = any(map(str.isdecimal, map(words.number_word, sought)))  # other words stay as they are
    if numbers and _holds(plain, sought, words.number_word, words.number_parts):
        return "inside_words"
    if n > 1 and len(wanted) >= 7 and not re.search(r"\d", wanted) and _spaced(plain, sought):
        return "inside_spacing"
    if holds_date(answer, date_of(truth)):
        return "inside_date"
    if n > 1 and re.search("[A-Z]", truth) and holds_name(answer, truth):
        return "inside_initials"
    if (n > 1 or len(wanted) > 5) and _holds(plain, sought, words.singular, words.singular_parts):
        return "inside_plural"
    return None


def _holds(plain: str, sought: list[str], change: Plain, parts_of: Callable[[str], tuple[str, ...]]) -> bool:
    """Whether changed words are among the changed ones of a text; `parts_of` is to find quickly that they are not."""
    wanted = list(map(change, sought))
    if not all(any(part in plain for part in parts_of(word)) for word in wanted):
        return False
    return f" {' '.join(wanted)} " in f" {' '.join(map(change, plain.split()))} "


def _spaced(plain: str, sought: list[str]) -> bool:
    """Whether one word more or less is written in the same letters."""
    wanted, n = "".join(sought), len(sought)
    if wanted not in plain.replace(" ", ""):
        return False
    parts = plain.split()
    return any("".join(parts[i : i + k]) == wanted for k in (n - 1, n + 1) for i in range(len(parts) - k + 1))


def beside_numbers(text: str) -> set[str]:
    """The plain words of a text that name no number."""
    plain = {words.singular(word) for word in bare(text.replace("-", " ")).split() if word not in NUMBER_WORDS}
    return {word for word in plain if not any(map(str.isdigit, word))}


def part_of_truth(answer: str, truth: str) -> bool:
    """Whether an answer is part of the truth, at least half of its words."""
    parts, whole = bare(answer).split(), bare(truth).split()
    return 0 < len(whole) <= 2 * len(parts) < 2 * len(whole) and f" {' '.join(parts)} " in f" {' '.join(whole)} "


_SCRIPT = re.compile(r"[^\W\d_]")


def other_script(answer: str, truth: str) -> bool:
    """Whether an answer has letters, and none in a script of the truth."""
    own, wanted = _scripts(answer), _scripts(truth)
    return bool(own and wanted) and own.isdisjoint(wanted)


def _scripts(text: str) -> set[str]:
    if text.isascii():
        return {"LATIN"} if _SCRIPT.search(text) else set()
    return {unicodedata.name(letter, "").partition(" ")[0] for letter in set(_SCRIPT.findall(text))} - {""}


# The first form, in order of trust, under which one of some answers is the truth.

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
