"""Going on with an interrupted run: its journal, those that continued it before, and the requests it left open."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from auditfw.core.errors import DataError, IncompleteError, UsageError
from auditfw.core.files import append, present, read_bytes
from auditfw.core.masking import masked
from auditfw.kinds.ledger import Spent, Tried

from .journal import NAME, StoredAttempts, held, merged, read

NEXT = ".continued"
MOST_POINTERS = 1 << 20  # bytes
KILLED = "the run was killed before this request was answered"


@contextmanager
def continued(resume: str | None, folder: str | None) -> Iterator[StoredAttempts]:
    """The attempts of the run to go on with and of those that went on with it before, all held against others.

    Raises UsageError where another command is at work on one of them, DataError for a damaged journal.
    """
    with ExitStack() as stack:
        if folder is not None:
            stack.enter_context(held(Path(folder)))
        if resume is None:
            yield StoredAttempts()
            return
        first = Path(resume)
        if not first.is_dir():
            raise UsageError("resume", "no such run folder", resume, "name the folder of an interrupted run")
        chain: list[Path] = []
        _follow(first, chain)
        for run in chain:
            stack.enter_context(held(run))
        stored = merged([read(run / NAME) for run in chain])
        stored.remarks += [f"{chain[0]} was continued before: the attempts of {run} are used too" for run in chain[1:]]
        if folder is not None:
            _point(first, Path(folder))
        yield stored


def _follow(run: Path, chain: list[Path]) -> None:
    """The run and every run that continued it, each once."""
    if run in chain or (chain and not present(run / NAME)):
        return
    chain.append(run)
    pointer = run / NEXT
    if present(pointer):
        for line in read_bytes(pointer, MOST_POINTERS).decode("utf-8", "replace").splitlines():
            _follow(Path(os.path.normpath(run / line.replace("\0", ""))), chain)


def _point(run: Path, folder: Path) -> None:
    pointer = run / NEXT
    try:
        append(pointer, f"{os.path.relpath(folder, run)}\n", sync=True)
    except OSError as error:
        raise IncompleteError(str(pointer), "cannot write", f"{error.strerror}, errno {error.errno}") from None


def check_same(stored: StoredAttempts, settings: str, solver: str) -> list[str]:
    """Raises UsageError where the attempts were made by another kind of loop; a warning for other solver settings."""
    if stored.settings and stored.settings != settings:
        do = "use the overrides of the interrupted run, or start again without resume"
        raise UsageError("resume", "the interrupted run had another solver, scoring or seed", stored.settings, do)
    if stored.solver and stored.solver != solver:
        return ["resume: the interrupted run had other solver settings; its attempts are kept"]
    return []


def prior(stored: StoredAttempts, problem: str, digest: str, retry_unfinished: bool) -> tuple[list[Tried], bool]:
    """A problem's finished attempts, and whether one was left open that is now counted as used up.

    Raises DataError where the problem is another than that of the journal.
    """
    problem = masked(problem)
    known = stored.problems.get(problem, digest)
    if known != digest:
        do = "resume with the data of the interrupted run"
        raise DataError("source", f"the problem '{problem}' changed since the interrupted run", None, do)
    attempts = stored.of(problem)
    open_at = stored.unfinished().get(problem)
    if open_at is None or retry_unfinished or open_at[0] != len(attempts) + 1:
        return attempts, False
    spent = Spent(requests=open_at[1], tokens=None, cost=None)
    return [*attempts, Tried(open_at[0], None, False, spent, answered=False, why=KILLED)], True
