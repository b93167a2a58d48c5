"""The kind of component that reports a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from auditfw.core.records import Result


class Report(Protocol):
    """Presents a result: on the terminal, or into files of the run folder. Returns the names of files written.

    It may also declare

    - `prints = True`: it uses standard output, and is called when all files are written;
    - `alone = True`: nothing else may be printed there;
    - `begin(result)`: called before any report is written, to begin what takes long;
    - `announce(result)`: called when all files are written, where the run prints;
    - `locates = True`: it needs the places (FILE:LINE) of what the audit found;
    - `keeps`: what it needs an audit to keep beyond the counts, by name (`texts`, `scores`); audits that do not keep
      that are refused; `reading`: the name of a reading that it needs, None for any;
    - `sends = True`: it hands the files of a run on, and is called when all of them are written; what goes wrong then
      is a warning;
    - `starts`: where it sends them, in words that follow its name; a run read back from a folder asks before;
    - `browses = True`: it needs the exhibits to look through (`report.max_exhibits`).
    """

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]: ...
