"""One process with a candidate in it: the request goes in, answers come out under a nonce, caps and deadlines hold."""

from __future__ import annotations

import json
import math
import os
import secrets
import selectors
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Protocol

from auditfw.core.errors import IncompleteError
from auditfw.core.interrupts import LATE, look
from auditfw.kinds.solving import Execution

from .scratch import excess

BEGUN, BROKEN, UNFIT = "begun", "broken", "unfit"
READ = 65_536
LOOK = 0.1
START_SECONDS = 10.0
END_SECONDS = 2.0  # from the end of its answers to the end of a process
LATE_START = f"no sign of it after {START_SECONDS:g} s"
PROCESSES = 256
RESOURCES = ("RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_STACK", "RLIMIT_FSIZE", "RLIMIT_CPU")
AGAIN = "this is no result of the program: mend it, and run the rest with auditfw resume=FOLDER"


class CandidateProcess(Protocol):
    """A started process: three unbuffered pipes, a way to kill it with all it started, and how it ended."""

    pid: int
    stdin: Any
    stdout: Any
    stderr: Any

    def running(self) -> bool: ...

    def kill(self) -> None: ...

    def wait(self) -> ProcessEnd: ...


@dataclass(frozen=True)
class ProcessEnd:
    """How a process ended, and whether something else than its program or auditfw ended it."""

    words: str
    outside: bool = False


@dataclass(frozen=True)
class ProgramLimits:
    """What a candidate may use: seconds of wall time an input, bytes of memory, of answers and prints, of files."""

    seconds: float
    memory: int
    output: int
    scratch: int

    def inside(self, inputs: int) -> dict[str, int]:
        """The limits that the process sets on itself."""
        # a backstop: the deadlines on the wall clock come first, also for a program that keeps all processors busy
        cpu = (int(self.seconds * max(inputs, 1) + START_SECONDS) + 2) * (os.cpu_count() or 1)
        sizes = {"memory": self.memory, "file": self.scratch, "output": self.output}
        return {**sizes, "cpu": cpu, "files": 64, "processes": PROCESSES}


@dataclass
class ProgramAnswers:
    """The answers read from the channel so far; only lines that begin with the nonce count."""

    nonce: str
    made: dict[int, Execution] = field(default_factory=dict)
    begun: bool = False
    broken: str = ""
    unfit: str = ""
    rest: list[bytes] = field(default_factory=list)

    def take(self, data: bytes) -> int:
        """Reads complete lines; the number of answers among them."""
        self.rest.append(data)
        if b"\n" not in data:
            return 0
        *lines, last = b"".join(self.rest).split(b"\n")
        self.rest = [last]
        return sum(self._line(line) for line in lines)

    def _line(self, line: bytes) -> bool:
        if not line.startswith(f"{self.nonce} ".encode()):
            return False
        try:
            message = json.loads(line[len(self.nonce) + 1 :])
            number = message["input"]
            if number == BEGUN:
                self.begun = True
            elif number == UNFIT:
                self.unfit = "" if self.begun else str(message["error"])  # a program that has begun may write it, too
            elif number == BROKEN:
                self.broken = str(message["error"])
            else:
                error, seconds = str(message.get("error", "")), float(message.get("seconds", 0.0))
                self.made[int(number)] = Execution(message.get("output"), error, seconds)
        except (ValueError, TypeError, KeyError, RecursionError):
            return False
        return True


def source() -> str:
    """The text of what runs inside."""
    return files(__package__).joinpath("inside.py").read_text("utf-8")


@dataclass(frozen=True)
class Room:
    """Where a program runs: how to start a process, its scratch folder, limits, and options for what runs inside."""

    start: Callable[[], CandidateProcess]
    scratch: str
    limits: ProgramLimits
    options: dict[str, Any]


def run_all(room: Room, program: str, inputs: Sequence[Any]) -> list[Execution]:
    """Runs a program on every input, in a new process after each input that ended the last one.

    Raises IncompleteError where that fails for anything but the program.
    """
    done: list[Execution] = []
    while len(done) < len(inputs):
        left = inputs[len(done) :]
        answers, ending = _talk(room, program, left)
        if answers.broken:
            return done + [Execution(error=answers.broken)] * len(left)
        for number in range(len(left)):
            if number not in answers.made:
                break
            done.append(answers.made[number])
        if len(done) < len(inputs):
            done.append(Execution(error=ending))
    return done


