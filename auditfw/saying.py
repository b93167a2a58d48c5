"""What a command says of an error: one line each on standard error, and the exit code it stands for."""

from __future__ import annotations

import sys

from .errors import SHOWN, Findings
from .sinks import log_line

DEFECT = 70
FULL_ERROR = "HYDRA_FULL_ERROR"


def say(told: object) -> None:
    """Prints an error, several of them up to the first twenty."""
    errors = told.errors[:SHOWN] if isinstance(told, Findings) else (told,)
    for error in errors:
        print(f"auditfw: error: {_line(error)}", file=sys.stderr)
    if isinstance(told, Findings) and len(told.errors) > len(errors):
        print(f"auditfw: error: and {len(told.errors) - len(errors)} more", file=sys.stderr)


def warn(text: str) -> None:
    """Prints a warning."""
    print(f"auditfw: warning: {_line(text)}", file=sys.stderr)


def _line(told: object) -> str:
    return log_line(str(told))


def told_of(error: Exception) -> tuple[object, int]:
    """What to say of an exception, and the exit code it stands for."""
    from .config.complaints import complaint

    told = complaint(error)
    return (told, told.exit_code) if told is not None else (_defect(error), DEFECT)


def _defect(error: Exception) -> str:
    return (
        f"a defect of auditfw: {type(error).__name__}: {' '.join(str(error).split())[:300]} "
        f"- please report it with the traceback that {FULL_ERROR}=1 shows"
    )
