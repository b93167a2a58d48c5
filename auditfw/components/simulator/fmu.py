"""The simulator that is a Functional Mock-up Unit (FMI 1, 2 or 3), run by FMPy."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from auditfw.core.errors import DataError, UsageError, brief, nearest
from auditfw.core.imports import refuse_if_safe
from auditfw.core.remote.places import actual
from auditfw.kinds.registry import declare
from auditfw.kinds.simulation import ScenarioBatch, Simulated

from .isolated import check_opens, simulate
from .models import Bounds, Isolation, Model, check_file, check_timeout, limits_of, need


@declare("simulator", "fmu")
class MockupUnit:
    """Runs a Functional Mock-up Unit with FMPy; its outcomes are the unit's outputs at the end.

    - `model`: the .fmu file. It holds compiled code for certain platforms, which is run; a unit that was made for
      another platform cannot be run;
    - parameters: start values of its variables; `outputs`: which variables are reported; empty: its outputs;
    - `until`: the end of the simulated time, `step`: the communication step; null: what the unit itself says;
    - `bounds`: {parameter: [low, high]}; empty: any of its variables.
    """

    model: str
    outputs: tuple[str, ...] = ()
    until: float | None = None
    step: float | None = None
    form: Literal["any", "ModelExchange", "CoSimulation"] = "any"
    bounds: Bounds = field(default_factory=dict)
    timeout: float = 60.0
    isolation: Isolation = "process"
    folder: str | None = None
    stochastic: bool = False

    def __post_init__(self) -> None:
        refuse_if_safe("the simulator 'fmu' runs compiled code")
        check_timeout(self.timeout)
        limits_of(self.bounds)

    @property
    def starts(self) -> str:
        """What it runs that is not auditfw's own."""
        return f"runs the compiled code of {self.model}"

    def check(self) -> None:
        """Looks for FMPy and the unit. Raises UsageError and DataError."""
        need("fmpy", "fmu", "the simulator 'fmu'")
        check_file(self.model)
        check_opens(self)

    def reads(self) -> list[str]:
        """The paths of the files that it reads."""
        return [actual(self.model)]

    def limits(self) -> Mapping[str, tuple[float, float]] | None:
        return limits_of(self.bounds)

    def __call__(self, batch: ScenarioBatch) -> Simulated:
        return simulate(self, batch)

    def open(self) -> Model:
        """Unpacks the unit. Raises DataError for one that cannot be read or run here."""
        need("fmpy", "fmu", "the simulator 'fmu'")
        import fmpy

        try:
            folder = fmpy.extract(actual(self.model), tempfile.mkdtemp(prefix="fmu-"))
            description = fmpy.read_model_description(folder)
        except Exception as error:
            message = brief(f"{type(error).__name__}: {error}", 200)
            raise DataError(self.model, "is not a Functional Mock-up Unit that FMPy can read", message) from None
        names = [variable.name for variable in description.modelVariables]
        for name in self.outputs:
            if name not in names:
                raise UsageError("simulator.outputs", f"no variable '{name}'", None, nearest(name, names))
        outputs = list(self.outputs) or [v.name for v in description.modelVariables if v.causality == "output"]
        return Model(lambda params: self._run(folder, description, names, outputs, params))

    def _run(
        self, folder: str, description: Any, names: list[str], outputs: list[str], params: Mapping[str, float]
    ) -> dict[str, Any]:
        import fmpy

        for name in params:
            if name not in names:
                raise ValueError(f"unknown parameter '{name}': {nearest(name, names)}")
        outcomes = fmpy.simulate_fmu(
            folder, model_description=description, start_values=dict(params), output=outputs, stop_time=self.until,
            step_size=self.step, fmi_type=None if self.form == "any" else self.form,
        )  # fmt: skip
        return {name: outcomes[name][-1].item() for name in outputs}
