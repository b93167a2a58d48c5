"""The simulator that is a separate program, addressed in JSON lines."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from auditfw.core.background import EndedError, FloodError, Running
from auditfw.core.errors import UsageError, brief
from auditfw.core.imports import refuse_if_safe
from auditfw.core.processes import following, need_groups
from auditfw.kinds.registry import declare
from auditfw.kinds.simulation import ScenarioBatch, Simulated

from .isolated import SimulatorProcess
from .models import Bounds, check_timeout, limits_of
from .replies import Failed, answers, plain, simulated


@declare("simulator", "subprocess")
class Program:
    """Starts a program and talks to it in JSON lines: one scenario per line in, one line of outcomes out, in order.

    A request is {"label": …, "params": {name: number}, "seed": whole number}; the answer is {key: number}, or
    {"actual": {key: number}}, or {"error": "why"}; if it repeats the label, the label must be the same. One process
    serves many scenarios; it must write each answer at once (flush). If it does not answer in time, ends, or answers
    something else, that scenario fails and the program is started again for the next one.
    - `command`: the program and its arguments; arguments that are files of the current folder are found although it
      runs in an empty folder of its own (or in `folder`);
    - `bounds`: {parameter: [low, high]}, null for an open end; empty: any parameters are accepted;
    - `timeout`: the seconds that an answer may take; `most`: the bytes that an answer may have;
    - `stochastic`: the same parameters may give different outcomes.
    """

    command: tuple[str, ...]
    bounds: Bounds = field(default_factory=dict)
    timeout: float = 10.0
    most: int = 1 << 20
    folder: str | None = None
    stochastic: bool = False

    def __post_init__(self) -> None:
        refuse_if_safe("the simulator 'subprocess' starts programs")
        if not self.command:
            raise UsageError(
                "command", "expected a program and its arguments", "none", "write [program, argument, ...]"
            )
        if self.most < 1:
            raise UsageError("most", "expected a whole number of 1 or more", self.most)
        check_timeout(self.timeout)
        limits_of(self.bounds)

    @property
    def starts(self) -> str:
        """What it runs that is not auditfw's own."""
        return f"starts {' '.join(self.command)}"

    def check(self) -> None:
        """Looks for the program. Raises UsageError."""
        need_groups("simulator", "to start a program that can be ended", "on Windows run it under WSL")
        first = self._words()[0]
        if shutil.which(first) is None:
            raise UsageError("simulator.command", "no such program", first, "write its path, or install it")

    def limits(self) -> Mapping[str, tuple[float, float]] | None:
        return limits_of(self.bounds)

    def __call__(self, batch: ScenarioBatch) -> Simulated:
        outcomes = [self._answer(batch, i) for i in range(len(batch))]
        return simulated([answers(outcomes)])

    def _words(self) -> list[str]:
        first, *others = self.command
        program = os.path.abspath(first) if os.sep in first else first
        return [program, *(os.path.abspath(word) if os.path.exists(word) else word for word in others)]

    def _answer(self, batch: ScenarioBatch, i: int) -> Any:
        question = {"label": batch.labels[i], "params": dict(batch.params[i]), "seed": batch.seeds[i]}
        child = _running.get(repr(self), self._start)
        try:
            child.send(json.dumps(question).encode() + b"\n")
            line = child.line(self.timeout)
            if child.output:
                raise ValueError("it answered more than one line")
            return self._read(line, batch.labels[i])
        except EndedError:
            failed = Failed("error", child.how_ended())
        except FloodError:
            failed = Failed("error", f"its answer has more than {self.most:,} bytes")
        except TimeoutError:
            failed = Failed("timeout", f"no answer within {self.timeout:g} s{child.last_words()}")
        except ValueError as error:
            failed = Failed("error", str(error))
        _running.end(repr(self))
        return failed

    def _start(self) -> SimulatorProcess:
        folder = None if self.folder is None else os.path.abspath(self.folder)
        return SimulatorProcess(following(self._words()), folder, self.most)

    def _read(self, line: bytes, label: str) -> Any:
        """The outcomes in an answer. Raises ValueError for what is none, after which the program is started again."""
        try:
            answer = json.loads(line)
        except ValueError:
            raise ValueError(f"its answer is not JSON ({brief(line.decode('utf-8', 'replace'), 60)})") from None
        if not isinstance(answer, dict):
            raise ValueError(f"its answer is not a JSON object ({brief(answer, 60)})")
        if answer.pop("label", label) != label:
            raise ValueError("its answer is for another scenario")
        if isinstance(answer.get("error"), str):
            return Failed("error", brief(answer["error"], 200))
        inner = answer.get("actual")
        return plain(inner if isinstance(inner, dict) else answer)


_running: Running[SimulatorProcess] = Running(1)
