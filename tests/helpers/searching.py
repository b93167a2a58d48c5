"""How many examples hypothesis tries: a quarter in the fast run, all in the slow one, where its tests run once more."""

from __future__ import annotations

from hypothesis import settings

WHOLE, QUICK = 40, 10  # of a test that names no number


def examples(number: int) -> int:
    """So many examples of a test, or the fast run's share of them."""
    return max(1, number * min(settings().max_examples, WHOLE) // WHOLE)
