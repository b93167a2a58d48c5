"""The file that the page saves: `key,id,label,note,labeller,reading,kind`, a row a decision."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from auditfw.core.errors import DataError
from auditfw.core.escaping import FORMULA
from auditfw.core.files import read_text

LABELS = ("right", "wrong", "cannot_tell")
KIND = "label"
NEEDED = ("key", "label")
_GUARDED = re.compile(f"'(?={FORMULA.removeprefix('^')})")


@dataclass(frozen=True)
class Decision:
    """What a reader says of one exhibit: whether the answer is right ("" for a note alone), and on which line."""

    label: str
    note: str
    labeller: str
    line: int


def read_decisions(path: str, known: Collection[str]) -> dict[str, Decision]:
    """The decisions of a file by the keys of exhibits, all of which must be `known`. Raises DataError."""
    read: dict[str, Decision] = {}
    rows = [(line, row) for line, row in _rows(path) if row["label"].strip() or row.get("note", "").strip()]
    _check_words(path, rows)
    strangers = [(line, row["key"]) for line, row in rows if row["key"] not in known]
    if strangers:
        line, key = strangers[0]
        what = f"key {key or '(empty)'} is of no exhibit of this run"
        raise DataError(f"{path}:{line}", what, f"{len(strangers)} of {len(rows)} rows", "name the run that it is from")
    for line, row in rows:
        one = Decision(row["label"].strip().lower(), row.get("note", ""), row.get("labeller", "").strip(), line)
        before = read.get(row["key"])
        if before is not None and before.label and one.label and before.label != one.label:
            what = f"two labels for key {row['key']}"
            both = f"{before.label} in line {before.line}, {one.label} in line {line}"
            raise DataError(f"{path}:{line}", what, both, "leave one of them")
        if before is None or (one.label and not before.label):
            read[row["key"]] = one
    return read


def _check_words(path: str, rows: Collection[tuple[int, Mapping[str, str]]]) -> None:
    """Raises DataError where a label or a kind is another word."""
    for column, words, what in (("label", LABELS, "label"), ("kind", (KIND,), "kind")):
        cells = [(line, row.get(column, "").strip().lower()) for line, row in rows]
        unknown = [(line, word) for line, word in cells if word and word not in words]
        if unknown:
            (line, word), times = unknown[0], Counter(word for _, word in unknown)
            count = f"{times[word]} row{'s' * (times[word] > 1)}"
            raise DataError(f"{path}:{line}", f"{word!r} is no {what}", count, f"write {', '.join(words)}")


def _rows(path: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows by the header's names, each with its first line: commas, semicolons or tabs, a BOM, any line ends."""
    try:
        text = read_text(Path(path), links=True).removeprefix("\ufeff")
    except FileNotFoundError:
        raise DataError(path, "no such file", do="name the file that the page saved") from None
    except UnicodeDecodeError:
        raise DataError(path, "is not UTF-8 text", do="save it as CSV in UTF-8") from None
    head = text.partition("\n")[0]
    lines = csv.reader(StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), strict=True)
    names: list[str] = []
    at = 1
    try:
        for cells in lines:
            if not names:
                names = [name.strip() for name in cells]
                for name in NEEDED:
                    if name not in names:
                        raise DataError(f"{path}:{at}", f"no column '{name}'", ", ".join(names), "save the page's file")
            elif any(cells):
                if len(cells) != len(names):
                    raise DataError(f"{path}:{at}", f"expected {len(names)} cells", len(cells))
                yield at, {name: _GUARDED.sub("", cell, count=1) if cell[:1] == "'" else cell
                           for name, cell in zip(names, cells, strict=True)}  # fmt: skip
            at = lines.line_num + 1
    except csv.Error as error:
        raise DataError(f"{path}:{at}", "is no row of CSV", str(error)) from None
    if not names:
        raise DataError(path, "is empty", do="save the page's file")
