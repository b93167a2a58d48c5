"""What can be set of `auditfw plan`: read from its words, each number within its bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from auditfw.config.choices import parsed
from auditfw.core.errors import UsageError, nearest
from auditfw.formulas.repeats.planning import LEAST_POWER, MOST_POWER
from auditfw.formulas.repeats.purchases import Prices
from auditfw.formulas.shifts import POWER

PREFIX = "plan."
USUAL = 2.0  # points, of a width and of a difference
SHARES, POINTS = ("gate", "rate", "discordant"), ("width", "difference")
TEXTS = ("better", "than", "reading")


@dataclass(frozen=True)
class PlanSettings:
    """What is asked; None where nobody does. `width` and `difference` are in points, the others from 0 to 1.

    - `rate`, `discordant`: what is expected of a rate, and of the pairs that differ, in place of what a run has seen;
    - `better`, `than`: conditions on the columns of `by` (SQL) for the two sides; None: the two best cells;
    - `reading`: by which labels (None: the reference); `cost`: what an item, a trial and a label cost.
    """

    width: float | None = None
    difference: float | None = None
    gate: float | None = None
    power: float = POWER
    rate: float | None = None
    discordant: float | None = None
    better: str | None = None
    than: str | None = None
    reading: str | None = None
    cost: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in POINTS:
            value = getattr(self, name)
            if value is not None and not 0 < abs(value) <= 100:
                raise UsageError(f"{name}={value:g}", "expected points above 0 and at most 100", None, f"{name}=2")
        for name in SHARES:
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                do = f"{name}={value / 100:g}" if 1 < value <= 100 else f"{name}=0.8"
                raise UsageError(f"{name}={value:g}", "expected a share from 0 to 1", None, do)
        if self.discordant == 0:
            raise UsageError("discordant=0", "two sides that never differ have no difference", None, "discordant=0.1")
        if not LEAST_POWER <= self.power <= MOST_POWER:
            what = f"expected a share from {LEAST_POWER} to {MOST_POWER}"
            raise UsageError(f"power={self.power:g}", what, None, f"power={POWER}")
        self._check_together()

    def _check_together(self) -> None:
        """Refuses a difference that shares cannot have, and prices that are none."""
        if self.discordant is not None and self.difference is not None and abs(self.difference) > 100 * self.discordant:
            what = f"cannot be: only {100 * self.discordant:g} % of the pairs differ"
            raise UsageError(f"difference={self.difference:g}", what, None, f"difference={50 * self.discordant:g}")
        known = [one.name for one in fields(Prices)]
        for name, price in self.cost.items():
            if name not in known:
                raise UsageError(f"cost.{name}", "has no price", None, nearest(name, known))
            if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < math.inf:
                raise UsageError(f"cost.{name}", "expected a number of 0 or more", price)

    @property
    def prices(self) -> Prices:
        return Prices(**{name: float(price) for name, price in self.cost.items()})

    @property
    def is_typed(self) -> bool:
        """Whether numbers are typed in place of those of a run."""
        return self.rate is not None or self.discordant is not None


SETTINGS = tuple(one.name for one in fields(PlanSettings))


def plan_settings(words: Sequence[str]) -> PlanSettings:
    """The settings that words write, `plan.width=2` or `width=2`. Raises UsageError."""
    values: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        name = key.removeprefix(PREFIX)
        if name.startswith("cost.") and equals:
            values["cost"] = {**values.get("cost", {}), name.removeprefix("cost."): _value(word, name, text)}
        elif not equals or name not in SETTINGS:
            raise UsageError(key, "unknown setting", text or None, nearest(name, SETTINGS))
        elif name in TEXTS:
            if not text:
                raise UsageError(name, "is empty", None, f"write {name}=..., or leave it out")
            values[name] = text[1:-1] if text[:1] == text[-1:] == '"' and len(text) > 1 else text
        else:
            values[name] = _value(word, name, text)
    return PlanSettings(**values)


def _value(word: str, name: str, text: str) -> Any:
    """A number, or the prices."""
    try:
        [one] = parsed([f"{PREFIX}{word.removeprefix(PREFIX)}"])
    except UsageError:
        raise
    except Exception:  # whatever Hydra raises of a text that is no value
        raise UsageError(name, "expected a number", text) from None
    value: Any = one.value()
    if name == "cost":
        if one.is_sweep_override() or not isinstance(value, dict):
            raise UsageError(name, "expected {item: 0, trial: 1, label: 0}", text)
        return value
    if one.is_sweep_override() or isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(name, "expected a number", text)
    if not math.isfinite(value):
        raise UsageError(name, "expected a number", text)
    return float(value)
