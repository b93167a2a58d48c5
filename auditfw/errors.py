"""The errors a user can cause, each with its exit code and one line that says where, what and what to do."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 20
TARGET, TARGET_ADVICE = "_target_ is not supported", "register a component and name it with 'use'"


class AuditError(Exception):
    """One clear line: `WHERE: what is wrong (what was found) - what to do`.

    `where` is a file, file:line, config key or command-line word; `found` and `do` may be empty.
    """

    exit_code = 70

    def __init__(self, where: str, what: str, found: object = None, do: str = "") -> None:
        super().__init__(where, what, found, do)
        self.where, self.what, self.found, self.do = where, what, found, do

    def __str__(self) -> str:
        line = f"{self.where}: {self.what}" if self.where else self.what
        if self.found is not None:
            line += f" ({brief(self.found)})"
        return printable(f"{line} - {self.do}" if self.do else line)


class UsageError(AuditError):
    """The command line or the configuration cannot be understood."""

    exit_code = 2


class DataError(AuditError):
    """Input data cannot be used."""

    exit_code = 3


class IncompleteError(AuditError):
    """The run could not be finished: a component failed, a budget ended, the disk is full."""

    exit_code = 4


class NothingAudited(AuditError):
    """Not one trial was left to audit."""

    exit_code = 5


class Findings(AuditError):
    """Several errors of one kind: the first twenty are shown, the rest counted."""

    def __init__(self, errors: Sequence[AuditError]) -> None:
        super().__init__("", "")
        self.args = (tuple(errors),)
        self.errors = tuple(errors)
        self.exit_code = errors[0].exit_code

    def __str__(self) -> str:
        lines = [str(error) for error in self.errors[:SHOWN]]
        if len(self.errors) > SHOWN:
            lines.append(f"and {len(self.errors) - SHOWN} more of the same kind")
        return "\n".join(lines)


def printable(text: str) -> str:
    """The text on one line, control characters and the like escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def brief(value: object, limit: int = 120) -> str:
    """Shows a value on one line, control characters escaped, at most `limit` characters."""
    text = value if isinstance(value, str) else repr(value)
    text = printable(text[: 4 * limit])
    return text if len(text) <= limit else text[: limit - 1] + "…"


def nearest(word: str, known: Sequence[str]) -> str:
    """Says "did you mean ...?" or lists what is known."""
    import difflib

    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    listed = ", ".join(sorted(known)[:24])
    return f"known: {listed}" if listed else "none is known"
