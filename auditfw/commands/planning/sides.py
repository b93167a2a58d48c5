"""The labels of a finished run for a plan: its cells with the items, trials and labels of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from auditfw.audits.adjudication.run_trials import COMPLETE, RATED, AuditedRun, audited_run
from auditfw.audits.claims import select
from auditfw.commands.run_folder import read_run
from auditfw.commands.stored_run import read_reference, stored_config
from auditfw.components.files.run_tables import check_tables, has_table, read_table
from auditfw.core.errors import DataError, UsageError, nearest
from auditfw.core.imports import np
from auditfw.core.records import Cell, sorted_cells
from auditfw.formulas.budget.ended import NO_LABEL, NO_TRUTH, RIGHT_CODE
from auditfw.formulas.clusters import ClusteredRate, rate

TRIALS, ID, STATUS, CODE, ITEM, MODEL = "trials.parquet", "id", "status", "code.", "row.item", "row.model"
FAILED = ("sample_error", "unscored", "error", "timeout")  # statuses of run errors
PARSING = "parsing"


@dataclass(frozen=True)
class PlanSide:
    """Some trials of a run: the code of the item of each, and labels, a column a reading: 1 right, 0 wrong, -1 none.

    A cell has its `values`, as text, of the columns that are not the same in all cells.
    """

    name: str
    items: Any
    labels: Any
    values: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """What it is called in a title: its values alone."""
        return ", ".join(self.values) or self.name

    @cached_property
    def counts(self) -> tuple[Any, Any, Any]:
        """The items with a label by the first reading, and how many trials and right ones each has."""
        first = self.labels[:, 0]
        there = first >= 0
        items, places = np.unique(self.items[there], return_inverse=True)
        trials = np.bincount(places, minlength=items.size)
        return items, trials, np.bincount(places, weights=first[there] == 1, minlength=items.size).astype(np.int64)

    @cached_property
    def rate(self) -> ClusteredRate:
        _, trials, right = self.counts
        return rate(trials, right)

    @property
    def repeats(self) -> float:
        """The trials of an item, on average."""
        return self.rate.trials / self.rate.items

    @property
    def design(self) -> float:
        """How many items say as much as one independent trial: the design effect over the repeats."""
        effect = self.rate.design_effect
        return 1.0 if effect is None else effect / self.repeats

    def means(self, items: Any) -> Any:
        """The share right of each of these items, which ascend; NaN where it has no trial."""
        own, trials, right = self.counts
        means = np.full(len(items), np.nan)
        places = np.searchsorted(items, own)
        means[places] = right / trials
        return means


@dataclass(frozen=True)
class PlannedRun:
    """The trials of a run by cell: the names of its columns, the values of each cell with its trials.

    `readings` are those of the columns of labels, the first the one that is planned by. `items_known` says whether
    trials have an item; without, each trial is one. `judged`: the readings are raters;
    `word`: what a label of 1 is.
    """

    folder: str
    names: tuple[str, ...]
    cells: Sequence[tuple[Cell, PlanSide]]
    readings: tuple[str, ...]
    items_known: bool
    judged: bool = False
    word: str = "right"

    @property
    def whole(self) -> PlanSide:
        """All trials."""
        sides = [side for _, side in self.cells]
        items, labels = (np.concatenate(columns) for columns in zip(*((s.items, s.labels) for s in sides), strict=True))
        return PlanSide("all trials", items, labels)

    def side(self, sql: str, setting: str) -> PlanSide:
        """The trials of the cells for which a condition holds. Raises UsageError."""
        if not self.names:
            raise UsageError(setting, "the run has one cell", sql, "run with by=[COLUMN], or leave it out")
        chosen = select(sql, setting, [cell for cell, _ in self.cells], self.names)
        sides = [self.cells[place][1] for place in chosen]
        if len(sides) == 1:
            return sides[0]
        items, labels = (np.concatenate(columns) for columns in zip(*((s.items, s.labels) for s in sides), strict=True))
        return PlanSide(sql, items, labels)

    @property
    def best_first(self) -> list[PlanSide]:
        """Its cells by the share right, the best first, of equal ones in their order."""
        return sorted((side for _, side in self.cells), key=lambda side: -side.rate.share)


def planned_run(folder: Path, reading: str | None) -> PlannedRun:
    """Reads the label table of a finished run. Raises DataError where it has none, UsageError for another reading."""
    result = read_run(folder)
    check_tables(folder, result)
    if result["audit"] == RATED:
        return _of_raters(audited_run(folder, "plan"), reading)
    if result["audit"] != PARSING:
        do = "name the folder of a parsing or consistency run"
        raise UsageError("plan", "plans from parsing and consistency runs", str(result["audit"]), do)
    if result["exit_code"] not in COMPLETE:
        what = f"exit code {result['exit_code']}"
        raise UsageError("plan", "the run is incomplete", what, "name the folder of one that audited all of its input")
    file, readings = folder / TRIALS, list[str]()

    def wanted(columns: Sequence[str]) -> list[str]:
        readings.extend(name.removeprefix(CODE) for name in columns if name.startswith(CODE))
        return _wanted(columns, chosen())

    def chosen() -> str:
        return reading or read_reference(folder) or next(iter(readings), "")

    frame = read_table(file, wanted) if has_table(file) else None
    if frame is None or not readings:
        raise DataError(str(folder), "no label table", None, f"auditfw rerun {folder}")
    first = chosen()
    if first not in readings:
        raise UsageError("reading", f"no reading '{first}' in this run", None, nearest(first, readings))
    undefined = (frame[f"{CODE}{first}"] == NO_TRUTH).any()
    labels, _ = trial_labels(frame, first, not undefined or undefined_is_wrong(stored_config(folder)[0]))
    return _run(folder, frame, labels.reshape(-1, 1), (first,))


def trial_labels(frame: Any, reading: str, zero: bool) -> tuple[Any, Any]:
    """The labels of a reading as its metrics count them, 1 right, 0 wrong, -1 none, and which trials are run errors.

    Those have no label. `zero`: whether trials without a truth are wrong, else they have none either.
    """
    codes = frame[f"{CODE}{reading}"].fill_null(NO_LABEL).to_numpy()
    scored = (codes <= (NO_TRUTH if zero else NO_TRUTH - 1)) & (codes != NO_LABEL)
    errors = frame[STATUS].is_in(list(FAILED)).to_numpy()
    return np.where(errors, -1, np.where(codes == RIGHT_CODE, 1, np.where(scored, 0, -1))).astype(np.int8), errors


def undefined_is_wrong(config: Mapping[str, Any]) -> bool:
    """Whether trials without a truth count as wrong in a run, by its config; else they are left out."""
    audit = config.get("audit")
    return not (isinstance(audit, Mapping) and audit.get("undefined") == "drop")


def _wanted(columns: Sequence[str], reading: str) -> list[str]:
    cells = columns[columns.index(ID) + 1 : columns.index(STATUS)] if {ID, STATUS} <= {*columns} else []
    kept = {*cells, STATUS, ITEM, MODEL, f"{CODE}{reading}"}
    return [name for name in columns if name in kept]


def _of_raters(run: AuditedRun, reading: str | None) -> PlannedRun:
    if reading is not None and reading not in run.readings:
        raise UsageError("reading", f"no rater '{reading}' in this run", None, nearest(reading, run.readings))
    readings = (reading,) if reading is not None else tuple(run.readings)
    labels = np.stack([run.codes(name) for name in readings], 1)
    labels[(labels < 0).any(1)] = -1
    return replace(_run(run.folder, run.frame, labels, readings), judged=len(readings) > 1, word="accepted")


def _run(folder: Path, frame: Any, labels: Any, readings: tuple[str, ...]) -> PlannedRun:
    names = list(frame.columns[: frame.columns.index(STATUS)])
    names = [name for name in names if name not in (ID, ITEM)] or _models(frame)
    kept = np.flatnonzero(labels[:, 0] >= 0)
    if not len(kept):
        raise DataError(str(folder), "no trial has a label", None, "name another reading: reading=NAME")
    known = ITEM in frame and frame[ITEM].null_count() < frame.height
    items = np.arange(frame.height)
    if known:
        numbers = frame[ITEM].rank("dense").to_numpy()
        items = np.where(frame[ITEM].is_null().to_numpy(), frame.height + items, np.nan_to_num(numbers)).astype(
            np.int64
        )
    values, codes = _coded(frame, names, kept)
    order = np.argsort(codes, kind="stable")
    parts = np.split(kept[order], np.cumsum(np.bincount(codes))[:-1])
    shown = tuple("model" if name == MODEL else name.removeprefix("cell.") for name in names)
    several = [at for at in range(len(shown)) if len({cell[at] for cell in values}) > 1]
    cells = {
        cell: PlanSide(_named(shown, cell, several), items[part], labels[part], _values(shown, cell, several))
        for cell, part in zip(values, parts, strict=True)
    }
    ordered = [(cell, cells[cell]) for cell in sorted_cells(set(values))]
    return PlannedRun(str(folder), shown, ordered, readings, known)


def _models(frame: Any) -> list[str]:
    """The column of the models where it has several, and there are no cells."""
    return [MODEL] if MODEL in frame and frame[MODEL].n_unique() > 1 else []


def _coded(frame: Any, names: Sequence[str], kept: Any) -> tuple[list[Cell], Any]:
    """The distinct values of columns among some rows, and the number of each row's."""
    if not names:
        return [()], np.zeros(len(kept), np.int64)
    rows = frame.select(names)[kept]
    distinct = rows.unique(maintain_order=True).with_row_index("number")
    numbers = rows.join(distinct, on=list(names), how="left", nulls_equal=True, maintain_order="left")["number"]
    return [row[1:] for row in distinct.rows()], numbers.to_numpy().astype(np.int64)


