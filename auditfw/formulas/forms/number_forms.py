"""Under which form a number of an answer is that of the truth."""

from __future__ import annotations

import re
from fractions import Fraction

from .numbers import WrittenNumber, numbers_of

# In the order in which one of several names a pair.
_NAMES = "words unicode exponent scale fraction decimal_comma thousands percent currency zeros unit"
WAYS = tuple(_NAMES.split())
NOISE = 10**6
LONG = 7  # digits from which on two numbers may differ by noise
COARSE = 3  # digits below which rounding is coarse
_BEFORE = 60  # characters in which a number is announced

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
    if read.several and not _ANNOUNCED.search(read.text[max(0, last.start - _BEFORE) : last.start]):
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
