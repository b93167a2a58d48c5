"""Ids that repeat: by which other columns their rows differ, so that an id can be put together of several."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

from auditfw.components.files.batches import Shape
from auditfw.components.files.file_settings import FileSettings, RowBlock

Spot = tuple[int, int]  # the number of a file, and which row of it

MOST_ROWS = 20_000  # rows of repeated ids that are looked at
MOST_COLUMNS = 8  # of which two or three together are tried
TOGETHER = 3
LONGEST = 100  # characters of a value that distinguishes rows
MOST_VALUES = 3  # named of a column
OUTCOMES = ("raw_text", "parsed_text", "ground_truth", "stored", "label", "reason")
FILE = "#file"

_KEYS: tuple[str, ...] = (
    "filter",
    "epoch",
    "repeat",
    "model",
    "run",
    "task",
    "seed",
    "attempt",
    "trial",
    "variant",
    "condition",
)
_KEYS = (
    *_KEYS,
    "temperature",
    "prompt",
    "split",
    "subset",
    "dataset",
    "language",
    "version",
    "scorer",
    "system",
    "rater",
)
_OUTCOME = re.compile(
    r"acc|accura|correct|match|score|metric|grade|pass|fail|error|answer|output|response|complet|predict|text|time|date"
    r"|dur|second|token|cost|length|hash|uuid|latenc|reason|explan|judg|label|target|truth|logprob|^f1|^em$|bleu|rouge",
    re.I,
)
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class RequestedColumns(Protocol):
    """What is asked of the tasks of a source."""

    @property
    def source(self) -> FileSettings: ...

    @property
    def shapes(self) -> tuple[Shape, ...]: ...

    def blocks(self, shape: Shape, columns: frozenset[str] | None) -> Iterator[RowBlock]: ...


@dataclass(frozen=True)
class Repeats:
    """The rows of repeated ids: of each row its group, and by column the values that may distinguish it from others."""

    source: FileSettings
    groups: Sequence[str]
    columns: Mapping[str, Sequence[Any]]
    alike: bool

    def separating(self) -> tuple[str, ...]:
        """The fewest columns by which no two rows of one id are the same; none where no few columns do."""
        ranked = sorted(self.columns, key=self._rank)
        for n in range(1, TOGETHER + 1):
            for names in combinations(ranked if n == 1 else ranked[:MOST_COLUMNS], n):
                rows = list(zip(self.groups, *(self.columns[name] for name in names), strict=True))
                if len(set(rows)) == len(rows):
                    return names
        return ()

    def _rank(self, name: str) -> tuple[int, int, int]:
        word = name.rpartition(".")[2].lower()
        known = next((at for at, key in enumerate(_KEYS) if key in word), len(_KEYS))
        return known, name == FILE, len(set(self.columns[name]))


def advice(read: RequestedColumns, repeated: Mapping[str, Sequence[Spot]], rows: int) -> str:
    """What to write where ids repeat among so many rows: an id of several columns, one part of the rows, or a rule."""
    surplus = sum(len(spots) - 1 for spots in repeated.values())
    keys = read.source.keys
    rule = f"{keys.of('duplicates')}=first leaves out {surplus:,} of {rows:,} rows"
    others, by_rule = f"{rule} (or last, all)", (rule, "duplicates")
    repeats = _gathered(read, repeated)
    if repeats.alike:
        return keys.advice((f"rows with the same id are equal: {others}", "duplicates"))
    names = repeats.separating()
    if not names:
        number = f"write {keys.of('columns.id')}='#' for the row number"
        return keys.advice((number, "columns.id"), (others, "duplicates"))
    if FILE in names:
        parts = "/".join("{file}" if name == FILE else f"{{{name}}}" for name in names)
        files = f"as in {keys.of('files')}=[{{path: FILE, set: {{file: a}}}}, ...]"
        do = f"ids repeat from file to file: give each a column, {files}, and write {_id(repeats.source, parts)}"
        return keys.advice((do, "files", "columns.id"), by_rule)
    parts = "/".join(f"{{{name}}}" for name in names)
    do = f"rows with the same id differ in {', '.join(names)}: write {_id(repeats.source, parts)}"
    return keys.advice((keys.advice(do, *_where(repeats, names), between=", or "), "columns.id"), by_rule)


def _id(source: FileSettings, parts: str) -> str:
    """The setting of an id that has further parts."""
    turn = source.unpivot
    own = turn.columns.get("id") if turn is not None else None
    theirs = own or source.columns.get("id", "id")
    first = theirs if "{" in theirs else f"{{{theirs}}}"
    setting = source.keys.of("unpivot.columns.id" if own else "columns.id")
    return f"{setting}='\"{first}/{parts}\"'"


def _where(repeats: Repeats, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The advice to read one part of the rows, where one column distinguishes them; with the setting it needs."""
    if len(names) > 1 or not _PLAIN.fullmatch(names[0]):
        return
    values = list(dict.fromkeys(repeats.columns[names[0]]))
    if len(values) > MOST_VALUES or not all(isinstance(value, int | str) for value in values):
        return
    if any(set(str(value)) & set("'\"\\$") for value in values):
        return
    first = f"'{values[0]}'" if isinstance(values[0], str) else values[0]
    listed = ", ".join(str(value) for value in values[1:])
    test, setting = f"{names[0]} = {first}", repeats.source.keys.of("where")
    quoted = f"'{setting}=\"{test}\"'" if "'" not in test else f'{setting}="\\"{test}\\""'
    yield f"read one of them with {quoted} (others: {listed})", "where"


