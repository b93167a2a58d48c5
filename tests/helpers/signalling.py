"""Commands that signals are sent to: started with a mark, ended at some instant, looked over afterwards."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from places import CASES
from running import run_auditfw

MARK = "SIGNALLED"  # the variable by which the processes of one command are known
SLACK = 10.0  # seconds that a loaded machine may add
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated", signal.SIGHUP: "hung up"}
TERMINAL = (signal.SIGINT, signal.SIGHUP)  # what a terminal sends to all its processes


@dataclass
class Started:
    """A running command, in a group of its own."""

    process: subprocess.Popen[str]
    mark: str
    sent: float = field(default=0.0)

    def send(self, number: int, group: bool = False) -> None:
        """Sends a signal to the command, or as a terminal does to all its group."""
        self.sent = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if group else os.kill)(self.process.pid, number)

    def ended(self) -> tuple[int, list[str], float]:
        """The exit code, the lines on standard error but for logs, and the seconds since the signal."""
        error = self.process.communicate(timeout=60)[1]
        seconds = time.monotonic() - self.sent
        return self.process.returncode, [line for line in error.splitlines() if line[:1] != "["], seconds

    def listens(self) -> bool:
        """Whether it hears SIGTERM: before that Python itself is starting."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return False
        caught = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")), "0")
        return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)

    def until(self, true: Callable[[], bool]) -> Started:
        """Waits until something is true, or the command has ended."""
        end = time.monotonic() + 60
        while self.process.poll() is None and not true() and time.monotonic() < end:
            time.sleep(0.002)
        return self

    def left(self, patience: float = 5.0) -> list[str]:
        """The processes of the command that are still there some seconds after its end."""
        end = time.monotonic() + patience
        while (found := marked(self.mark)) and time.monotonic() < end:
            time.sleep(0.05)
        return found


def marked(mark: str) -> list[str]:
    """The command lines of the processes that have a mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip())
        except OSError:
            continue
    return [line for line in found if line]  # what has ended and waits for its parent has no command line


def start(folder: Path, words: Sequence[str], **variables: str) -> Started:
    """Starts the command in a folder."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # a command would be right to ignore it as well
        signal.signal(signal.SIGINT, signal.default_int_handler)
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    env = {k: v for k, v in os.environ.items() if not k.startswith(("HYDRA", "AUDITFW", "COLUMNS"))}
    env |= {MARK: mark, **variables}
    command = [sys.executable, "-m", "auditfw", *words]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=pipe, text=True, start_new_session=True
    )
    return Started(process, mark)


# Work of some seconds, that random instants hit

TRIAL = {"parsed_text": "It is Paris.", "ground_truth": "Paris", "stored": 1}
RUN = ("result.json", "trials.parquet", "measurements.parquet", "report.md", "junit.xml")


@dataclass(frozen=True)
class Workload:
    """A command whose run is `run`; `journal` is what resume goes on from, `files` what must come out the same."""

    words: tuple[str, ...]
    run: str
    journal: str | None
    files: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()

    def start(self, folder: Path) -> Started:
        return start(folder, self.words, **dict(self.variables))

    def finished(self, folder: Path) -> bool:
        """Whether the run tells its end."""
        return all((folder / self.run / name).is_file() for name in self.files)

    def bytes_of(self, run: Path) -> dict[str, bytes]:
        return {name: (run / name).read_bytes() for name in self.files}

    def complete(self, folder: Path) -> Path:
        """Goes on with a run that was ended, or begins anew where nothing had begun. Gives the run."""
        if self.finished(folder):
            return folder / self.run
        if self.journal is None or not (folder / self.run / self.journal).is_file():
            shutil.rmtree(folder / self.run, ignore_errors=True)
            again, run = self.words, self.run
        elif self.journal == "plan.json":
            again, run = (f"resume={self.run}",), self.run
        else:
            words = [word for word in self.words if not word.startswith("hydra.run.dir=")]
            again, run = (*words, "hydra.run.dir=end", f"resume={self.run}"), "end"
        done = run_auditfw(again, folder, dict(self.variables))
        assert done.returncode == 0, done.stderr
        return folder / run


def parsing(folder: Path, rows: int = 40_000) -> Workload:
    """A parsing run with two workers."""
    with (folder / "trials.jsonl").open("w", encoding="utf-8") as file:
        for at in range(rows):
            file.write(json.dumps({"id": at, "raw_text": f"{at}: It is Paris.\nUser: next", **TRIAL}) + "\n")
    words = ("source=jsonl", "source.path=trials.jsonl", "by=[]", "gate=[]", "report=[markdown,junit]")
    kernel = (("AUDITFW_KERNEL", "python"),)  # the native one may be done before a signal comes
    return Workload((*words, "engine.workers=2", "hydra.run.dir=run"), "run", None, RUN, kernel)


def sweep(folder: Path, jobs: int = 6) -> Workload:
    """A sweep whose reports are written beside it."""
    (folder / "trials.jsonl").write_text(
        "".join(json.dumps({"id": at, "raw_text": f"{at}: It is Paris.", **TRIAL}) + "\n" for at in range(4_000)),
        "utf-8",
    )
    words = ("-m", "source=jsonl", "source.path=trials.jsonl", "by=[]", "gate=[]", "report=[markdown,junit]")
    limits = ",".join(str(400 * at) for at in range(1, jobs + 1))
    own = tuple(f"{at}/{name}" for at in range(jobs) for name in RUN)
    files = ("sweep.json", "sweep.md", *own)
    return Workload(
        (*words, f"source.limit={limits}", "engine.workers=2", "hydra.sweep.dir=run"), "run", "plan.json", files
    )


def self_audit(folder: Path, problems: int = 40) -> Workload:
    """A self-audit with a journal, two workers, and a solver that sleeps a little."""
    (folder / "plugins").mkdir()
    shutil.copy(CASES / "plugins/noisy.py", folder / "plugins")
    rows = [
        {"id": f"p{n}", "train": [{"input": n, "output": [[n % 3, 1], [2, 0]]}], "test": []} for n in range(problems)
    ]
    (folder / "problems.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    words = ("experiment=self_audit", "source=problems", "source.path=problems.jsonl", "solver=noisy", "gate=[]")
    more = ("by=[]", "report=[markdown,junit]", "engine.workers=2", "hydra.run.dir=run")
    return Workload((*words, *more), "run", "attempts.jsonl", (*RUN, "attempts.jsonl"))


WORKLOADS = {"parsing": parsing, "sweep": sweep, "self_audit": self_audit}
