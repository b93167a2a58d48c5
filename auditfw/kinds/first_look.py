"""What a first look at a path shows, by which a component recognises its own files, and what it makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FirstLook:
    """What a path is: its `format`, the names of members, tables or top-level keys, and the first records.

    `format` is folder, zip, sqlite, parquet, csv, jsonl, json (an array), object (one JSON object) or model (code, or a
    System Dynamics model); names of folders end in a slash. `records_at` leads to the records inside an object.
    `inside` are the files of a folder that nobody named, where it is asked whether they are a run together.
    """

    path: str
    format: str
    names: Sequence[str] = ()
    records: Sequence[Mapping[str, Any]] = ()
    columns: Sequence[str] = ()
    delimiter: str = ""
    records_at: str = ""
    quoted: bool = True
    inside: Sequence[FirstLook] = ()

    @property
    def keys(self) -> set[str]:
        """The columns of a file, or the keys of its one object, which may be the only line."""
        return {*self.columns, *(self.names if self.format == "object" else ())}


@dataclass(frozen=True)
class Recognised:
    """What a component recognises in files that are a run together: what they are, and the `words` of its command.

    `files` are those that it reads, where these are others than those looked at. What the audit is to say of the
    evidence comes behind `words`, and before those of `then`: of `truths`, of the labels of `raters`, the likeliest
    reference last, which may not be all (`open_ended`); `guess` says that the columns are to be guessed as well.
    Where something is missing, so that it is no run yet, `what` says so with a `detail`, the words have a gap,
    and `advice` says what to name.
    """

    what: str
    words: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    truths: Sequence[Any] | None = None
    raters: Sequence[str] = ()
    labels: Sequence[Any] = ()
    open_ended: bool = False
    guess: bool = False
    then: tuple[str, ...] = ()
    detail: str | None = None
    advice: str = ""


Looks = Sequence[FirstLook]
