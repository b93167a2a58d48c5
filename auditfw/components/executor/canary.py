"""The canary: a program that tries to get out of the tier it runs in, before any other runs there."""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol

from auditfw.core.errors import IncompleteError
from auditfw.kinds.solving import Execution

MARKER = "AUDITFW_CANARY"
PROGRAM = """
import os, socket

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

def transform(given):
    tries = {
        "reads a file outside": lambda: reads(given["file"], given["secret"]),
        "writes a file outside": lambda: writes(given["new"]),
        "lists the home folder": lambda: os.listdir(given["home"]),
        "connects to this machine": lambda: connects(given["port"]),
        "starts a process": forks,
        "sees a variable of the caller": lambda: sees(given["value"], given["name"]),
        "reads the caller's environment": asks_parent,
        "signals its parent": lambda: os.kill(os.getppid(), 0) is None,
    }
    return {name: attempt(action) for name, action in tries.items()}
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
    out = [name for name in HELD[tier] if result.output.get(name) is not False]
    if out:
        raise IncompleteError(
            "executor",
            f"the sandbox tier {tier} does not isolate programs on this machine",
            f"a program {', '.join(out)}",
            advice,
        )


def run_canary(executor: Tier) -> Execution:
    """What the canary could do: the name of each try with true or false."""
    secret, held = secrets.token_hex(8), os.environ.get(MARKER)
    program = f"{PROGRAM}\n{executor.function} = transform\n" if executor.function != "transform" else PROGRAM
    os.environ[MARKER] = value = secrets.token_hex(8)
    try:
        with tempfile.TemporaryDirectory(prefix="auditfw-canary-") as folder, socket.socket() as listening:
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
