"""Numbers as somebody wrote them down, and whether a measured one is the same: within half a unit of the last digit."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction

MOST_PLACES = 60  # before or after the decimal point
NOISE = Fraction(1, 10**12)  # of a number, what is left over where a program wrote all its digits


def written_number(text: str) -> tuple[Fraction, Fraction] | None:
    """A number as it is written, and the unit of its last digit; None for anything else, or one out of all bounds."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite() or max(map(abs, (number.adjusted(), int(number.as_tuple().exponent)))) > MOST_PLACES:
        return None
    return Fraction(number), Fraction(10) ** int(number.as_tuple().exponent)


def room_of(value: Fraction, unit: Fraction) -> Fraction:
    """How far a measured number may be from a written one that is the same."""
    return max(unit / 2, NOISE * max(Fraction(1), abs(value)))


def written_as(text: str, measured: float) -> bool:
    """Whether a measured number is the one that is written; False where the text is no number."""
    number = written_number(text)
    return number is not None and abs(Fraction(measured) - number[0]) <= room_of(*number)
