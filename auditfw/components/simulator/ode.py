"""The simulator that solves ordinary differential equations with SciPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from auditfw.core.errors import UsageError
from auditfw.core.imports import check_path, find, refuse_if_safe
from auditfw.kinds.registry import declare
from auditfw.kinds.simulation import ScenarioBatch, Simulated

from .isolated import check_opens, simulate
from .models import Bounds, Isolation, Model, check_timeout, limits_of

Method = Literal["RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA"]
OURS = "auditfw.components.simulator.dynamics:"


@declare("simulator", "ode")
class Equations:
    """Solves a system of ordinary differential equations with SciPy's solve_ivp and summarises it in a few numbers.

    - `right_hand_side`: `pkg.module:name` of a function (t, y, params) that gives dy/dt;
    - `start`: `pkg.module:name` of a function of the params that gives y at time 0;
    - `states`: the names of y, in order; `until`: the end of the simulated time, in the time unit of the rates;
    - `bounds`: {parameter: [low, high]} of all parameters; `params`: the values of those that a scenario leaves out;
    - `intended`: the intended outcomes, for scenario sets that name none;
    - `falls`: {outcome: state}; the outcome is how far the state falls from start to end.
    The outcomes are `final_STATE`, `peak_STATE` (the highest value), `peak_STATE_time` (when it is reached, by the
    solver's interpolation), `lowest_STATE`, and those of `falls`. `method`, `rtol` and `atol` are SciPy's.
    """

    right_hand_side: str
    start: str
    states: tuple[str, ...]
    until: float = 100.0
    bounds: Bounds = field(default_factory=dict)
    params: dict[str, float] = field(default_factory=dict)
    intended: dict[str, float] = field(default_factory=dict)
    falls: dict[str, str] = field(default_factory=dict)
    method: Method = "DOP853"
    rtol: float = 1e-8
    atol: float = 1e-10
    timeout: float = 10.0
    isolation: Isolation = "none"
    folder: str | None = None
    stochastic: bool = False

    def __post_init__(self) -> None:
        for name in ("right_hand_side", "start"):
            check_path(getattr(self, name), name)
            if not getattr(self, name).startswith(OURS):
                refuse_if_safe(f"the simulator 'ode' imports {getattr(self, name)}")
        if not self.states:
            raise UsageError("states", "expected at least one state", "none", "name the components of y")
        if not self.until > 0:
            raise UsageError("until", "expected a number above 0", self.until)
        for outcome, state in self.falls.items():
            if state not in self.states:
                raise UsageError(f"falls.{outcome}", f"no state '{state}'", None, f"known: {', '.join(self.states)}")
        check_timeout(self.timeout)
        limits_of(self.bounds)

    @property
    def optional(self) -> frozenset[str]:
        """The parameters that a scenario may leave out."""
        return frozenset(self.params)

    @property
    def starts(self) -> str:
        """What it runs that is not auditfw's own."""
        others = [name for name in (self.right_hand_side, self.start) if not name.startswith(OURS)]
        return "" if not others else f"imports {' and '.join(others)}"

    def check(self) -> None:
        """Finds both functions. Raises UsageError."""
        check_opens(self)

    def limits(self) -> Mapping[str, tuple[float, float]] | None:
        return limits_of(self.bounds)

    def __call__(self, batch: ScenarioBatch) -> Simulated:
        return simulate(self, batch)

    def open(self) -> Model:
        rates = find(self.right_hand_side, "simulator.right_hand_side")
        start = find(self.start, "simulator.start")
        return Model(lambda params: self._solved(rates, start, {**self.params, **params}))

    def _solved(self, rates: Any, start: Any, params: Mapping[str, float]) -> dict[str, float]:
        import numpy as np
        from scipy.integrate import solve_ivp

        def turning(state: int) -> Any:
            return lambda t, y, p: rates(t, y, p)[state]

        first = start(params)
        solution = solve_ivp(
            rates, (0.0, self.until), first, self.method, args=(params,), rtol=self.rtol, atol=self.atol,
            events=[turning(state) for state in range(len(self.states))],
        )  # fmt: skip
        if not solution.success:
            raise ArithmeticError(solution.message)
        outcomes: dict[str, float] = {}
        for i, name in enumerate(self.states):
            turns = solution.y_events[i]
            values = np.concatenate([solution.y[i], turns[:, i] if len(turns) else []])
            times = np.concatenate([solution.t, solution.t_events[i]])
            at = int(values.argmax())
            outcomes[f"final_{name}"] = float(solution.y[i][-1])
            outcomes[f"peak_{name}"], outcomes[f"peak_{name}_time"] = float(values[at]), float(times[at])
            outcomes[f"lowest_{name}"] = float(values.min())
        for name, state in self.falls.items():
            course = solution.y[self.states.index(state)]
            outcomes[name] = float(course[0] - course[-1])
        return outcomes
