"""A program's scratch folder: its quota, counted however files are hidden, and its end, however deep it is."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from auditfw.core.processes import scratch_prefix

LEAST = 4096  # what a file or folder takes of the disk, however empty it is
DEPTH = 20
DELETED = " (deleted)\n"


@contextmanager
def scratch_folder() -> Iterator[str]:
    """A new folder, deleted afterwards."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix=scratch_prefix("program")))
    try:
        yield folder
    finally:
        _remove(folder)


def excess(folder: str, process: int, limit: int) -> str:
    """Why a program's files are too many, "" where they are not: those in its folder, and those deleted but open."""
    too_many = f"wrote more than {limit:,} bytes into files"
    total, folders = 0, [(folder, 0)]
    while folders:
        path, depth = folders.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    facts = entry.stat(follow_symlinks=False)
                    total += max(facts.st_size, _on_disk(facts), LEAST)
                    if total > limit:
                        return too_many
                    if stat.S_ISDIR(facts.st_mode):
                        folders.append((entry.path, depth + 1))
        except FileNotFoundError:
            continue
        except OSError as error:
            return f"made a folder that cannot be looked into: {error.strerror}"
        if depth > DEPTH:
            return f"made folders more than {DEPTH} deep"
    return "" if total + _deleted(folder, process, limit) <= limit else too_many


def _on_disk(facts: os.stat_result) -> int:
    return getattr(facts, "st_blocks", 0) * 512


def _deleted(folder: str, process: int, limit: int) -> int:
    """The bytes of files that a process has deleted and still keeps, as Linux lists them; 0 on other systems.

    A file that is only mapped is listed without its size, and counts as all that is allowed and more.
    """
    sizes: dict[int, int] = {}
    with suppress(OSError), os.scandir(f"/proc/{process}/fd") as entries:
        for entry in entries:
            with suppress(OSError):
                facts = entry.stat()
                if stat.S_ISREG(facts.st_mode) and not facts.st_nlink:
                    sizes[facts.st_ino] = max(facts.st_size, _on_disk(facts))
    with suppress(OSError), open(f"/proc/{process}/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            if line.endswith(DELETED) and f" {folder}/" in line and int(line.split(maxsplit=5)[4]) not in sizes:
                return limit + 1
    return sum(sizes.values())


def _remove(folder: str) -> None:
    """Deletes a folder; its folders are first brought to its top, since a path or a recursion may be too long."""
    number = 0
    folders = [folder]
    with suppress(OSError):
        while folders:
            path = folders.pop()
            os.chmod(path, 0o700)
            with os.scandir(path) as entries:
                inside = list(entries)
            for entry in inside:
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                    continue
                number += 1
                top = os.path.join(folder, f"{number} of auditfw")
                os.chmod(entry.path, 0o700)
                os.rename(entry.path, top)
                folders.append(top)
            if path != folder:
                os.rmdir(path)
        os.rmdir(folder)
