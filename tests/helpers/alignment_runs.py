"""The alignment audit of plain objects, past the config: scenarios at hand and a simulator that is a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import auditfw
from auditfw.core.document import Section, Table
from auditfw.core.records import Result
from auditfw.kinds.simulation import ScenarioBatch, Simulated

KEYS = ("a", "b", "c")
METRICS = ["direction", "magnitude", "combined", "mean_overall", "std_overall", "min_overall", "max_overall"]
METRICS += ["mean_direction_accuracy", "mean_magnitude_accuracy", "n_scenarios"]


@dataclass(frozen=True)
class Given:
    """A simulator of a function, in this process; what it raises is that scenario's error."""

    function: Callable[[dict[str, float]], Any]
    stochastic: bool = False
    bounds: Mapping[str, tuple[float, float]] | None = None

    def check(self) -> None:
        pass

    def limits(self) -> Mapping[str, tuple[float, float]] | None:
        return self.bounds

    def __call__(self, stretch: ScenarioBatch) -> Simulated:
        outcomes: list[Any] = []
        why = []
        for params, seed in zip(stretch.params, stretch.seeds, strict=True):
            own = {**params, "seed": seed} if self.stochastic else dict(params)
            try:
                outcomes.append(self.function(own))
                why.append("")
            except RuntimeError as error:
                outcomes.append(None)
                why.append(str(error))
        return Simulated(outcomes, ["error" if said else "ok" for said in why], why)


@dataclass(frozen=True)
class Listed:
    """A scenario set at hand, in batches of `size`."""

    rows: Sequence[Mapping[str, Any]]
    size: int = 1_000

    def open(self) -> Any:
        from auditfw.kinds.evidence import Evidence

        parts = [self.rows[at : at + self.size] for at in range(0, len(self.rows), self.size)]
        names = ("label", "intended", "params", "group", *dict.fromkeys(k for row in self.rows for k in row))
        columns = tuple(dict.fromkeys(names))
        return Evidence([Part(part, columns) for part in parts], columns, len(self.rows), list, lambda: None)


@dataclass(frozen=True)
class Part:
    rows: Sequence[Mapping[str, Any]]
    names: tuple[str, ...]

    def __call__(self) -> Any:
        from auditfw.core.records import Batch

        return Batch({name: [row.get(name) for row in self.rows] for name in self.names})


@dataclass
class Run:
    """An audit of plain objects, past the config."""

    rows: Sequence[Mapping[str, Any]]
    simulator: Any
    by: tuple[str, ...] = ()
    size: int = 1_000
    seed: int = 0
    metrics: Sequence[str] = field(default_factory=lambda: METRICS)
    folder: str | None = None

    def __call__(self, **settings: Any) -> Result:
        from auditfw.audits import spine
        from auditfw.audits.alignment.audit import Alignment
        from auditfw.components.engine.local import Local

        metrics = {name: auditfw.load("metric", name) for name in self.metrics}
        audit = Alignment(Listed(self.rows, self.size), self.simulator, metrics, **settings)
        plan = spine.Run(audit, Local(1), metrics, by=self.by, seed=self.seed)
        return spine.run(plan, spine.Stamp("", {}, self.folder))


def scenario(i: int, **intended: Any) -> dict[str, Any]:
    return {"label": f"s{i}", "intended": intended, "params": {"x": float(i)}}


def number(result: Result, metric: str, **cell: Any) -> float | None:
    return result.measurement(metric, "actual", **cell).estimate.value


def section(result: Result, title: str) -> Section:
    return next(one for one in result.sections if one.title == title)


def rows_of(section: Section) -> list[list[str]]:
    return [list(row) for block in section.blocks if isinstance(block, Table) for row in block.rows]
