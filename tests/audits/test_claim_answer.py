"""What claims and orders say for the answer: rules, statuses and words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from plain_rates import PlainRates, labelled
from sentences import all_audits as says

from auditfw.audits.answers import Argument, Reason
from auditfw.audits.claim_answer import (
    LISTED,
    PAIR_TURNED,
    claim_words,
    claims_argument,
    estimate_text,
    labels_text,
    summary,
)
from auditfw.audits.orders import OrderReader, ReadStatements, read_orders
from auditfw.audits.read_claims import ClaimResult, read_claims
from auditfw.core.records import AnswerRule
from auditfw.kinds.context import BoundStatement, OrderStatement, SideStatement

A, B = "model = 'a'", "model = 'b'"
SIDES, LOW = SideStatement("error_rate", A, B), BoundStatement("error_rate", None, 5)
TURNED = {"a": {"stored": (100, 10), "x": (100, 50)}, "b": {"stored": (100, 45), "x": (100, 30)}}
SAME = {name: {"stored": of["stored"], "x": of["stored"]} for name, of in TURNED.items()}


def read(counts: Any, claims: Any = None) -> ReadStatements:
    rates = PlainRates(("model",), labelled({(name,): of for name, of in counts.items()}))
    stated = {name: (lambda one=one: one) for name, one in (claims or {}).items()}
    readings = list(next(iter(counts.values())))
    return ReadStatements(
        read_claims(stated, rates, readings), read_orders(stated, OrderReader(rates, readings, 0.05), "error_rate")
    )


def argument(counts: Any, claims: Any = None, deciding: tuple[str, ...] = ("x",)) -> Argument:
    return claims_argument(read(counts, claims), "stored", deciding)


def tried(made: Argument) -> list[tuple[str, str, dict[str, Any], bool]]:
    return [(rule.rule, rule.reading, dict(rule.cell), rule.fired) for rule in made.rules]


def reasons(of: Sequence[str | Reason], *rules: AnswerRule) -> list[str]:
    """The texts of reasons that all speak of these rules."""
    assert [[*one.rules] for one in of if isinstance(one, Reason)] == [[*rules]] * len(of)
    return [one.text for one in of if isinstance(one, Reason)]


def test_a_pair_that_is_turned() -> None:
    made = argument(TURNED)
    assert made.fired() == {"fragile"}
    assert tried(made) == [
        ("pair_turned", "x", {"of": "model"}, True),
        ("pair_turned", "x", {"of": "model", "better": "a", "than": "b"}, True),
    ]
    count, pair = made.rules
    assert count == PAIR_TURNED("x", 1.0, bound=0.0, cell={"of": "model"}, fired=True)
    assert (pair.value, pair.bound) == (pytest.approx(-20), 0.0)
    assert pair.low is not None
    assert pair.high is not None
    assert pair.low < -20 < pair.high < 0
    assert pair.p is not None
    assert pair.p < 1e-6
    words = made.words["fragile"]
    assert words.headline == says.REVERSES_THE_ORDER_IS_BETTER
    assert reasons(words.because, pair) == [says.A_IS_BETTER_THAN_UNDER]
    assert words.next.endswith("audit.reference=x")
    assert (list(made.notices), list(made.scope)) == ([], [says.SIGNIFICANTLY_DIFFERENT_PAIRS_MODEL_OF])


@pytest.mark.parametrize(
    ("more", "end"),
    [
        (("y",), "; under y by -20.0 pp [-33.1, -6.1]."),
        (("y", "z"), says.UNDER_BY_PP_MORE_READING),
        (("y", "z", "w"), says.UNDER_BY_PP_MORE_READINGS),
    ],
)
def test_readings_that_turn_one_pair_are_one_reason(more: tuple[str, ...], end: str) -> None:
    counts = {name: {**of, **dict.fromkeys(more, of["x"])} for name, of in TURNED.items()}
    made = argument(counts, deciding=("x", *more))
    [reason] = made.words["fragile"].because
    assert isinstance(reason, Reason)
    assert reason.text.startswith(says.A_IS_BETTER_THAN_UNDER_STORED)
    assert reason.text.endswith(f"; under x by -20.0 pp [-33.1, -6.1]{end}")
    assert [rule.reading for rule in reason.rules] == ["x", *more]


def test_a_claim_that_is_turned_comes_first() -> None:
    made = argument(TURNED, {"mine": SIDES, "order": OrderStatement("no_answer", "model")})
    assert [rule[:2] for rule in tried(made) if rule[3]][:1] == [("claim_turned", "x")]
    [turned] = [rule for rule in made.rules if rule.rule == "claim_turned"]
    assert (turned.value, turned.bound, turned.cell, turned.p) == (pytest.approx(-20), 0.0, {"claim": "mine"}, None)
    assert made.words["fragile"].headline == says.REVERSES_THE_CLAIM_MINE_IT
    assert reasons(made.notices, turned) == [says.MINE_HOLDS_UNDER_STORED_AND]
    assert made.scope[0] == says.MINE_HOLDS_IN_OF_READINGS


def test_a_claim_that_fails_from_the_start_is_of_no_status() -> None:
    made = argument(SAME, {"low": LOW})
    assert made.fired() == set()
    assert ("claim_fails", "stored", {"claim": "low"}, True) in tried(made)
    assert ("claim_turned", "x", {"claim": "low"}, False) in tried(made)
    [rule] = [rule for rule in made.rules if rule.rule == "claim_fails"]
    assert reasons(made.notices, rule) == [says.CLAIM_LOW_FAILS_UNDER_STORED]
    assert made.words == {}
    assert (rule.value, rule.bound) == (pytest.approx(27.5), 5)


def test_a_claim_that_holds_is_no_fault() -> None:
    made = argument(SAME, {"mine": SIDES})
    assert made.fired() == set()
    assert not any(rule.fired for rule in made.rules)
    assert made.notices == []


def test_only_deciding_readings_turn_claims_and_pairs() -> None:
    made = argument(TURNED, {"mine": SIDES}, deciding=())
    assert (made.fired(), tried(made), made.words) == (
        set(),
        [("claim_fails", "stored", {"claim": "mine"}, False)],
        {},
    )


def test_many_turned_pairs_are_not_all_rules() -> None:
    """Fifteen values in the reverse order: 105 pairs, of which the strongest are listed."""
    counts = {f"m{i:02}": {"stored": (400, 26 * i), "x": (400, 364 - 26 * i)} for i in range(15)}
    made = argument(counts)
    [count, *pairs] = made.rules
    assert count.value is not None
    assert count.value > 80
    assert len(pairs) == LISTED
    values = [pair.value for pair in pairs]
    assert values == sorted(values)
    assert pairs[0].cell == {"of": "model", "better": "m00", "than": "m14"}


def test_what_was_not_tried_is_in_the_scope() -> None:
    rates = PlainRates(("model", "seed"), labelled({("a", 1): {"stored": (9, 1)}, ("b", 1): {"stored": (9, 1)}}))
    orders = read_orders({}, OrderReader(rates, ["stored"], 0.05), "error_rate")
    made = claims_argument(ReadStatements((), orders), "stored", ())
    assert made.scope == [says.SIGNIFICANTLY_DIFFERENT_PAIRS_MODEL_OF_2]
    counts = {f"m{i}": {"stored": (1, 0)} for i in range(51)}
    assert argument(counts).scope == [says.THE_ORDER_OF_MODEL_WAS]
    uneven = PlainRates(("model", "seed"), labelled({("a", 1): {"stored": (9, 1)}, ("b", 2): {"stored": (9, 1)}}))
    spread = read_orders({}, OrderReader(uneven, ["stored"], 0.05), "error_rate")
    made = claims_argument(ReadStatements((), spread), "stored", ())
    assert made.scope[1].startswith(says.MODEL_IS_UNEVENLY_SPREAD_OVER)
    assert claims_argument(ReadStatements(), "stored", ()).scope == []


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (SIDES, says.LOWER_ERROR_WHERE_MODEL_THAN),
        (
            SideStatement("error_rate", A, B, 2.5),
            says.LOWER_ERROR_WHERE_MODEL_THAN_WHERE,
        ),
        (
            SideStatement("solve_rate", A, B, 0.1),
            says.HIGHER_SOLVE_RATE_WHERE_MODEL,
        ),
        (LOW, "error at most 5 %"),
        (BoundStatement("no_answer", A, 5, at_most=False), says.NO_ANSWER_AT_LEAST_WHERE),
        (OrderStatement("error_rate", "model"), says.ORDER_OF_MODEL_BY_ERROR),
    ],
)
def test_claims_in_words(statement: Any, words: str) -> None:
    assert claim_words(statement) == words


def test_estimates_and_labels_in_words() -> None:
    one = read(SAME, {"low": LOW}).claims[0].reference
    assert estimate_text(LOW, one) == "27.50 [21.78, 34.07]"
    assert estimate_text(SIDES, one, ends=False) == "+27.50"
    nothing = ClaimResult("cannot tell")
    assert (estimate_text(LOW, nothing), labels_text(nothing)) == ("–", "")
    assert labels_text(ClaimResult("leans", d=0.001, trials=100)) == says.CHANGED_LABEL_WOULD_REVERSE_IT
    assert labels_text(ClaimResult("holds", d=0.02, end=0.001, trials=100)) == says.CHANGED_LABELS_WOULD_REVERSE_IT
    empty = read({"a": {"stored": (0, 0), "x": (9, 3)}, "b": {"stored": (9, 1), "x": (9, 3)}}, {"mine": SIDES})
    assert summary(empty.claims[0]) == says.MINE_HOLDS_IN_OF_READINGS_2