def _named(names: Sequence[str], cell: Cell, several: Sequence[int]) -> str:
    """A cell by the columns that are not the same in all of them; by all where there is one."""
    shown = several or range(len(names))
    each = [str(cell[at]) if len(shown) == 1 else f"{names[at]} = {cell[at]}" for at in shown]
    return ", ".join(each) or "all trials"


def _values(names: Sequence[str], cell: Cell, several: Sequence[int]) -> tuple[str, ...]:
    """The values of these columns, texts by themselves."""
    alone = len(several) == 1
    return tuple(str(cell[at]) if alone or isinstance(cell[at], str) else f"{names[at]} {cell[at]}" for at in several)


def pair_of(run: PlannedRun, better: str | None, than: str | None) -> tuple[PlanSide, PlanSide | None]:
    """The two sides of a difference: those that are named, else the best cells; one side of a run with one cell.

    Raises UsageError where two that are named have no common item.
    """
    ranked = run.best_first
    first = run.side(better, "better") if better is not None else None
    second = run.side(than, "than") if than is not None else None
    if second is None:
        first = first or ranked[0]
        others = [side for side in ranked if side is not first and len(common(first, side))]
        return first, next(iter(others), None)
    first = first or next((side for side in ranked if side is not second and len(common(side, second))), None)
    if first is None or not len(common(first, second)):
        names = f"{first.name if first else 'any other cell'} and {second.name}"
        raise UsageError("than", "the two cells have no common item", names, "name two that have: better=..., than=...")
    return first, second


def common(one: PlanSide, other: PlanSide) -> Any:
    """The items with a label on both sides."""
    return np.intersect1d(one.counts[0], other.counts[0], assume_unique=True)


def apart(one: PlanSide, other: PlanSide) -> tuple[str, str]:
    """What two sides are called beside each other: of two cells the values in which they differ."""
    pairs = [pair for pair in zip(one.values, other.values, strict=False) if pair[0] != pair[1]]
    if not pairs:
        return one.name, other.name
    return ", ".join(a for a, _ in pairs), ", ".join(b for _, b in pairs)
