"""Scenarios that are made of bounds: grids, evenly spaced, and the designs of samples."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from auditfw.core.errors import UsageError, nearest
from auditfw.core.notes import Places, Size
from auditfw.core.records import Batch
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import declare
from auditfw.kinds.scenarios import OURS, checked
from auditfw.kinds.simulation import Columns, Simulator

PLACE = "scenarios"
BATCH = 4_096
NAMED = 10_000  # scenarios of a sweep or grid whose labels name their parameters; those of larger ones are numbers
MOST = 10_000_000
RUN_SEED = "${seed}"  # resolved where a config is composed; the run's own seed


@dataclass(frozen=True)
class DesignSlice:
    """A task: the scenarios of one slice of a design, their labels made of parameters or of their numbers."""

    start: int
    varied: Mapping[str, Any]
    fixed: Mapping[str, float]
    intended: Mapping[str, Any]
    group: str | None
    named: Mapping[str, str]

    def __call__(self) -> Batch:
        size = len(next(iter(self.varied.values())))
        numbers = range(self.start + 1, self.start + size + 1)
        params = {**self.varied, **{name: _constant(value, size) for name, value in self.fixed.items()}}
        columns: dict[str, Any] = {
            "label": self._labels(numbers),
            "intended": Columns({key: _constant(value, size) for key, value in self.intended.items()}, size)
            if all(type(value) in (int, float) for value in self.intended.values())
            else [dict(self.intended) for _ in numbers],
            "params": Columns(params, size),
            "group": [self.group] * size,
            "place": Places(f"{PLACE}, number ", numbers),
        }
        return Batch(columns)

    def _labels(self, numbers: Sequence[int]) -> list[str]:
        if not self.named:
            return list(map(str, numbers))
        columns = [
            [f"{name}={format(v, form)}" for v in self.varied[name].tolist()] for name, form in self.named.items()
        ]
        return [" ".join(parts) for parts in zip(*columns, strict=True)]


@dataclass(frozen=True)
class DesignSlices:
    """The tasks of a design, created again for each pass."""

    varied: Mapping[str, Any]
    fixed: Mapping[str, float]
    intended: Mapping[str, Any]
    group: str | None
    named: Mapping[str, str]

    def __len__(self) -> int:
        return len(next(iter(self.varied.values())))

    def __iter__(self) -> Iterator[Task]:
        for start in range(0, len(self), BATCH):
            part = {name: column[start : start + BATCH] for name, column in self.varied.items()}
            yield DesignSlice(start, part, self.fixed, self.intended, self.group, self.named)


@dataclass(frozen=True)
class Aim:
    """What the scenarios of a design have in common; `simulator` gives bounds and purpose where a design does not."""

    simulator: Simulator | None = None
    intended: dict[str, Any] = field(default_factory=dict)
    fixed: dict[str, float] = field(default_factory=dict)
    group: str | None = None

    def aimed(self) -> dict[str, Any]:
        """The intended outcomes: the design's own, else the simulator's. Raises UsageError where there are none."""
        intended = self.intended or capability(self.simulator, "intended")
        if not intended:
            raise UsageError(f"{PLACE}.intended", "not set", None, f"write {PLACE}.intended={{KEY: NUMBER}}")
        return checked(intended, "intended", f"{PLACE}.intended")

    def ranges(self, bounds: Mapping[str, Sequence[float]]) -> dict[str, tuple[float, float]]:
        """The range of each parameter that varies: as given, else the simulator's bounds of all that are not fixed."""
        limits = {} if self.simulator is None else dict(self.simulator.limits() or {})
        chosen = {name: _pair(name, pair) for name, pair in bounds.items()}
        chosen = chosen or {name: pair for name, pair in limits.items() if name not in self.fixed}
        if not chosen:
            raise UsageError(f"{PLACE}.bounds", "not set", None, f"write {PLACE}.bounds={{x: [0, 1]}}")
        for name, (low, high) in chosen.items():
            if not (math.isfinite(low) and math.isfinite(high)):
                do = f"write {PLACE}.bounds.{name}=[LOW, HIGH], or fix it with {PLACE}.fixed.{name}"
                raise UsageError(f"{PLACE}.bounds.{name}", "has an open end", [low, high], do)
        return chosen

    def evidence(self, varied: Mapping[str, Any], named: Sequence[str] = ()) -> Evidence:
        """The scenarios with these columns of parameters; labels name the `named` ones, or are numbers."""
        size = len(next(iter(varied.values())))
        forms = {name: _form(varied[name]) for name in named} if size <= NAMED else {}
        both = sorted(self.fixed.keys() & varied.keys())
        if both:
            raise UsageError(f"{PLACE}.fixed.{both[0]}", "is varied and fixed", None, "name it in only one of the two")
        tasks = DesignSlices(varied, self.fixed, self.aimed(), self.group, forms)
        return Evidence(tasks, OURS, len(tasks), list, lambda: None, size=partial(Size.exactly, len(tasks)))


