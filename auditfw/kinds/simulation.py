"""What passes between an alignment audit and a simulator: a batch of scenarios, and their outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, overload

SimulationStatus = Literal["ok", "error", "timeout", "out_of_bounds"]


@dataclass(frozen=True, eq=False)
class Columns(Sequence[Mapping[str, Any]]):
    """Equally long columns by name, seen as a sequence of mappings, one a row; for many rows far cheaper than those.

    A batch's `params` or `intended` may be one, so may a batch's `params`; every row has every name. Rows are made
    created again for each pass, with plain numbers; slices are columns again.
    """

    columns: Mapping[str, Any]
    size: int

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, at: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> Columns: ...
    def __getitem__(self, at: int | slice) -> dict[str, Any] | Columns:
        if isinstance(at, slice):
            return Columns({name: column[at] for name, column in self.columns.items()}, len(range(self.size)[at]))
        place = range(self.size)[at]
        return {name: _plain(column[place]) for name, column in self.columns.items()}


def _plain(value: Any) -> Any:
    item = getattr(value, "item", None)
    return value if item is None else item()


@dataclass(frozen=True)
class ScenarioBatch:
    """Some scenarios to simulate: equally long sequences; `params` holds a mapping of numbers for each.

    `numbers` are their places in the whole set, from 0; `seeds` a whole number for each, keyed by the run's seed,
    the scenario and the replicate, so that a stochastic simulator gives the same whatever the number of workers.
    `params` may be `Columns`. `further` are the other columns of the scenarios by name, where the set has any: a
    simulator that reads recorded outcomes may find them in the column `actual`.
    """

    numbers: Sequence[int]
    labels: Sequence[str]
    params: Sequence[Mapping[str, float]]
    seeds: Sequence[int]
    further: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True)
class Simulated:
    """What a batch gave: for each scenario its outcomes by key (None where it has none), a status and a reason.

    `columns`, where a simulator has them, are the same outcomes as whole columns of floats by key (NaN: not finite,
    absent keys left out), for a simulator that computes many scenarios at once; `outcomes` may then be empty.
    """

    outcomes: Sequence[Any]
    status: Sequence[SimulationStatus]
    why: Sequence[str]
    columns: Mapping[str, Any] = field(default_factory=dict)


class Simulator(Protocol):
    """Parameters to outcomes: one batch of scenarios at a time, in a worker process of its own.

    A scenario that raises, hangs or returns nonsense affects only itself: its status is "error" or "timeout", and `why`
    says what happened. `limits()` gives the bounds {parameter: (low, high)}, or None where any will do. One that
    needs a file or an optional package finds out in `check()`, before the first scenario, raising AuditError.
    `stochastic` says that the same parameters may give different outcomes under different seeds. It may also declare

    - `starts`: what code it runs, in words that follow its name ("runs models.py:run"); a run read back from a folder
      asks before it builds such a component;
    - `reads()`: the paths of the files it reads, which the run names with their checksums;
    - `recorded = True`: it runs nothing and looks recorded outcomes up;
    - `optional`: names of parameters that scenarios may leave out;
    - `intended`: the outcomes it is meant to have, for scenarios that name none;
    - `remarks`: warnings on the model as it was opened;
    - `isolation`: how its runs are kept apart from this process ("process", "none");
    - `record_labels()`: the labels of all recorded outcomes that it looks up, None where it has none of its own;
    - `fresh(batch)`: the outcomes of a batch in a process of its own that ran nothing yet, None where that cannot be;
    - `open()`: the opened model, for those that run in the workers that all shipped simulators share;
    - `proposes(looks)` and `lacks(look)`, static methods: what it recognises in files, as a source does.
    """

    stochastic: bool

    def check(self) -> None: ...

    def limits(self) -> Mapping[str, tuple[float, float]] | None: ...

    def __call__(self, batch: ScenarioBatch) -> Simulated: ...
