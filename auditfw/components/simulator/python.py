"""The simulator that is a Python function, or an object with `run`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from auditfw.core.errors import UsageError
from auditfw.core.imports import check_path, find, refuse_if_safe
from auditfw.kinds.registry import declare
from auditfw.kinds.simulation import ScenarioBatch, Simulated

from .isolated import check_opens, simulate, simulate_fresh
from .models import Bounds, Isolation, Model, check_timeout, limits_of


@declare("simulator", "python")
class PythonSimulator:
    """Calls a Python function with each scenario's parameters; the function returns a mapping of outcomes.

    - `function`: `pkg.module:name` of a function that takes a dict of parameters, or of a class (made once with
      `settings`) or an object whose method `run` is called. A function with the argument `seed` gets the scenario's own
      seed. Modules in the current folder are found too.
    - `bounds`: {parameter: [low, high]} of all parameters, null for an open end. Empty: those that `param_spec()` of an
      object gives, else any parameters are accepted.
    - `batch`: `pkg.module:name` of a function of many scenarios at once: it gets a dict of NumPy columns, one per
      parameter, and returns columns of the same length, one per outcome. `auto` takes `run_batch` of the object, or of
      the module that has a function `run`; null takes none. If a batch fails, its scenarios are run one by one.
    - `timeout`: the seconds that a scenario (or a batch) may take.
    - `stochastic`: the same parameters may give different outcomes; the global random numbers of Python and NumPy are
      then seeded for each scenario.
    - `isolation`: `process` runs it in a process of its own, with standard output and error closed, which is ended if
      it does not answer; `none` runs it in the audit's own process, where a call into compiled code cannot be
      interrupted.
    - `folder`: the folder in which it runs; null: an empty folder of its own. The module is imported from the current
      folder.
    """

    function: Any
    settings: dict[str, Any] = field(default_factory=dict)
    bounds: Bounds = field(default_factory=dict)
    batch: str | None = "auto"
    timeout: float = 10.0
    stochastic: bool = False
    isolation: Isolation = "process"
    folder: str | None = None

    def __post_init__(self) -> None:
        refuse_if_safe("the simulator 'python' runs your code")
        if isinstance(self.function, str):
            check_path(self.function, "function")
        elif not callable(getattr(self.function, "run", self.function)):
            raise UsageError("function", "cannot be called", type(self.function).__name__, "write pkg.module:name")
        if self.batch not in (None, "auto"):
            check_path(str(self.batch), "batch")
        check_timeout(self.timeout)
        limits_of(self.bounds)

    @property
    def starts(self) -> str:
        """What it runs that is not auditfw's own."""
        return f"runs {self.function}"

    def check(self) -> None:
        """Imports what it is to call. Raises UsageError."""
        check_opens(self)

    def limits(self) -> Mapping[str, tuple[float, float]] | None:
        return limits_of(self.bounds or check_opens(self))

    def __call__(self, batch: ScenarioBatch) -> Simulated:
        return simulate(self, batch)

    def fresh(self, batch: ScenarioBatch) -> Simulated | None:
        """Runs a batch in a process that ran nothing yet."""
        return simulate_fresh(self, batch)

    def open(self) -> Model:
        """Imports the function; its errors begin with the setting."""
        where = "simulator.function"
        target = find(self.function, where) if isinstance(self.function, str) else self.function
        part = made(target, self.settings, where)
        run = getattr(part, "run", part)
        if not callable(run):
            raise UsageError(where, "cannot be called", self.function, "name a function, or an object with run")
        bounds = {} if self.bounds else _own_bounds(part, where)
        return Model(_one(run), _many(self._batch(part, target)), self.stochastic, seeded(run), bounds)

    def _batch(self, part: Any, target: Any) -> Callable[..., Any] | None:
        if self.batch is None:
            return None
        if self.batch != "auto":
            return _callable(find(self.batch, "simulator.batch"))
        own = getattr(part, "run_batch", None)
        beside = None
        if inspect.isfunction(target) and target.__name__ == "run":
            beside = getattr(inspect.getmodule(target), "run_batch", None)
        return _callable(own) or _callable(beside)


def _own_bounds(part: Any, where: str) -> Bounds:
    """The bounds that an object declares by `param_spec()`. Raises UsageError."""
    spec = getattr(part, "param_spec", None)
    if not callable(spec):
        return {}
    try:
        declared = {str(name): tuple(ends) for name, ends in spec().items()}
        bounds = {name: tuple(None if end is None else float(end) for end in ends) for name, ends in declared.items()}
        limits_of(bounds)
    except Exception as error:
        what, message = "its param_spec() does not give {parameter: (low, high)}", f"{type(error).__name__}: {error}"
        raise UsageError(where, what, message, "correct it, or write simulator.bounds") from None
    return bounds


def _callable(target: Any) -> Callable[..., Any] | None:
    return target if callable(target) else None


def _one(run: Callable[..., Any]) -> Callable[..., Any]:
    return (lambda params, seed: run(params, seed=seed)) if seeded(run) else run


def _many(batch: Callable[..., Any] | None) -> Callable[[dict[str, Any], Any], Any] | None:
    if batch is None:
        return None
    if seeded(batch):
        return lambda columns, seeds: batch(columns, seed=seeds)
    return lambda columns, _seeds: batch(columns)


def made(thing: Any, settings: Mapping[str, Any], where: str) -> Any:
    """The object to call: an instance where a class is named. Raises UsageError."""
    if not inspect.isclass(thing):
        if settings:
            raise UsageError("settings", "only a class takes settings", ", ".join(settings), f"name a class in {where}")
        return thing
    try:
        return thing(**settings)
    except (Exception, SystemExit) as error:
        message = f"{type(error).__name__}: {error}"
        raise UsageError("settings", f"{thing.__name__} cannot be made with them", message) from None


def seeded(function: Callable[..., Any]) -> bool:
    """Whether a function takes a keyword `seed`."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return "seed" in parameters and parameters["seed"].kind is not inspect.Parameter.VAR_KEYWORD
