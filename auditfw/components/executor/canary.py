"""The canary: a program that tries to get out of the tier it runs in, before any other runs there."""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from auditfw.core.background import Child
from auditfw.core.errors import IncompleteError, UsageError
from auditfw.core.processes import need_groups, python, scratch_prefix
from auditfw.kinds.solving import Execution

from .channel import ProgramLimits, Room, run_all, scratch_folder, source

MARKER = "AUDITFW_CANARY"
PROGRAM = """
import ctypes, errno, fcntl, os, resource, signal, socket, time

LIBC = ctypes.CDLL(None, use_errno=True)
REFUSED = (errno.EPERM, errno.EACCES, errno.ENOSYS)
HERE = -100  # AT_FDCWD

def attempt(action):
    try:
        return bool(action())
    except BaseException:
        return False

def reads(path, secret):
    with open(path) as file:
        return secret in file.read()

def writes(path):
    with open(path, "w") as file:
        file.write("out")
    return True

def connects(port):
    with socket.create_connection(("127.0.0.1", port), 1):
        return True

def forks():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True

def sees(secret, name):
    return secret in os.environ.values() or name in os.environ

def asks_parent():
    with open(f"/proc/{os.getppid()}/environ", "rb") as file:
        return bool(file.read(1))

def call(function, *arguments):
    "A function of the C library, or a system call by its number (on x86_64, on aarch64, where they differ)."
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    if isinstance(function, tuple):
        function = function[os.uname().machine == "aarch64"]
    if isinstance(function, int):
        words, function = [ctypes.c_long(function), *words], "syscall"
    if getattr(LIBC, function)(*words) == -1:
        raise OSError(ctypes.get_errno(), function)

def goes_through(action):
    "Whether the kernel got to a call: a complaint about its arguments, which are harmless, says so too."
    try:
        action()
    except OSError as error:
        return error.errno not in REFUSED
    except BaseException:
        pass
    return True

def transform(targets):
    tries = {
        "reads a file outside": lambda: reads(targets["file"], targets["secret"]),
        "writes a file outside": lambda: writes(targets["new"]),
        "lists the home folder": lambda: os.listdir(targets["home"]),
        "connects to this machine": lambda: connects(targets["port"]),
        "starts a process": forks,
        "sees a variable of the caller": lambda: sees(targets["value"], targets["name"]),
        "reads the caller's environment": asks_parent,
        "signals its parent": lambda: os.kill(os.getppid(), 0) is None,
    }
    file, parent, room = targets["file"], os.getppid(), ctypes.create_string_buffer(512)
    path = file.encode()
    library = os.open(os.__file__, os.O_RDONLY)
    calls = {
        "changes a file outside": {
            "chmod": lambda: os.chmod(file, 0o600),
            "fchmod": lambda: os.fchmod(library, os.stat(library).st_mode),
            "fchmodat2": lambda: call(452, HERE, path, 0o600, 0),
            "chown": lambda: os.chown(file, -1, -1),
            "utimensat": lambda: os.utime(file),
            "setxattr": lambda: os.setxattr(file, "user.canary", b""),
            "setxattrat": lambda: call(463, HERE, path, 0, b"user.canary", room, 16),
            "removexattr": lambda: os.removexattr(file, "user.canary"),
            "file_setattr": lambda: call(469, HERE, path, room, 24, 0),
            "ioctl": lambda: fcntl.ioctl(library, 0x80086601, room),
            "flock": lambda: fcntl.flock(library, fcntl.LOCK_SH | fcntl.LOCK_NB),
            "fcntl": lambda: fcntl.fcntl(library, fcntl.F_SETOWN, 0),
            "symlink": lambda: os.symlink(file, file + ".link"),
            "rename": lambda: os.rename(file, file),
        },
        "changes another process": {
            "prlimit": lambda: resource.prlimit(parent, resource.RLIMIT_CORE),
            "sched_setaffinity": lambda: os.sched_setaffinity(parent, os.sched_getaffinity(parent)),
            "sched_setparam": lambda: call("sched_setparam", parent, None),
            "sched_setattr": lambda: call((314, 274), parent, None, 0),
            "setpriority": lambda: call("setpriority", -1, parent, 0),
            "ioprio_set": lambda: call((251, 30), 1, parent, 0),
            "kill": lambda: os.kill(os.getpid(), 0),
            "pidfd_open": lambda: call(434, parent, 0),
            "pidfd_send_signal": lambda: call(424, -1, 0, None, 0),
            "pidfd_getfd": lambda: call(438, -1, 0, 0),
            "process_madvise": lambda: call(440, -1, None, 0, 0, 0),
            "process_vm_readv": lambda: call("process_vm_readv", parent, None, 0, None, 0, 0),
            "process_vm_writev": lambda: call("process_vm_writev", parent, None, 0, None, 0, 0),
            "ptrace": lambda: call("ptrace", 7, parent, None, None),
            "kcmp": lambda: call((312, 272), os.getpid(), os.getpid(), 0, 0, 0),
        },
        "changes the machine": {
            "clock_settime": lambda: time.clock_settime(time.CLOCK_REALTIME, -1.0),
            "clock_adjtime": lambda: call("clock_adjtime", 0, None),
            "adjtimex": lambda: call("adjtimex", None),
            "unshare": lambda: call("unshare", 0),
            "setns": lambda: call("setns", -1, 0),
            "open_tree": lambda: call(428, HERE, b"/", 0),
            "shmget": lambda: call("shmget", 0, 0, 0),
            "semget": lambda: call("semget", 0, -1, 0),
            "msgctl": lambda: call("msgctl", -1, 0, None),
            "mq_unlink": lambda: call((241, 181), None),
            "memfd_create": lambda: call("memfd_create", None, 0),
            "inotify": lambda: call("inotify_init1", -1),
            "add_key": lambda: call((248, 217), None, None, None, 0, 0),
            "socket": lambda: socket.socket(socket.AF_UNIX).close(),
            "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close(),
            "execve": lambda: os.execv("", ["none"]),
        },
    }
    done = {name: attempt(action) for name, action in tries.items()}
    for name, actions in calls.items():
        through = [by for by, action in actions.items() if goes_through(action)]
        done[name] = bool(through) and f"{name} ({', '.join(through)})"
    return done
"""
HELD = {
    "kernel": (
        "reads a file outside",
        "writes a file outside",
        "lists the home folder",
        "connects to this machine",
        "starts a process",
        "sees a variable of the caller",
        "reads the caller's environment",
        "signals its parent",
        "changes a file outside",
        "changes another process",
        "changes the machine",
    ),
    "process": ("sees a variable of the caller",),
}


