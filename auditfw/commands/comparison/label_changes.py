"""The trials of two runs, or of a run and an accepted one, paired by id: which labels are not the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditfw.commands.run_folder import read_table
from auditfw.core.digits import p_text
from auditfw.core.document import Table
from auditfw.core.files import present
from auditfw.core.statistics import mcnemar_exact

SHOWN = 20
KEYS = (("id",), ("scenario", "key"))
NO_LABELS = ("status",)
FACTS = ("code.", "row.")  # what columns begin with that say the same once more, or are no labels
OTHER = "\0other"
LABELS = ".labels.parquet"


@dataclass(frozen=True)
class LabelChanges:
    """The trials of one reading in two runs: how many both have, how many changed which way, some of their ids.

    `p` is the exact McNemar p-value where the reading is right or wrong, else None; `before` and `after` are the labels
    of the trials that `ids` names, as text.
    """

    reading: str
    both: int
    to_true: int
    to_false: int
    changed: int
    p: float | None
    ids: Sequence[str]
    before: Sequence[str] = ()
    after: Sequence[str] = ()


@dataclass(frozen=True)
class PairedTrials:
    """The trials that two tables share, a row each: `keys` identify it, each of `names` is there from both tables."""

    rows: Any
    keys: Sequence[str]
    names: Sequence[str]


def labels_file(file: Path) -> Path:
    """Where the labels of an accepted run are, by the file of its numbers."""
    return file.with_suffix(LABELS)


def keys_of(columns: Sequence[str]) -> list[str] | None:
    """The columns that identify a trial of a table; None where it has none."""
    return next((list(keys) for keys in KEYS if {*keys} <= {*columns}), None)


def trial_file(place: Path) -> Path:
    """The table with the labels of a run, by its folder, or of an accepted run, by its file."""
    return labels_file(place) if place.is_file() else place / "trials.parquet"


def paired(one: Path, other: Path) -> PairedTrials | None:
    """The trials of two runs by their id; None where they cannot be paired."""
    files = [trial_file(place) for place in (one, other)]
    if not all(map(present, files)):
        return None
    left, right = map(read_table, files)
    keys = keys_of([name for name in left.columns if name in right.columns])
    if keys is None or left.select(keys).is_duplicated().any() or right.select(keys).is_duplicated().any():
        return None
    labels = [name for name in left.columns if name not in (*keys, *NO_LABELS) and not name.startswith(FACTS)]
    shared = [name for name in labels if name in right.columns]
    rows = left.select(*keys, *shared).join(right.select(*keys, *shared), on=keys, how="inner", suffix=OTHER)
    return PairedTrials(rows, keys, shared)


def changes_of(trials: PairedTrials) -> list[LabelChanges]:
    """The labels that changed, a row for each reading that has some."""
    return [change for name in trials.names for change in _label_changes(trials, name)]


def _label_changes(trials: PairedTrials, name: str) -> list[LabelChanges]:
    import polars as pl

    before, after = pl.col(name), pl.col(f"{name}{OTHER}")
    try:
        both = trials.rows.filter(before.is_not_null() & after.is_not_null())
        changed = both.filter(before != after)
    except pl.exceptions.PolarsError:
        return []
    if not len(changed):
        return []
    shown = changed.sort(trials.keys).head(SHOWN)
    ids = ["/".join(map(str, row)) for row in shown.select(trials.keys).rows()]
    sides = [[_label(value) for value in shown[column]] for column in (name, f"{name}{OTHER}")]
    if {trials.rows.schema[name], trials.rows.schema[f"{name}{OTHER}"]} != {pl.Boolean}:
        return [LabelChanges(name, len(both), 0, 0, len(changed), None, ids, *sides)]
    up = int(changed[f"{name}{OTHER}"].sum())
    down = len(changed) - up
    return [LabelChanges(name, len(both), up, down, len(changed), mcnemar_exact(up, down), ids, *sides)]


def _label(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def flips_table(changes: Sequence[LabelChanges]) -> Table:
    """The flips of each reading, with the paired test."""
    rows = []
    for one in changes:
        tested = ["", "", ""] if one.p is None else [f"{one.to_true:,}", f"{one.to_false:,}", p_text(one.p)]
        rows.append([one.reading, f"{one.both:,}", f"{one.changed:,}", *tested])
    return Table(["reading", "in both", "changed", "→ right", "→ wrong", "p"], rows, "<>>>>>")


def accepted_labels(folder: Path, result: Mapping[str, Any]) -> Any:
    """The labels of a finished run as a frame, a column a reading; None where their ids are not unique."""
    file = folder / "trials.parquet"
    if not present(file):
        return None
    trials = read_table(file)
    keys = keys_of(trials.columns)
    if keys is None or trials.select(keys).is_duplicated().any():
        return None
    readings = dict.fromkeys(["stored", *(m["reading"] for m in result["measurements"])])
    return trials.select(*keys, *(name for name in readings if name in trials.columns and name not in keys))
