"""Clusters of real workers for tests: each has a folder of its own, and may see other files than the command does."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

PATIENCE = 120.0
QUIET = {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
Seen = Mapping[Path, Path | None]  # what is in place of a folder; None: an empty one
WORDS = ["Paris", "rome", "8", "none", "the Seine."]


def there(module: str) -> bool:
    """Whether a module is installed."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@cache
def can_hide() -> bool:
    """Whether a process can be started that sees other files than this one."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], check=False).returncode == 0


DASK = pytest.mark.skipif(not there("distributed"), reason="needs the extra dask")
RAY = pytest.mark.skipif(not there("ray"), reason="needs the extra ray")
HIDES = pytest.mark.skipif(not can_hide(), reason="needs unshare")


def free_port() -> int:
    """A port that nobody has now, below those that systems give out."""
    for port in range(20_000 + os.getpid() % 5_000, 32_000):
        with socket.socket() as one, suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no port is free")


def clean() -> dict[str, str]:
    """The environment without what another test may have set."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("HYDRA", "AUDITFW", "RAY_", "COLUMNS"))} | QUIET


@dataclass
class Machines:
    """What was started: the address, and the processes, which are ended with all below them."""

    address: str
    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(
        self, words: Sequence[str], folder: Path, env: Mapping[str, str], hidden: Seen
    ) -> subprocess.Popen[bytes]:
        """Starts a process that sees other folders in place of some, or empty ones."""
        folder.mkdir(exist_ok=True)
        mounts = [
            f"mount -t tmpfs none '{place}'" if other is None else f"mount --bind '{other}' '{place}'"
            for place, other in hidden.items()
        ]
        command = ["unshare", "-rm", "sh", "-c", " && ".join([*mounts, 'exec "$@"']), "sh", *words] if mounts else words
        log = (self.folder / f"log-{len(self.processes)}").open("wb")
        process = subprocess.Popen(
            command, cwd=folder, env=clean() | env, stdout=log, stderr=log, start_new_session=True
        )
        self.processes.append(process)
        return process

    def end(self, *which: subprocess.Popen[bytes]) -> None:
        """Ends some processes, or all, with what they started."""
        for process in which or tuple(self.processes):
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class DaskMachines(Machines):
    """A scheduler and workers."""

    def worker(
        self,
        name: str,
        *words: str,
        env: Mapping[str, str] | None = None,
        hidden: Seen | None = None,
    ) -> subprocess.Popen[bytes]:
        """Starts a worker of one thread, unless the words say otherwise, and waits until it has joined."""
        words = words or ("--nthreads", "1")
        before = self.log().count(b"Register worker")
        command = [sys.executable, "-m", "distributed.cli.dask_worker", self.address, "--no-dashboard", *words]
        process = self.start(command, self.folder / name, env or {}, hidden or {})
        until(lambda: self.log().count(b"Register worker") > before)
        return process

    def log(self) -> bytes:
        """What the scheduler wrote so far."""
        return (self.folder / "log-0").read_bytes()


@contextmanager
def dask_machines(folder: Path) -> Iterator[DaskMachines]:
    """A scheduler, whose workers are ended with it."""
    port = free_port()
    machines = DaskMachines(f"tcp://127.0.0.1:{port}", folder)
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(port)]
    try:
        machines.start([*command, "--no-dashboard"], folder / "scheduler", {}, {})
        until(lambda: answers(port))
        yield machines
    finally:
        machines.end()


@contextmanager
def ray_machines(
    folder: Path, env: Mapping[str, str] | None = None, hidden: Seen | None = None, *further: str
) -> Iterator[Machines]:
    """A head with two cores, which does the work as well; `further` are words of `ray start`."""
    port = free_port()
    machines = Machines(f"127.0.0.1:{port}", folder)
    scratch = Path("/tmp") / f"auditfw-ray-{port}"
    words = ["--head", "--block", "--port", str(port), "--num-cpus", "2", "--include-dashboard=false"]
    words += ["--node-ip-address", "127.0.0.1", "--temp-dir", str(scratch), "--disable-usage-stats", *further]
    try:
        code = "from ray.scripts.scripts import main; main()"
        machines.start([sys.executable, "-c", code, "start", *words], folder / "head", env or {}, hidden or {})
        until(lambda: b"Ray runtime started" in (folder / "log-0").read_bytes())
        yield machines
    finally:
        machines.end()
        shutil.rmtree(scratch, ignore_errors=True)


def below(name: str, process: subprocess.Popen[bytes]) -> list[int]:
    """The processes of one session whose command line holds a word."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            if os.getsid(int(entry.name)) == process.pid and name.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return sorted(found)


def answers(port: int) -> bool:
    """Whether anybody takes connections there."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def until(true: Callable[[], bool]) -> None:
    """Waits until it is so."""
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            raise TimeoutError("the cluster does not come up")
        time.sleep(0.05)


def write_trials(path: Path, count: int, answer: int = 0) -> None:
    """Trials whose length does not depend on the answers."""
    with path.open("w", encoding="utf-8") as file:
        for i in range(count):
            truth = WORDS[i % 5]
            row = {"id": f"{i:06}", "raw_text": f"{truth} {'x' * 300}", "parsed_text": truth, "ground_truth": truth}
            file.write(json.dumps({**row, "group": f"g{i % 7}", "stored": (i + answer) % 2}) + "\n")
