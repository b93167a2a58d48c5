"""The errors a user can cause, each with its exit code and one line that says where, what and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .masking import masked

SHOWN = 20
TARGET, TARGET_ADVICE = "_target_ is not supported", "register a component and name it with 'use'"


class AuditError(Exception):
    """One clear line: `WHERE: what is wrong (what was found) - what to do`, or `WHERE: expected this, got that`.

    `where` is a file, file:line, config key or command-line word; `found` and `do` may be empty.
    """

    exit_code = 70

    def __init__(self, where: str, what: str, found: object = None, do: str = "") -> None:
        super().__init__(where, what, found, do)
        self.where, self.what, self.found, self.do = where, what, found, do

    def __str__(self) -> str:
        line = f"{self.where}: {self.what}" if self.where else self.what
        if self.found is not None:
            found = brief(self.found)
            got = "; got" if ", " in self.what else ", got"
            line += f"{got} {found}" if self.what.startswith("expected ") else f" ({found})"
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
    """Several errors: the first twenty are shown, the rest counted."""

    def __init__(self, errors: Sequence[AuditError]) -> None:
        super().__init__("", "")
        self.args = (tuple(errors),)
        self.errors = tuple(errors)
        self.exit_code = errors[0].exit_code

    def __str__(self) -> str:
        lines = [str(error) for error in self.errors[:SHOWN]]
        if len(self.errors) > SHOWN:
            lines.append(f"and {len(self.errors) - SHOWN} more")
        return "\n".join(lines)


class Faults:
    """What is wrong with rows or files: of one kind of fault the first is kept, and the others are counted.

    Errors are of one kind if they are the same but for their places, what was found, and names in quotes or numbers.
    """

    def __init__(self) -> None:
        self._first: dict[tuple[type[AuditError], str, str], AuditError] = {}
        self._others: dict[tuple[type[AuditError], str, str], int] = {}
        self._further = 0

    def add(self, error: AuditError) -> None:
        """Takes an error in."""
        kind = (type(error), _NAMES.sub("", error.what), _NAMES.sub("", error.do))
        self._others[kind] = self._others.get(kind, -1) + 1
        self._first.setdefault(kind, error)

    def further(self, n: int) -> None:
        """Counts more errors, which are not at hand: of the one kind there is so far, or of none of several."""
        if len(self._others) == 1:
            self._others = {kind: known + n for kind, known in self._others.items()}
        else:
            self._further += n

    def refuse(self) -> None:
        """Raises one error for each kind, if there is any."""
        errors = [and_more(error, self._others[kind]) for kind, error in self._first.items()]
        if self._further:
            errors.append(type(errors[0])("", f"and {self._further:,} more errors"))
        if errors:
            raise errors[0] if len(errors) == 1 else Findings(errors)


_NAMES = re.compile(r"'[^']*'|\d[\d,.]*")


def refuse(errors: Iterable[AuditError]) -> None:
    """Raises errors, those of one kind as one; nothing where there is none."""
    faults = Faults()
    for error in errors:
        faults.add(error)
    faults.refuse()


def and_more(error: AuditError, others: int) -> AuditError:
    """An error that says how many others like it there are."""
    if not others:
        return error
    more = f"{others:,} more like this"
    detail = more if error.found is None else f"{brief(error.found, 90)}; {more}"
    return type(error)(error.where, error.what, detail, error.do)


def printable(text: str) -> str:
    """The text on one line, control characters and the like escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def brief(value: object, limit: int = 120) -> str:
    """Shows a value on one line, control characters escaped, at most `limit` characters."""
    text = masked(value if isinstance(value, str) else repr(value))
    text = printable(text[: 4 * limit])
    return text if len(text) <= limit else text[: limit - 1] + "…"


def kind_of_value(value: object) -> str:
    """What a value of a file is, in a word or two: "a list", "text"."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    kinds = {str: "text", int: "a number", float: "a number", list: "a list", tuple: "a list", dict: "an object"}
    return kinds.get(type(value), f"a {type(value).__name__}")


def near(word: str, known: Sequence[str]) -> str:
    """Says "did you mean ...?", or "" where no known word is near."""
    import difflib

    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else ""


def nearest(word: str, known: Sequence[str]) -> str:
    """Says "did you mean ...?" or lists what is known."""
    close = near(word, known)
    if close:
        return close
    listed = ", ".join(sorted(known)[:24])
    return f"known: {listed}" if listed else "none is known"
