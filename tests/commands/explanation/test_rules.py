"""The rules of answers in words: for each test what fires, and what would have had to be different."""

from __future__ import annotations

import re
from typing import Any

import pytest
from places import ROOT

from auditfw.commands.explanation.gate import stored_gate
from auditfw.commands.explanation.rules import OTHER, RULES, asked, decides, needed, number_text, otherwise, words_of


def rule(name: str, fired: bool, value: float | None = 2.0, bound: float | None = 1.0, **parts: Any) -> dict[str, Any]:
    numbers = {"value": value, "low": None, "high": None, "p": None, "bound": bound, **parts}
    return {"rule": name, "reading": "r", "cell": {}, **numbers, "fired": fired}


TESTS = [
    ("churns", True, "the lower end is above 1 %", "lower end at most 1 %"),
    ("churns", False, "the lower end is above 1 %", "lower end above 1 %"),
    ("wrong_unsure", True, "the upper end is above 1", "upper end at most 1"),
    ("wrong_unsure", False, "the upper end is above 1", "upper end above 1"),
    ("must_missed", True, "it is above 1", "value at most 1"),
    ("must_missed", False, "it is above 1", "value above 1"),
    ("coverage", True, "it is below 1", "value at least 1"),
    ("coverage", False, "it is below 1", "value below 1"),
    ("no_better_than_free", True, "the upper end is at most 1", "upper end above 1"),
    ("no_better_than_free", False, "the upper end is at most 1", "upper end at most 1"),
    ("precision", True, "its interval reaches beyond ±1 pp", "interval within ±1 pp"),
    ("precision", False, "its interval reaches beyond ±1 pp", "interval beyond ±1 pp"),
    ("free_not_excluded", True, "its interval contains 1", "interval without 1"),
    ("free_not_excluded", False, "its interval contains 1", "interval with 1"),
    (
        "no_skill",
        True,
        "its interval reaches 0, and that of another reading is above 1 pp",
        "interval above 0",
    ),
    ("kappa_missed", True, "its whole interval is beyond 1", "interval that reaches 1"),
    ("kappa_missed", False, "its whole interval is beyond 1", "whole interval beyond 1"),
    ("kappa_open", True, "its interval contains 1", "interval without 1"),
    ("kappa_missed_in_cell", True, "it is beyond 1, and p at most 0.05", "p above 0.05"),
    ("kappa_missed_in_cell", False, "it is beyond 1, and p at most 0.05", "p at most 0.05"),
    ("claim_turned", True, "", ""),
    ("unheard_of", True, "", ""),
]


@pytest.mark.parametrize(("name", "fired", "when", "other"), TESTS)
def test_when_a_rule_fires(name: str, fired: bool, when: str, other: str) -> None:
    one = rule(name, fired)
    assert (needed(one), otherwise(one)) == (when, other)
    assert needed({**one, "bound": None}) == otherwise({**one, "bound": None}) == ""


@pytest.mark.parametrize(
    ("fired", "value", "p", "other"),
    [
        (True, 2.0, 0.01, "less than 0.5 pp in size, or p above 0.05"),
        (False, 2.0, 0.2, "p at most 0.05"),
        (False, -0.4, 0.01, "at least 0.5 pp in size"),
        (False, 0.4, 0.2, "at least 0.5 pp in size and p at most 0.05"),
        (False, -0.5, 0.05, ""),
    ],
)
def test_what_would_have_moved(fired: bool, value: float, p: float, other: str) -> None:
    assert otherwise(rule("moves_cell", fired, value, 0.5, p=p), 0.05) == other


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (
            rule("moves_whole", True, 2.129, low=0.0, high=4.219, p=0.0007),
            "+2.13 pp, approximate interval [0.00, 4.22], p = 0.0007 by sign flips",
        ),
        (rule("moves_whole", False, -0.001, p=1e-9), "0.00 pp, p <0.0001 by sign flips"),
        (rule("churns", False, 2.4, low=0.4, high=8.04), "2.40 % [0.40, 8.04]"),
        (rule("coverage", False, 0.98765, low=0.9, high=1.0), "0.9877 [0.9, 1]"),
        (rule("undefined", True, None, None), "undefined"),
    ],
)
def test_numbers(one: dict[str, Any], text: str) -> None:
    assert number_text(one) == text


