"""What `auditfw plan` may be told, and what it refuses, in which words."""

from __future__ import annotations

import pytest
from sentences import commands as says

from auditfw.commands.planning.settings import PlanSettings, plan_settings
from auditfw.core.errors import UsageError
from auditfw.formulas.repeats.purchases import Prices


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ([], PlanSettings()),
        (["width=1", "plan.difference=3"], PlanSettings(width=1.0, difference=3.0)),
        (["gate=0.85", "power=0.9"], PlanSettings(gate=0.85, power=0.9)),
        (["better=model = 'm'", 'than="n > 3"'], PlanSettings(better="model = 'm'", than="n > 3")),
        (["cost={item: 5, trial: 2}"], PlanSettings(cost={"item": 5, "trial": 2})),
        (["cost.item=5", "plan.cost.label=0.5"], PlanSettings(cost={"item": 5.0, "label": 0.5})),
    ],
)
def test_words_are_settings(words: list[str], settings: PlanSettings) -> None:
    assert plan_settings(words) == settings


def test_prices() -> None:
    assert plan_settings(["cost={item: 5}"]).prices == Prices(item=5.0)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("difference=0", says.DIFFERENCE_IS_POINTS),
        ("width=101", "width=101: expected points above 0 and at most 100 - width=2"),
        ("power=0.3", "power=0.3: expected a share from 0.5 to 0.99 - power=0.8"),
        ("power=1", "power=1: expected a share from 0.5 to 0.99 - power=0.8"),
        ("gate=85", "gate=85: expected a share from 0 to 1 - gate=0.85"),
        ("rate=-1", "rate=-1: expected a share from 0 to 1 - rate=0.8"),
        ("discordant=0", says.NEVER_DIFFER),
        ("rat=3", "rat: unknown setting (3) - did you mean 'rate'?"),
        ("width=abc", "width: expected a number, got abc"),
        ("width=1,2", "width: expected a number, got 1,2"),
        ("width=nan", "width: expected a number, got nan"),
        ("better=", "better: is empty - write better=..., or leave it out"),
        ("cost={calls: 2}", "cost.calls: has no price - known: item, label, trial"),
        ("cost={trial: -2}", "cost.trial: expected a number of 0 or more, got -2"),
        ("cost=3", "cost: expected {item: 0, trial: 1, label: 0}; got 3"),
    ],
)
def test_what_is_refused(word: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        plan_settings([word])
    assert str(error.value) == message


def test_a_difference_that_shares_cannot_have() -> None:
    with pytest.raises(UsageError, match=says.TEN_PERCENT_DIFFER):
        plan_settings(["discordant=0.1", "difference=20"])
