"""Where Inspect logs are: a file, a list of files, a folder with all below it, or a pattern."""

from __future__ import annotations

import os
from collections.abc import Iterator
from glob import glob

from auditfw.components.files.files import check_regular, missing
from auditfw.core.errors import DataError
from auditfw.samples import actual

ENDINGS = (".eval", ".json")
LOOKED_AT = 1 << 16
KEYS = (b'"version"', b'"status"', b'"eval"')
MAGIC = "*?["


def log_paths(path: str) -> list[str]:
    """The files that a path names, in order: itself, the logs in a folder, what a pattern fits. Raises DataError."""
    place = actual(path)
    if os.path.isdir(place):
        logs = sorted(_in_folder(place))
        if not logs:
            raise DataError(path, "the folder holds no Inspect log", None, "name a folder with .eval or .json logs")
        return logs
    if not os.path.exists(place) and any(sign in path for sign in MAGIC):
        fitting = sorted(one for one in glob(place, recursive=True) if os.path.isfile(one))
        if not fitting:
            raise DataError(path, "no file fits the pattern", None, "paths are relative to the current folder")
        return fitting
    if not os.path.lexists(place):
        raise missing(place)
    check_regular(place)
    return [place]


def _in_folder(folder: str) -> Iterator[str]:
    """The logs in a folder and below it; hidden ones, and .json files that are no logs, are not among them."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = os.path.join(place, name)
            if name.endswith(ENDINGS) and not name.startswith(".") and os.path.isfile(path) and _may_be_log(path):
                yield path


def _may_be_log(path: str) -> bool:
    """Whether a .json file begins as a log does; an .eval file is one."""
    if not path.endswith(".json"):
        return True
    try:
        with open(path, "rb") as stream:
            start = stream.read(LOOKED_AT)
    except OSError:
        return True  # whoever reads it says what is wrong
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and all(key in start for key in KEYS)
