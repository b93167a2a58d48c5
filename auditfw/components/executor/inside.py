"""What runs inside, before and around a candidate program: standard library only, sent as text, imported by nobody.

Reads one JSON request from standard input. Answers on what was standard output, moved to a descriptor of its own;
whatever the program prints goes to standard error. One line for each input: the nonce, a blank, JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
import traceback
from typing import Any

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 1, 22, 38, 2
BEGUN, BROKEN, UNFIT = "begun", "broken", "unfit"
NUMBERS = frozenset((int, float, bool, type(None)))


def open_channel() -> int:
    """Moves the answers to a descriptor of their own and closes what the program could confuse with it."""
    if sys.platform == "win32":
        raise NotImplementedError  # nothing runs there: see `candidates`
    import fcntl

    channel = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 32)
    os.dup2(2, 1)
    empty, end = os.pipe()
    os.close(end)
    os.dup2(empty, 0)
    os.close(empty)
    return channel


def limit(limits: dict[str, int]) -> None:
    """Sets hard limits that the kernel keeps, and asks to die with the parent."""
    if sys.platform == "win32":
        raise NotImplementedError  # nothing runs there: see `candidates`
    import resource

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


def confine(code: str) -> None:
    """Installs a seccomp filter: from here on only the calls that it names are made. Raises OSError."""
    import ctypes

    class Filter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))

    made, libc = bytes.fromhex(code), ctypes.CDLL(None, use_errno=True)
    filter = ctypes.byref(Filter(len(made) // 8, made))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, FILTER, filter, 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class TooMuch(Exception):
    """An output that has more bytes as JSON than an answer may have."""


class Output:
    """An output as JSON data: arrays and their numbers as Python's own; what must be too long ends it at once.

    `left` are the bytes that are still free. A part of a list costs two at least, a text its length.
    """

    def __init__(self, most: int) -> None:
        self.left = most

    def plain(self, value: Any) -> Any:
        if hasattr(value, "tolist"):
            if 2 * getattr(value, "size", 0) > self.left:
                raise TooMuch
            value = value.tolist()
        if isinstance(value, list | tuple):
            self._costs(2 * len(value))
            if NUMBERS.issuperset(map(type, value)):
                return list(value)
            return [self.plain(part) for part in value]
        if isinstance(value, dict):
            self._costs(6 * len(value))
            return {str(key): self.plain(part) for key, part in value.items()}
        if isinstance(value, str):
            self._costs(len(value))
        return value

    def _costs(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise TooMuch


def array(value: Any) -> Any:
    """A list as a NumPy array."""
    import numpy

    return numpy.array(value) if isinstance(value, list) else value


def error_text(error: BaseException) -> str:
    """The error's kind and text, and the line of the program it came from."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<candidate>"]
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} (line {error.lineno})"
    where = f" (line {lines[-1]})" if lines else ""
    return f"{type(error).__name__}: {str(error)[:500]}{where}"


def main() -> None:
    """Runs the program on each input and writes each result."""
    request = json.loads(sys.stdin.buffer.read())
    channel = open_channel()
    nonce, most = request["nonce"], request["limits"]["output"]

    def say(number: object, **facts: Any) -> None:
        line = memoryview(f"{nonce} {json.dumps({'input': number, **facts})}\n".encode())
        while line:
            line = line[os.write(channel, line) :]

    try:
        limit(request["limits"])
        if request["filter"]:
            confine(request["filter"])
    except Exception as error:
        say(UNFIT, error=error_text(error))
        return
    say(BEGUN)
    try:
        names: dict[str, Any] = {"__name__": "candidate"}
        exec(compile(request["program"], "<candidate>", "exec"), names)  # noqa: S102 - that is what this process is for
        function = names.get(request["function"])
        if not callable(function):
            raise NameError(f"the program defines no function '{request['function']}'")
    except BaseException as error:
        say(BROKEN, error=error_text(error))
        return
    for number, value in enumerate(request["inputs"]):
        begun = time.monotonic()
        try:
            output = Output(most).plain(function(array(value) if request["arrays"] else value))
            say(number, output=output, seconds=time.monotonic() - begun)
        except TooMuch:
            say(number, error=f"returned or printed more than {most:,} bytes", seconds=time.monotonic() - begun)
        except BaseException as error:
            say(number, error=error_text(error), seconds=time.monotonic() - begun)


if __name__ == "__main__":
    main()
    sys.stderr.flush()
    os._exit(0)
