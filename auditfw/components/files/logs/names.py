"""What the names and folders of log files say: by what they differ, and what is put before ids therefore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Facts = Mapping[str, Any]


def prefixes(files: Sequence[Facts], names: Sequence[str]) -> list[str]:
    """For each file what distinguishes it from others: those of its facts that differ between files, as `a/b/`.

    Of the names only as many as needed are taken, in their order; where all of them together are the same for two
    files, the number of the file stands last.
    """
    if len(files) < 2:
        return [""] * len(files)
    taken: list[str] = []
    for name in names:
        if len({str(file.get(name)) for file in files}) > 1 and not _apart(files, taken):
            taken.append(name)
    parts = [[str(file.get(name)) for name in taken] for file in files]
    if not _apart(files, taken):
        parts = [[*words, str(number)] for number, words in enumerate(parts, 1)]
    return ["".join(f"{word}/" for word in words) for words in parts]


def _apart(files: Sequence[Facts], names: Sequence[str]) -> bool:
    keys = [tuple(str(file.get(name)) for name in names) for file in files]
    return len(set(keys)) == len(keys)
