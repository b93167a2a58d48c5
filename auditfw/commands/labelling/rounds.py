"""A round of a draw: which trials are new, in which order on which pages, and the table of all that are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any, NamedTuple

from auditfw.audits.adjudication.draw import (
    MOST_READINGS,
    CellClasses,
    DrawRows,
    PageTrial,
    distinct,
    draw,
    keys_of,
    pages,
    sizes,
)
from auditfw.audits.adjudication.draw_files import DRAW, StoredDraw, draw_folder, has_draw, read_draw
from auditfw.audits.adjudication.run_trials import ID, ITEM, AuditedRun, RunTrials
from auditfw.core.document import some
from auditfw.core.errors import DataError, UsageError, nearest
from auditfw.core.files import data_digest
from auditfw.core.records import Cell
from auditfw.formulas.people.strata import classes_of

from .settings import MOST_LABELS, LabelSettings
from .sources import TrialText

NEAR = "near"  # a reading of other forms of the truths: not asked for people's labels unless named
LEAST_IN_CELL = 20  # labels
DIGEST = 16  # hexadecimal digits


@dataclass(frozen=True)
class DrawnRound:
    """A round before it is written: the draw so far with its cells as they are now, the new trials with their keys.

    `before` is the table of the earlier rounds, None in the first; `pages` are those of the new trials.
    """

    run: AuditedRun
    rows: DrawRows
    draw: StoredDraw
    trials: Sequence[PageTrial]
    keys: Mapping[int, str]  # by row
    pages: Sequence[Sequence[PageTrial]]
    before: Any

    @property
    def number(self) -> int:
        """The number of the round, from 1."""
        return len(self.draw.rounds) + 1

    @property
    def ids(self) -> list[str]:
        """The ids of the new trials in the order of the page."""
        return [self.rows.ids[one.row] for one in self.trials]

    @property
    def digest(self) -> str:
        """What a browser keeps the labels of these pages under: another draw has another one."""
        parts = (self.draw.run, str(self.draw.seed), *self.draw.readings, *(self.keys[one.row] for one in self.trials))
        return data_digest("\0".join(parts).encode("utf-8", "replace"))[:DIGEST]

    def columns(self, texts: Mapping[str, TrialText]) -> dict[str, Any]:
        """The columns of draw.parquet: the earlier rounds, then this one; every probability as it is by now."""
        import polars as pl

        called, schema = self.draw.cell_columns, self.run.frame.schema
        kinds: dict[str, Any] = {"key": pl.String, "id": pl.String, "item": pl.String}
        kinds |= {called[name]: schema[name] for name in self.draw.by}
        kinds |= {"class": pl.Int64, "round": pl.Int64, "page": pl.Int64, "position": pl.Int64}
        kinds |= {"probability": pl.Float64, "question": pl.String, "ground_truth": pl.List(pl.String)}
        kinds |= {"raw_text": pl.String, **dict.fromkeys(self.draw.readings, pl.Boolean)}
        new = [self._row(one, texts) for one in self.trials]
        rows = [*([] if self.before is None else self.before.to_dicts()), *new]
        shares = {group.cell: group for group in self.draw.groups}
        for row in rows:
            group = shares[tuple(row[called[name]] for name in self.draw.by)]
            row["probability"] = group.drawn[row["class"]] / group.trials[row["class"]]
        return {name: pl.Series(name, [row[name] for row in rows], kind) for name, kind in kinds.items()}

    def with_items(self, items: Mapping[str, str]) -> DrawnRound:
        """The same where the items of all trials are known by id: n_eff is that of the first round."""
        if self.number > 1 or not items:
            return self
        import polars as pl

        column = pl.Series(ITEM, [items.get(name) for name in self.run.frame[ID].to_list()], pl.String)
        run = replace(self.run, frame=self.run.frame.with_columns(column))
        worth = _trials(run, list(self.draw.readings), self.draw.by).effective_items
        return replace(self, draw=replace(self.draw, n_eff=worth))

    @cached_property
    def _places(self) -> dict[int, tuple[int | None, int]]:
        """The page of each new row, None for every page, and its place there."""
        places: dict[int, tuple[int | None, int]] = {}
        for page, trials in enumerate(self.pages, 1):
            for position, trial in enumerate(trials, 1):
                places[trial.row] = (None if trial.row in places else page, position)
        return places

    def _row(self, trial: PageTrial, texts: Mapping[str, TrialText]) -> dict[str, Any]:
        """A new trial as a row; `page` is null where the trial is on every page."""
        row, name = trial.row, self.rows.ids[trial.row]
        text, cell, (page, position) = texts[name], self.rows.cells[row], self._places[row]
        labels = {reading: _LABELS[int(codes[row])] for reading, codes in self.rows.labels.items()}
        return {
            **{"key": self.keys[row], "id": name, "item": text.item},
            **dict(zip(self.draw.cell_columns.values(), cell, strict=True)),
            **{"class": trial.kind, "round": self.number, "page": page, "position": position},
            **{"question": text.question, "ground_truth": list(text.expected), "raw_text": text.answer},
            **labels,
        }


_LABELS = {1: True, 0: False, -1: None}


def next_round(run: AuditedRun, settings: LabelSettings) -> DrawnRound:
    """Draws the trials of the first or of a further round. Raises UsageError or DataError."""
    folder = draw_folder(run.folder, settings.place)
    known = read_draw(run.folder, settings.place) if has_draw(folder) else None
    rows, by, worth = _asked(run, settings, known)
    groups = sizes(rows, rows.classes())
    seed = run.seed if settings.seed is None else settings.seed
    if known is None:
        _check_cells(groups, settings.n)
        known, before = StoredDraw(folder, run.input.sha256, seed, list(rows.labels), by, groups, [], worth), None
    else:
        _check_same(known, list(rows.labels), settings, groups)
        before = known.rows()
    total = sum(sum(group.trials) for group in groups)
    if known.drawn >= total:
        raise UsageError("n", f"all {total:,} trials are drawn already", settings.n, "label what is drawn")
    now, trials = draw(rows, known.groups, settings.n, known.seed)
    drawn = {} if before is None else dict(zip(before[ID].to_list(), before["key"].to_list(), strict=True))
    new = [rows.ids[one.row] for one in trials]
    made = keys_of([*drawn, *new], known.seed)[len(drawn) :]
    keys = {one.row: key for one, key in zip(trials, made, strict=True)}
    on = pages(trials, settings.people, min(settings.overlap, len(trials) // 2))
    return DrawnRound(run, rows, replace(known, groups=now), trials, keys, on, before)


class _Trials(NamedTuple):
    """The trials that may be drawn, the columns of their cells, n_eff of the reference's error rate by cell."""

    rows: DrawRows
    by: list[str]
    effective_items: Mapping[Cell, float]


