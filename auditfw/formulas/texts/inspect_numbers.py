"""What a word is worth as a number to the scorer match(numeric=True) of Inspect AI, and how it names options.

Source: `_parse_number` of inspect_ai/scorer/_common.py and `unicode_number_to_float` of inspect_ai/scorer/_unicode.py
(github.com/UKGovernmentBEIS/inspect_ai, commit 499e615, release 0.3.285). Signs, vulgar fractions, superscripts as
powers, digits of every script, marks between groups of digits and Chinese numerals are read. Options are A to Z, then
1, 2 and so on: `answer_character` and `answer_index` of inspect_ai/_util/answer.py and `_score_target` of
inspect_ai/scorer/_choice.py (same commit).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping

_TRIMMED = "!?:;()[]{}'\"`"
_MINUS, _PLUS = "-−﹣－", "+＋﹢"
_NEGATIVE, _POSITIVE = f"{_MINUS}负負", f"{_PLUS}正"
_GROUPING = ",，﹐、٬ \u00a0\u202f\u2009\u2007\u2008'’ʼ＇"
_POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_DIGITS: Mapping[str, int] = {
    **{sign: value for value, sign in enumerate("零一二三四五六七八九")},
    **{sign: value for value, sign in enumerate("壹贰叁肆伍陆柒捌玖", 1)},
    **dict.fromkeys("〇○", 0), **dict.fromkeys("貳两兩", 2), "參": 3, "陸": 6, "幺": 1,
}  # fmt: skip
_TENS: Mapping[str, int] = {"廿": 20, "卅": 30, "卌": 40}
_UNITS: Mapping[str, int] = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_LARGE: Mapping[str, int] = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_POINTS = "点點"
_FRACTIONS = {sign: unicodedata.numeric(sign) for sign in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒"}
_LEADING = re.compile(r"\d+(?:\.\d+)?")
_ASCII_NUMBER = re.compile(r"[\s.,eE'+_-]*[0-9][\s0-9.,eE'+_-]*")  # no other text in ASCII is a number
_CHINESE = frozenset([*_DIGITS, *_TENS, *_UNITS, *_LARGE, *_POINTS, "负", "負"])


def number_of(word: str, trimmed: bool = True) -> float | None:
    """The finite number that a word is, by Python's own reading, else by that of `written_number`; None without one.

    `trimmed`: without the marks of sentences and brackets around it.
    """
    bare = word.strip(_TRIMMED) if trimmed else word
    if bare.isascii() and not _ASCII_NUMBER.fullmatch(bare):
        return None
    for read in (_plain, written_number):
        value = read(bare)
        if value is not None and math.isfinite(value):
            return value
    return None


def number_of_2025(word: str) -> float | None:
    """The number that a word of numeric characters and dots was in 2025; None where it is something else.

    Source: `normalize_number` of inspect_ai/scorer/_common.py and `str_to_float` of inspect_ai/_util/text.py (release
    0.3.130). A base is read up to what is no number, and a superscript by itself is a power of one.
    """
    if not word.replace(".", "").isnumeric():
        return None
    end = next((at for at, sign in enumerate(word) if sign in _POWERS), len(word))
    fractions = [sign for sign in word[:end] if sign in _FRACTIONS]
    base = "".join(sign for sign in word[:end] if sign not in _FRACTIONS)
    leading, powers = _LEADING.match(base), word[end:].translate(_PLAIN_POWERS)
    if len(fractions) > 1 or (base and leading is None) or not (powers + "0").isdecimal():
        return written_number(word)
    value = float(leading[0]) if leading else 0.0 if fractions else 1.0
    value += _FRACTIONS[fractions[0]] if fractions else 0.0
    try:
        return value ** int(powers) if powers else value
    except (ArithmeticError, ValueError):
        return None


def _plain(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def written_number(text: str) -> float | None:
    """The number that a text is: signs, a base with a fraction, a power; None where it is none."""
    text, negative = _signed(text.strip())
    value = _numeric(text) if len(text) == 1 else None
    if value is not None:
        return -value if negative else value
    try:
        base, power = _power(text)
        value = _mixed(base)
        if value is None:
            return None
        value = -value if negative else value
        return value if power is None else float(value**power)
    except (ArithmeticError, ValueError):  # too large, too many digits, or zero to a negative power
        return None


def _signed(text: str) -> tuple[str, bool]:
    """A text without the signs before it, and whether they make it negative."""
    negative = False
    while text and text[0] in _NEGATIVE + _POSITIVE:
        negative ^= text[0] in _NEGATIVE
        text = text[1:].lstrip()
    return text, negative


def _numeric(sign: str) -> float | None:
    return unicodedata.numeric(sign, None)


def _power(text: str) -> tuple[str, int | None]:
    """A text without the superscripts at its end, and the power that they are; a text of nothing else has none."""
    end = len(text)
    while end and (text[end - 1].isspace() or text[end - 1] in _GROUPING):
        end -= 1
    base = text[:end].rstrip(_POWERS)
    if len(base) == end:
        return text.strip(), None
    base = base[:-1] if base[-1:] in ("⁻", "⁺") else base
    if not base.rstrip():
        return text.strip(), None
    return base.rstrip(), int(text[len(base) : end].translate(_PLAIN_POWERS))


def _mixed(text: str) -> float | None:
    """A number that may end in one vulgar fraction."""
    fractions = [(at, value) for at, value in enumerate(map(_numeric, text)) if value is not None and 0 < value < 1]
    if not fractions:
        return _whole(text)
    at, fraction = fractions[0]
    head, tail = text[:at].strip(), text[at + 1 :].strip()
    if len(fractions) > 1 or not all(c.isspace() or c in _GROUPING for c in tail):
        return None
    value = _whole(head) if head else 0.0
    return None if value is None else value + fraction


def _whole(text: str) -> float | None:
    text = text.strip()
    value = _chinese(text) if _CHINESE.intersection(text) else None
    if value is None:
        value = _grouped(text)
    return _numeric(text) if value is None and len(text) == 1 else value


def _digit(sign: str) -> int | None:
    return unicodedata.digit(sign, _DIGITS.get(sign))


def _grouped(text: str) -> float | None:
    """A number in digits of any script, with a decimal mark, marks between groups, and an exponent after e."""
    mark = _decimal_mark(text)
    marks = {"٫", "．", mark}
    written: list[str] = []
    signs = iter(text)
    after_exponent = False
    for sign in signs:
        digit = _digit(sign)
        if sign in "eE" and "e" not in written:
            if not written:
                return None
            written.append("e")
            after_exponent = True
            continue
        if after_exponent and sign in _PLUS + _MINUS:
            written.append("+" if sign in _PLUS else "-")
        elif sign in marks:
            if "." in written:
                return None
            written.append(".")
        elif sign.isspace() or sign in _GROUPING or (mark and sign in ",."):
            pass
        elif digit is not None:
            written.append(str(digit))
        else:
            return None
        after_exponent = False
    return _plain("".join(written))


def _decimal_mark(text: str) -> str:
    """The later one of dot and comma; a comma alone only before one to three digits; else ""."""
    dot, comma = text.rfind("."), text.rfind(",")
    if dot >= 0 or comma < 0:
        return "." if dot > comma else "," if dot >= 0 else ""
    return "," if 1 <= sum(_digit(sign) is not None for sign in text[comma + 1 :]) <= 3 else ""


def _chinese(text: str) -> float | None:
    whole, fraction = text, ""
    for point in (*_POINTS, "．", "."):
        if point in text:
            whole, _, fraction = text.partition(point)
            break
    read: Callable[[str], int | None] = _by_units if {*_UNITS, *_LARGE, *_TENS}.intersection(whole) else _by_digits
    value = read(whole)
    if value is None:
        return None
    share, place = 0.0, 0.1
    for sign in "".join(fraction.split()):
        digit = _digit(sign)
        if digit is None:
            return None
        share += digit * place
        place /= 10.0
    return float(value) + share


def _by_digits(text: str) -> int | None:
    digits = [_digit(sign) for sign in "".join(text.split())]
    return None if None in digits else int("".join(map(str, digits)) or "0")


def _by_units(text: str) -> int | None:
    """A numeral such as 三千零五: a digit counts for the unit after it, what is before 万 or 亿 for that."""
    total = section = number = 0
    for sign in "".join(text.split()):
        digit = _digit(sign)
        if sign in _TENS:
            section += _TENS[sign]
        elif sign in "零〇○":
            continue
        elif digit is not None:
            number = digit
        elif sign in _UNITS:
            section += (number or 1) * _UNITS[sign]
            number = 0
        elif sign in _LARGE:
            total += (section + number) * _LARGE[sign]
            section = number = 0
        else:
            return None
    return total + section + number


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def option_names(options: int) -> list[str]:
    """The names of so many options."""
    return [*LETTERS[:options], *map(str, range(1, options - len(LETTERS) + 1))]


def options_named(text: str) -> int:
    """How many options a text would name: a quick look, before it is known whether all of them are options."""
    return sum(1 if word.isnumeric() else len(word) for word in _words(text))


def option_positions(text: str) -> list[int]:
    """The places of the options that a text names, sorted: letters by themselves, "AB", "A, B" or numbers.

    Raises ValueError for a text that names something else.
    """
    return sorted(map(_position, (name for word in _words(text) for name in ([word] if word.isnumeric() else word))))


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _position(name: str) -> int:
    if len(name) == 1 and name.isalpha():
        letter = name.upper()
        if len(letter) == 1:
            return ord(letter) - ord("A")
    elif name.isnumeric() and int(name) > 0:
        return len(LETTERS) - 1 + int(name)
    raise ValueError(f"not an option: {name}")


# The numbers among a text's words: one by one for rules that stop at the first, or the last as others cut it.

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