def test_names_that_are_made() -> None:
    assert asked(rule("kappa_missed", True)) == "Is the bound on kappa missed?"
    assert (
        asked(rule("percent_agreement_missed_in_cell", True)) == "Is the bound on percent_agreement missed in a cell?"
    )
    assert words_of(rule("abstain_rate_open", True)).number == "abstain_rate"
    assert decides(rule("kappa_missed", True)) == decides(rule("kappa_missed_in_cell", True)) == "fragile"
    assert decides(rule("kappa_open", True)) == "unknown"
    assert words_of(rule("missed", True)) is RULES["missed"]
    assert words_of(rule("unheard_of", True)) is OTHER
    assert asked(rule("unheard_of", True)) == "unheard_of?"
    assert decides(rule("unheard_of", True)) == ""


@pytest.mark.parametrize(("low", "status"), [(None, "fragile"), (6.0, "fragile"), (50.0, "fragile"), (50.1, "broken")])
def test_accepting_either_way_breaks_above_a_half(low: float | None, status: str) -> None:
    assert decides(rule("either_way", True, low=low)) == status


def test_rules_that_decide_have_words() -> None:
    """What the audits call a status in `decides`, is called so here."""
    pattern = re.compile(
        r'^\s*"(\w+)": "(broken|fragile|unknown)",?$|\{"(\w+)": "(broken|fragile|unknown)"', re.MULTILINE
    )
    stated = [
        (match[1] or match[3], match[2] or match[4])
        for file in sorted((ROOT / "auditfw" / "audits").rglob("*.py"))
        for match in pattern.finditer(file.read_text("utf-8"))
    ]
    assert len(stated) >= 8
    assert {name: status for name, status in stated if words_of(rule(name, True)).decides != status} == {}


GATES = [
    ("kappa >= 0.75", "kappa", "", False, 0.75, None),
    ("mismatches <= 0", "mismatches", "", False, None, 0.0),
    ("delta_pp >= -1 and delta_pp <= 1", "delta_pp", "", False, -1.0, 1.0),
    ("flips in every cell <= 1e-05", "flips", "", True, None, 1e-05),
    ("low of kappa >= 0.6", "kappa", "low", False, 0.6, None),
    ("high of above_free > 0", "above_free", "high", False, 0.0, None),
    ("flips < 3", "flips", "", False, None, 3.0),
    ("interval of kappa in every cell >= 0.6", "kappa", "interval", True, 0.6, None),
    ("change of flips >= -2 and <= 3", "flips", "change", False, -2.0, 3.0),
    ("change of flips <= 3", "flips", "change", False, None, 3.0),
    ('"flips@a+b" <= 10', "", "", False, None, None),
    ("answer is stable: fragile", "", "", False, None, None),
    ("a plugin's own words", "", "", False, None, None),
]


@pytest.mark.parametrize("case", GATES, ids=[case[0] for case in GATES])
def test_a_gate_is_known_by_its_rule(case: tuple[str, str, str, bool, float | None, float | None]) -> None:
    text, metric, end, every, low, high = case
    gate = stored_gate({"name": "g", "rule": text, "reading": None, "value": None, "status": "fail", "why": ""})
    inf = float("inf")
    assert (gate.metric, gate.end, gate.every) == (metric, end, every)
    assert (gate.low, gate.high) == (-inf if low is None else low, inf if high is None else high)
    assert gate.pairs == ((("flips", "a+b"),) if "@" in text else ())
    assert gate.strict == (text in ("high of above_free > 0", "flips < 3"))
    assert gate.on_answer == text.startswith("answer")
