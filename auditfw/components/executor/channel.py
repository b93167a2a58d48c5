"""One process with a candidate in it: the request goes in, answers come out under a nonce, caps and deadlines hold."""

from __future__ import annotations

import json
import math
import os
import secrets
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from auditfw.core.background import Child, EndedError, signal_name
from auditfw.core.errors import IncompleteError
from auditfw.core.interrupts import LATE
from auditfw.core.processes import scratch_prefix
from auditfw.kinds.solving import Execution

BEGUN, BROKEN, UNFIT = "begun", "broken", "unfit"
LOOK = 0.1
START_SECONDS = 10.0
END_SECONDS = 2.0  # from the end of its answers to the end of a process
LATE_START = f"no sign of it after {START_SECONDS:g} s"
PROCESSES = 256
OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")
RESOURCES = ("RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_STACK", "RLIMIT_FSIZE", "RLIMIT_CPU")
AGAIN = "this is no result of the program: mend it, and run the rest with auditfw resume=FOLDER"


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

    def take(self, line: bytes) -> bool:
        """Reads a line; whether it is an answer, or says that the program has begun."""
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

    start: Callable[[], Child]
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
    limits, outside = _own_limits(), False
    try:
        child = room.start()
    except Exception as error:
        raise _no_result("no process could be started for a program", f"{type(error).__name__}: {error}") from error
    try:
        child.send(request, last=True)
        why = _exchange(child, answers, len(inputs), room)
    except EndedError:
        why, outside = _ending(child.code(END_SECONDS))
    finally:
        child.end()
    if answers.unfit:
        raise _no_result("a program's process could not be confined", answers.unfit)
    if not answers.begun:
        raise _no_result("a program's process did not start", why)
    if outside:
        raise _no_result("a program's process was killed from outside, or for want of memory", why)
    if any(now < before for now, before in zip(_own_limits(), limits, strict=True)):
        raise _no_result("the limits of auditfw's own process were lowered while a program ran", None)
    return answers, why


def _no_result(what: str, reason: str | None) -> IncompleteError:
    return IncompleteError("executor", what, reason, AGAIN)


def _ending(code: int | None) -> tuple[str, bool]:
    """How a process without an answer ended, and whether something else than its program or auditfw ended it."""
    if code is None:
        return "the process closed its output", False
    if code >= 0:
        return f"the process ended without an answer, exit code {code}", False
    name = signal_name(-code)
    return f"the process was ended by {name}", name in OUTSIDE


def _own_limits() -> list[float]:
    """What this process may use, by each limit of the system's."""
    if sys.platform == "win32":
        return []
    import resource

    limits = (resource.getrlimit(getattr(resource, name))[0] for name in RESOURCES if hasattr(resource, name))
    return [math.inf if soft == resource.RLIM_INFINITY else soft for soft in limits]


def _exchange(child: Child, answers: ProgramAnswers, inputs: int, room: Room) -> str:
    """Reads until all is answered, and returns "" then, else why it was cut short. Raises EndedError."""
    limits = room.limits
    now = time.monotonic()
    deadline, count = now + START_SECONDS, now + LOOK
    while len(answers.made) < inputs and not (answers.broken or answers.unfit):
        now = time.monotonic()
        if now > deadline:
            return f"out of time: no output after {limits.seconds:g} s" if answers.begun else LATE_START
        if now > count:
            if why := excess(room.scratch, child.pid, limits.scratch):
                return why
            count = time.monotonic() + LOOK
        child.pump(LOOK, LATE)  # what is run may have been paid for: a signal gives it a moment
        while (line := child.take()) is not None:
            if answers.take(line):
                deadline = time.monotonic() + limits.seconds
        if max(child.written, child.printed) > limits.output:
            return f"returned or printed more than {limits.output:,} bytes"
    return ""


LEAST = 4096  # what a file or folder takes of the disk, however empty it is
DEPTH = 20
TRIES = 20  # of deleting a folder: a process that was killed may still end a call in it
DELETED = " (deleted)\n"


@contextmanager
def scratch_folder() -> Iterator[str]:
    """A new folder, deleted afterwards."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix=scratch_prefix("program")))
    try:
        yield folder
    finally:
        for _ in range(TRIES):
            with suppress(OSError):
                _remove(folder)
                break


def excess(folder: str, process: int, limit: int) -> str:
    """Why a program's files are too many, "" where they are not: those in its folder, and those deleted but open."""
    too_many = f"wrote more than {limit:,} bytes into files"
    total, folders = 0, [(folder, 0)]
    while folders:
        path, depth = folders.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    facts = entry.stat(follow_symlinks=False)
                    total += max(facts.st_size, _on_disk(facts), LEAST)
                    if total > limit:
                        return too_many
                    if stat.S_ISDIR(facts.st_mode):
                        folders.append((entry.path, depth + 1))
        except FileNotFoundError:
            continue
        except OSError as error:
            return f"made a folder that cannot be looked into: {error.strerror}"
        if depth > DEPTH:
            return f"made folders more than {DEPTH} deep"
    return "" if total + _deleted(folder, process, limit) <= limit else too_many


def _on_disk(facts: os.stat_result) -> int:
    return getattr(facts, "st_blocks", 0) * 512


def _deleted(folder: str, process: int, limit: int) -> int:
    """The bytes of files that a process has deleted and still keeps, as Linux lists them; 0 on other systems.

    A file that is only mapped is listed without its size, and counts as all that is allowed and more.
    """
    sizes: dict[int, int] = {}
    with suppress(OSError), os.scandir(f"/proc/{process}/fd") as entries:
        for entry in entries:
            with suppress(OSError):
                facts = entry.stat()
                if stat.S_ISREG(facts.st_mode) and not facts.st_nlink:
                    sizes[facts.st_ino] = max(facts.st_size, _on_disk(facts))
    with suppress(OSError), open(f"/proc/{process}/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            if line.endswith(DELETED) and f" {folder}/" in line and int(line.split(maxsplit=5)[4]) not in sizes:
                return limit + 1
    return sum(sizes.values())


def _remove(folder: str) -> None:
    """Deletes a folder; its folders are first brought to its top, since a path or a recursion may be too long.

    Raises OSError.
    """
    folders = [folder]
    while folders:
        path = folders.pop()
        os.chmod(path, 0o700)
        with os.scandir(path) as entries:
            inside = list(entries)
        for entry in inside:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
                continue
            top = os.path.join(folder, f"{secrets.token_hex(8)} of auditfw")
            os.chmod(entry.path, 0o700)
            os.rename(entry.path, top)
            folders.append(top)
        if path != folder:
            os.rmdir(path)
    os.rmdir(folder)
