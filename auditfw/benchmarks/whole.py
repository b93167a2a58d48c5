"""Runs a command to the end of the last process that it started, as a program: `python whole.py COMMAND…`.

A process whose parent has ended is handed to the first process of the system, and its processor time to nobody: worker
processes end after their command. Here they are handed to this program. It prints the wall seconds of the command, the
processor seconds of all and the command's exit code.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from auditfw.core.processes import adopt


def main(command: list[str]) -> None:
    """Prints what a command took, when all that it started has ended."""
    if sys.platform == "win32":
        raise NotImplementedError  # the benchmarks need Linux or macOS
    import resource

    adopt()
    start = time.perf_counter()
    code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    wall = time.perf_counter() - start
    while _reaped():
        pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(wall, used.ru_utime + used.ru_stime, code)


def _reaped() -> bool:
    """Waits for a process; false where none is left."""
    try:
        os.waitpid(-1, 0)
    except ChildProcessError:
        return False
    return True


if __name__ == "__main__":
    main(sys.argv[1:])
