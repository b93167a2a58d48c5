"""How arguments are joined to one answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sentences import all_audits as says

from auditfw.audits.answers import Argument, Reason, RuleKind, Statement, concluded, enumerated, words_of
from auditfw.core.records import AnswerRule, AnswerStatus

DECIDES: dict[str, AnswerStatus] = {"bad": "broken", "weak": "fragile", "open": "unknown"}
KINDS = [*(RuleKind(name, f"{name}?", status=status) for name, status in DECIDES.items()), RuleKind("reports", "?")]


def argument(name: str, *fired: str, **more: Any) -> Argument:
    """An argument that tried every rule, of which some fired, with a statement for each status."""
    rules = [kind(name, fired=kind.name in fired) for kind in KINDS]
    words = {
        status: Statement(f"{name} {status}", [f"{name}: {status}"], f"mend {name}") for status in DECIDES.values()
    }
    return Argument(rules, words, **more)


@pytest.mark.parametrize(
    ("audit", "status", "kinds", "words"),
    [
        ("parsing", "fragile", "either_way", "SCORER ACCEPTS TOO MUCH"),
        ("parsing", "broken", "either_way", "SCORER ACCEPTS ANYTHING"),
        ("parsing", "broken", "luck_above_most_frequent", "SCORER ACCEPTS ANYTHING"),
        ("parsing", "broken", "no_skill either_way", "NO BETTER THAN LUCK"),
        ("parsing", "broken", "truths_differ", "TRUTHS CONTRADICT EACH OTHER"),
        ("parsing", "fragile", "truths_differ", "DEPENDS ON WHICH ROWS COUNT"),
        ("parsing", "broken", "no_rule", "LABELS HAVE NO RULE"),
        ("parsing", "stable", "either_way", "HOLDS"),
        ("parsing", "unknown", "either_way", "CANNOT TELL"),
        ("adjudication", "fragile", "better", "PEOPLE DIFFER"),
        ("adjudication", "broken", "skill", "PEOPLE SAY OTHERWISE"),
        ("mine", "broken", "either_way", "BROKEN"),
    ],
)
def test_the_words_are_those_of_what_decided(audit: str, status: AnswerStatus, kinds: str, words: str) -> None:
    assert words_of(audit, status, kinds.split()) == words


def stable() -> Statement:
    return Statement("all is well", ["nothing moves"], "report it")


@pytest.mark.parametrize(
    ("arguments", "status", "headline", "because"),
    [
        ([], "stable", "all is well", ["nothing moves"]),
        ([argument("a"), argument("b", "reports")], "stable", "all is well", ["nothing moves"]),
        ([argument("a", "open"), argument("b")], "unknown", "a unknown", ["a: unknown"]),
        ([argument("a", "open"), argument("b", "weak")], "fragile", "b fragile", ["b: fragile"]),
        ([argument("a", "weak"), argument("b", "weak")], "fragile", "a fragile", ["a: fragile", "b: fragile"]),
        ([argument("a", "weak"), argument("b", "bad", "open")], "broken", "b broken", ["b: broken"]),
        ([argument("a", notices=["1"], remarks=["3"])], "stable", "all is well", ["1", "nothing moves", "3"]),
        (
            [argument("a", "weak", remarks=["cut"]), argument("b", "weak", notices=["first"])],
            "fragile",
            "a fragile",
            ["first", "a: fragile", "b: fragile"],
        ),
    ],
)
def test_the_worst_status_with_the_words_of_the_first_argument_for_it(
    arguments: list[Argument], status: str, headline: str, because: list[str]
) -> None:
    drawn = concluded(arguments, stable)
    assert (drawn.status, drawn.headline, list(drawn.because)) == (status, headline, because)
    assert len(drawn.rules) == 4 * len(arguments)


@pytest.mark.parametrize(
    ("arguments", "step"),
    [
        ([argument("a")], "report it"),
        ([argument("a", first="set it")], "set it"),
        ([argument("a", first="set it"), argument("b", "weak")], "set it"),
        ([argument("a", "weak"), argument("b", first="set it")], "mend a"),
        ([argument("a", "weak", first="set it")], "mend a"),
        ([argument("a", "open"), argument("b", first="set it"), argument("c", "weak")], "set it"),
        ([argument("a", first="set it"), argument("b", "bad")], "mend b"),
    ],
)
def test_the_next_step_is_the_first_one_unless_the_result_is_broken(arguments: list[Argument], step: str) -> None:
    drawn = concluded(arguments, stable)
    assert drawn.next == step
    assert ("set it." in drawn.because) is (step != "set it" and any(one.first for one in arguments))


def test_a_first_step_that_is_not_the_next_stands_with_its_notice() -> None:
    drawn = concluded([argument("a", notices=["b gives it."], first="Set b"), argument("c", "bad")], stable)
    assert (drawn.next, drawn.because) == ("mend c", [says.GIVES_IT_SET, "c: broken"])


def test_a_reason_speaks_of_rules_by_their_places() -> None:
    first = argument("a", "weak", "open", notices=["1"])
    other = argument("b", "weak")
    cut = argument("c", "weak", remarks=["cut"])
    drawn = concluded([first, other, cut], stable)
    assert drawn.because == ["1", "a: fragile", "b: fragile"]
    assert drawn.because_rules == [[1, 2], [1], [5]]  # what fired at all; for the status; of the second argument
    named = replace(first, notices=[Reason("2", first.rules[3:])])
    assert concluded([named, argument("b", "bad")], stable).because_rules == [[3], [4]]
    assert concluded([argument("a", notices=["1"], first="Set it"), argument("b", "bad")], stable).because_rules == [
        [], [4],
    ]  # fmt: skip
    assert concluded([argument("a")], stable).because_rules == [[]]


def test_a_rule_carries_its_question_and_the_status_that_it_stands_for() -> None:
    kind = RuleKind("few", "Are there enough?", "how many", "below", "unknown", "audit.least", " %")
    assert kind("r", 2.0, bound=3.0, cell={"model": "a"}, fired=True) == AnswerRule(
        "few", "r", {"model": "a"}, 2.0, None, None, None, 3.0, True,
        "Are there enough?", "how many", " %", "below", "audit.least", "unknown",
    )  # fmt: skip
    tried = kind("r", 2.0, 1.0, 4.0, p=0.5, fired=False)
    assert (tried.value, tried.low, tried.high, tried.p, tried.bound, tried.cell) == (2.0, 1.0, 4.0, 0.5, None, {})


def test_the_scope_is_that_of_all_arguments() -> None:
    drawn = concluded([argument("a", scope=["3 trials", "2 cells."]), argument("b", scope=["1 claim"])], stable)
    assert drawn.scope == "3 trials. 2 cells. 1 claim."
    assert drawn.scopes == ["3 trials.", "2 cells.", "1 claim."]


@pytest.mark.parametrize(
    ("names", "text"),
    [(["a"], "a"), ([*"abcdef"], says.A), ([*"abcdefg"], says.A_AND_MORE), ([], "")],
)
def test_many_names_are_cut(names: list[str], text: str) -> None:
    assert enumerated(names) == text
