"""The numbers of a text, each with the ways in which it is written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import NamedTuple

_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_IN_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
ONES: Mapping[str, int] = {word: value for value, word in enumerate(_TO_NINETEEN.split())}
_TENS = {word: 10 * value for value, word in enumerate(_IN_TENS.split(), 2)}
_SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_NAMES = frozenset({*ONES, *_TENS, *_SCALES})
NUMBER_WORDS = _NAMES | {"and"}
_HUNDRED, _ANY = 100, 10**15
_LETTERS = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9}
_VULGAR = {sign: Fraction(unicodedata.numeric(sign)).limit_denominator(10) for sign in "¼½¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")
_MINUS = "-−–"
_SIGNS = "".join(_VULGAR)

LONGEST = 1_000  # digits of a number; more are none
_POWER_LENGTH = 4  # characters of a power of ten; numbers of longer ones are read without it

_NUMBER = re.compile(
    rf"""
    (?P<sign>[{_MINUS}+]?)[ ]?(?P<currency>[$€£¥₹₩₽]|US\$)?[ ]?(?P<minus>[-−]?)
    (?P<body>
        \d{{1,3}}(?P<group>[,'’_ \u00a0\u2009\u202f])\d{{3}}(?:(?P=group)\d{{3}})*(?!\d)(?:\.\d+)?
        |\d{{1,3}}(?:\.\d{{3}}){{1,9}},\d+
        |\d+,\d{{1,2}}(?![\d,])
        |\d+(?:\.\d+)?
        |(?<![\w.])\.\d+
    )
    (?P<exponent>
        [eE][-+]?\d+(?!\w)
        |[ ]?(?:[x×*·]|\\times|\\cdot)[ ]?10[ ]?\^?[ ]?\{{?(?P<power>[-−]?\d+|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)\}}?
    )?
    (?P<vulgar>[ ]?[{_SIGNS}])?(?P<over>/\d+(?![\d/]))?(?P<mixed>[ ]\d+/\d+(?![\d/]))?
    (?P<percent>[ ]?(?:\\?%|percent\b|per[ ]cent\b))?
    (?P<scale>[ ]?(?:hundred|thousand|million|billion|trillion)\b|[kKMB](?!\w))?
    (?P<unit>[ ]?[A-Za-z°][\w°/²³]*)?
    """,
    re.VERBOSE,
)
_BEFORE = 8  # characters of a number before its first digit, at most
_DIGIT, _OTHER_DIGIT = re.compile(r"\d"), re.compile(r"[^\x00-\x7f](?<=\d)")
_LETTERS_RUN = re.compile("[a-z]+")
_FRACTION = re.compile(r"\\[dt]?frac\s{0,9}\{?\s{0,9}(-?\d+)\s{0,9}\}?\s{0,9}\{?\s{0,9}(\d+)\s{0,9}\}?")
_WORD = "|".join([*ONES, *_TENS, *_SCALES])
_FIRST = rf"{'|'.join([*ONES, *_TENS])}|(?<!\d)(?<!\d )(?:{'|'.join(_SCALES)})"  # 3 million is one number
_IN_WORDS = rf"\b(?:{_FIRST})(?:[\s-]+(?:and[\s-]+)?(?:{_WORD}))*\b"
_WORDS, _ANY_CASE = re.compile(_IN_WORDS), re.compile(_IN_WORDS, re.IGNORECASE)
_ONE = re.compile(_WORD, re.IGNORECASE)
_LONE_SIGN = re.compile(rf"(?<!\d)(?<!\d )[{_SIGNS}]")
_START = attrgetter("start")


class WrittenNumber(NamedTuple):
    """A number of a text: its value, how it is written, its decimals (None of a fraction), its start."""

    value: Fraction
    ways: frozenset[str]
    places: int | None
    written: str
    start: int

    @property
    def digits(self) -> int:
        return sum(map(str.isdigit, self.written))


@dataclass(frozen=True, eq=False)
class TextNumbers:
    """A text as numbers are read in it, the ways of all of them and where they are; they are made when asked for."""

    text: str
    ways: frozenset[str]
    _digits: Sequence[re.Match[str]]
    _words: Sequence[re.Match[str]]
    _signs: Sequence[re.Match[str]]

    @cached_property
    def numbers(self) -> tuple[WrittenNumber, ...]:
        """The numbers in their order."""
        return tuple(sorted(self._made(slice(None)), key=_START))

    @cached_property
    def last(self) -> WrittenNumber | None:
        """The last number."""
        return max(self._made(slice(-1, None)), key=_START, default=None)

    @cached_property
    def several(self) -> bool:
        """Whether the numbers have several values."""
        last = self.last
        return last is not None and any(number.value != last.value for number in self._made(slice(None)))

    def _made(self, chosen: slice) -> Iterator[WrittenNumber]:
        """The numbers of some of the places of each sort."""
        for match in self._digits[chosen]:
            yield _written(match, self.text, set(self.ways))
        for match in self._words[chosen]:
            yield from _named(match, self.text, self.ways)
        for match in self._signs[chosen]:
            yield WrittenNumber(_VULGAR[match[0]], self.ways | {"fraction"}, None, match[0], match.start())


@lru_cache(maxsize=4_096)
def numbers_of(text: str) -> TextNumbers:
    """The numbers of a text in their order."""
    ways: set[str] = set()
    if not text.isascii() and _OTHER_DIGIT.search(text):
        text = "".join(str(unicodedata.digit(s)) if unicodedata.category(s) == "Nd" else s for s in text)
        ways.add("unicode")
    plain = _FRACTION.sub(r" \1/\2 ", text)
    if plain != text:
        ways.add("fraction")
    plain = plain.replace("\\$", "$").replace("{,}", ",")
    signs = () if plain.isascii() else tuple(_LONE_SIGN.finditer(plain))
    return TextNumbers(plain, frozenset(ways), tuple(_in_digits(plain)), tuple(_in_words(plain)), signs)


def _in_digits(text: str) -> Iterator[re.Match[str]]:
    """Where numbers are in digits. Digits are found more quickly than numbers."""
    digit = _DIGIT.search(text)
    end = 0
    while digit and (match := _NUMBER.search(text, max(end, digit.start() - _BEFORE))):
        if len(match["body"]) <= LONGEST:
            yield match
        end = match.end()
        digit = _DIGIT.search(text, end)


def _written(match: re.Match[str], text: str, ways: set[str]) -> WrittenNumber:
    """A number in digits."""
    body = _plain_body(match, ways)
    decimals = body.partition(".")[2]
    places: int | None = len(decimals)
    if decimals and not int(decimals):
        ways.add("zeros")
    value = Fraction(f"0{body}") if "." in body else Fraction(int(body))
    power = _power(match)
    if power is not None:
        value, places = value * Fraction(10) ** power, max(0, len(decimals) - power)
        ways.add("exponent")
    fraction = _fraction_of(match, value)
    if fraction is not None:
        value, places = fraction, None
        ways.add("fraction")
    if match["minus"] or (match["sign"] and match["sign"] in _MINUS and not _joins(text, match.start())):
        value = -value
    if match["sign"] and match["sign"] in "−–":
        ways.add("unicode")
    ways.update(way for way in ("currency", "percent", "unit") if match[way])
    if match["scale"]:
        scale = match["scale"].strip()
        value, places = value * (_SCALES.get(scale.lower()) or _LETTERS[scale]), None
        ways.add("scale")
    written = match[0].lstrip()
    return WrittenNumber(value, frozenset(ways), places, written.rstrip(), match.end() - len(written))


def _plain_body(match: re.Match[str], ways: set[str]) -> str:
    """The digits with a point before the decimals and nothing between groups."""
    body = match["body"]
    if match["group"]:
        ways.add("thousands")
        return body.replace(match["group"], "")
    if "," in body:
        ways.add("decimal_comma")
        return body.replace(".", "").replace(",", ".")
    return body


def _power(match: re.Match[str]) -> int | None:
    """The power of ten that is written behind a number; None where there is none, or one beyond all use."""
    if not match["exponent"]:
        return None
    power = (match["power"] or match["exponent"][1:]).translate(_RAISED)
    return int(power) if len(power) < _POWER_LENGTH else None


def _fraction_of(match: re.Match[str], value: Fraction) -> Fraction | None:
    """The value with the fraction that is written behind it; None where there is none."""
    if match["vulgar"]:
        return value + _VULGAR[match["vulgar"].strip()]
    if value.denominator != 1:
        return None
    if match["over"] and len(match["over"]) <= LONGEST and int(match["over"][1:]):
        return value / int(match["over"][1:])
    if match["mixed"] and len(match["mixed"]) <= LONGEST:
        above, below = map(int, match["mixed"].split("/"))
        return value + Fraction(above, below) if above < below else None
    return None


def _joins(text: str, at: int) -> bool:
    """Whether a sign follows a word or a number, so that it is no minus of its own."""
    before = text[at - 1 : at]
    return bool(before) and (before.isalnum() or before in ")%")


def _in_words(text: str) -> Iterator[re.Match[str]]:
    """Where numbers are in words. In lower case they are found more quickly; letters beyond ASCII change in number."""
    if not text.isascii():
        return _ANY_CASE.finditer(text)
    text = text.lower()
    return iter(()) if _NAMES.isdisjoint(_LETTERS_RUN.findall(text)) else _WORDS.finditer(text)


def _named(match: re.Match[str], text: str, ways: frozenset[str]) -> Iterator[WrittenNumber]:
    """The numbers of words that follow each other: one where they are one."""
    whole = value_of_words(match[0])
    parts = [(match[0], 0)] if whole is not None else [(one[0], one.start()) for one in _ONE.finditer(match[0])]
    for words, start in parts:
        value, at = Fraction(value_of_words(words) or 0), match.start() + start
        yield WrittenNumber(value, ways | {"words"}, 0, text[at : at + len(words)], at)


def value_of_words(text: str) -> int | None:
    """The number that words name: two hundred and five; None where they are several numbers, as in "one two"."""
    total = part = 0
    below = _ANY  # what the next word must be
    for word in re.split(r"[\s-]+", text.lower()):
        if word == "and":
            continue
        value = ONES.get(word, _TENS.get(word))
        if value is not None:
            if value >= below or (part and not value):
                return None
            part, below = part + value, 10 if word in _TENS else 1
            continue
        scale, zero = _SCALES[word], not part and below == 1
        if zero or (part >= scale if scale == _HUNDRED else total % (1_000 * scale)):
            return None
        part = (part or 1) * scale
        below = _HUNDRED
        if scale > _HUNDRED:
            total, part, below = total + part, 0, _ANY
    return total + part


# Under which form a number of an answer is that of the truth.

# In the order in which one of several names a pair.
_WAY_NAMES = "words unicode exponent scale fraction decimal_comma thousands percent currency zeros unit"
WAYS = tuple(_WAY_NAMES.split())
NOISE = 10**6
LONG = 7  # digits from which on two numbers may differ by noise
COARSE = 3  # digits below which rounding is coarse
_ANNOUNCED_WITHIN = 60  # characters in which a number is announced

_ANNOUNCED = re.compile(
    r"(?:[=≈:]|\b(?:is|are|was|equals?|total|total of|makes?|gives?|get|####)|#{3,4}|boxed\s*\{|[Aa]nswer)"
    r"[\s*_$\\({\[]*(?:about |approximately |only |just )?$"
)


def number_form(answer: str, truth: str) -> str | None:
    """The form under which the only number of an answer is that of the truth, of several the last one.

    The truth has to be one number; one in words beside it does not count.
    """
    wanted = numbers_of(truth).numbers
    if len(wanted) != 1:
        wanted = tuple(number for number in wanted if "words" not in number.ways)
    read = numbers_of(answer)
    last = read.last
    if len(wanted) != 1 or last is None:
        return None
    [number] = wanted
    same = last.value == number.value
    near = None if same else _near(last, number)
    if not same and near is None:
        return None
    if read.several and not _ANNOUNCED.search(read.text[max(0, last.start - _ANNOUNCED_WITHIN) : last.start]):
        return "last_loose" if same else None
    if not same:
        return near
    differ = last.ways ^ number.ways
    return next((way for way in WAYS if way in differ), "last" if read.several else "equal")


def _near(one: WrittenNumber, other: WrittenNumber) -> str | None:
    """The form under which two numbers of different values are the same."""
    a, b = one.value, other.value
    differ = one.ways ^ other.ways
    if "percent" in differ and (a == 100 * b or 100 * a == b):
        return "percent_fraction"
    if b and len(one.written) >= LONG <= min(one.digits, other.digits) and abs(a - b) * NOISE <= abs(b):
        return "float_noise"
    if "thousands" in differ and (a == 1000 * b or 1000 * a == b):
        return "comma"
    return _rounding(one, other)


def _rounding(one: WrittenNumber, other: WrittenNumber) -> str | None:
    """Whether the number with fewer decimals is the other one, rounded."""
    if one.places == other.places:
        return None
    coarse, fine = one, other
    if one.places is None or (other.places is not None and other.places < one.places):
        coarse, fine = other, one
    unit = Fraction(1, 10 ** (coarse.places or 0))
    if not coarse.value or abs(fine.value - coarse.value) > unit / 2:
        return None
    return "rounding" if len(str(abs(int(coarse.value / unit)))) >= COARSE else "rounding_coarse"
