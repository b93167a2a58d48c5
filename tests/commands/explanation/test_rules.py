"""The rules of answers in words: for each test what fires, and what would have had to be different."""

from __future__ import annotations

from typing import Any

import pytest
from places import ROOT
from sentences import commands as says

from auditfw.audits.answers import RULES
from auditfw.commands.explanation.answer import BY_TEST, asked, needed, number_text, otherwise


def rule(test: str, fired: bool, value: float | None = 2.0, bound: float | None = 1.0, **parts: Any) -> dict[str, Any]:
    """A rule as a run stores it."""
    numbers = {"value": value, "low": None, "high": None, "p": None, "bound": bound}
    words = {"asks": "Is it?", "number": "", "unit": "", "test": test, "setting": None, "status": None}
    return {"rule": "r", "reading": "a", "cell": {}, **numbers, "fired": fired, **words, **parts}


TESTS = [
    ("low_above", True, "the lower end is above 1 %", "lower end at most 1 %"),
    ("low_above", False, "the lower end is above 1 %", "lower end above 1 %"),
    ("high_above", True, "the upper end is above 1 %", "upper end at most 1 %"),
    ("high_above", False, "the upper end is above 1 %", "upper end above 1 %"),
    ("above", True, "it is above 1 %", "value at most 1 %"),
    ("above", False, "it is above 1 %", "value above 1 %"),
    ("below", True, "it is below 1 %", "value at least 1 %"),
    ("below", False, "it is below 1 %", "value below 1 %"),
    ("high_at_most", True, "the upper end is at most 1 %", "upper end above 1 %"),
    ("high_at_most", False, "the upper end is at most 1 %", "upper end at most 1 %"),
    ("beyond", True, "its interval reaches beyond ±1 %", "interval within ±1 %"),
    ("beyond", False, "its interval reaches beyond ±1 %", "interval beyond ±1 %"),
    ("holds", True, "its interval contains 1 %", "interval without 1 %"),
    ("holds", False, "its interval contains 1 %", "interval with 1 %"),
    ("skill", True, "its interval reaches 0, and that of another reading is above 1 %", "interval above 0"),
    (
        *("skill", False, "its interval reaches 0, and that of another reading is above 1 %"),
        "interval that reaches 0, and a reading with one above 1 %",
    ),
    ("missed", True, "its whole interval is beyond 1 %", "interval that reaches 1 %"),
    ("missed", False, "its whole interval is beyond 1 %", "whole interval beyond 1 %"),
    ("tested", True, "it is beyond 1 %, and p at most 0.05", "p above 0.05"),
    ("tested", False, "it is beyond 1 %, and p at most 0.05", "p at most 0.05"),
    ("", True, "", ""),
    ("sign_flips", True, "", ""),
    ("of a later version", True, "", ""),
]


@pytest.mark.parametrize(("test", "fired", "when", "other"), TESTS)
def test_when_a_rule_fires(test: str, fired: bool, when: str, other: str) -> None:
    one = rule(test, fired, unit=" %")
    assert (needed(one), otherwise(one)) == (when, other)
    assert needed({**one, "bound": None}) == otherwise({**one, "bound": None}) == ""


@pytest.mark.parametrize(
    ("fired", "value", "p", "other"),
    [
        (True, 2.0, 0.01, says.LESS_THAN_PP_IN_SIZE),
        (False, 2.0, 0.2, "p at most 0.05"),
        (False, -0.4, 0.01, says.AT_LEAST_PP_IN_SIZE),
        (False, 0.4, 0.2, says.AT_LEAST_PP_IN_SIZE_AND),
        (False, -0.5, 0.05, ""),
    ],
)
def test_what_would_have_moved(fired: bool, value: float, p: float, other: str) -> None:
    assert otherwise(rule("moved", fired, value, 0.5, p=p, unit=" pp"), 0.05) == other


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (
            rule("moved", True, 2.129, low=0.0, high=4.219, p=0.0007, unit=" pp"),
            says.PP_APPROXIMATE_INTERVAL_BY_SIGN,
        ),
        (rule("moved", False, -0.001, p=1e-9, unit=" pp"), says.PP_BY_SIGN_FLIPS),
        (rule("low_above", False, 2.4, low=0.4, high=8.04, unit=" %"), "2.40 % [0.40, 8.04]"),
        (rule("below", False, 0.98765, low=0.9, high=1.0), "0.9877 [0.9, 1]"),
        (rule("beyond", False, 2.4, unit=" pp"), "+2.40 pp"),
        (
            rule("sign_flips", True, 0.75, low=0.5, high=0.9, p=0.01),
            says.APPROXIMATE_INTERVAL_BY_SIGN_FLIPS,
        ),
        (rule("tested", True, 0.75, p=0.01), "0.75, p = 0.010"),
        (rule("", True, None, None), "undefined"),
    ],
)
def test_numbers(one: dict[str, Any], text: str) -> None:
    assert number_text(one) == text


def test_a_rule_of_an_older_run_has_its_name_for_a_question() -> None:
    assert asked(rule("", True)) == "Is it?"
    assert asked(rule("", True, asks="")) == "r?"


def test_every_rule_asks_and_has_words_for_its_test() -> None:
    assert len(RULES) >= 45
    for kind in RULES.values():
        assert kind.asks.endswith("?"), kind.name
        assert kind.test in {"", "sign_flips", *BY_TEST}, kind.name
        assert kind.test == "" or kind.number or "{}" in kind.asks, kind.name


def test_settings_of_rules_are_settings_of_the_audits() -> None:
    texts = "".join(file.read_text("utf-8") for file in (ROOT / "auditfw" / "audits").rglob("settings.py"))
    names = {word.rsplit(".", 1)[-1] for kind in RULES.values() if kind.setting for word in kind.setting.split(" and ")}
    assert {name for name in names if f" {name}: " not in texts} == set()
