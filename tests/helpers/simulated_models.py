"""Simulators made up by how models err: quantities of a few kinds, what is intended of each and what comes; seeded.

A model is biased, scatters, saturates, is written with few digits, and is odd in few scenarios: none of that is a
fault.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from alignment_runs import Run
from numpy.typing import NDArray

from auditfw.core.records import Result
from auditfw.kinds.simulation import ScenarioBatch, Simulated

Floats = NDArray[np.float64]
Draw = np.random.Generator
SIZES = (6, 8, 12, 30, 100, 400)
NOISE = (0.0, 0.01, 0.05, 0.15, 0.3)


@dataclass
class Quantity:
    """What is intended and what comes of a key in each scenario; the standard deviation between replicates.

    `room` is its tolerance, None where it declares none; `level` "" where it names none.
    """

    meant: Floats
    came: Floats
    noise: Floats
    room: Floats | None = None
    level: str = ""

    def aim(self, at: int, level: str) -> Any:
        """What is intended in a scenario; `level` is that of a quantity that names none."""
        value = float(self.meant[at])
        said: dict[str, Any] = {} if self.room is None else {"tolerance": float(self.room[at])}
        said |= {"level": self.level or level} if self.level or level else {}
        return {"value": value, **said} if said else value


@dataclass
class MadeModel:
    """A simulator of `n` scenarios: its quantities by key, its noise, and how it differs from call to call.

    `named` are keys that it returns under another name, `listed` those it returns as lists.
    """

    n: int
    loose: float
    quantities: dict[str, Quantity]
    replicates: int = 1
    batch: int = 1_000
    named: dict[str, str] = field(default_factory=dict)
    listed: frozenset[str] = frozenset()
    differs: Callable[[Floats, int], Floats] | None = None
    kind: str = ""

    @property
    def stochastic(self) -> bool:
        return self.replicates > 1

    def check(self) -> None: ...

    def limits(self) -> None: ...

    def __post_init__(self) -> None:
        self.calls = 0

    def __call__(self, batch: ScenarioBatch) -> Simulated:
        rows, columns = np.array([int(params["at"]) for params in batch.params]), {}
        draw = np.random.default_rng([batch.seeds[0], 7])
        for key, one in self.quantities.items():
            values = one.came[rows]
            if self.stochastic:
                values = values + one.noise[rows] * draw.normal(0, 1, len(rows))
            if self.differs is not None:
                values = self.differs(values, self.calls)
            columns[self.named.get(key, key)] = values
        self.calls += len(rows)
        size = len(rows)
        outcomes: list[Any] = []
        if self.listed:
            each = ({key: float(column[at]) for key, column in columns.items()} for at in range(size))
            outcomes = [{key: [v] if key in self.listed else v for key, v in one.items()} for one in each]
        return Simulated(outcomes, ["ok"] * size, [""] * size, {} if self.listed else columns)

    def audited(self, **settings: Any) -> Result:
        """The audit of this simulator; beside levels what names none is no must."""
        rows, level = [], "should" if any(one.level for one in self.quantities.values()) else ""
        for at in range(self.n):
            aims = {key: one.aim(at, level) for key, one in self.quantities.items() if np.isfinite(one.meant[at])}
            rows.append({"label": f"s{at}", "intended": aims, "params": {"at": float(at)}})
        run = Run(rows, self, size=self.batch, metrics=["above_free"])
        return run(replicates=self.replicates, **settings)


# Quantities by what they are intended to be: of the three parameters of each scenario


def amount(draw: Draw, load: Floats) -> Floats:
    powers = draw.choice([-1.0, 0.5, 1.0, 2.0], 3) * (draw.random(3) < 0.6)
    powers[0] = powers[0] or 1.0
    return np.asarray(10 ** draw.uniform(-1, 3) * (load**powers).prod(axis=1))


def loss(draw: Draw, load: Floats) -> Floats:
    return -amount(draw, load)


def change(draw: Draw, load: Floats) -> Floats:
    return np.asarray(10 ** draw.uniform(-1, 3) * (load[:, 0] - load[:, 1]))


def share(draw: Draw, load: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(draw.uniform(2, 6) - load[:, 0])))


def rare(draw: Draw, load: Floats) -> Floats:
    return np.where(load[:, 1] > 4.3, amount(draw, load), 0.0)


def switch(draw: Draw, load: Floats) -> Floats:
    return (load[:, 2] > draw.uniform(1, 4.5)).astype(float)


def set_point(draw: Draw, load: Floats) -> Floats:
    return np.full(len(load), draw.choice([0.0, 20.0, 101.3]))


def steady(draw: Draw, load: Floats) -> Floats:
    return np.asarray(10 ** draw.uniform(0, 3) * (1 + 0.01 * (load[:, 0] - 2.5)))


WAYS: tuple[tuple[Callable[[Draw, Floats], Floats], float], ...] = (
    (amount, 0.4), (loss, 0.1), (change, 0.12), (share, 0.1), (rare, 0.08), (switch, 0.06), (set_point, 0.08),
    (steady, 0.06),
)  # fmt: skip


def quantity(draw: Draw, meant: Floats, loose: float, replicated: bool, foretold: bool = False) -> Quantity:
    """What comes of what is intended: biased by up to 20 %, scattered, in few cases saturated or rounded.

    Where it need not be `foretold` it is by chance in few cases.
    """
    size = float(np.abs(meant).max()) or 1.0
    bias = draw.uniform(-0.2, 0.2) * (draw.random() < 0.6)
    spread = loose * np.abs(meant)
    came = meant * (1 + bias) + (0.3 if replicated else 1.0) * spread * draw.normal(0, 1, len(meant))
    if not foretold and draw.random() < 0.08:
        came = came + meant.std() * draw.normal(0, 1, len(meant))
    if draw.random() < 0.15:
        came = np.minimum(came, np.quantile(came, 0.85))
    if draw.random() < 0.1:
        digit = 10.0 ** np.floor(np.log10(size) - 2)
        came = np.round(came / digit) * digit
    one = Quantity(meant, came, spread + 0.002 * size * (draw.random() < 0.5))
    if draw.random() < 0.5:  # declared, and wide enough for what comes
        off = np.abs(came - meant) + (one.noise if replicated else 0.0)
        one.level = str(draw.choice(["should", "must"], p=[0.6, 0.4]))
        wanted = 1.0 if one.level == "must" else draw.uniform(0.6, 0.95)
        one.room = np.full(len(meant), 1.1 * float(np.quantile(off, wanted)) + 1e-9 * size)
    return one


def load_of(draw: Draw, n: int) -> Floats:
    return draw.uniform(0.5, 5, (n, 3))


def healthy(seed: int, n: int = 0) -> MadeModel:
    """A model of 6 to 400 scenarios and 1 to 6 quantities, with series in three of ten, five replicates in four."""
    draw = np.random.default_rng([seed, 50])
    n, loose, odd = n or int(draw.choice(SIZES)), float(draw.choice(NOISE)), draw.uniform(0, 0.03)
    load, replicates = load_of(draw, n), int(draw.choice([1, 5], p=[0.6, 0.4]))
    ways, shares = zip(*WAYS, strict=True)
    quantities: dict[str, Quantity] = {}
    for number in range(int(draw.integers(1, 7))):
        meant = ways[int(draw.choice(len(ways), p=shares))](draw, load)
        if number and draw.random() < 0.15:  # the like of the one before, as a minimum is of a maximum
            meant = quantities[f"q{number - 1}"].meant * draw.uniform(0.7, 1.4) * draw.uniform(0.95, 1.05, n)
        one = quantity(draw, meant, loose, replicates > 1)
        strange = draw.random(n) < odd
        one.came[strange] *= draw.choice([0.5, 2, -1])
        quantities[f"q{number}"] = one
    if draw.random() < 0.3:
        quantities |= series(draw, load, (loose, replicates > 1))
    for one in list(quantities.values())[1:]:  # what is not intended everywhere
        one.meant[draw.random(n) < 0.1 * (draw.random() < 0.3)] = np.nan
    return MadeModel(n, loose, quantities, replicates, int(draw.choice([40, 1_000])))


def series(draw: Draw, load: Floats, model: tuple[float, bool], bias: float = 0.1, lag: int = 0) -> dict[str, Quantity]:
    """A level over time: an oscillation, a decay, or a growth that saturates, by the parameters; `lag` steps late.

    Of a `model` with so much noise, which may be between replicates.
    """
    loose, replicated = model
    steps, way = int(draw.choice([8, 16, 40])), draw.choice(["wave", "decay", "growth"])
    time, size = np.arange(-3, steps), 10 ** draw.uniform(-1, 3)
    a, b, c = (load[:, [at]] for at in range(3))
    level = size * np.asarray({
        "wave": a * np.sin(time / (0.5 + b) + c),
        "decay": a * np.exp(-np.maximum(time, 0) / (1 + 2 * b)),
        "growth": a / (1 + np.exp(b - time / (0.5 + c / 3))),
    }[str(way)])  # fmt: skip
    meant, came = level[:, 3:], level[:, 3 - lag : len(time) - lag] * (1 + draw.uniform(-bias, bias))
    scatter = 0.3 * loose * np.abs(meant)
    came = came + (0.3 if replicated else 1.0) * scatter * draw.normal(0, 1, came.shape)
    return {f"level@{at}": Quantity(meant[:, at], came[:, at], scatter[:, at]) for at in range(steps)}


def series_alone(seed: int, fault: str) -> MadeModel:
    """A model of one series and nothing else; the fault is in every step of it."""
    draw = np.random.default_rng([seed, 52])
    n, loose, replicates = int(draw.choice(SIZES)), float(draw.choice(NOISE)), int(draw.choice([1, 5], p=[0.6, 0.4]))
    steps, order = series(draw, load_of(draw, n), (loose, replicates > 1), 0.2), draw.permutation(n)
    for one in steps.values():
        if fault == "permuted":
            one.came = one.came[order]
        elif fault != "healthy":
            one.came = -one.came if fault == "sign" else np.full(n, one.came.mean())
    return MadeModel(n, loose, steps, replicates)
