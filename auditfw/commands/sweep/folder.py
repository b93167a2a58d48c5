"""A sweep's folder: claimed once, held while its jobs run, with the plan of them that a resumed sweep goes on with."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from auditfw.commands.run_folder import FINISHED, TEXT, read_document
from auditfw.core import locks as locking
from auditfw.core.errors import IncompleteError, UsageError
from auditfw.core.files import own_folder, present, refuse_link, shared_handle
from auditfw.core.result_json import write_whole

FILE = "plan.json"
LOCK = ".lock"
FAILED = ".failed"
EARLIER = "earlier"
JOB = (
    ".hydra",
    "result.json",
    "error.json",
    "manifest.json",
    "auditfw.log",
)  # one of them makes it a job
SCHEMA = "auditfw.plan/1"
SHAPE: Mapping[str, Any] = {
    "jobs": [[str]],
    "words": [str],
    "hydra": [str],
    "table": {"metrics": [str], "sort_by": TEXT, "best": TEXT},
    "code": str,
    "groups": [[str]],
}


@dataclass(frozen=True)
class SweepPlan:
    """The jobs of a sweep as overrides, and the words of the command: the task's and Hydra's own.

    `groups` are the words of each of several runs, where every combination of the task's words goes with each.
    """

    jobs: Sequence[Sequence[str]]
    words: Sequence[str]
    hydra: Sequence[str]
    table: Mapping[str, Any]
    code: str
    groups: Sequence[Sequence[str]] = ()


def read_plan(sweep: Path) -> SweepPlan | None:
    """The plan of a sweep folder; None where it has none. Raises DataError for a broken one."""
    file = sweep / FILE
    if not present(file):
        return None
    return SweepPlan(**read_document(file, SCHEMA, SHAPE, "name the folder of a sweep", {"groups": []}))


def write_plan(sweep: Path, plan: SweepPlan) -> None:
    """Writes plan.json whole."""
    write_whole(str(sweep), FILE, json.dumps({"schema": SCHEMA, **asdict(plan)}, ensure_ascii=False, indent=1) + "\n")


def claim_sweep(wanted: Path, named: bool) -> Path:
    """Makes a sweep folder that nobody else has, and returns it: the wanted one, or one beside it.

    A folder chosen by name may be that of a sweep without any result: `settle` clears it once it is held. Raises
    UsageError where it holds what a sweep came to.
    """
    number, folder = 1, wanted
    while True:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / LOCK).open("x", encoding="utf-8").close()
            if named or not jobs_in(folder):
                break
        except FileExistsError:
            pass
        except OSError as error:
            raise IncompleteError(str(folder), "cannot write", f"{error.strerror}, errno {error.errno}") from None
        if named:
            refuse_finished(folder)
            break
        number += 1
        folder = wanted.with_name(f"{wanted.name}-{number}")
    return folder


def refuse_finished(folder: Path) -> None:
    """Raises UsageError where a job of a sweep folder has a result, or a journal to go on from."""
    if any((one / name).exists() for one in jobs_in(folder) for name in FINISHED):
        do = f"resume={folder} continues it; or name a new folder"
        raise UsageError("hydra.sweep.dir", "this folder already holds a sweep", str(folder), do)


def settle(sweep: Path) -> None:
    """Makes room in a folder that is held: jobs of a sweep without any result are moved away. Raises UsageError."""
    refuse_finished(sweep)
    forget_failed(sweep)
    for job in jobs_in(sweep):
        if is_job(job):
            set_aside(sweep, int(job.name))


def jobs_in(folder: Path) -> list[Path]:
    """The folders of jobs, sorted by name."""
    return sorted(one for one in folder.iterdir() if number_of(one) is not None and one.is_dir())


def number_of(folder: Path) -> int | None:
    """The number of the job that a folder's name says it is of."""
    return int(folder.name) if folder.name.isascii() and folder.name.isdigit() else None


def is_job(folder: Path) -> bool:
    """Whether a folder holds what a job leaves."""
    return any((folder / name).exists() for name in JOB)


def holding(sweep: Path) -> AbstractContextManager[None]:
    """Holds a sweep's folder, so that no second command runs its jobs. Raises UsageError that says who has it."""
    return locking.holding(sweep, LOCK)


def set_aside(sweep: Path, number: int) -> Path | None:
    """Moves the folder of a job that is run again to earlier/<n>, and returns where it is now; None without one."""
    folder = sweep / str(number)
    if not folder.exists():
        return None
    earlier, again = sweep / EARLIER / str(number), 1
    own_folder(earlier.parent)
    while earlier.exists():
        again += 1
        earlier = sweep / EARLIER / f"{number}.{again}"
    os.replace(folder, earlier)
    return earlier


def note_failed(sweep: Path, number: str) -> None:
    """Counts a failed job for all processes of the sweep."""
    os.close(shared_handle(own_folder(sweep / FAILED) / number, os.O_WRONLY))


def failed_so_far(sweep: Path) -> int:
    """How many jobs have failed since the sweep was started or resumed."""
    folder = sweep / FAILED
    return len(os.listdir(folder)) if folder.is_dir() else 0


def forget_failed(sweep: Path) -> None:
    """Starts the count of failed jobs again from 0."""
    folder = sweep / FAILED
    refuse_link(folder)
    for name in os.listdir(folder) if folder.is_dir() else ():
        if name.isdigit():
            (folder / name).unlink(missing_ok=True)


def code_digest(versions: Mapping[str, str], files: Sequence[Path]) -> str:
    """What distinguishes the code of one sweep from that of another: versions, and the user's own plugin files."""
    digest = hashlib.sha256(json.dumps(dict(versions), sort_keys=True).encode())
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()
