"""The form under which an answer and a truth of one kind are compared: equal forms say the same thing.

A form is a text, and its own form; "" where a text holds nothing of the kind. Every function takes time in proportion
to the length of its text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from auditfw.formulas.lowercase import lowered
from auditfw.formulas.markers import BLOCK_MARKERS, ROLE_MARKERS, THINK_END, MarkerScan, last_number

from .finders import REST, Find, KeptPart, quick_option_letter, searcher
from .options import OPTIONS
from .truth_kinds import READ, Kind

# The content of the last \boxed{…} of a text.

_BRACE = re.compile(r"\\[\\{}]|[{}]")
_BOXED = ("\\boxed", "\\fbox")
_OPENINGS = tuple(f"{word}{{" for word in _BOXED)


def last_box(text: str) -> str:
    r"""The content of the last \boxed{…} whose braces balance; "" without one: the definition."""
    opened: list[int] = []
    last: tuple[int, int] | None = None
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            start = opened.pop()
            if text.endswith(_BOXED, 0, start) and (last is None or start > last[0]):
                last = start, brace.start()
    return text[last[0] + 1 : last[1]].strip() if last else ""


def quick_last_box(text: str) -> str:
    """The same, looked for from the end."""
    if "\\" not in text:
        return ""
    start = -1
    for opening in _OPENINGS:  # from the end: that is where answers stand
        start = max(start, text.rfind(opening, max(start, 0)))
    if start < 0:
        return ""
    # A brace right after these words is no escaped one, so its partner depends on what follows it alone.
    start = text.index("{", start)
    end = text.find("}", start)
    content = text[start + 1 : end]
    if end > start and "{" not in content and "\\" not in content:
        return content.strip()
    depth = 0
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[start + 1 : brace.start()].strip()
    return last_box(text)


PLAIN_DIGITS = 40  # of a number that is written without an exponent
FRACTION_DIGITS = 200  # of the parts of a fraction that is reduced
EXPONENT_DIGITS = 12
ROUNDS = 8  # of a rule whose result it may apply to again
ARTICLES = frozenset({"a", "an", "the"})

_AROUND = " \t\r\n\u00a0\\%$€£¥₹₩₽"
_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:[,' \u00a0\u2009\u202f][0-9]{3})+(?:\.[0-9]*)?")
_POINTS = re.compile(r"[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]+|(?:\.[0-9]{3}){2,})")
_DECIMAL = re.compile(r"[0-9]+[.,]?[0-9]*|[.,][0-9]+")
_PARTS = re.compile(r"([-+]?)([^-+eE/]+)(?:/([0-9]+))?(?:[eE]([-+]?[0-9]+))?")
_DIVIDED = re.compile(r"(?<![\w/.,])[-−]?\$?[0-9][0-9,.]{0,40}/\Z")
_SIGNS: Mapping[int, Any] = str.maketrans("−－﹣＋．，٫٬", "---+.,.,")
_FIRST = frozenset("0123456789.,-+")
_ASCII = bytes(range(128))
_FOREIGN = re.compile(rf"[^\D0-9]|[{''.join(map(chr, _SIGNS))}]")

_YES_NO = re.compile(r"(?<!\w)(?:yes|no)(?!\w)", re.IGNORECASE)
_TRUE_FALSE = re.compile(r"(?<!\w)(?:true|false)(?!\w)", re.IGNORECASE)
_LONE_LETTER = re.compile(r"[\s(\[*_`\"']*([A-Za-z])[\s)\]*_`\"'.:]*")

_PUNCTUATION = re.compile(  # but the point, comma, stroke and minus of a number
    r"[.,/](?!\d)|(?<=[^\W\d])[.,/]|(?<!\d)[,/]|(?<=\w)-|-(?!\.?\d)|[!\"'()*:;?\[\\\]_`{}]"
)

_LATEX_SPACES = re.compile(r"(?<!\\)\\(?:(?:left|right|q?quad|displaystyle)(?![A-Za-z])|[!,;:>\s])|[~\s]+")
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mbox)\s*\{([^{}]*)\}")
_LATEX_FRACTION = re.compile(r"\\[dt]frac(?![A-Za-z])")
_SHORT_FRACTION = re.compile(r"\\frac([0-9])([0-9])")
_LATEX_ENDS = re.compile(r"\A(?:\$+|\\[(\[])|(?:\.|\\?\$+|\\[)\]])\Z")


def ascii_digits(text: str) -> str:
    """A text with the digits of all scripts, and the signs of numbers, as ASCII has them."""
    if text.isascii():
        return text
    foreign = text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    if _FOREIGN.search(foreign) is None:
        return text
    decimals = ((ord(sign), unicodedata.decimal(sign, None)) for sign in set(foreign))
    digits = {code: str(value) for code, value in decimals if value is not None}
    return text.translate({**_SIGNS, **digits})


def number_form(text: str) -> str:
    """The number that a text is, else the last one in it; one form for all notations of a number.

    Thousands commas and currency do not count, nor does %; 0.50 and 1/2 are one number, 1/3 stays a fraction.
    """
    text = ascii_digits(text)
    return _written_number(text) or _number_in(text)


def _written_number(text: str) -> str:
    """The form of a text that is a number and nothing else."""
    text = text.strip(_AROUND)
    if not text or text[0] not in _FIRST:
        return ""
    if text[0] in "-+":
        text = text[0] + text[1:].lstrip(_AROUND)
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return ""
    sign, digits, divisor, exponent = parts.groups()
    digits = digits.strip(_AROUND)
    if _GROUPS.fullmatch(digits):
        digits = re.sub(r"[^0-9.]", "", digits)
    elif _POINTS.fullmatch(digits):
        digits = digits.replace(".", "")
    elif not _DECIMAL.fullmatch(digits):
        return ""
    return _form(sign, digits.replace(",", "."), divisor or "1", exponent or "0")


def _number_in(text: str) -> str:
    """The form of the last number among other words; a fraction is one number, a date is several."""
    number = last_number(text)
    start = text.rfind(number)
    if number.isdecimal():
        divided = start > 0 and text[start - 1] == "/"
        before = _DIVIDED.search(text[max(0, start - 50) : start]) if divided else None
        if before is not None:
            number = f"{before[0]}{number}"
        elif number[0] != "0":
            return number
    return _written_number(number) if number else ""


def _form(sign: str, digits: str, divisor: str, exponent: str) -> str:
    """A number as its digits without zeros at its ends, with a point or an exponent; no step rounds."""
    sign, power = sign.strip("+"), 0
    if divisor == "1" and exponent == "0" and digits.isdecimal() and digits[0] != "0":
        return f"{sign}{digits}"
    if len(exponent) > EXPONENT_DIGITS:
        return f"{sign}{digits}e{exponent}"
    if divisor != "1" and divisor.strip("0") and len(digits) + len(divisor) <= FRACTION_DIGITS:
        digits, power, divisor = _divided(Fraction(f"0{digits.rstrip('.')}") / int(divisor))
    whole, _, part = digits.partition(".")
    all_digits = f"{whole}{part}".lstrip("0")
    number = all_digits.rstrip("0")
    if not number:
        return "0"
    power += int(exponent) - len(part) + len(all_digits) - len(number)
    over = f"/{divisor}" if divisor != "1" else ""
    first = len(number) + power  # digits before the point
    if power == 0 or (power > 0 and first <= PLAIN_DIGITS):
        return f"{sign}{number}{'0' * power}{over}"
    if power < 0 < first:
        return f"{sign}{number[:first]}.{number[first:]}{over}"
    if power < 0 and -first < PLAIN_DIGITS:
        return f"{sign}0.{'0' * -first}{number}{over}"
    return f"{sign}{number}{over}e{power}"


def _divided(value: Fraction) -> tuple[str, int, str]:
    """A fraction as whole digits, a power of ten, and a divisor that no power of ten takes away."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    places = value.denominator.bit_length()
    return str(int(value * rest * 10**places)), -places, str(rest)


