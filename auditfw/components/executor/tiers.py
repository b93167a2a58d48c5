"""The tiers in which candidate programs run: sandlock with the kernel's walls, or a process with limits alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, ClassVar

from auditfw.core.background import Child, started
from auditfw.core.errors import UsageError
from auditfw.core.imports import refuse_if_safe
from auditfw.core.processes import END, system
from auditfw.kinds.registry import declare
from auditfw.kinds.solving import Execution

from .calls import seccomp_filter
from .canary import CandidateSettings, command, environment, tried_out

INSTALL = "pip install 'auditfw[sandbox]', or accept the risk with executor=subprocess"
SYSTEM = ("/usr", "/lib", "/lib64", "/bin")


@declare("executor", "sandlock")
class Sandlock(CandidateSettings):
    """Runs programs under Landlock and seccomp: no network, no files except Python's own, no child processes.

    Needs Linux 6.12 or newer and `pip install 'auditfw[sandbox]'`. A program sees an empty environment, may write into
    a folder of its own that is deleted afterwards, and may use at most `seconds` for an input, `memory_mb`, `output_mb`
    and `scratch_mb`; what it prints is discarded. It must define `function`, which takes an input (`arrays`: as a NumPy
    array) and returns the output. Before the first program a canary (a test program) tries to break out; if it
    succeeds, the run ends.
    """

    tier: ClassVar[str] = "kernel"
    starts: ClassVar[str] = "runs candidate programs, isolated by the kernel"

    def check(self) -> None:
        """Tries the walls. Raises UsageError where they cannot be put up, IncompleteError where one does not hold."""
        if sys.platform != "linux":
            do = "use Linux, or accept the risk with executor=subprocess"
            raise UsageError("executor", "sandlock needs Linux", f"this is {system()}", do)
        try:
            import sandlock
        except ImportError:
            raise UsageError("executor", "the package sandlock is not installed", None, INSTALL) from None
        has, needs = sandlock.landlock_abi_version(), sandlock.min_landlock_abi()
        if has < needs:
            version = f"Landlock {has if has > 0 else 'is not there'}, needed: {needs}"
            do = "use a kernel of version 6.12 or newer, or accept the risk with executor=subprocess"
            raise UsageError("executor", "this kernel cannot isolate programs", version, do)
        tried_out(self, self.tier)

    def __call__(self, program: str, inputs: Sequence[Any]) -> Sequence[Execution]:
        return self._run(self._start, program, inputs, seccomp_filter())

    def _start(self, scratch: str) -> Child:
        from sandlock import Sandbox, StdioMode

        readable = {*SYSTEM, sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
        sandbox = Sandbox(
            fs_readable=sorted(path for path in readable if os.path.isdir(path)),
            fs_writable=[scratch],
            cwd=scratch,
            clean_env=True,
            env=environment(),
            max_processes=1,
            max_open_files=64,
            extra_deny_syscalls=["chroot"],
            no_coredump=True,
        )
        piped = StdioMode.PIPED
        return _Confined(sandbox.popen(command(), stdin=piped, stdout=piped, stderr=piped))


class _Confined(Child):
    """A process of sandlock's."""

    def wait(self, seconds: float | None) -> int | None:
        from sandlock import ExitReason

        result = self.process.wait(timeout=5 if seconds is None else seconds)  # in vain: it is killed then
        if result.reason == ExitReason.TIMEOUT:
            return None
        if result.reason == ExitReason.EXITED or not result.signal:
            return int(result.exit_code) & 0xFF  # sandlock gives -1 where it knows none
        return -int(result.signal if result.signal > 0 else END)  # of a kill no more may be known


@declare("executor", "subprocess")
class Subprocess(CandidateSettings):
    """Runs programs in a plain process with limits and an empty environment: NOT a sandbox, files and network are open.

    Use it only for programs that you would run yourself. The settings are those of `sandlock`; a process that a program
    starts in a session of its own may outlive it.
    """

    tier: ClassVar[str] = "process"
    starts: ClassVar[str] = "runs candidate programs without a sandbox"

    def __post_init__(self) -> None:
        refuse_if_safe("the executor 'subprocess' runs programs without a sandbox")
        super().__post_init__()

    def check(self) -> None:
        """Tries that the environment is empty and a program's limits hold. Raises IncompleteError where they do not."""
        tried_out(self, self.tier)

    def __call__(self, program: str, inputs: Sequence[Any]) -> Sequence[Execution]:
        return self._run(self._start, program, inputs)

    def _start(self, scratch: str) -> Child:
        return Child(started(command(), cwd=scratch, env=environment()))
