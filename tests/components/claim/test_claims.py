"""What each claim states, and the settings it refuses."""

from __future__ import annotations

import pytest

import auditfw
from auditfw.config.build import described
from auditfw.core.errors import UsageError
from auditfw.kinds.context import BoundStatement, OrderStatement, SideStatement

A, B = "model = 'a'", "model = 'b'"


@pytest.mark.parametrize(
    ("settings", "statement"),
    [
        ({"use": "difference", "better": A, "than": B}, SideStatement("error_rate", A, B, 0.0)),
        (
            {"use": "difference", "metric": "no_answer", "better": A, "than": B, "by": 2},
            SideStatement("no_answer", A, B, 2.0),
        ),
        ({"use": "order", "of": "model"}, OrderStatement("error_rate", "model")),
        ({"use": "at_most", "value": 30}, BoundStatement("error_rate", None, 30.0, at_most=True)),
        (
            {"use": "at_least", "value": 5.5, "where": A, "metric": "no_answer"},
            BoundStatement("no_answer", A, 5.5, at_most=False),
        ),
        (
            "think_helps",
            SideStatement("error_rate", "variant = 'think_sft'", "variant = 'instruct_sft'", 0.0),
        ),
        ("models", OrderStatement("error_rate", "model")),
    ],
)
def test_statements(settings: object, statement: object) -> None:
    assert auditfw.load("claim", settings)() == statement


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"use": "difference", "better": A, "than": f" {A}"}, "claim.than: is the same condition as better"),
        ({"use": "difference", "better": A}, "claim.than: not set"),
        ({"use": "difference", "better": A, "than": B, "by": float("nan")}, "claim.by: expected a finite number"),
        ({"use": "at_most", "value": float("nan")}, "claim.value: expected a finite number"),
        ({"use": "at_most", "value": "30"}, "claim.value: expected a number"),
        ({"use": "order"}, "claim.of: not set"),
        ({"use": "ordr", "of": "model"}, "did you mean 'order'?"),
        ({"use": "order", "off": "model", "of": "model"}, "claim.off: unknown setting"),
    ],
)
def test_settings_that_are_refused(settings: object, message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        auditfw.load("claim", settings)


def test_all_are_listed() -> None:
    rows = {(row.name, row.what) for row in described("claim")}
    assert rows == {
        ("at_least", "component"),
        ("at_most", "component"),
        ("difference", "component"),
        ("models", "variant"),
        ("order", "component"),
        ("think_helps", "variant"),
    }