def _gathered(read: RequestedColumns, repeated: Mapping[str, Sequence[Spot]]) -> Repeats:
    """The rows of repeated ids with their values; of very many ids only some, spread over all."""
    every = max(1, sum(map(len, repeated.values())) // MOST_ROWS)
    spots = {spot: word for word in list(repeated)[::every] for spot in repeated[word]}
    groups: list[str] = []
    rows: list[Mapping[str, Any]] = []
    whole: set[tuple[str, str]] = set()
    for shape in read.shapes:
        width = len(shape.routes)
        for block in read.blocks(shape, None):
            got = shape.read(block)
            ordinals = shape.ordinals(got)
            for at, row in enumerate(got.rows):
                for side in range(width):
                    word = spots.get((shape.file.number, ordinals[at * width + side]))
                    if word is not None:
                        groups.append(word)
                        rows.append(_values(read.source, shape, row, side))
                        whole.add((word, repr((row, side, shape.file.set))))
    return Repeats(read.source, groups, _columns(rows, groups), len(whole) == len({word for word, _ in whole}))


def _values(source: FileSettings, shape: Shape, row: Mapping[str, Any], side: int) -> dict[str, Any]:
    """What may distinguish a row from others of the same id: short values, by the names that settings have for them."""
    ours = {theirs: name for name, theirs in source.columns.items() if name != "id"}
    taken = {source.columns.get("id", "id"), *(source.columns[name] for name in OUTCOMES if name in source.columns)}
    flat = dict(row)
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= {f"{name}.{inner}": part for inner, part in value.items() if not set(str(inner)) & set('.[]{}"')}
    constants = {
        ours.get(name, name): value
        for name, value in flat.items()
        if name not in taken
        and ours.get(name, name) not in OUTCOMES
        and (_is_key(name) or not _OUTCOME.search(name.rpartition(".")[2]))
        and _may_distinguish(name, value)
    }
    constants |= shape.file.set
    if source.unpivot is not None:
        constants[source.unpivot.into] = source.unpivot.values[side]
    if shape.file.several:
        constants[FILE] = shape.file.number
    return constants


def _may_distinguish(name: str, value: Any) -> bool:
    if isinstance(value, float):
        return "temperature" in name
    return isinstance(value, int | str) and not isinstance(value, bool) and len(str(value)) <= LONGEST


def _columns(rows: Sequence[Mapping[str, Any]], groups: Sequence[str]) -> dict[str, list[Any]]:
    """The columns that all rows have and that are no outcome; one that is new in every row is an id of its own."""
    common = set.intersection(*(set(row) for row in rows)) if rows else set()
    columns = {name: [row[name] for row in rows] for name in rows[0] if name in common} if rows else {}
    alone = len(set(groups)) == 1
    return {
        name: values
        for name, values in columns.items()
        if len(set(values)) > 1 and (_is_key(name) or len(set(values)) < len(values) or alone)
    }


def _is_key(name: str) -> bool:
    """Whether columns of this name usually distinguish repeated rows."""
    return name == FILE or name.rpartition(".")[2].lower() in _KEYS
