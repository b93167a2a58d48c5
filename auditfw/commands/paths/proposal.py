"""The run that is proposed for paths, and how its command names them: as typed, by a folder or pattern, or each."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from auditfw.core.errors import AuditError
from auditfw.core.escaping import typed

LISTED = 12  # files that are named one by one where a folder or a pattern would do
_SPECIAL = re.compile(r"[{}*?\[\]]")

Reads = Callable[[tuple[str, ...]], Sequence[str]]


def paths_for(files: Sequence[str], roots: Sequence[str], reads: Reads) -> tuple[str, ...]:
    """The paths by which a source reads these files and no others; `reads` lists what it reads by any paths."""
    wanted = sorted(files)
    for paths in _candidates(wanted, roots):
        try:
            if sorted(reads(paths)) == wanted:
                return paths
        except AuditError:
            continue
    return tuple(files)


def _candidates(files: Sequence[str], roots: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """What may name the files: what was typed, the folder that holds them all, a few of them, a pattern."""
    if len(roots) <= LISTED:
        yield tuple(roots)
    together = len({os.path.isabs(file) for file in files}) == 1  # else they can have no folder in common
    folder = os.path.commonpath([os.path.dirname(file) for file in files]) if together else ""
    yield (folder or ".",)
    if len(files) <= LISTED:
        yield tuple(files)
        return
    ending = os.path.splitext(files[0])[1]
    if all(file.endswith(ending) for file in files) and not _SPECIAL.search(folder):
        for pattern in (f"*{ending}", f"**/*{ending}"):
            yield (os.path.join(glob.escape(folder), pattern),)


@dataclass(frozen=True)
class Proposal:
    """A run that fits: what was recognised, and the words of its command.

    `files` are those that it reads, where that is known; `error` says why nothing more could be learnt of them;
    `guessed` are the settings that the run is to say it guessed.
    """

    what: str
    words: tuple[str, ...]
    files: tuple[str, ...] = ()
    error: AuditError | None = None
    guessed: tuple[str, ...] = ()


Own = Mapping[str, str]  # the values of the user's own overrides


def spelt(words: Sequence[str]) -> str:
    """A command as one types it in a shell."""
    return " ".join(["auditfw", *map(typed, words)])
