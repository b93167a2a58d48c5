"""The simulator that is a System Dynamics model, run by PySD."""

from __future__ import annotations

import contextlib
import csv
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from auditfw.core.errors import DataError, UsageError, brief, nearest
from auditfw.core.imports import refuse_if_safe
from auditfw.core.remote.places import actual
from auditfw.kinds.registry import declare
from auditfw.kinds.simulation import ScenarioBatch, Simulated

from .isolated import check_opens, simulate
from .models import Bounds, Isolation, Model, check_file, check_timeout, limits_of, need

MADE = {".py", ".json", ".pyc"}  # what PySD itself writes beside a model: never taken over


@declare("simulator", "pysd")
class SystemDynamics:
    """Runs a System Dynamics model with PySD: a .mdl file of Vensim, or a .xmile or .stmx file of Stella.

    - `model`: the file. It is first copied to a folder of its own, where PySD writes the code that it generates.
    - `outcomes`: `end` gives each column at the last time step, as `COLUMN`; `series` at all `times`, as `COLUMN@TIME`;
    - `times`: a list, or a file of delimited text whose first column holds the times. A key has the time as it is
      written there, and the value at the model's nearest time step, within `tolerance` (null: a hundredth of a step,
      for times that were written with few digits). If there is no such step, the key is absent. Empty: all steps,
      written with up to 15 digits;
    - `columns`: which columns; empty: all. Parameters have the names of the model, or those that PySD makes of them;
    - `bounds`: {parameter: [low, high]}; empty: any parameters of the model.
    """

    model: str
    outcomes: Literal["end", "series"] = "end"
    columns: tuple[str, ...] = ()
    times: tuple[float, ...] | str = ()
    tolerance: float | None = None
    bounds: Bounds = field(default_factory=dict)
    timeout: float = 60.0
    isolation: Isolation = "process"
    folder: str | None = None
    stochastic: bool = False

    def __post_init__(self) -> None:
        refuse_if_safe("the simulator 'pysd' runs code made of a model")
        if not self.model.lower().endswith((".mdl", ".xmile", ".xml", ".stmx")):
            raise UsageError("model", "is neither Vensim's .mdl nor .xmile", self.model, "name the model's file")
        if self.tolerance is not None and self.tolerance < 0:
            raise UsageError("tolerance", "expected a number of 0 or more", self.tolerance)
        check_timeout(self.timeout)
        limits_of(self.bounds)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader must know of its outcomes."""
        if self.outcomes == "end":
            return ()
        within = "a hundredth of a step" if self.tolerance is None else f"{self.tolerance:g}"
        return (f"simulator.tolerance: each time is matched to the nearest step of the model, within {within}",)

    @property
    def starts(self) -> str:
        """What it runs that is not auditfw's own."""
        return f"runs code made of {self.model}"

    def check(self) -> None:
        """Looks for PySD and the model. Raises UsageError and DataError."""
        need("pysd", "pysd", "the simulator 'pysd'")
        for path in self._files():
            check_file(path)
        check_opens(self)

    def _files(self) -> list[str]:
        return [self.model, *([self.times] if isinstance(self.times, str) else [])]

    def reads(self) -> list[str]:
        """The paths of the files that it reads."""
        return [actual(path) for path in self._files()]

    def limits(self) -> Mapping[str, tuple[float, float]] | None:
        return limits_of(self.bounds)

    def __call__(self, batch: ScenarioBatch) -> Simulated:
        return simulate(self, batch)

    def open(self) -> Model:
        """Translates the model. Raises DataError for one that PySD cannot read."""
        need("pysd", "pysd", "the simulator 'pysd'")
        times = written_times(actual(self.times)) if isinstance(self.times, str) else {_text(t): t for t in self.times}
        with _quiet():
            import pysd

            source = copied(Path(actual(self.model)))
            read = pysd.read_vensim if source.suffix.lower() == ".mdl" else pysd.read_xmile
            try:
                model = read(str(source))
            except Exception as error:
                message = brief(f"{type(error).__name__}: {error}", 200)
                raise DataError(self.model, "PySD cannot read this model", message) from None
        self._check_columns(model)
        return Model(lambda params: self._run(model, params, times))

    def _check_columns(self, model: Any) -> None:
        known = [str(name) for name in model.doc["Real Name"]]
        for name in self.columns:
            if name not in known:
                raise UsageError("simulator.columns", f"no '{name}' in {self.model}", None, nearest(name, known))

    def _run(self, model: Any, params: Mapping[str, float], times: Mapping[str, float]) -> dict[str, Any]:
        with _quiet():
            model.reload()  # parameters of an earlier scenario would stay set
            table = model.run(params=dict(params), return_columns=list(self.columns) or None)
        if self.outcomes == "end":
            return {str(name): table[name].iloc[-1] for name in table.columns}
        steps = table.index.to_numpy(dtype=float)
        places = nearest_steps(steps, times or {_text(t): t for t in steps.tolist()}, self.tolerance)
        return {
            f"{name}@{text}": values[at]
            for name in table.columns
            for values in (table[name].tolist(),)
            for text, at in places.items()
        }


def nearest_steps(steps: Any, times: Mapping[str, float], tolerance: float | None) -> dict[str, int]:
    """For each time as it is written the place of the nearest step; left out where that is beyond the tolerance.

    `steps` are rising; without a tolerance it is a hundredth of the smallest distance between two of them.
    """
    import numpy as np

    if tolerance is None:
        tolerance = float(np.diff(steps).min()) / 100 if len(steps) > 1 else 0.0
    wanted = np.array(list(times.values()), dtype=float)
    after = np.clip(np.searchsorted(steps, wanted), 1, max(len(steps) - 1, 1))
    after = np.minimum(after, len(steps) - 1)
    before = np.maximum(after - 1, 0)
    places = np.where(wanted - steps[before] <= steps[after] - wanted, before, after)
    near = np.abs(steps[places] - wanted) <= tolerance
    return {text: int(at) for text, at, kept in zip(times, places, near, strict=True) if kept}


def written_times(path: str) -> dict[str, float]:
    """The times in the first column of a file of delimited text, as they are written there. Raises DataError."""
    with open(path, encoding="utf-8-sig", newline=None) as file:
        lines: Sequence[str] = file.read().splitlines()
    delimiter = "\t" if lines and "\t" in lines[0] else ","
    times: dict[str, float] = {}
    for number, cells in enumerate(csv.reader(lines[1:], delimiter=delimiter), 2):
        if not cells:
            continue
        try:
            times[cells[0].strip()] = float(cells[0])
        except ValueError:
            raise DataError(f"{path}:{number}", "the time is not a number", brief(cells[0], 40)) from None
    return times


def copied(model: Path) -> Path:
    """The model in a folder of its own, beside links to the other files of its folder."""
    folder = Path(tempfile.mkdtemp(prefix="model-"))
    for other in sorted(model.resolve().parent.iterdir()):
        if other.name != model.name and other.suffix.lower() not in MADE:
            (folder / other.name).symlink_to(other)
    return Path(shutil.copy(model, folder / model.name))


def _text(time: float) -> str:
    return format(time, ".15g")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
