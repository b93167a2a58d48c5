"""One process with a candidate in it: the request goes in, answers come out under a nonce, caps and deadlines hold."""

from __future__ import annotations

import json
import os
import secrets
import selectors
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Protocol

from auditfw.core.interrupts import LATE, look
from auditfw.kinds.solving import Execution

BEGUN, BROKEN = "begun", "broken"
READ = 65_536
LOOK = 0.1
START_SECONDS = 10.0
PROCESSES = 256


class CandidateProcess(Protocol):
    """A started process: three unbuffered pipes, a way to kill it with all it started, and how it ended."""

    stdin: Any
    stdout: Any
    stderr: Any

    def kill(self) -> None: ...

    def wait(self) -> str: ...


@dataclass(frozen=True)
class ProgramLimits:
    """What a candidate may use: seconds of wall time an input, bytes of memory, of answers and prints, of files."""

    seconds: float
    memory: int
    output: int
    scratch: int

    def inside(self, inputs: int) -> dict[str, int]:
        """The limits that the process sets on itself."""
        cpu = int(self.seconds * max(inputs, 1)) + 2
        sizes = {"memory": self.memory, "file": self.scratch, "output": self.output}
        return {**sizes, "cpu": cpu, "files": 64, "processes": PROCESSES}


@dataclass
class ProgramAnswers:
    """The answers read from the channel so far; only lines that begin with the nonce count."""

    nonce: str
    made: dict[int, Execution] = field(default_factory=dict)
    begun: bool = False
    broken: str = ""
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
    """Runs a program on every input, in a new process after each input that ended the last one."""
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
            if not answers.begun:
                return done + [Execution(error=ending)] * (len(inputs) - len(done))
    return done


def _talk(room: Room, program: str, inputs: Sequence[Any]) -> tuple[ProgramAnswers, str]:
    answers = ProgramAnswers(secrets.token_hex(16))
    facts = {"nonce": answers.nonce, "program": program, "inputs": list(inputs)}
    request = json.dumps(facts | room.options | {"limits": room.limits.inside(len(inputs))}).encode()
    child = room.start()
    try:
        why = _exchange(child, request, answers, len(inputs), room)
    finally:
        child.kill()
        ending = child.wait()
        for pipe in (child.stdin, child.stdout, child.stderr):
            pipe.close()
    return answers, why or ending


def _exchange(child: CandidateProcess, request: bytes, answers: ProgramAnswers, inputs: int, room: Room) -> str:
    """Writes the request and reads until all is answered. Returns why it was cut short, "" where the process ended."""
    limits = room.limits
    volume = dict.fromkeys(("stdout", "stderr"), 0)
    deadline = time.monotonic() + START_SECONDS
    with selectors.DefaultSelector() as watch:
        for name in ("stdin", "stdout", "stderr"):
            pipe = getattr(child, name)
            if hasattr(os, "set_blocking"):
                os.set_blocking(pipe.fileno(), False)
            watch.register(pipe, selectors.EVENT_WRITE if name == "stdin" else selectors.EVENT_READ, name)
        while len(answers.made) < inputs and not answers.broken:
            if time.monotonic() > deadline:
                return f"out of time: no output after {limits.seconds:g} s" if answers.begun else "did not start"
            if _bytes_in(room.scratch) > limits.scratch:
                return f"wrote more than {limits.scratch:,} bytes into files"
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
                        return ""
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


def _bytes_in(folder: str) -> int:
    """The bytes of all files in a folder; what cannot be looked at counts nothing."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(where, name)).st_size
            except OSError:
                continue
    return total
