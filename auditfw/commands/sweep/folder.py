"""A sweep's folder: claimed once, held while its jobs run, with the plan of them that a resumed sweep goes on with."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from auditfw.commands.run_folder import FINISHED, TEXT, read_document
from auditfw.config.hydra.arguments import SUBDIR
from auditfw.core import locks as locking
from auditfw.core.errors import DataError, IncompleteError, UsageError
from auditfw.core.files import own_folder, present, read_text, refuse_link, shared_handle
from auditfw.core.result_json import write_whole

FILE = "plan.json"
LOCK = ".lock"
FAILED = ".failed"
EARLIER = "earlier"
LONGEST = 255  # bytes of a name, on the usual disks
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
    "folders": [str],
    "best_of": bool,
    "suite": TEXT,
}
LATER: Mapping[str, Any] = {
    "groups": [],
    "folders": [],
    "best_of": True,
    "suite": None,
}  # what plans of older versions lack
NOTED = ".folders"  # of the jobs of other sweepers: a file by each number, with the name of its folder
_NUMBER = re.compile(r"[0-9]{1,9}")
OF_SUITE = ("junit.xml", "suite.json", "suite.md")
TAKEN = (EARLIER, FILE, "multirun.yaml", "report.html", "sweep.json", "sweep.md", "sweep.parquet", *OF_SUITE)


@dataclass(frozen=True)
class SweepPlan:
    """The jobs of a sweep as overrides, and the words of the command: the task's and Hydra's own.

    `groups` are the words of each of several runs, where every combination of the task's words goes with each.
    `folders` are those of the jobs, within the sweep's; none where each has its number for a name. `best_of` and
    `suite` are settings of the table.
    """

    jobs: Sequence[Sequence[str]]
    words: Sequence[str]
    hydra: Sequence[str]
    table: Mapping[str, Any]
    code: str
    groups: Sequence[Sequence[str]] = ()
    folders: Sequence[str] = ()
    best_of: bool = True
    suite: str | None = None


def read_plan(sweep: Path) -> SweepPlan | None:
    """The plan of a sweep folder; None where it has none. Raises DataError for a broken one."""
    file = sweep / FILE
    if not present(file):
        return None
    plan = SweepPlan(**read_document(file, SCHEMA, SHAPE, "name the folder of a sweep", LATER))
    try:
        check_folders(plan.folders)
    except UsageError as error:
        raise DataError(str(file), error.what, error.args[2], "name the folder of a sweep") from None
    if len(plan.folders) not in (0, len(plan.jobs)):
        raise DataError(str(file), "has not a folder for each job", len(plan.folders), "name the folder of a sweep")
    return plan


def check_folders(names: Sequence[str]) -> None:
    """Raises UsageError for folders of jobs that are not each one of its own within that of the sweep."""
    parts = {number: _parts(name) for number, name in enumerate(names)}
    order = sorted(parts, key=lambda number: (parts[number], number))
    for one, other in pairwise(order):
        if parts[other][: len(parts[one])] == parts[one]:
            what = f"gives the jobs {min(one, other)} and {max(one, other)} the same folder, or one within the other's"
            raise UsageError(SUBDIR, what, names[one], "let it contain ${hydra.job.num}")


def _parts(name: str) -> tuple[str, ...]:
    """The folders that a name leads through, as they are on a disk that does not distinguish cases."""
    parts = tuple(part for part in name.casefold().split("/") if part not in ("", "."))
    if not parts or name.startswith("/") or ".." in parts or "\0" in name or os.path.isabs(name):
        raise UsageError(SUBDIR, "is no folder within that of the sweep", name, f"write {SUBDIR}=NAME")
    if parts[0].startswith(".") or parts[0] in TAKEN:
        raise UsageError(SUBDIR, "is a name that the sweep has for files of its own", name, "choose another name")
    if any(len(os.fsencode(part)) > LONGEST for part in parts):
        raise UsageError(SUBDIR, f"has a name of more than {LONGEST} bytes", name, "choose a shorter one")
    return parts


def job_folders(sweep: Path) -> dict[int, Path]:
    """The folders of a sweep's jobs by number: as planned, else as noted, else those that a number names.

    Raises DataError for a plan that cannot be read.
    """
    plan = read_plan(sweep)
    if plan is not None and plan.folders:
        return {number: sweep / name for number, name in enumerate(plan.folders)}
    noted = _noted(sweep)
    named = {int(one.name): one for one in jobs_in(sweep) if one not in noted.values()}
    return dict(sorted({**named, **noted}.items()))


def _noted(sweep: Path) -> dict[int, Path]:
    notes = sweep / NOTED
    refuse_link(notes)
    files = [notes / name for name in sorted(os.listdir(notes))] if notes.is_dir() else []
    try:
        names = {number: read_text(file) for file in files if (number := number_of(file)) is not None}
        check_folders(list(names.values()))
    except UnicodeDecodeError:
        raise DataError(str(notes), "holds a name that is not UTF-8") from None
    except UsageError as error:
        raise DataError(str(notes), error.what, error.args[2]) from None
    return {number: sweep / name for number, name in names.items()}


def note_folders(sweep: Path, folders: Mapping[int, Path]) -> None:
    """Keeps the folders of another sweeper's jobs, where a number is not the name. Raises UsageError."""
    known = {number: folder for number, folder in _noted(sweep).items() if number not in folders}
    names = {number: _within(sweep, folder) for number, folder in {**known, **folders}.items()}
    check_folders(list(names.values()))
    for number in folders:
        if names[number] != str(number):
            write_whole(str(own_folder(sweep / NOTED)), str(number), names[number])


def _within(sweep: Path, folder: Path) -> str:
    return Path(os.path.relpath(folder.resolve(), sweep.resolve())).as_posix()


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
            if named or not job_folders(folder):
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
    if any((one / name).exists() for one in job_folders(folder).values() for name in FINISHED):
        do = f"resume={folder} continues it; or name a new folder"
        raise UsageError("hydra.sweep.dir", "this folder already holds a sweep", str(folder), do)


def settle(sweep: Path) -> None:
    """Makes room in a folder that is held: jobs of a sweep without any result are moved away. Raises UsageError."""
    refuse_finished(sweep)
    forget_failed(sweep)
    for number, job in job_folders(sweep).items():
        if is_job(job):
            set_aside(sweep, number, job)


def jobs_in(folder: Path) -> list[Path]:
    """The folders of jobs, sorted by name."""
    return sorted(one for one in folder.iterdir() if number_of(one) is not None and one.is_dir())


def number_of(folder: Path) -> int | None:
    """The number of the job that a folder's name says it is of."""
    return int(folder.name) if _NUMBER.fullmatch(folder.name) else None


def is_job(folder: Path) -> bool:
    """Whether a folder holds what a job leaves."""
    return any((folder / name).exists() for name in JOB)


def holding(sweep: Path) -> AbstractContextManager[None]:
    """Holds a sweep's folder, so that no second command runs its jobs. Raises UsageError that says who has it."""
    return locking.holding(sweep, LOCK)


def set_aside(sweep: Path, number: int, folder: Path) -> Path | None:
    """Moves the folder of a job that is run again to earlier/<n>, and returns where it is now; None without one."""
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
