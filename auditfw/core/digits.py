"""How numbers are written for people: one rule for all tables, sentences and charts. Files for machines keep floats."""

from __future__ import annotations

NOISE = 1e-12  # what is smaller, of a number that is near 1 where it is large, is left over from rounding
LEAST_P = 0.0001


def fixed(value: float, digits: int, signed: bool = False) -> str:
    """A number with so many decimal places; what rounds to 0 there is never negative: 0.00, or signed +0.00."""
    shown = f"{value:,.{digits}f}"
    if not shown.strip("-0.,"):
        shown = shown.lstrip("-")
    return f"+{shown}" if signed and not shown.startswith("-") else shown


def short(value: float) -> str:
    """A number of any size in at most four digits."""
    return f"{value + 0.0:.4g}"


def short_apart(value: float, *others: float) -> list[str]:
    """Numbers in at most four digits, or as many more as show that the first is none of the others."""
    for digits in range(4, 18):
        texts = [f"{one + 0.0:.{digits}g}" for one in (value, *others)]
        if texts[0] not in texts[1:]:
            return texts
    return [short(one) for one in (value, *others)]


def p_text(p: float) -> str:
    """A p-value with four decimal places; a smaller one, 0 by underflow too, is <0.0001."""
    return f"<{LEAST_P:.4f}" if p < LEAST_P else fixed(p, 4)


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