def letter_form(text: str) -> str:
    """The capital letter of the option that a text is, else of the one that it chooses."""
    lone = _LONE_LETTER.fullmatch(text)
    return lone[1].upper() if lone else quick_option_letter(OPTIONS)(text)


def yes_no_form(text: str) -> str:
    """The last yes or no of a text, without one its last true or false."""
    for words in (_YES_NO, _TRUE_FALSE):
        if answers := words.findall(text):
            return str(answers[-1]).casefold()
    return ""


def bare(text: str) -> str:
    """The words of a text without case, articles, and punctuation that is not inside a number."""
    for _ in range(ROUNDS):
        before, text = text, _bare(text)
        if text == before:
            break
    return text


def _bare(text: str) -> str:
    if text.isascii():
        text = text.lower()
    else:
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        text = text.translate({ord(sign): _INSTEAD[kind] for sign in set(text) if (kind := _kind(sign)) in _INSTEAD})
    words = _PUNCTUATION.sub(" ", text).split()
    return " ".join([word for word in words if word not in ARTICLES] or words)


_INSTEAD: Mapping[str, str] = {"minus": "-", "P": " ", "Cf": ""}


def _kind(sign: str) -> str:
    """What becomes of a sign beyond ASCII: a minus, punctuation, an invisible one; marks and symbols stay."""
    if sign.isascii():
        return ""
    category = unicodedata.category(sign)
    return "minus" if sign == "−" else category if category == "Cf" else category[0]


def latex_form(text: str) -> str:
    r"""A formula without spaces, \left and \right, \text, the $ around it and a point at its end; \dfrac is \frac."""
    if len(text) > READ:
        return "".join(text.split())
    for _ in range(ROUNDS):
        before = text
        text = _LATEX_FRACTION.sub(r"\\frac", _LATEX_TEXT.sub(r"\1", text))
        text = _SHORT_FRACTION.sub(r"\\frac{\1}{\2}", _LATEX_SPACES.sub("", text))
        text = _LATEX_ENDS.sub("", text.replace(r"\%", "%"))
        if text == before:
            break
    return _written_number(ascii_digits(text)) or text


FORMS: Mapping[Kind, Callable[[str], str]] = {
    "number": number_form,
    "letter": letter_form,
    "yes_no": yes_no_form,
    "latex": latex_form,
}


def canonical(text: str, kind: Kind) -> str:
    """The form of a text as an answer or a truth of a kind; "" where it holds none."""
    return FORMS.get(kind, bare)(text)


# The answer that a whole text gives to a question whose truth is of one kind, in its canonical form.

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
