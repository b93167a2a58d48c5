"""Where things are: the checkout, its tests, and the cases that tests read."""

from __future__ import annotations

from pathlib import Path

HELPERS = Path(__file__).resolve().parent
TESTS = HELPERS.parent
ROOT = TESTS.parent
CASES = TESTS / "cases"
