"""The files in a folder, and what in it is left out: that which leads out of it, cannot be read, or is no file."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator

from auditfw.core.document import some, verb
from auditfw.core.errors import DataError

DEEPEST = 100  # folders within each other
NAMED = 5  # of the paths that a message lists

Reason = tuple[str, str]  # what such a path is, and what it is that leaves it out
Leaves = Callable[[str, list[str], list[str]], bool]

DANGLING = "link", "dangling"
OUTSIDE = "path", "outside the folder by a link"
TWICE = "link", "another name of a file that is read"
TO_FOLDER = "link", "not followed to a folder"
SPECIAL = "path", "no regular file (a FIFO, a socket or a device)"
UNREADABLE = "file", "unreadable"
CLOSED = "folder", "unreadable"
DEEP = "folder", f"more than {DEEPEST} folders deep"
FOLDERS = CLOSED, DEEP  # whose files nobody knows


class PassedOver:
    """What is left out of folders, by the reason."""

    def __init__(self) -> None:
        self._paths: dict[Reason, dict[str, None]] = {}

    def __bool__(self) -> bool:
        return bool(self._paths)

    def add(self, path: str, reason: Reason) -> None:
        """Takes in a path."""
        self._paths.setdefault(reason, {})[path] = None

    def join(self, other: PassedOver, without: str = "") -> None:
        """Takes in what another has, its paths without a start."""
        for reason, paths in other._paths.items():
            for path in paths:
                self.add(path.removeprefix(without), reason)

    def keep(self, matters: Callable[[str, Reason], bool]) -> None:
        """Forgets the paths that do not matter."""
        for reason, paths in list(self._paths.items()):
            self._paths[reason] = {path: None for path in paths if matters(path, reason)}
        self._paths = {reason: paths for reason, paths in self._paths.items() if paths}

    def lines(self) -> list[str]:
        """The warnings, one a reason."""
        return [named(paths, *reason) for reason, paths in sorted(self._paths.items())]

    def refusal(self, folder: str) -> DataError:
        """The error for a folder of which nothing else is there."""
        counts = [_counted(paths, *reason) for reason, paths in sorted(self._paths.items())]
        return DataError(folder, "holds no file that can be read", "; ".join(counts), "name the files themselves")


def named(paths: Collection[str], what: str, how: str) -> str:
    """A line about paths that are left out, with the first of them."""
    listed = sorted(paths, key=parts)
    more = f" and {len(listed) - NAMED:,} more" if len(listed) > NAMED else ""
    return f"{_counted(listed, what, how)} and left out: {', '.join(listed[:NAMED])}{more}"


def _counted(paths: Collection[str], what: str, how: str) -> str:
    return f"{some(len(paths), what)} {verb(len(paths), 'is', 'are')} {how}"


def parts(path: str) -> list[str]:
    """What files are sorted by: the parts of their paths."""
    return path.split(os.sep)


def walked(folder: str, left_out: PassedOver, leaves: Leaves | None = None) -> Iterator[str]:
    """The regular files in a folder and below it, without hidden ones and those below a folder that `leaves` names.

    A link is read where it leads to a file within the folder; others are left out.
    """
    home, below = os.path.realpath(folder), [(folder, 0)]
    while below:
        place, depth = below.pop()
        try:
            with os.scandir(place) as entries:
                inside = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError:
            left_out.add(place, CLOSED)
            continue
        folders = [name for name, is_folder in inside if is_folder]
        names = [name for name, is_folder in inside if not is_folder]
        if leaves is not None and leaves(place, folders, names):
            continue
        for name in sorted(name for name in folders if not name.startswith(".")):
            path = os.path.join(place, name)
            if depth < DEEPEST:
                below.append((path, depth + 1))
            else:
                left_out.add(path, DEEP)
        for name in (name for name in names if not name.startswith(".")):
            path = os.path.join(place, name)
            reason = why_left_out(path, home)
            if reason is None:
                yield path
            else:
                left_out.add(path, reason)


def fixed_folder(pattern: str) -> str:
    """The folder in which all that a pattern matches is."""
    return os.path.dirname(re.split(r"[{*?\[]", pattern, maxsplit=1)[0]) or "."


def matching(pattern: str, left_out: PassedOver, folders: bool = False) -> list[str]:
    """What a glob without `**` matches, sorted: the regular files in its folder, and folders if these are wanted."""
    home, paths = os.path.realpath(fixed_folder(pattern)), list[str]()
    for path in sorted(glob.glob(pattern), key=parts):
        is_folder = os.path.isdir(path) and not os.path.islink(path)
        reason = None if is_folder else why_left_out(path, home)
        reason = OUTSIDE if reason is None and not _within(os.path.realpath(path), home) else reason
        if reason is not None:
            left_out.add(path, reason)
        elif folders or not is_folder:
            paths.append(path)
    return paths


def once(paths: Iterable[str], left_out: PassedOver) -> list[str]:
    """The paths, without links to a file that is among them, or that a link before them leads to."""
    listed = list(paths)
    links = {path: os.path.realpath(path) for path in listed if os.path.islink(path)}
    if not links:
        return listed
    seen, again = {os.path.realpath(path) for path in listed if path not in links}, set[str]()
    for path, target in links.items():
        if target in seen:
            left_out.add(path, TWICE)
            again.add(path)
        seen.add(target)
    return [path for path in listed if path not in again]


def why_left_out(path: str, home: str | None) -> Reason | None:
    """Why a path is not read; None for a readable file. With `home`, a real path, it must be in that folder."""
    try:
        mode = os.stat(path).st_mode
    except OSError:  # also links that lead to each other
        return DANGLING if os.path.islink(path) else UNREADABLE
    if home is not None and os.path.islink(path) and not _within(os.path.realpath(path), home):
        return OUTSIDE
    if stat.S_ISDIR(mode):
        return TO_FOLDER
    if not stat.S_ISREG(mode):
        return SPECIAL
    return None if os.access(path, os.R_OK) else UNREADABLE


def _within(path: str, home: str) -> bool:
    return path.startswith(os.path.join(home, ""))
