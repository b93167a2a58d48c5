"""attempts.jsonl: one JSON object a finished attempt, appended as it ends, so that a killed run can go on.

Every process of a run appends to the one file, one whole line at a time under a lock. A line's `sum` is the start of
the SHA-256 of the rest of it.
"""

from __future__ import annotations

import json
import os
import re
import sysconfig
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

from auditfw.core.errors import DataError, IncompleteError
from auditfw.core.files import JOURNAL_BYTES, read_bytes, shared_handle, whole
from auditfw.core.interrupts import hold
from auditfw.core.locks import holding, lock, read_at
from auditfw.core.masking import hidden, hide, masked
from auditfw.core.result_json import JOURNAL
from auditfw.kinds.capabilities import capability
from auditfw.kinds.component_index import shipped
from auditfw.kinds.ledger import Tried
from auditfw.kinds.solving import Problem, RequestTimeoutError, TransientError

from .evaluate import REPAIR, Begun, Header, checked, plain, record_of, sealed, tried_of, unsealed

NAME = JOURNAL
LOCK = ".attempts.lock"
SYNC_SECONDS = 1.0

Key = tuple[str, int]


@dataclass
class StoredAttempts:
    """What a journal holds: finished attempts by problem, requests that were begun and never finished, remarks.

    `settings` says what the attempts depend on, `solver` its settings; `problems` has the digest of each problem.
    """

    settings: str = ""
    solver: str = ""
    attempts: dict[str, list[Tried]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    lines: dict[Key, str] = field(default_factory=dict)
    begun: dict[Key, int] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def unfinished(self) -> dict[str, tuple[int, int]]:
        """For each problem the iteration under way when the run was killed, and how many requests it had sent."""
        return {problem: (n, sent) for (problem, n), sent in self.begun.items() if (problem, n) not in self.lines}

    def of(self, problem: str) -> list[Tried]:
        """A problem's finished attempts, from the first on without a gap."""
        attempts = sorted(self.attempts.get(problem, []), key=lambda one: one.number)
        return [one for at, one in enumerate(attempts, 1) if one.number == at]


@dataclass
class Journal:
    """The journal of a run in one process: opens the file when it is first needed.

    `costly` writes down each request before it is sent, and makes sure of the disk at each line.
    """

    folder: str
    costly: bool = False

    def __post_init__(self) -> None:
        self._handle: int | None = None
        self._last: tuple[Problem, str] | None = None
        self._synced = time.monotonic()

    def __getstate__(self) -> dict[str, Any]:
        return {"folder": self.folder, "costly": self.costly, "hidden": hidden()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.folder, self.costly = state["folder"], state["costly"]
        for value in state["hidden"]:
            hide(value)
        self.__post_init__()

    def begin(self, settings: str, solver: str, lines: Sequence[str] = ()) -> None:
        """Starts the file with its first line and the lines of the run that is continued."""
        self._write([sealed({"journal": 1, "settings": settings, "solver": solver}), *lines], sure=True)

    def started(self, problem: Problem, number: int, request: int) -> None:
        """A request is about to be sent."""
        if self.costly:
            record = {"started": request, "problem": masked(problem.id), "attempt": number, "of": self._digest(problem)}
            self._write([sealed(record)], sure=True)

    def finished(self, problem: Problem, tried: Tried, outputs: Sequence[Any] | None) -> None:
        """An iteration is over."""
        self._write([sealed(record_of(problem, self._digest(problem), tried, outputs))], sure=self.costly)

    def _digest(self, problem: Problem) -> str:
        if self._last is None or self._last[0] is not problem:
            self._last = problem, digest(problem)
        return self._last[1]

    def _write(self, lines: Sequence[str], sure: bool) -> None:
        path = Path(self.folder) / NAME
        hold()
        try:
            if self._handle is None:
                self._handle = shared_handle(path, os.O_RDWR | os.O_APPEND)
            lock(self._handle, "LOCK_EX")
            try:
                _append(self._handle, "".join(f"{line}\n" for line in lines).encode("ascii"))
            finally:
                lock(self._handle, "LOCK_UN")
            if sure or time.monotonic() - self._synced >= SYNC_SECONDS:
                os.fsync(self._handle)
                self._synced = time.monotonic()
        except OSError as error:
            raise IncompleteError(str(path), "cannot write", f"{error.strerror}, errno {error.errno}") from None


def _append(handle: int, data: bytes) -> None:
    """Appends whole lines; where the disk is full nothing of them stays. A line torn by a killed process is cut off."""
    size = os.lseek(handle, 0, os.SEEK_END)
    if size and read_at(handle, 1, size - 1) != b"\n":
        size = _after_last_line(handle, size)
        os.ftruncate(handle, size)
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(handle, view) :]
    except OSError:
        os.ftruncate(handle, size)
        raise


def _after_last_line(handle: int, size: int) -> int:
    while size:
        start = max(0, size - (1 << 16))
        at = read_at(handle, size - start, start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        size = start
    return 0


def digest(problem: Problem) -> str:
    """Sixteen digits that stand for a problem's examples."""
    examples = [[one.input, one.output] for one in (*problem.train, *problem.test)]
    text = json.dumps([len(problem.train), examples], sort_keys=True, default=lambda value: repr(plain(value)))
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def read(path: Path) -> StoredAttempts:
    """What a journal holds. A torn last line is left out with a remark; raises DataError for any other bad line."""
    stored = StoredAttempts()
    try:
        data = read_bytes(path, JOURNAL_BYTES)
    except FileNotFoundError:
        raise DataError(str(path), "no such file", None, "resume=RUN names the folder of a self_audit run") from None
    lines = data.split(b"\n")
    for number, raw in enumerate(lines, 1):
        if number == len(lines) and not raw:
            break
        record = unsealed(raw.decode("ascii", "replace"))
        if record is not None:
            _take(stored, record, raw.decode("ascii"), f"{path}:{number}")
        elif number == len(lines):
            stored.remarks.append(f"{path}:{number}: the last line was cut off and is ignored")
        else:
            raise DataError(f"{path}:{number}", "a line of the journal is damaged", "its checksum is wrong", REPAIR)
    return stored


def _take(stored: StoredAttempts, record: Mapping[str, Any], text: str, where: str) -> None:
    line = checked(record, where)
    if isinstance(line, Header):
        stored.settings, stored.solver = line.settings, line.solver
        return
    key = line.problem, line.attempt
    if stored.problems.setdefault(line.problem, line.of) != line.of:
        raise DataError(where, f"the problem '{line.problem}' differs from that of the lines before", None, REPAIR)
    if isinstance(line, Begun):
        stored.begun[key] = line.started
    elif key not in stored.lines:
        stored.lines[key] = text
        stored.attempts.setdefault(line.problem, []).append(tried_of(line))


def merged(parts: Sequence[StoredAttempts]) -> StoredAttempts:
    """Several journals of one run, continued more than once, as one."""
    whole = StoredAttempts()
    for part in parts:
        whole.settings, whole.solver = whole.settings or part.settings, whole.solver or part.solver
        whole.problems |= part.problems
        whole.begun |= part.begun
        whole.remarks += part.remarks
        for key, line in part.lines.items():
            if key not in whole.lines:
                whole.lines[key] = line
                attempt = next(one for one in part.attempts[key[0]] if one.number == key[1])
                whole.attempts.setdefault(key[0], []).append(attempt)
    return whole


def settle(folder: str, order: Sequence[str]) -> None:
    """Puts a finished journal in the order of the problems and their attempts, whole or not at all."""
    path = Path(folder) / NAME
    ranks = {masked(problem): rank for rank, problem in enumerate(order)}
    with path.open("rb") as stream:
        first = stream.readline()
        keyed = [(_place(line, ranks), line) for line in stream]
    if all(one[0] <= other[0] for one, other in pairwise(keyed)):
        return
    with whole(path) as out:
        out.write(first)
        out.writelines(line for _, line in sorted(keyed, key=lambda pair: pair[0]))


def _place(line: bytes, ranks: Mapping[str, int]) -> tuple[int, int, int]:
    record = json.loads(line)
    begun = record.get("started")
    # a finished attempt comes after all of its requests, which are numbered from 1
    return ranks.get(record["problem"], len(ranks)), record["attempt"], 1 << 30 if begun is None else begun


def records(folder: str, problems: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The finished attempts of some problems as they were written down; all other lines are passed by unread."""
    wanted = {json.dumps(masked(name)).encode() for name in problems}
    with (Path(folder) / NAME).open("rb") as lines:
        for line in lines:
            head, mark, _ = line.partition(b', "attempt": ')
            if mark and head.removeprefix(b'{"problem": ') in wanted:
                record = unsealed(line.decode("ascii").rstrip("\n"))
                if record is not None:
                    yield record


def held(folder: Path) -> AbstractContextManager[None]:
    """Holds a run folder, so that no second command writes or continues the same journal. Raises UsageError."""
    return holding(folder, LOCK)


# Failures of a user's own code: which may pass, where they come from, and when one is seen too often.

OFTEN = 3  # so many times in a row the same error from the same line is no accident
PASSING = (TransientError, RequestTimeoutError, OSError)  # refused connections and late answers are OSErrors
LASTING = (FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError, NotADirectoryError)
NAMED = re.compile(
    "RateLimit|TooMany|Throttl|Quota|Timeout|TimedOut|Connect|Network|Unavailable|Overloaded|InternalServer"
)
BUSY = (408, 425, 429)  # what a server answers that may take the same request later; all from 500 on, too


def is_own_code(solver: Any) -> bool:
    """Whether the requests of a solver run code of the user's: a function, or a solver that is not shipped."""
    return bool(capability(solver, "own_code", not shipped(type(solver).__module__)))


def may_pass(error: Exception) -> bool:
    """Whether waiting may help: a request was late, refused, broken off, or one of too many. Errors of libraries are
    known by what they are called and by the status of an answer.
    """
    if isinstance(error, PASSING):
        return not isinstance(error, LASTING)
    if type(error).__module__ == "builtins":
        return False
    answer = getattr(error, "response", error)
    status = next((s for name in ("status_code", "status") if isinstance(s := getattr(answer, name, None), int)), 0)
    return status in BUSY or status >= 500 or any(NAMED.search(kind.__name__) for kind in type(error).__mro__)


def fault(error: Exception, otherwise: str = "") -> str:
    """The line of the user's code that an error comes from and the error's kind: `my.py:12 in solve, KeyError`.

    Of several lines the innermost that is neither in this package nor in a library; `otherwise` where there is none. ""
    for an error that may pass.
    """
    if may_pass(error):
        return ""
    own = str(Path(__file__).resolve().parents[2])
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith(own + os.sep)]
    libraries = tuple(path + os.sep for path in set(sysconfig.get_paths().values()))
    mine = [one for one in frames if not one.filename.startswith(libraries)] or frames[:1]
    place = f"{_near(mine[-1].filename)}:{mine[-1].lineno} in {mine[-1].name}" if mine else otherwise
    return f"{place}, {type(error).__name__}" if place else type(error).__name__


def _near(file: str) -> str:
    """A file as the current folder sees it, where it is below that."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


@dataclass
class Streak:
    """How often in a row the same fault was seen; "" is a request without one."""

    fault: str = ""
    times: int = 0

    def add(self, faults: Iterable[str]) -> None:
        """Takes in the faults of requests, one after the other, until there are too many."""
        for fault in faults:
            if self.over:
                return
            self.times = self.times + 1 if fault == self.fault else 1
            self.fault = fault

    @property
    def over(self) -> bool:
        """Whether it is no accident any more."""
        return bool(self.fault) and self.times >= OFTEN
