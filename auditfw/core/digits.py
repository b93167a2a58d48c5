"""How numbers are written for people: one rule for all tables, sentences and charts. Files for machines keep floats.

A number is rounded half away from zero, as people round, and as the decimal that it stands for: 153 of 400 are 38.3 %,
though Python writes f"{38.25:.1f}" as 38.2. A float holds 15 decimal digits for sure, and what is left of a difference
of shares is sure to 12 places: 100 * 0.285 is 28.499999999999996 and stands for 28.5. No rate of fewer than a thousand
million trials is as near to a half without being one.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal
from math import isfinite

NOISE = 1e-12  # what is smaller, of a number that is near 1 where it is large, is left over from rounding
MOST_PLACES = 6  # of an end of an interval
LEAST_P = 0.0001
_HELD, _PLACES = 15, 12
_WIDE = Context(prec=700, rounding=ROUND_HALF_UP)  # digits of the largest float, and of the smallest


def fixed(value: float, digits: int, signed: bool = False) -> str:
    """A number with so many decimal places; what rounds to 0 there is never negative: 0.00, or signed +0.00."""
    shown = f"{_rounded(_decimal(value, digits), digits) if isfinite(value) else value:,.{digits}f}"
    if not shown.strip("-0.,"):
        shown = shown.lstrip("-")
    return f"+{shown}" if signed and not shown.startswith("-") else shown


def change(value: float, digits: int) -> str:
    """A change with so many decimal places: what rises has a plus, what rounds to 0 no sign."""
    shown = fixed(value, digits)
    return shown if shown.startswith("-") or not shown.strip("0.,") else f"+{shown}"


def rounded_up(n: int) -> int:
    """A whole number in its first two digits, not below it."""
    unit = int(10 ** max(len(str(n)) - 2, 0))
    return -(-n // unit) * unit


def short(value: float, digits: int = 4) -> str:
    """A number of any size in at most so many digits."""
    if value and isfinite(value) and digits < _HELD:
        number = Decimal(f"{value:.{_HELD}g}")
        rounded = float(_rounded(number, digits - 1 - number.adjusted()))
        value = rounded if isfinite(rounded) else value  # the largest float has nothing to round to
    return f"{value + 0.0:.{digits}g}"


def _decimal(value: float, digits: int) -> Decimal:
    """The decimal that a float stands for, where it is wanted with so many places."""
    number = Decimal(f"{value:.{_HELD}g}")
    return _rounded(number, _PLACES) if digits <= _PLACES - 8 else number


def _rounded(number: Decimal, digits: int) -> Decimal:
    return number.quantize(Decimal((0, (1,), -digits)), context=_WIDE)


def interval_digits(low: float | None, high: float | None, share: bool = False) -> int:
    """The decimal places of a number with this interval: as many as its half-width bears.

    In percent, points and other units 0 places for a half-width of 2 or more, 1 for 0.2 or more, else 2; for a `share`
    of 1, a score or a coefficient 1 for 0.2 or more, else 2. Without an interval a share has 2 places, others have 1.
    """
    if low is None or high is None or not isfinite(high - low):
        return 2 if share else 1
    half = float(_decimal((high - low) / 2, 2))
    if half >= 2 and not share:
        return 0
    return 1 if half >= 0.2 else 2


def difference_digits(low: float | None, high: float | None, most: int = 2) -> int:
    """The decimal places of a difference with this interval: one more than a level has, at most so many."""
    return min(most, interval_digits(low, high) + 1)


def clear_digits(ends: Iterable[float], digits: int) -> int:
    """So many decimal places, or as many more as show of each end of an interval that it is not 0."""
    known = [end for end in ends if end]
    while digits < MOST_PLACES and not all(fixed(end, digits).strip("-0.,") for end in known):
        digits += 1
    return digits


def end_text(end: float, digits: int, signed: bool = False) -> str:
    """An end of an interval with so many decimal places, or as many more as show that it is not 0."""
    return fixed(end, clear_digits([end], digits), signed)


def short_apart(value: float, *others: float) -> list[str]:
    """Numbers in at most four digits, or as many more as show that the first is none of the others."""
    for digits in range(4, 4 if value in others else 18):
        texts = [short(one, digits) for one in (value, *others)]
        if texts[0] not in texts[1:]:
            return texts
    return [short(one) for one in (value, *others)]


def p_text(p: float) -> str:
    """A p-value of a table in two significant digits, but two to four decimal places; less, 0 too, is <0.0001."""
    if p < LEAST_P:
        return f"<{LEAST_P:.4f}"
    return fixed(p, min(4, max(2, 1 - Decimal(short(p, 2)).adjusted())))


def chance(p: float) -> str:
    """A p-value as part of a sentence: `p = 0.030`, `p < 0.0001`."""
    return f"p {p_text(p).replace('<', '< ')}" if p < LEAST_P else f"p = {p_text(p)}"


def measured(value: float) -> str:
    """A number of unknown kind: whole ones as integers, very large and small ones in four digits, else four places."""
    if value.is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) < NOISE:
        return fixed(value, 4)
    return short(value) if abs(value) >= 1e9 or abs(value) < 5e-5 else fixed(value, 4)


def without_noise(value: float) -> float:
    """The number; 0.0 where it is what rounding leaves of 0."""
    return 0.0 if abs(value) < NOISE else value
