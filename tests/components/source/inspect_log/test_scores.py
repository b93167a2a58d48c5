"""What a score says: a label, nothing, or a text that is no label."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from auditfw.components.source.inspect_log.scores import NONFINITE, UNSCORED, ScoreRules
from auditfw.core.errors import DataError, UsageError


@pytest.mark.parametrize(
    ("value", "label", "text"),
    [
        ("C", True, "C"), ("I", False, "I"), ("N", False, "N"), ("P", True, "P"),
        (True, True, "C"), (False, False, "I"), (1, True, "C"), (0, False, "I"), (1.0, True, "C"), (0.0, False, "I"),
        (0.5, True, "C"), (0.49, False, "I"), (-1, False, "I"), ("1", True, "C"), ("0.2", False, "I"),
        ("yes", True, "C"), ("True", True, "C"), ("NO", False, "I"), ("c", "c", "c"),
        ("nan", "nan", "nan"), (10**400, True, "C"), ("maybe", "maybe", "maybe"),
        (None, UNSCORED, None), (NONFINITE, UNSCORED, None), ("", "", ""),
    ],
)  # fmt: skip
def test_labels(value: Any, label: Any, text: str | None) -> None:
    rules, notes = ScoreRules(), Counter[str]()
    assert rules.label(value, "a:1", notes) is label or rules.label(value, "a:1", notes) == label
    assert rules.text(value, "a:1", notes) == text


@pytest.mark.parametrize(
    ("rules", "value", "label"),
    [
        (ScoreRules(partial=0.0), "P", False),
        (ScoreRules(partial=0.5, threshold=0.6), "P", False),
        (ScoreRules(partial=1.0, threshold=1.0), "P", True),
        (ScoreRules(threshold=0.8), 0.8, True),
        (ScoreRules(threshold=0.8), 0.79, False),
        (ScoreRules(threshold=-3), -2, True),
        (ScoreRules(key="a"), {"a": "C", "b": "I"}, True),
        (ScoreRules(key="b"), {"a": "C", "b": "I"}, False),
        (ScoreRules(key="1"), [1, 0], False),
        (ScoreRules(key="a"), {"a": None}, UNSCORED),
        (ScoreRules(key="a"), "C", True),
    ],
)
def test_settings(rules: ScoreRules, value: Any, label: Any) -> None:
    assert rules.label(value, "a:1", Counter()) is label


def test_what_is_noted() -> None:
    notes = Counter[str]()
    for value in ("C", 1, 0, "P", "P", 0.3, "0.7", -2, "N"):
        ScoreRules().label(value, "a:1", notes)
    assert notes == {
        "scores P (partial) read as 0.5: right (source.partial)": 2,
        "scores that are numbers other than 0 and 1: right from 0.5 on (source.threshold)": 3,
    }


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (None, {"a": 1, "b": 2}, ("a:1", "several values", "a, b", "source.key=a")),
        (None, [], ("a:1", "several values")),
        ("c", {"a": 1}, ("no 'c'", "(a)")),
        ("a", {"a": {"b": 1}}, ("'a' has several values itself",)),
    ],
)
def test_several_values(key: str | None, value: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(DataError) as caught:
        ScoreRules(key=key).label(value, "a:1", Counter())
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize("partial", [-0.1, 1.1, float("nan")])
def test_partial_is_a_share(partial: float) -> None:
    with pytest.raises(UsageError, match="partial: expected a number from 0 to 1"):
        ScoreRules(partial=partial)
