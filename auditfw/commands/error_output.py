"""How a command reports an error: one line each on standard error, and the exit code it stands for."""

from __future__ import annotations

import codecs
import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from auditfw.core.errors import SHOWN, DataError, Findings
from auditfw.core.escaping import log_line, spelled
from auditfw.core.files import refused
from auditfw.core.interrupts import hold
from auditfw.core.masking import masked

DEFECT = 70
CODES = (*range(6), DEFECT, 129, 130, 143, None)  # that a run ends with; None: it was not started
REFUSED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
FULL_ERROR = "HYDRA_FULL_ERROR"


def open_closed_streams() -> None:
    """Discards what is written to a closed standard stream, before a file that is opened gets its number."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            stream = open(os.devnull, mode, encoding="utf-8", errors="replace")  # noqa: SIM115 - it stays open
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


def spell_unwritable() -> None:
    """Spells out what the encoding of standard output lacks, whoever writes it, as the console does in tables."""
    stream = sys.stdout
    if not isinstance(stream, io.TextIOWrapper) or stream.encoding.lower().startswith("utf"):
        return
    if stream.errors in ("strict", "surrogateescape"):
        codecs.register_error("spelled", spelled)
        stream.reconfigure(errors="spelled")


@contextmanager
def ignore_closed_pipe() -> Iterator[None]:
    """Goes on where nobody reads standard output any more: a closed pipe changes no exit code.

    Raises IncompleteError where it is a file that the disk refuses.
    """
    try:
        yield
    except OSError as error:
        if _nobody_reads(error):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return
        refusal = refused(error, "standard output") if error.errno in REFUSED and error.filename is None else None
        if refusal is None:
            raise
        raise refusal from error


def _nobody_reads(error: OSError) -> bool:
    """Whether the pipe is closed, or the terminal."""
    if isinstance(error, BrokenPipeError):
        return True
    return error.errno == errno.EIO and error.filename is None and stat.S_ISCHR(os.fstat(sys.stdout.fileno()).st_mode)


def print_error(error: object) -> None:
    """Prints an error, several of them up to the first twenty."""
    hold()
    for line in error_lines(error):
        print(line, file=sys.stderr)


def error_lines(error: object) -> Iterator[str]:
    """The lines of an error."""
    errors = error.errors if isinstance(error, Findings) else [error]
    for one in errors[:SHOWN]:
        yield f"auditfw: error: {_line(one)}"
    if len(errors) > SHOWN:
        yield f"auditfw: error: and {len(errors) - SHOWN} more"


def redraws() -> bool:
    """Whether a line on standard error can be drawn again: it is a terminal, and not a dumb one."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def warn(text: str) -> None:
    """Prints a warning."""
    print(f"auditfw: warning: {_line(text)}", file=sys.stderr)


def minutes(seconds: float) -> str:
    """A length of time as minutes and seconds: `2:05`."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _line(message: object) -> str:
    return log_line(masked(str(message)))


def message_and_code(error: BaseException) -> tuple[object, int]:
    """The message for an exception, and the exit code it stands for."""
    from auditfw.config.hydra.errors import as_audit_error

    mistake = as_audit_error(error)
    return (mistake, mistake.exit_code) if mistake is not None else (_defect(error), DEFECT)


def with_known_code(document: dict[str, Any]) -> dict[str, Any]:
    """What a run stored, whose exit code, if any, is one that a run ends with. Raises DataError."""
    code = document.get("exit_code")
    if code not in CODES:
        raise DataError("exit_code", "is not one that a run ends with", code)
    return document


def _defect(error: BaseException) -> str:
    return (
        f"a defect of auditfw: {type(error).__name__}: {' '.join(str(error).split())[:300]} "
        f"- please report it with the traceback that {FULL_ERROR}=1 shows"
    )