def _asked(run: AuditedRun, settings: LabelSettings, known: StoredDraw | None) -> _Trials:
    """The trials with the readings and cells that are asked for, else those of the draw, else those of the run."""
    for name in settings.by or ():
        if name not in run.cells:
            do = nearest(name, run.cells) if run.cells else "the run has no cells: leave it out"
            raise UsageError("by", f"no column '{name}' of the run's cells", None, do)
    for name in settings.readings or ():
        if name not in run.readings:
            raise UsageError("readings", f"no reading '{name}' in this run", None, nearest(name, run.readings))
    names = settings.readings or (known.readings if known else [one for one in run.readings if one != NEAR])
    by = list(settings.by if settings.by is not None else known.by if known else ())
    return _trials(run, list(dict.fromkeys([run.reference, *names])), by)


def _trials(run: AuditedRun, readings: Sequence[str], by: Sequence[str]) -> _Trials:
    """The trials with these readings, each that says what no other does, within these cells."""
    labels = distinct({name: run.codes(name) for name in readings})
    if len(labels) > MOST_READINGS:
        what = f"{len(labels)} readings are more than {MOST_READINGS}"
        raise UsageError("readings", what, None, "name those that are to be compared")
    trials = RunTrials(run, classes_of(list(labels.values())))
    cells, numbers = trials.coded(by)
    kept = {name: codes[trials.kept] for name, codes in labels.items()}
    worth = trials.effective_items(next(iter(kept.values())), cells, numbers)
    return _Trials(DrawRows(trials.ids, [cells[number] for number in numbers.tolist()], kept), list(by), worth)


def _check_cells(groups: Sequence[CellClasses], n: int) -> None:
    """Raises UsageError where cells would get too few labels each, or there is no trial."""
    total, wanted = sum(sum(group.trials) for group in groups), LEAST_IN_CELL * len(groups)
    if not total:
        raise UsageError("label", "no trial of the run has a label of any reading", None, "name another run")
    if len(groups) > 1 and n < min(wanted, total):
        do = f"n={wanted}, or fewer cells" if wanted <= MOST_LABELS else "name fewer cells"
        what = f"{len(groups)} cells with {some(n, 'label')} are fewer than {ceil(n / len(groups)) or 1} each"
        raise UsageError("by", what, None, do)


def _check_same(
    known: StoredDraw, readings: Sequence[str], settings: LabelSettings, groups: Sequence[CellClasses]
) -> None:
    """Raises UsageError where a draw has other settings, DataError where it has other trials than the run."""
    asked: dict[str, tuple[list[Any], list[Any]]] = {
        "readings": (list(known.readings), list(readings)),
        "by": (list(known.by), list(known.by if settings.by is None else settings.by)),
        "seed": ([known.seed], [known.seed if settings.seed is None else settings.seed]),
    }
    for what, (before, now) in asked.items():
        if before != now:
            do = "a further round keeps them; name=NAME begins another draw"
            listed = f"{what} [{', '.join(map(str, before))}]" if what != "seed" else f"seed {known.seed}"
            raise UsageError(settings.place, f"was drawn with {listed}", None, do)
    if [(one.cell, one.trials) for one in known.groups] != [(one.cell, one.trials) for one in groups]:
        raise DataError(
            str(known.folder / DRAW), "has other trials than the run", None, "begin another draw: name=NAME"
        )
