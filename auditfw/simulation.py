"""What passes between an alignment audit and a simulator: a stretch of scenarios, and what they gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

SimulationStatus = Literal["ok", "error", "timeout"]


@dataclass(frozen=True)
class Stretch:
    """Some scenarios to simulate: equally long sequences; `params` holds a mapping of numbers for each.

    `numbers` are their places in the whole set, from 0; `seeds` a whole number for each, keyed by the run's seed,
    the scenario and the replicate, so that a stochastic simulator gives the same whatever the number of workers.
    """

    numbers: Sequence[int]
    labels: Sequence[str]
    params: Sequence[Mapping[str, float]]
    seeds: Sequence[int]

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True)
class Simulated:
    """What a stretch gave: for each scenario its outcomes by key (None where it has none), a status and a reason.

    `columns`, where a simulator has them, are the same outcomes as whole columns of floats by key (NaN: not finite,
    absent keys left out), for a simulator that computes many scenarios at once; `outcomes` may then be empty.
    """

    outcomes: Sequence[Any]
    status: Sequence[SimulationStatus]
    why: Sequence[str]
    columns: Mapping[str, Any] = field(default_factory=dict)


class Simulator(Protocol):
    """Parameters to outcomes: one stretch of scenarios at a time, in a worker process of its own.

    A scenario that raises, hangs or gives nonsense costs only itself: its status is "error" or "timeout", and `why`
    says what happened. `limits()` gives the bounds {parameter: (low, high)}, or None where any will do. One that
    needs a file or an optional package finds out in `check()`, before the first scenario, raising AuditError.
    `stochastic` says that the same parameters may give different outcomes under different seeds.
    """

    stochastic: bool

    def check(self) -> None: ...

    def limits(self) -> Mapping[str, tuple[float, float]] | None: ...

    def __call__(self, stretch: Stretch) -> Simulated: ...
