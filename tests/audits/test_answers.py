"""How arguments are joined to one answer."""

from __future__ import annotations

from typing import Any

import pytest

from auditfw.audits.answers import Argument, Statement, concluded, enumerated
from auditfw.core.records import AnswerRule, AnswerStatus

DECIDES: dict[str, AnswerStatus] = {"bad": "broken", "weak": "fragile", "open": "unknown"}


def argument(name: str, *fired: str, **more: Any) -> Argument:
    """An argument that tried every rule, of which some fired, with a statement for each status."""
    rules = [AnswerRule(rule, name, {}, None, None, None, None, None, rule in fired) for rule in (*DECIDES, "reports")]
    words = {
        status: Statement(f"{name} {status}", [f"{name}: {status}"], f"mend {name}") for status in DECIDES.values()
    }
    return Argument(rules, DECIDES, words, **more)


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
    assert (drawn.next, drawn.because) == ("mend c", ["b gives it. Set b.", "c: broken"])


def test_the_scope_is_that_of_all_arguments() -> None:
    drawn = concluded([argument("a", scope=["3 trials", "2 cells."]), argument("b", scope=["1 claim"])], stable)
    assert drawn.scope == "3 trials. 2 cells. 1 claim."


@pytest.mark.parametrize(
    ("names", "text"),
    [(["a"], "a"), ([*"abcdef"], "a, b, c, d, e, f"), ([*"abcdefg"], "a, b, c, d, e, f and 1 more"), ([], "")],
)
def test_many_names_are_cut(names: list[str], text: str) -> None:
    assert enumerated(names) == text
