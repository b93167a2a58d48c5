"""The run that ended last, which commands call `latest`, and what they call any other."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from auditfw.core.escaping import typed

LATEST = "latest"  # the link beside run folders to the last that finished


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


class NextStep(str):
    """What to do next: a text whose commands name the run `latest`, as files do; its `parts` stand around the names."""

    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> NextStep:
        step = super().__new__(cls, LATEST.join(parts))
        step.parts = parts
        return step

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.parts

    def __add__(self, more: str) -> NextStep:
        first, *others = more.parts if isinstance(more, NextStep) else (more,)
        return NextStep(*self.parts[:-1], self.parts[-1] + first, *others)

    def rewritten(self, how: Callable[[str], str]) -> NextStep:
        """The same with each of its parts written otherwise."""
        return NextStep(*map(how, self.parts))


def of_run(text: str, folder: Path | str) -> str:
    """A next step as it is typed here: its commands name the run in this folder as it is called."""
    return run_called(folder).join(text.parts) if isinstance(text, NextStep) else text
