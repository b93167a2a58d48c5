"""The run that ended last, which commands call `latest`, and what they call any other."""

from __future__ import annotations

import os
import re
from pathlib import Path

from auditfw.core.escaping import typed

LATEST = "latest"  # the link beside run folders to the last that finished
COMMAND = re.compile(rf"(auditfw [a-z]+) {LATEST}\b")


def newest(kind: str = "*") -> Path | None:
    """The newest finished run below outputs/, by the date and time that its folder is named for; None without any."""
    links = Path("outputs").glob(f"{kind}/*/{LATEST}")
    runs = [link.parent / os.readlink(link) for link in links if link.is_symlink() and link.is_dir()]
    return max(runs, key=_ended, default=None)


def _ended(run: Path) -> tuple[str, str]:
    return run.parent.name, run.name


def run_called(folder: Path | str) -> str:
    """What a command that is typed here calls a run: `latest` where that is it, or will be, else its folder."""
    path = Path(os.path.relpath(folder))
    last = newest()
    if path.match("outputs/*/*/*") and len(path.parts) == 4 and (last is None or _ended(path) >= _ended(last)):
        return LATEST
    return typed(str(path if ".." not in path.parts else folder))


def of_run(text: str, folder: Path | str) -> str:
    """A text whose commands name the latest run, written while that was this one, with what it is called here."""
    return COMMAND.sub(lambda command: f"{command[1]} {run_called(folder)}", text)
