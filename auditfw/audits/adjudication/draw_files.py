"""The files of a draw beside a run: draw.json, which vouches for draw.parquet, and what each page of it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from auditfw.components.files.run_tables import check_digest, digest_of, read_table
from auditfw.core.errors import DataError, UsageError, nearest
from auditfw.core.files import guarded, present, read_text, restored
from auditfw.core.records import Cell, Value
from auditfw.core.result_json import RESULT, dumps, write_whole
from auditfw.core.results.table_files import write_table
from auditfw.core.shapes import declared, json_value
from auditfw.core.tables import cell_names
from auditfw.formulas.people.strata import CLASSES

from .draw import CellClasses

SCHEMA = "auditfw.draw/1"
DRAW, TABLE = "draw.json", "draw.parquet"
FIRST = "labels"  # the name of a draw where none is written, and its folder
COLUMNS = (
    *("key", "id", "item", "class", "round", "page", "position", "probability"),
    *("question", "ground_truth", "raw_text"),
)  # of draw.parquet, besides cells and readings
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_RESTORE = "restore the files of the draw, or begin another one: auditfw label RUN name=NAME"


@dataclass(frozen=True)
class DrawPage:
    """One page: its file, and the keys of its trials in their order."""

    file: str
    keys: Sequence[str]


@dataclass(frozen=True)
class DrawRound:
    """One call of `label`: how many new labels for how many people, how many trials all of them have, the pages."""

    n: int
    people: int
    overlap: int
    pages: Sequence[DrawPage]


@dataclass(frozen=True)
class StoredDraw:
    """A draw as its files say: of which result.json (SHA-256), from which seed, by which readings (the reference
    first) within which cells; the trials of each cell by class and how many are drawn; the rounds so far.

    `n_eff` is that of the reference's error rate by cell, () for all; None where it has no label. `digests` has the
    SHA-256 of draw.parquet. `folder` is where the files are.
    """

    folder: Path
    run: str
    seed: int
    readings: Sequence[str]
    by: Sequence[str]
    groups: Sequence[CellClasses]
    rounds: Sequence[DrawRound]
    n_eff: Mapping[Cell, float | None]
    digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def reference(self) -> str:
        return self.readings[0]

    @property
    def drawn(self) -> int:
        """How many trials are drawn."""
        return sum(sum(group.drawn) for group in self.groups)

    @property
    def cell_columns(self) -> dict[str, str]:
        """What the columns of the cells are called in draw.parquet."""
        return cell_names(self.by, (*COLUMNS, *self.readings))

    def rows(self) -> Any:
        """draw.parquet as a frame, a row a drawn trial in the order of the rounds and pages.

        Texts `key`, `id`, `item`; the cells; `class` 0 to 3; `round` and `page` from 1 (null: the trial is on every
        page of its round); `position` on the page from 1; `probability` to be drawn; the texts shown (`ground_truth`
        a list); each reading 1, 0, or null. Raises DataError where it is not the table of this draw.
        """
        file = self.folder / TABLE
        check_digest(file, self.digests.get(TABLE, ""), DRAW, _RESTORE)
        frame = read_table(file)
        lacking = [name for name in (*COLUMNS, *self.cell_columns.values(), *self.readings) if name not in frame]
        if lacking:
            raise DataError(str(file), "is not the table of a draw", f"no column {lacking[0]}", _RESTORE)
        return frame


@dataclass(frozen=True)
class _Group:
    cell: dict[str, Value]
    kind: int
    trials: int
    drawn: int


@dataclass(frozen=True)
class _EffectiveItems:
    cell: dict[str, Value]
    value: float | None


@dataclass(frozen=True)
class _Document:
    """The shape of draw.json; its groups have `class` where Python has `kind`."""

    run: str
    seed: int
    readings: list[str]
    reference: str
    by: list[str]
    groups: list[_Group]
    rounds: list[DrawRound]
    n_eff: list[_EffectiveItems]
    digests: dict[str, str]


def draw_folder(run: Path, name: str) -> Path:
    """The folder of a draw: beside its run by name, or, with a slash, the path of a folder elsewhere.

    Raises UsageError for a name that is none.
    """
    if "/" in name or name in (".", ".."):
        return Path(name)
    if not _NAME.fullmatch(name):
        raise UsageError("name", "expected letters, digits, - and _", name, "write name=second, or leave it out")
    return run / (FIRST if name == FIRST else f"{FIRST}-{name}")


def has_draw(folder: Path) -> bool:
    """Whether a folder holds a draw. Raises DataError where something else is in its place."""
    return present(folder / DRAW)


def read_draw(run: Path, name: str) -> StoredDraw:
    """The draw of this name of a run. Raises UsageError where there is none, DataError where it is not of this run."""
    folder = draw_folder(run, name)
    if not has_draw(folder):
        raise _none(run, name)
    file = folder / DRAW
    try:
        document = json_value(read_text(file))
    except ValueError as error:
        raise DataError(str(file), "is not JSON", str(error), _RESTORE) from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise DataError(str(file), f"is not of schema {SCHEMA}", None, _RESTORE)
    draw = _stored(folder, declared(_Document, _renamed(document, "class", "kind"), str(file), do=_RESTORE))
    if draw.run != digest_of(run / RESULT):
        do = "name the run that it was drawn from, or begin another draw: auditfw label RUN name=NAME"
        raise DataError(str(file), f"belongs to another {RESULT}", draw.run[:12], do)
    return draw


def _none(run: Path, name: str) -> UsageError:
    """Why there is no draw of this name: none at all, or others."""
    folders = sorted(file.parent.name for file in run.glob(f"{FIRST}*/{DRAW}"))
    others = [folder if folder == FIRST else folder.removeprefix(f"{FIRST}-") for folder in folders]
    if others:
        return UsageError("audit.draw", f"no draw of {run} is named '{name}'", None, nearest(name, others))
    do = f"auditfw label {run}, or audit.sampling=random for labels chosen at random elsewhere"
    return UsageError(str(run), "no labels were drawn from this run", None, do)


def _renamed(document: dict[str, Any], name: str, called: str) -> dict[str, Any]:
    groups = document.get("groups")
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
        return document
    return {**document, "groups": [{called if key == name else key: group[key] for key in group} for group in groups]}


def _stored(folder: Path, document: _Document) -> StoredDraw:
    """The draw of a document. Raises DataError where its parts do not go together."""
    counts: dict[Cell, dict[int, tuple[int, int]]] = {}
    for group in document.groups:
        if not (set(group.cell) == set(document.by) and 0 <= group.kind < len(CLASSES)):
            raise _wrong(folder, "groups", "names another cell or class")
        if not 0 <= group.drawn <= group.trials:
            raise _wrong(folder, "groups", "has more drawn than trials")
        counts.setdefault(_key(document.by, group.cell), {})[group.kind] = (group.trials, group.drawn)
    if any(len(kinds) != len(CLASSES) for kinds in counts.values()):
        raise _wrong(folder, "groups", "lacks a class")
    if document.readings[:1] != [document.reference]:
        raise _wrong(folder, "readings", "does not begin with the reference")
    groups = [
        CellClasses(cell, *(tuple(kinds[kind][side] for kind in range(len(CLASSES))) for side in (0, 1)))
        for cell, kinds in counts.items()
    ]
    whole: list[str] = []
    worth = {_key(document.by if one.cell else whole, one.cell): one.value for one in document.n_eff}
    parts = (document.run, document.seed, document.readings, document.by, groups, document.rounds, worth)
    return StoredDraw(folder, *parts, document.digests)


def _wrong(folder: Path, key: str, what: str) -> DataError:
    return DataError(str(folder / DRAW), f"{key}: {what}", None, _RESTORE)


def _key(by: Sequence[str], cell: Mapping[str, Value]) -> Cell:
    return tuple(cell.get(name) for name in by)


def write_draw(draw: StoredDraw, columns: Mapping[str, Any]) -> None:
    """Writes draw.parquet of these Polars columns, then draw.json with its SHA-256; both stay as they were if one
    cannot be written. Raises IncompleteError."""
    table = draw.folder / TABLE
    with guarded(draw.folder), restored(table, draw.folder / DRAW):
        write_table(table, "draw", columns)
        document = {
            "schema": SCHEMA,
            **{"run": draw.run, "seed": draw.seed, "readings": draw.readings, "reference": draw.reference},
            "by": draw.by,
            "groups": [
                {"cell": _named(draw.by, group.cell), "class": kind, "trials": trials, "drawn": drawn}
                for group in draw.groups
                for kind, (trials, drawn) in enumerate(zip(group.trials, group.drawn, strict=True))
            ],
            "rounds": [asdict(one) for one in draw.rounds],
            "n_eff": [{"cell": _named(draw.by, cell), "value": value} for cell, value in draw.n_eff.items()],
            "digests": {TABLE: digest_of(table)},
        }
        write_whole(str(draw.folder), DRAW, dumps(document))


def _named(by: Sequence[str], cell: Cell) -> dict[str, Value]:
    return dict(zip(by, cell, strict=False))  # () is all trials