@dataclass(frozen=True)
class Sampled(Aim):
    """What samples of a box have in common."""

    bounds: dict[str, tuple[float, ...]] = field(default_factory=dict)
    n: int = 64
    seed: int | str = RUN_SEED

    def __post_init__(self) -> None:
        if self.seed == RUN_SEED:  # made from Python, where nothing resolves it
            object.__setattr__(self, "seed", 0)
        if isinstance(self.seed, str) or self.seed < 0:
            raise UsageError("seed", "expected a whole number of 0 or more", self.seed)
        check_size(self.n, "n")

    def drawn(self, sampler: str, **settings: Any) -> Evidence:
        """The scenarios at the points of a sampler of scipy.stats.qmc."""
        ranges = self.ranges(self.bounds)
        return self.scaled(self.points(sampler, len(ranges), **settings), ranges)

    def points(self, sampler: str, size: int, **settings: Any) -> Any:
        """So many points in the unit box of this size."""
        import numpy as np
        from scipy.stats import qmc

        sampler_class = getattr(qmc, sampler)
        word = "rng" if "rng" in inspect.signature(sampler_class).parameters else "seed"
        return sampler_class(size, **settings, **{word: np.random.default_rng(int(self.seed))}).random(self.n)

    def scaled(self, points: Any, ranges: Mapping[str, tuple[float, float]]) -> Evidence:
        """The scenarios at points of the unit box, each parameter in its range."""
        columns = {name: low + points[:, i] * (high - low) for i, (name, (low, high)) in enumerate(ranges.items())}
        return self.evidence(columns)


def check_size(size: int, where: str) -> None:
    if not 1 <= size <= MOST:
        raise UsageError(where, f"expected 1 to {MOST:,} scenarios", size)


def _pair(name: str, pair: Sequence[float]) -> tuple[float, float]:
    if len(pair) != 2 or not pair[0] <= pair[1]:
        raise UsageError(f"{PLACE}.bounds.{name}", "is not [low, high]", list(pair))
    return pair[0], pair[1]


def _constant(value: Any, size: int) -> Any:
    import numpy as np

    return np.full(size, value)


def _form(column: Any) -> str:
    """How the values of a parameter are written so that different ones look different."""
    values = set(column.tolist())
    return ".6g" if len({format(value, ".6g") for value in values}) == len(values) else ".17g"


@declare("scenarios", "grid")
class GridScenarios(Aim):
    """Combines every value of each parameter with every value of the others; the last one varies fastest.

    - `axes`: {parameter: [values]}; empty: `levels` even steps over the simulator's bounds of each parameter;
    - `intended`, `fixed`, `group`: as for `linspace`.
    """

    axes: dict[str, tuple[float, ...]] = field(default_factory=dict)
    levels: int = 4

    def open(self) -> Evidence:
        """The scenarios. Raises UsageError."""
        import numpy as np

        axes = {name: np.array(values) for name, values in self.axes.items()}
        for name, values in axes.items():
            if not len(values) or len(set(values.tolist())) < len(values):
                raise UsageError(f"{PLACE}.axes.{name}", "expected different values", self.axes[name])
        if not axes:
            axes = {name: np.linspace(*pair, self.levels) for name, pair in self.ranges({}).items()}
        check_size(math.prod(map(len, axes.values())), "axes")
        columns = np.meshgrid(*axes.values(), indexing="ij")
        return self.evidence({n: c.ravel() for n, c in zip(axes, columns, strict=True)}, list(axes))


