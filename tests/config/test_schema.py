"""A value of the wrong type: where, what was expected, what it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from auditfw.config.build import build_part
from auditfw.config.schema import defaults
from auditfw.core.errors import AuditError, UsageError


@dataclass(frozen=True)
class Inner:
    width: int = 1


@dataclass(frozen=True)
class Every:
    """One setting of each type."""

    number: float = 0.0
    whole: int = 0
    yes: bool = False
    text: str = ""
    texts: tuple[str, ...] = ()
    numbers: dict[str, float] = field(default_factory=dict)
    one_of: Literal["value", "low", "high"] = "value"
    open: float | None = None
    either: int | str = 0
    inner: Inner = Inner()


@dataclass(frozen=True)
class Named:
    """A setting whose name the class has for a method."""

    of_: str
    number: float = 0.0

    def of(self) -> str:
        return f"of {self.of_}"


def test_a_setting_may_be_called_as_a_method() -> None:
    made = build_part(Named, {"of": "x"}, "")
    assert (made.of_, made.of()) == ("x", "of x")
    assert defaults(Named, "named") == {"use": "named", "of": "???", "number": 0.0}
    with pytest.raises(UsageError, match=r"^of: expected text, got 1"):
        build_part(Named, {"of": 1}, "")
    with pytest.raises(AuditError, match=r"(?s)of_: .*of: not set"):
        build_part(Named, {"of_": "x"}, "")


TYPES: list[tuple[str, Any, str]] = [
    ("number", "lots", "expected a number, got 'lots'"),
    ("number", True, "expected a number, got true (boolean)"),
    ("number", None, "expected a number, got nothing"),
    ("number", [1], "expected a number, got [1] (list)"),
    ("number", float("inf"), "expected a finite number, got inf"),
    ("whole", "lots", "expected a whole number, got 'lots'"),
    ("whole", 1.5, "expected a whole number, got 1.5"),
    ("whole", False, "expected a whole number, got false (boolean)"),
    ("yes", "maybe", "expected true or false, got 'maybe'"),
    ("yes", 1, "expected true or false, got 1"),
    ("text", 3, "expected text, got 3 - quote it, in a command 'audit.text=\"3\"'"),
    ("text", True, "expected text, got true (boolean) - quote it, in a command 'audit.text=\"true\"'"),
    ("text", {"a": 1}, "expected text, got {'a': 1} (mapping)"),
    ("texts", "a", "expected a list, got 'a' - write audit.texts=[a]"),
    ("numbers", "a", "expected a mapping, got 'a'"),
    ("numbers", [1], "expected a mapping, got [1] (list)"),
    ("one_of", "mean", "expected one of value, low, high; got 'mean'"),
    ("one_of", "hihg", "expected one of value, low, high; got 'hihg' - did you mean 'high'?"),
    ("one_of", 3, "expected one of value, low, high; got 3"),
    ("open", "lots", "expected a number, got 'lots'"),
    ("either", [1], "expected a whole number or text, got [1] (list) - quote it"),
    ("inner", 3, "expected a mapping, got 3"),
]


@pytest.mark.parametrize(("key", "value", "message"), TYPES)
def test_a_value_of_the_wrong_type(key: str, value: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        build_part(Every, {key: value}, "audit")
    assert str(caught.value) == f"audit.{key}: {message}"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"texts": ["a", 3]}, "audit.texts[1]: expected text, got 3 - quote it, in a command 'audit.texts=[\"3\"]'"),
        ({"numbers": {"b": "lots"}}, "audit.numbers.b: expected a number, got 'lots'"),
        ({"inner": {"width": "lots"}}, "audit.inner.width: expected a whole number, got 'lots'"),
    ],
)
def test_the_place_of_a_value_within_others(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        build_part(Every, settings, "audit")
    assert str(caught.value) == message


def test_values_of_the_right_type_are_taken() -> None:
    settings = {
        "number": 1,
        "whole": 2,
        "yes": True,
        "texts": ["a"],
        "numbers": {"b": 1},
        "one_of": "low",
        "open": None,
    }
    assert build_part(Every, settings, "") == Every(1.0, 2, True, "", ("a",), {"b": 1.0}, "low")
