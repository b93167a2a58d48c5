"""Differences planted in published completions: each comes out as its part, the others are 0.

The figures, in points, are those of this project's specification of two logs, on gsm8k_model_solutions.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from places import CASES

from auditfw.formulas.clusters import rate
from auditfw.formulas.gaps.intervals import Gap, gap_of
from auditfw.formulas.gaps.paired import paired_logs
from auditfw.formulas.gaps.parts import PARTS
from auditfw.formulas.gaps.two_logs import CUT_OFF_OR_EMPTY, FINISHED, LOOP, TwoLogs
from auditfw.formulas.gaps.verdict import Conditions, gap_rules, parts_cancel, status_of
from auditfw.formulas.texts.endings import body, signs

FILE = CASES / "data" / "gsm8k_model_solutions" / "example_model_solutions.jsonl.gz"
NUMBER = re.compile(r"-?\d[\d,]*\.?\d*")
EMPTY_SIGN, LOOP_SIGN, BREAK_SIGNS = 1, 64, 2 | 4 | 8 | 16 | 32
Trial = tuple[int, str, str]  # item, text, truth
Rule = Callable[[str, str], bool]


@cache
def rows() -> list[dict[str, Any]]:
    with gzip.open(FILE, "rt", encoding="utf-8") as file:
        return list(map(json.loads, file))


def solutions(model: str) -> list[Trial]:
    return [
        (item, row[model]["solution"], row["ground_truth"].rsplit("A: ", 1)[1].strip())
        for item, row in enumerate(rows())
    ]


def value(number: str) -> float:
    return float(number.replace(",", "").rstrip("."))


@cache
def numbers(text: str) -> tuple[float, ...]:
    return tuple(value(match) for match in NUMBER.findall(text) if match.strip("-,."))


def last_number(text: str, truth: str) -> bool:
    return numbers(text)[-1:] == (value(truth),)


def any_number(text: str, truth: str) -> bool:
    return value(truth) in numbers(text)


@cache
def end_of(text: str) -> int:
    sign = signs(body(text))
    return LOOP if sign & LOOP_SIGN else CUT_OFF_OR_EMPTY if sign & (BREAK_SIGNS | EMPTY_SIGN) else FINISHED


def logs(a: Sequence[Trial], b: Sequence[Trial], rules: tuple[Rule, Rule]) -> TwoLogs:
    truths = [{item: truth for item, _, truth in side} for side in (a, b)]
    both = [*a, *b]
    right = [
        [[rule(text, of_side.get(item, truth)) for of_side in truths] for rule in rules] for item, text, truth in both
    ]
    return TwoLogs(
        np.array([item for item, *_ in both]),
        np.repeat([0, 1], [len(a), len(b)]),
        np.array(right),
        np.array([end_of(text) for _, text, _ in both]),
    )


def fewer(side: Sequence[Trial]) -> list[Trial]:
    return [trial for trial in side if trial[0] % 10]


def other_truths(side: Sequence[Trial]) -> list[Trial]:
    return [(item, text, "999999" if item < 40 else truth) for item, text, truth in side]


def cut(side: Sequence[Trial]) -> list[Trial]:
    return [
        (item, text if item % 5 else text[: len(text) // 2].rstrip() + " and the", truth) for item, text, truth in side
    ]


SAME = (last_number, last_number)
OTHER = (last_number, any_number)
BEST = solutions("175b_verification")
PLANTED: dict[str, tuple[list[Trial], tuple[Rule, Rule], dict[str, tuple[float, ...]]]] = {
    "itself": (BEST, SAME, {"gap": (0.0, 0.0, 0.0)}),
    "items": (fewer(BEST), SAME, {"items": (0.32, -0.57, 1.20), "gap": (0.32, -0.57, 1.20)}),
    "truths": (other_truths(BEST), SAME, {"truths": (1.67, 0.94, 2.39), "gap": (1.67, 0.98, 2.36)}),
    "scoring": (BEST, OTHER, {"scoring": (-6.67, -8.02, -5.30), "gap": (-6.67, -8.02, -5.32)}),
    "ended": (
        cut(BEST),
        SAME,
        {"ended": (10.78, 9.43, 12.12), "rest": (0.89, -0.30, 2.09), "gap": (11.68, 9.90, 13.45)},
    ),
    "all four": (
        cut(other_truths(fewer(BEST))),
        OTHER,
        {
            "items": (0.32, -0.57, 1.20),
            "truths": (1.73, 0.99, 2.46),
            "scoring": (-6.44, -7.82, -5.05),
            "ended": (5.93, 4.86, 6.99),
            "rest": (0.56, -0.33, 1.45),
            "gap": (2.08, -0.11, 4.27),
        },
    ),
}


def shown(gap: Gap) -> dict[str, tuple[float, ...]]:
    """Value and ends in points, of the gap and of parts that are not 0."""
    parts = {name: gap.parts[name] for name in PARTS if gap.parts[name].value} | {"gap": gap.gap}
    return {
        name: tuple(round(100 * (one or 0.0), 2) for one in (part.value, part.low, part.high))
        for name, part in parts.items()
    }


@pytest.mark.parametrize("name", PLANTED)
def test_planted_differences(name: str) -> None:
    b, rules, figures = PLANTED[name]
    assert shown(gap_of(logs(BEST, b, rules))) == figures


def test_what_follows_of_all_four() -> None:
    """36 of 1,187 common items have another truth (3.0 %): broken, and the parts cancel."""
    b, rules, _ = PLANTED["all four"]
    both = logs(BEST, b, rules)
    gap = gap_of(both)
    changed = [1 if item < 40 else 0 for item, *_ in b]
    conditions = Conditions(rate([1] * len(b), changed), both.rules_differ())
    assert (gap.common, gap.only_a, sum(changed)) == (1187, 132, 36)
    tried = gap_rules(gap, conditions)
    assert status_of(tried) == "broken"
    assert [rule.name for rule in tried if rule.fired] == ["truths_differ"]
    assert parts_cancel(gap)


def test_two_models() -> None:
    """175b_verification less 175b_finetuning: 360 items won, 76 lost."""
    right = [[row[model]["is_correct"] for row in rows()] for model in ("175b_verification", "175b_finetuning")]
    one = [1] * len(right[0])
    made = paired_logs(one, right[0], one, right[1])
    rates = made.rates
    ends = [round(100 * (end or 0.0), 2) for end in (rates.difference, rates.low, rates.high)]
    assert ends == [21.53, 18.61, 24.38]
    assert (made.won, made.lost, made.tied) == (360, 76, 883)
    assert round(100 * (made.smallest or 0.0), 1) == 4.4
    assert made.square == 436 / 1319
