"""Answers that are wrong by their $ alone: a reading keeps the sign of a number, and the truth has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from auditfw.kinds.capabilities import capability

from .kernels import Column
from .plan import FALSE, ReadingPlan
from .reference import Truth, alternatives, evaluate, read

SIGN = "$"


def sign_keepers(plan: ReadingPlan) -> list[int]:
    """The readings that find the number of a sentence and tell $7 from 7."""
    return [number for number in range(len(plan.readings)) if not plan.is_ruled(number) and _keeps_sign(plan, number)]


def _keeps_sign(plan: ReadingPlan, number: int) -> bool:
    p, n = plan.readings[number]
    parts = plan.parsers[p].part, plan.normalizers[n].part, plan.matcher_of(n)
    if capability(parts[0], "needs", ()):
        return False
    try:
        return [read(f"it costs {price}", "7", *parts) for price in ("7", f"{SIGN}7")] == [True, False]
    except Exception:
        return False  # it failed on a text of ours, which is no trial


def wrong_by_sign(
    plan: ReadingPlan,
    readings: Sequence[int],
    labels: Sequence[bytearray],
    columns: tuple[Column, Column],
    truths: Sequence[Truth],
) -> Counter[int]:
    """For each of these readings how many of its wrong answers would be right without their sign."""
    counted: Counter[int] = Counter()
    for number in readings:
        p, n = plan.readings[number]
        parser, normalizer, matcher = plan.parsers[p].part, plan.normalizers[n].part, plan.matcher_of(n)
        texts, codes = columns[parser.column != "raw_text"] or (), labels[number]
        for row, text in enumerate(texts):
            if codes[row] != FALSE or not text or SIGN not in text or any(SIGN in t for t in alternatives(truths[row])):
                continue
            answer = parser(text) or ""
            without = answer.replace(SIGN, "")
            counted[number] += answer != without and evaluate(without, truths[row], normalizer, matcher) is True
    return counted
