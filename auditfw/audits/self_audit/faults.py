"""Failures of a user's own code: which may pass, where they come from, and when one is seen too often."""

from __future__ import annotations

import os
import re
import sysconfig
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditfw.kinds.capabilities import capability
from auditfw.kinds.component_index import shipped
from auditfw.kinds.solving import RequestTimeoutError, TransientError

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