@declare("scenarios", "linspace")
class Linspace(Aim):
    """Sweeps one parameter in even steps from `start` to `stop`, both included.

    - `name`: the parameter; null: the simulator's first one;
    - `start`, `stop`: null: the simulator's bounds; `steps`: how many values;
    - `intended`: {key: number}, the same for all scenarios; empty: the simulator's own intended outcomes;
    - `fixed`: {parameter: number} of the others; `group`.
    """

    name: str | None = None
    start: float | None = None
    stop: float | None = None
    steps: int = 21

    def open(self) -> Evidence:
        """The scenarios. Raises UsageError."""
        import numpy as np

        low, high = self.start, self.stop
        name = self.name
        if name is None or low is None or high is None:
            known = self.ranges({})
            name = next(iter(known)) if name is None else name
            if name not in known:
                raise UsageError(
                    f"{PLACE}.name", f"the simulator gives no bounds for '{name}'", None, nearest(name, list(known))
                )
            low, high = (known[name][0] if low is None else low), (known[name][1] if high is None else high)
        check_size(self.steps, "steps")
        return self.evidence({name: np.linspace(low, high, self.steps)}, [name])


@declare("scenarios", "lhs")
class LatinHypercube(Sampled):
    """Draws a Latin hypercube (McKay, Beckman and Conover 1979) by SciPy: one point in each stratum of every parameter.

    - `bounds`: {parameter: [low, high]}; empty: the simulator's bounds of all that are not `fixed`;
    - `n`: how many scenarios; `seed`: the run's own, unless given;
    - `intended`, `fixed`, `group`: as for `linspace`.
    """

    def open(self) -> Evidence:
        """The scenarios. Raises UsageError."""
        return self.drawn("LatinHypercube")


@declare("scenarios", "sobol")
class Sobol(Sampled):
    """Draws a scrambled Sobol sequence (Owen 1998) by SciPy, which fills a box evenly; n should be a power of 2.

    The settings are those of `lhs`, and `scramble`.
    """

    scramble: bool = True

    def open(self) -> Evidence:
        """The scenarios. Raises UsageError."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that n is no power of 2
            return self.drawn("Sobol", scramble=self.scramble)


@declare("scenarios", "saltelli")
class Saltelli(Sampled):
    """Draws Saltelli's design (2010): two Sobol samples of n points, and their mixtures parameter by parameter.

    This makes n x (parameters + 2) scenarios, with `second_order` twice as many mixtures; n should be a power of 2.
    With `audit.sensitivity=true` the report has first-order and total Sobol indices. The settings are those of `lhs`.
    """

    second_order: bool = False

    def open(self) -> Evidence:
        """The scenarios, in the order that SALib reads them. Raises UsageError."""
        import numpy as np

        ranges = self.ranges(self.bounds)
        size = len(ranges)
        step = 2 * size + 2 if self.second_order else size + 2
        check_size(self.n * step, "n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that n is no power of 2
            points = self.points("Sobol", 2 * size)
        first, last = points[:, :size], points[:, size:]
        blocks = np.repeat(first[:, None, :], step, axis=1)
        blocks[:, size + 1 :, :] = last[:, None, :]
        for j in range(size):
            blocks[:, 1 + j, j] = last[:, j]
            if self.second_order:
                blocks[:, 1 + size + j, j] = first[:, j]
        return self.scaled(blocks.reshape(-1, size), ranges)
