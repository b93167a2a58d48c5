"""Faults planted into simulators that are made up: of the first quantity, which is one that varies, or of two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from simulated_models import NOISE, SIZES, Draw, MadeModel, amount, healthy, load_of, loss, quantity, series

FIRST, SECOND = "q0", "q1"


def varied(seed: int, n: int) -> tuple[MadeModel, Draw]:
    """A healthy model whose first two quantities vary; the first has a tolerance of 2 to 10 % or none."""
    draw = np.random.default_rng([seed, n, 51])
    model, load, loose = healthy(seed + 10_000, n), load_of(draw, n), float(draw.choice(NOISE))
    for key in (FIRST, SECOND):
        meant = np.zeros(n)
        while not meant.any() or (n > 1 and np.ptp(meant) <= 0.3 * np.abs(meant).max()):
            meant = (amount if draw.random() < 0.75 else loss)(draw, load)
        one = model.quantities[key] = quantity(draw, meant, loose, model.stochastic, foretold=True)
        one.came, one.room, one.level = np.where(one.came == 0, meant, one.came), None, ""
    first = model.quantities[FIRST]
    model.loose = loose
    if draw.random() < 0.5:
        first.room = draw.choice([0.02, 0.05, 0.1]) * np.abs(first.meant)
        first.level = str(draw.choice(["should", "must"]))
    return model, draw


FACTORS = {"large": (1000, 100, 60, 3600, 24, 365, np.pi / 180), "3.6": (3.6,), "1.8": (1.8,)}
SCALES = {"°F": (1.8, 32.0), "K": (1.0, 273.15)}


def factor(model: MadeModel, draw: Draw, key: str) -> None:
    """In another unit; where °F or K comes the quantity is a temperature, off by some degrees."""
    one = model.quantities[key]
    model.kind = str(draw.choice([*FACTORS, *SCALES], p=[0.6, 0.1, 0.1, 0.1, 0.1]))
    if model.kind in SCALES:
        times, offset = SCALES[model.kind]
        one.meant = draw.uniform(5, 40) + draw.uniform(10, 80) * draw.random(model.n)
        one.noise = np.full(model.n, 20 * model.loose)
        one.came = one.meant + draw.uniform(-1, 1) + one.noise * draw.normal(0, 1, model.n)
        one.room = None if one.room is None else np.full(model.n, 2.0)
    else:
        times, offset = float(draw.choice(FACTORS[model.kind])) ** draw.choice([-1, 1]), 0.0
    one.came, one.noise = one.came * times + offset, one.noise * times


def sign(model: MadeModel, draw: Draw, key: str) -> None:
    model.quantities[key].came *= -1


def exchange(model: MadeModel, draw: Draw, key: str) -> None:
    """Two quantities of one kind, 1.6 to 30 times apart; noise of 10 % at most."""
    first, second = model.quantities[FIRST], model.quantities[SECOND]
    second.meant = np.abs(first.meant) * draw.choice([1.6, 4, 30]) * draw.uniform(0.9, 1.1, model.n)
    for one in (first, second):
        scatter = min(model.loose, 0.1)
        one.came = one.meant * (1 + draw.uniform(-0.1, 0.1)) * (1 + scatter * draw.normal(0, 1, model.n))
        one.noise, one.room = 0.02 * np.abs(one.meant), None if one.room is None else 0.05 * np.abs(one.meant)
    first.came, second.came = second.came, first.came


def constant(model: MadeModel, draw: Draw, key: str) -> None:
    """One value throughout, in some models but for 1 of 20 scenarios."""
    one = model.quantities[key]
    value, other = draw.choice([one.came[0], 0.0, float(np.median(one.came))]), one.came[-1]
    kept = draw.random(model.n) < (0.05 if draw.random() < 0.3 else 0.0)
    one.came, one.noise = np.where(kept, other, value), np.zeros(model.n)


def missing(model: MadeModel, draw: Draw, key: str) -> None:
    """A list, or under a misspelt name."""
    if draw.random() < 0.5:
        model.named[key] = f"{key[0].upper()}_{key[1:]}"
    else:
        model.listed = frozenset([key])


def never(model: MadeModel, draw: Draw, key: str) -> None:
    """Always 10 to 40 % too large, with a tolerance of 5 %."""
    one = model.quantities[key]
    one.came = one.meant * draw.uniform(1.1, 1.4) * (1 + 0.02 * draw.random(model.n))
    one.room, one.noise, one.level = 0.05 * np.abs(one.meant), 0.002 * np.abs(one.meant), one.level or "should"


def drift(model: MadeModel, draw: Draw, key: str) -> None:
    """Each scenario is a little higher than the one before, by 0.5 to 5 %."""
    each = draw.uniform(0.005, 0.05)
    model.differs = lambda values, calls: values * (1 + each * (calls + np.arange(len(values))))


def late_drift(model: MadeModel, draw: Draw, key: str) -> None:
    """Some call after the first batch leaves the model 6 to 50 % off."""
    model.batch = 40
    since, off = int(draw.integers(model.batch + 3, model.n)), draw.uniform(1.06, 1.5)
    model.differs = lambda values, calls: np.where(calls + np.arange(len(values)) >= since, values * off, values)


def chance(model: MadeModel, draw: Draw, key: str) -> None:
    """Another number at each call, by 2 to 30 %."""
    spread = draw.choice([0.02, 0.1, 0.3])
    model.differs = lambda values, calls: values * (1 + spread * draw.normal(0, 1, len(values)))


def late(model: MadeModel, draw: Draw, key: str) -> None:
    """A series that comes one to three steps too late, and is hardly off otherwise."""
    model.quantities = {name: one for name, one in model.quantities.items() if "@" not in name}
    noise, lag = min(model.loose, 0.05), int(draw.integers(1, 4))
    model.quantities |= series(draw, load_of(draw, model.n), (noise, model.stochastic), 0.02, lag)


@dataclass(frozen=True)
class Fault:
    """How a fault is planted, its kind, the share of models in which it is promised to be found, of so many scenarios.

    `once` marks what is not looked for where scenarios run several times.
    """

    plant: Callable[[MadeModel, Draw, str], None]
    kind: str
    share: float
    least: int = 6
    once: bool = False

    @property
    def sizes(self) -> Sequence[int]:
        return [n for n in (1, *SIZES) if n >= self.least]


FAULTS: Mapping[str, Fault] = {
    "factor": Fault(factor, "outcome_factor", 0.99),
    "sign": Fault(sign, "outcome_sign", 0.98),
    "exchange": Fault(exchange, "outcomes_exchanged", 0.99),
    "constant": Fault(constant, "outcome_constant", 0.97, least=12),
    "missing": Fault(missing, "outcome_missing", 1.0, least=1),
    "never": Fault(never, "never_met", 1.0),
    "drift": Fault(drift, "not_deterministic", 1.0, once=True),
    "late drift": Fault(late_drift, "not_deterministic", 1.0, least=100, once=True),
    "chance": Fault(chance, "not_deterministic", 0.93, once=True),
    "late": Fault(late, "late", 1.0),
}


def planted(names: Sequence[str], times: int) -> Iterator[MadeModel]:
    """Models with these faults, each in a quantity of its own; `times` in all, in turns of every size."""
    faults = [FAULTS[name] for name in names]
    sizes = max((fault.sizes for fault in faults), key=min)
    for seed in range(times):
        model, draw = varied(seed, sizes[seed % len(sizes)])
        if any(fault.once for fault in faults):
            model.replicates = 1
        for fault, key in zip(faults, (FIRST, SECOND), strict=False):
            fault.plant(model, draw, key)
        yield model