def _talk(room: Room, program: str, inputs: Sequence[Any]) -> tuple[ProgramAnswers, str]:
    answers = ProgramAnswers(secrets.token_hex(16))
    facts = {"nonce": answers.nonce, "program": program, "inputs": list(inputs)}
    request = json.dumps(facts | room.options | {"limits": room.limits.inside(len(inputs))}).encode()
    limits = _own_limits()
    try:
        child = room.start()
    except Exception as error:
        raise _no_result("no process could be started for a program", f"{type(error).__name__}: {error}") from error
    try:
        why = _exchange(child, request, answers, len(inputs), room)
        if why is None and _goes_on(child):
            why = "the process closed its output"
    finally:
        child.kill()
        ending = child.wait()
        for pipe in (child.stdin, child.stdout, child.stderr):
            pipe.close()
    if answers.unfit:
        raise _no_result("a program's process could not be confined", answers.unfit)
    if not answers.begun:
        raise _no_result("a program's process did not start", why or ending.words)
    if why is None and ending.outside:
        raise _no_result("a program's process was killed from outside, or for want of memory", ending.words)
    if any(now < before for now, before in zip(_own_limits(), limits, strict=True)):
        raise _no_result("the limits of auditfw's own process were lowered while a program ran", None)
    return answers, why or ending.words


def _no_result(what: str, reason: str | None) -> IncompleteError:
    return IncompleteError("executor", what, reason, AGAIN)


def _goes_on(child: CandidateProcess) -> bool:
    """Whether a process that has closed its output is still there a moment later."""
    until = time.monotonic() + END_SECONDS
    while child.running():
        if time.monotonic() > until:
            return True
        time.sleep(0.005)
    return False


def _own_limits() -> list[float]:
    """What this process may use, by each limit of the system's."""
    if sys.platform == "win32":
        return []
    import resource

    limits = (resource.getrlimit(getattr(resource, name))[0] for name in RESOURCES if hasattr(resource, name))
    return [math.inf if soft == resource.RLIM_INFINITY else soft for soft in limits]


def _exchange(child: CandidateProcess, request: bytes, answers: ProgramAnswers, inputs: int, room: Room) -> str | None:
    """Writes the request and reads until all is answered.

    Returns "" then, else why it was cut short, None where the process closed its output.
    """
    limits = room.limits
    volume = dict.fromkeys(("stdout", "stderr"), 0)
    now = time.monotonic()
    deadline, count = now + START_SECONDS, now + LOOK
    with selectors.DefaultSelector() as watch:
        for name in ("stdin", "stdout", "stderr"):
            pipe = getattr(child, name)
            if hasattr(os, "set_blocking"):
                os.set_blocking(pipe.fileno(), False)
            watch.register(pipe, selectors.EVENT_WRITE if name == "stdin" else selectors.EVENT_READ, name)
        while len(answers.made) < inputs and not (answers.broken or answers.unfit):
            now = time.monotonic()
            if now > deadline:
                return f"out of time: no output after {limits.seconds:g} s" if answers.begun else LATE_START
            if now > count:
                if why := excess(room.scratch, child.pid, limits.scratch):
                    return why
                count = time.monotonic() + LOOK
            look(LATE)  # what is run may have been paid for: a signal gives it a moment
            for key, _ in watch.select(LOOK):
                if key.data == "stdin":
                    request = _sent(child.stdin, request, watch)
                    continue
                data = os.read(key.fd, READ)
                volume[key.data] += len(data)
                if not data:
                    watch.unregister(key.fileobj)
                    if key.data == "stdout":
                        return None
                if key.data == "stdout" and answers.take(data):
                    deadline = time.monotonic() + limits.seconds
                if max(volume.values()) > limits.output:
                    return f"returned or printed more than {limits.output:,} bytes"
    return ""


def _sent(pipe: Any, request: bytes, watch: selectors.BaseSelector) -> bytes:
    """Writes as much as fits; closes the pipe at the end, and when nobody reads any more."""
    try:
        rest = request[os.write(pipe.fileno(), request) :]
    except BrokenPipeError:
        rest = b""
    if not rest:
        watch.unregister(pipe)
        pipe.close()
    return rest
