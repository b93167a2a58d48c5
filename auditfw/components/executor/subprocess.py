"""Executors: candidate programs run in a process of their own, as far apart as the named tier keeps them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

from auditfw.core.errors import UsageError
from auditfw.core.imports import refuse_if_safe
from auditfw.core.interrupts import check_not_ours
from auditfw.core.processes import need_groups, system
from auditfw.kinds.registry import register
from auditfw.kinds.solving import Execution

from .canary import tried_out
from .channel import CandidateProcess, ProgramLimits, Room, run_all, source

ELSEWHERE = "on Windows run it under WSL"
INSTALL = "pip install 'auditfw[sandbox]', or take the risk with executor=subprocess"
SYSTEM = ("/usr", "/lib", "/lib64", "/bin")
MIB = 2**20
SPARE_MB = 256  # so that a program meets its own limit first, and can say so


def command() -> list[str]:
    """This Python, with nothing of the user's, running what runs inside."""
    return [sys.executable, "-s", "-P", "-B", "-c", source()]


def environment() -> dict[str, str]:
    """All that a candidate sees of an environment: one thread for linear algebra, and the same hashes every time."""
    return {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


@dataclass(frozen=True)
class _Apart:
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
                raise UsageError(name, "must be greater than 0", getattr(self, name))
        if not self.function.isidentifier():
            raise UsageError("function", "must be the name of a function", self.function)

    def _run(self, start: Callable[[str], CandidateProcess], program: str, inputs: Sequence[Any]) -> list[Execution]:
        need_groups("executor", "to run candidate programs within limits", ELSEWHERE)
        limits = ProgramLimits(self.seconds, self.memory_mb * MIB, self.output_mb * MIB, self.scratch_mb * MIB)
        options = {"function": self.function, "arrays": self.arrays}
        with tempfile.TemporaryDirectory(prefix="auditfw-", ignore_cleanup_errors=True) as folder:
            scratch = os.path.realpath(folder)
            return run_all(Room(lambda: start(scratch), scratch, limits, options), program, inputs)


@register("executor", "sandlock")
@dataclass(frozen=True)
class Sandlock(_Apart):
    """Runs programs under Landlock and seccomp: no network, no files but Python's own, no further process.

    Needs Linux 6.12 or newer and `pip install 'auditfw[sandbox]'`. A program sees an empty environment, may write into
    a folder of its own that is deleted afterwards, and may use `seconds` for an input, `memory_mb`, `output_mb` and
    `scratch_mb`; what it prints goes nowhere. It must define `function`, which takes an input (`arrays`: as a NumPy
    array) and returns the output. Before the first program a canary tries to get out; if it can, the run ends.
    """

    tier: ClassVar[str] = "kernel"
    starts: ClassVar[str] = "runs candidate programs, kept apart by the kernel"

    def check(self) -> None:
        """Tries the walls. Raises UsageError where they cannot be put up, IncompleteError where one does not hold."""
        if sys.platform != "linux":
            do = "use Linux, or take the risk with executor=subprocess"
            raise UsageError("executor", "the walls of sandlock are Linux's", f"this is {system()}", do)
        try:
            import sandlock
        except ImportError:
            raise UsageError("executor", "the package sandlock is not installed", None, INSTALL) from None
        has, needs = sandlock.landlock_abi_version(), sandlock.min_landlock_abi()
        if has < needs:
            found = f"Landlock {has if has > 0 else 'is not there'}, needed: {needs}"
            do = "use a kernel of version 6.12 or newer, or take the risk with executor=subprocess"
            raise UsageError("executor", "this kernel cannot keep programs apart", found, do)
        tried_out(self, self.tier)

    def __call__(self, program: str, inputs: Sequence[Any]) -> Sequence[Execution]:
        return self._run(self._start, program, inputs)

    def _start(self, scratch: str) -> CandidateProcess:
        from sandlock import Sandbox, StdioMode

        readable = {*SYSTEM, sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
        sandbox = Sandbox(
            fs_readable=sorted(path for path in readable if os.path.isdir(path)),
            fs_writable=[scratch],
            cwd=scratch,
            clean_env=True,
            env=environment(),
            max_memory=(self.memory_mb + SPARE_MB) * MIB,
            max_processes=1,
            max_open_files=64,
            extra_deny_syscalls=["chroot"],
            no_coredump=True,
        )
        piped = StdioMode.PIPED
        return _Confined(sandbox.popen(command(), stdin=piped, stdout=piped, stderr=piped))


class _Confined:
    """A process of sandlock's."""

    def __init__(self, process: Any) -> None:
        self.process = process
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr

    def kill(self) -> None:
        with suppress(OSError):
            self.process.kill()

    def wait(self) -> str:
        result = self.process.wait(timeout=5)
        return ended(result.exit_code, result.signal)


@register("executor", "subprocess")
@dataclass(frozen=True)
class Subprocess(_Apart):
    """Runs programs in a plain process with limits and an empty environment: NOT a sandbox, files and network are open.

    For programs you would run yourself. Settings as for `sandlock`; what a program starts and hides in a session of its
    own may outlive it.
    """

    tier: ClassVar[str] = "process"
    starts: ClassVar[str] = "runs candidate programs without walls"

    def __post_init__(self) -> None:
        refuse_if_safe("the executor 'subprocess' runs programs without walls")
        super().__post_init__()

    def check(self) -> None:
        """Tries that the environment is empty and a program's limits hold. Raises IncompleteError where they do not."""
        tried_out(self, self.tier)

    def __call__(self, program: str, inputs: Sequence[Any]) -> Sequence[Execution]:
        return self._run(self._start, program, inputs)

    def _start(self, scratch: str) -> CandidateProcess:
        pipe = subprocess.PIPE
        return _Limited(
            subprocess.Popen(
                command(),
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                bufsize=0,
                cwd=scratch,
                env=environment(),
                start_new_session=True,
            )
        )


class _Limited:
    """A process of a session of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr

    def kill(self) -> None:
        if sys.platform == "win32":
            raise NotImplementedError
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def wait(self) -> str:
        code = self.process.wait()
        return ended(code, -code if code < 0 else None)


def ended(code: int, number: int | None) -> str:
    """How a process without an answer ended."""
    check_not_ours(number)
    if number is not None and number > 0:
        with suppress(ValueError):
            return f"the process was ended by {signal.Signals(number).name}"
    if code < 0:
        return "the process was ended, by a signal or for asking for too much memory"
    return f"the process ended without an answer, exit code {code}"
