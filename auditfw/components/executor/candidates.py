"""A candidate program in a process of its own: its settings in every tier, how it is started, how it ended."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.core.errors import UsageError
from auditfw.core.interrupts import check_not_ours
from auditfw.core.processes import END, need_groups, python
from auditfw.kinds.solving import Execution

from .channel import CandidateProcess, ProcessEnd, ProgramLimits, Room, run_all, source
from .scratch import scratch_folder

ELSEWHERE = "on Windows run it under WSL"
MIB = 2**20
OUTSIDE = frozenset(getattr(signal, name, None) for name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"))


def command() -> list[str]:
    """This Python, with nothing of the user's, running what runs inside."""
    return python("-s", "-B", "-c", source())


def environment() -> dict[str, str]:
    """All that a candidate sees of an environment: one thread for linear algebra, and the same hashes every time."""
    return {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


@dataclass(frozen=True)
class CandidateSettings:
    """The settings both tiers share.

    `function` is the function a program must define, called with one input and returning its output; `arrays` hands
    lists over as NumPy arrays. `seconds` of wall time for each input, `memory_mb`, `output_mb` of answers and prints,
    `scratch_mb` of files.
    """

    function: str = "transform"
    arrays: bool = False
    seconds: float = 5.0
    memory_mb: int = 1024
    output_mb: int = 8
    scratch_mb: int = 16

    def __post_init__(self) -> None:
        for name in ("seconds", "memory_mb", "output_mb", "scratch_mb"):
            if getattr(self, name) <= 0:
                raise UsageError(name, "expected a number above 0", getattr(self, name))
        if not self.function.isidentifier():
            raise UsageError("function", "expected the name of a function", repr(self.function))

    def _run(
        self, start: Callable[[str], CandidateProcess], program: str, inputs: Sequence[Any], calls: str = ""
    ) -> list[Execution]:
        """Runs a program on inputs; `calls` is the filter of system calls that it runs under."""
        need_groups("executor", "to run candidate programs within limits", ELSEWHERE)
        limits = ProgramLimits(self.seconds, self.memory_mb * MIB, self.output_mb * MIB, self.scratch_mb * MIB)
        options = {"function": self.function, "arrays": self.arrays, "filter": calls}
        with scratch_folder() as scratch:
            return run_all(Room(lambda: start(scratch), scratch, limits, options), program, inputs)


def ended(code: int, number: int | None) -> ProcessEnd:
    """How a process without an answer ended. A number below 0 is a kill of which nothing more is known."""
    check_not_ours(number)
    if number is not None and number != 0:
        number = END if number < 0 else number
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"signal {number}"
        return ProcessEnd(f"the process was ended by {name}", number in OUTSIDE)
    return ProcessEnd(f"the process ended without an answer, exit code {code}")