class Tier(Protocol):
    """What is tried."""

    function: str

    def __call__(self, program: str, inputs: Sequence[Any]) -> Sequence[Execution]: ...


@lru_cache(maxsize=8)
def tried_out(executor: Tier, tier: str) -> None:
    """Runs the canary in a tier. Raises IncompleteError if it gets out, or cannot be run at all."""
    advice = "choose another executor (auditfw list executor)"
    result = run_canary(executor)
    if result.error or not isinstance(result.output, dict):
        raise IncompleteError(
            "executor", "the canary (a test program) did not run", result.error or "no answer", advice
        )
    tries = {name: result.output.get(name) for name in HELD[tier]}
    out = [came if isinstance(came, str) else name for name, came in tries.items() if came is not False]
    if out:
        raise IncompleteError(
            "executor",
            f"the sandbox tier {tier} does not isolate programs on this machine: a program {', '.join(out)}",
            None,
            advice,
        )


def run_canary(executor: Tier) -> Execution:
    """What the canary could do: the name of each try with true or false."""
    secret, held = secrets.token_hex(8), os.environ.get(MARKER)
    program = f"{PROGRAM}\n{executor.function} = transform\n" if executor.function != "transform" else PROGRAM
    os.environ[MARKER] = value = secrets.token_hex(8)
    try:
        with tempfile.TemporaryDirectory(prefix=scratch_prefix("canary")) as folder, socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen(4)
            marker = os.path.join(folder, "marker")
            with open(marker, "w", encoding="utf-8", newline="\n") as file:
                file.write(secret)
            targets = {
                "file": marker,
                "secret": secret,
                "new": os.path.join(folder, "new"),
                "home": os.path.expanduser("~"),
            }
            targets |= {"port": listening.getsockname()[1], "name": MARKER, "value": value}
            return next(iter(executor(program, [targets])))
    finally:
        if held is None:
            os.environ.pop(MARKER, None)
        else:
            os.environ[MARKER] = held


# A candidate program in a process of its own: its settings in every tier, and how it is started.

ELSEWHERE = "on Windows run it under WSL"
MIB = 2**20


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
        self, start: Callable[[str], Child], program: str, inputs: Sequence[Any], calls: str = ""
    ) -> list[Execution]:
        """Runs a program on inputs; `calls` is the filter of system calls that it runs under."""
        need_groups("executor", "to run candidate programs within limits", ELSEWHERE)
        limits = ProgramLimits(self.seconds, self.memory_mb * MIB, self.output_mb * MIB, self.scratch_mb * MIB)
        options = {"function": self.function, "arrays": self.arrays, "filter": calls}
        with scratch_folder() as scratch:
            return run_all(Room(lambda: start(scratch), scratch, limits, options), program, inputs)
