"""The executor whose programs are parameters: it runs the chosen simulator with them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from auditfw.core.errors import DataError, UsageError, brief
from auditfw.formulas.alignment import is_number
from auditfw.formulas.parameter_search import finite, fitted, read_params
from auditfw.kinds.capabilities import capability, files_read
from auditfw.kinds.registry import declare
from auditfw.kinds.simulation import ScenarioBatch, Simulated, Simulator
from auditfw.kinds.solving import Execution


@declare("executor", "simulator")
class Simulate:
    """Runs the chosen simulator: a program is a JSON object of parameters; an example's input gives the fixed ones.

    No code of a program is executed. A name that is not a parameter of the simulator, a value outside its bounds or
    different from a fixed one, and a simulation that fails are errors of the attempt. Each example of a problem keeps
    one random seed (from `seed` and its number), so that attempts on a stochastic simulator are compared under the same
    random numbers. The tier is `simulator`, followed by the simulator's own `isolation`.
    """

    simulator: Simulator
    seed: int = 0

    @property
    def tier(self) -> str:
        """How the simulator is isolated, by its own settings."""
        return f"simulator, {_apart(self.simulator)}"

    def reads(self) -> list[str]:
        """The paths of the files that the simulator says it reads."""
        return files_read(self.simulator)

    def check(self) -> None:
        """Opens the simulator. Raises AuditError; UsageError for one that only looks recorded outcomes up."""
        if capability(self.simulator, "recorded", False):
            do = "choose one that runs: auditfw list simulator"
            raise UsageError("simulator", "only looks up recorded outcomes: there is nothing to refine", None, do)
        self.simulator.check()

    def __call__(self, program: str, inputs: Sequence[Any]) -> Sequence[Execution]:
        rows: dict[int, Mapping[str, float]] = {}
        executions: dict[int, Execution] = {}
        for number, value in enumerate(inputs):
            try:
                rows[number] = self._params(program, value)
            except ValueError as error:
                executions[number] = Execution(error=str(error))
        executions |= self._simulated(rows)
        return [executions[number] for number in range(len(inputs))]

    def _params(self, program: str, fixed_params: Any) -> Mapping[str, float]:
        """The parameters of one example. Raises ValueError."""
        params = read_params(program)
        if fixed_params is not None and not isinstance(fixed_params, Mapping):
            raise ValueError(f"the example's input is not a mapping of fixed parameters: {brief(fixed_params)}")
        for name, value in (fixed_params or {}).items():
            fixed = finite(value, str(name))
            if params.setdefault(str(name), fixed) != fixed:
                raise ValueError(f"parameter '{name}' is fixed at {fixed:g}")
        optional = frozenset(capability(self.simulator, "optional", ()))
        try:
            return fitted(["attempt"], [params], self.simulator.limits(), "error", optional)[0][0]
        except DataError as error:
            raise ValueError(f"{error.what} ({error.found})" if error.found is not None else error.what) from None

    def _simulated(self, rows: Mapping[int, Mapping[str, float]]) -> dict[int, Execution]:
        if not rows:
            return {}
        numbers = list(rows)
        labels = [f"example {number + 1}" for number in numbers]
        seeds = [_seed(self.seed, number) for number in numbers]
        simulated = self.simulator(ScenarioBatch(numbers, labels, list(rows.values()), seeds))
        return {number: _execution(simulated, at) for at, number in enumerate(numbers)}


def _seed(seed: int, number: int) -> int:
    return int.from_bytes(sha256(f"{seed}\0self_audit\0example {number}".encode()).digest()[:4], "big") >> 1


def _apart(simulator: object) -> str:
    """A simulator's own isolation in words; one without that setting is a program or keeps to itself."""
    isolation = capability(simulator, "isolation")
    if isolation is None:
        return "with its own isolation"
    return "in this process" if isolation == "none" else f"in a {isolation} of its own"


def _execution(simulated: Simulated, at: int) -> Execution:
    """The outcomes of one example as plain floats; what is no number is left out."""
    if simulated.status[at] != "ok":
        return Execution(error=f"{simulated.status[at]}: {simulated.why[at]}".rstrip(": "))
    if not simulated.outcomes:
        return Execution({str(key): float(column[at]) for key, column in simulated.columns.items()})
    outcomes = simulated.outcomes[at]
    if not isinstance(outcomes, Mapping):
        return Execution(error=f"the simulator returned no mapping of outcomes: {brief(outcomes)}")
    return Execution({str(key): _float(value) for key, value in outcomes.items() if is_number(value)})


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
