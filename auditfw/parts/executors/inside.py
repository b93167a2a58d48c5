"""What runs inside, before and around a candidate program: standard library only, sent as text, imported by nobody.

Reads one JSON request from standard input. Answers on what was standard output, moved to a descriptor of its own;
whatever the program prints goes to standard error. One line for each input: the nonce, a blank, JSON.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import signal
import sys
import time
import traceback
from typing import Any

PR_SET_PDEATHSIG = 1
BEGUN, BROKEN = "begun", "broken"


def open_channel() -> int:
    """Moves the answers to a descriptor of their own and closes what the program could confuse with it."""
    channel = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 32)
    os.dup2(2, 1)
    empty, end = os.pipe()
    os.close(end)
    os.dup2(empty, 0)
    os.close(empty)
    return channel


def limit(limits: dict[str, int]) -> None:
    """Sets hard limits that the kernel keeps, and asks to die with the parent."""
    names = {"memory": resource.RLIMIT_AS, "cpu": resource.RLIMIT_CPU, "file": resource.RLIMIT_FSIZE}
    for name, number in {**names, "files": resource.RLIMIT_NOFILE, "processes": resource.RLIMIT_NPROC}.items():
        if name in limits:
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(number, (limits[name], limits[name]))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def plain(value: Any) -> Any:
    """An output as JSON data: arrays and their numbers as Python's own."""
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    return value


def array(value: Any) -> Any:
    """A list as a NumPy array."""
    import numpy

    return numpy.array(value) if isinstance(value, list) else value


def told(error: BaseException) -> str:
    """The error's kind and text, and the line of the program it came from."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<candidate>"]
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} (line {error.lineno})"
    where = f" (line {lines[-1]})" if lines else ""
    return f"{type(error).__name__}: {str(error)[:500]}{where}"


def main() -> None:
    """Runs the program on each input and says what came of it."""
    request = json.loads(sys.stdin.buffer.read())
    channel = open_channel()
    limit(request["limits"])
    nonce = request["nonce"]

    def say(number: object, **facts: Any) -> None:
        line = memoryview(f"{nonce} {json.dumps({'input': number, **facts})}\n".encode())
        while line:
            line = line[os.write(channel, line) :]

    say(BEGUN)
    try:
        names: dict[str, Any] = {"__name__": "candidate"}
        exec(compile(request["program"], "<candidate>", "exec"), names)  # noqa: S102 - that is what this process is for
        function = names.get(request["function"])
        if not callable(function):
            raise NameError(f"the program defines no function '{request['function']}'")
    except BaseException as error:
        say(BROKEN, error=told(error))
        return
    for number, given in enumerate(request["inputs"]):
        begun = time.monotonic()
        try:
            output = plain(function(array(given) if request["arrays"] else given))
            say(number, output=output, seconds=time.monotonic() - begun)
        except BaseException as error:
            say(number, error=told(error), seconds=time.monotonic() - begun)


if __name__ == "__main__":
    main()
    sys.stderr.flush()
    os._exit(0)
