"""The executor without walls: a plain process with limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar

from auditfw.core.imports import refuse_if_safe
from auditfw.kinds.registry import declare
from auditfw.kinds.solving import Execution

from .canary import tried_out
from .candidates import CandidateSettings, command, ended, environment
from .channel import CandidateProcess, ProcessEnd


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
        self.process, self.pid = process, process.pid
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr

    def running(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        if sys.platform == "win32":
            raise NotImplementedError  # nothing is started there: see `candidates`
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def wait(self) -> ProcessEnd:
        code = self.process.wait()
        return ended(code, -code if code < 0 else None)
