"""The simulator that is a Gymnasium environment, steered by a linear policy whose weights are the parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from auditfw.core.errors import UsageError, brief
from auditfw.core.imports import refuse_if_safe
from auditfw.kinds.registry import declare
from auditfw.kinds.simulation import ScenarioBatch, Simulated

from .isolated import check_opens, simulate, simulate_fresh
from .models import Bounds, Isolation, Model, check_timeout, limits_of, need

SEED = "seed"


@declare("simulator", "gymnasium")
class Environment:
    """Runs one episode of a Gymnasium environment under a linear policy.

    - `environment`: its id, for example `CartPole-v1`; `options`: the arguments it is made with;
    - parameters: the weights `w0`, `w1`, … of the observation's numbers, and `seed`, a whole number that seeds the
      episode (default: the scenario's own seed). Two discrete actions: action 1 if the weighted sum is above 0, else 0.
      More actions, or several continuous ones: weights `w0_0`, `w0_1`, … (action, number); the action with the largest
      sum, or the sums themselves within the bounds of the environment;
    - `most`: the largest number of steps; `bounds`: {parameter: [low, high]}; empty: any weights.
    The outcomes are `total_reward`, `steps`, `terminated` and `truncated` (1 or 0).
    """

    environment: str
    options: dict[str, Any] = field(default_factory=dict)
    most: int = 10_000
    bounds: Bounds = field(default_factory=dict)
    timeout: float = 60.0
    isolation: Isolation = "process"
    folder: str | None = None
    stochastic: bool = True

    def __post_init__(self) -> None:
        if ":" in self.environment:
            refuse_if_safe(f"the environment {self.environment} imports a module")
        if self.most < 1:
            raise UsageError("most", "expected a whole number of 1 or more", self.most)
        check_timeout(self.timeout)
        limits_of(self.bounds)

    @property
    def optional(self) -> frozenset[str]:
        """The parameters that a scenario may leave out."""
        return frozenset({SEED})

    @property
    def starts(self) -> str:
        """What it runs that is not auditfw's own."""
        return f"makes the environment {self.environment}"

    def check(self) -> None:
        """Makes the environment. Raises UsageError."""
        need("gymnasium", "gym", "the simulator 'gymnasium'")
        check_opens(self)

    def limits(self) -> Mapping[str, tuple[float, float]] | None:
        limits = limits_of(self.bounds)
        return None if limits is None else {SEED: (0.0, float(2**53)), **limits}

    def __call__(self, batch: ScenarioBatch) -> Simulated:
        return simulate(self, batch)

    def fresh(self, batch: ScenarioBatch) -> Simulated | None:
        """Runs a batch in a process that ran nothing yet."""
        return simulate_fresh(self, batch)

    def open(self) -> Model:
        """Makes the environment. Raises UsageError for one that there is not, or that a linear policy cannot steer."""
        need("gymnasium", "gym", "the simulator 'gymnasium'")
        import gymnasium

        try:
            environment = gymnasium.make(self.environment, **self.options)
        except Exception as error:
            message = brief(f"{type(error).__name__}: {error}", 200)
            raise UsageError("simulator.environment", f"cannot make {self.environment}", message) from None
        steer = Steer.of(environment)
        return Model(lambda params, seed: self._episode(environment, steer, params, seed), seeded=True)

    def _episode(self, environment: Any, steer: Steer, params: dict[str, float], seed: int) -> dict[str, float]:
        start = params.pop(SEED, seed % 2**31)
        weights = steer.weights(params)
        if int(start) != start or start < 0:
            raise ValueError(f"the seed is not a whole number ({start!r})")
        observed, _ = environment.reset(seed=int(start))
        total, steps, over, cut = 0.0, 0, False, False
        while not (over or cut) and steps < self.most:
            observed, reward, over, cut, _ = environment.step(steer.action(weights, observed))
            total += float(reward)
            steps += 1
        return {
            "total_reward": total,
            "steps": float(steps),
            "terminated": float(over),
            "truncated": float(cut or steps >= self.most),
        }


@dataclass(frozen=True)
class Steer:
    """How weighted sums of observed numbers become an action: `names` of the weights row by row."""

    names: tuple[tuple[str, ...], ...]
    actions: int | None
    low: Any
    high: Any

    @classmethod
    def of(cls, environment: Any) -> Steer:
        """For an environment. Raises UsageError for one that observes no box of numbers or takes other actions."""
        from gymnasium.spaces import Box, Discrete, flatdim

        seen, acts = environment.observation_space, environment.action_space
        if not isinstance(seen, Box) or not isinstance(acts, Box | Discrete):
            spaces = f"{type(seen).__name__} and {type(acts).__name__}"
            raise UsageError("simulator.environment", "expected boxes of numbers, or discrete actions", spaces)
        width = flatdim(seen)
        count = int(acts.n) if isinstance(acts, Discrete) else flatdim(acts)
        lone = count == 1 or (isinstance(acts, Discrete) and count == 2)
        rows = [tuple(f"w{i}" for i in range(width))] if lone else []
        rows = rows or [tuple(f"w{row}_{i}" for i in range(width)) for row in range(count)]
        if isinstance(acts, Discrete):
            return cls(tuple(rows), count, None, None)
        return cls(tuple(rows), None, acts.low, acts.high)

    def weights(self, params: Mapping[str, float]) -> Any:
        """The weights as a matrix. Raises ValueError for a name too many or too few."""
        import numpy as np

        known = [name for row in self.names for name in row]
        wrong = sorted(params.keys() ^ set(known))
        if wrong:
            what = "unknown" if wrong[0] in params else "missing"
            raise ValueError(f"parameter '{wrong[0]}' is {what}: the weights are {', '.join(known)}")
        return np.array([[params[name] for name in row] for row in self.names])

    def action(self, weights: Any, observed: Any) -> Any:
        """The action for what is observed."""
        import numpy as np

        sums = weights @ np.asarray(observed, dtype=float).ravel()
        if self.actions is None:
            return np.clip(sums.reshape(self.low.shape), self.low, self.high).astype(self.low.dtype)
        return int(sums[0] > 0) if self.actions == 2 else int(np.argmax(sums))
