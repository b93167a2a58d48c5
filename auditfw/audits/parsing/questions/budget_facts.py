"""Where the points of the reference went, in numbers: classes, rates and bounds, of all trials and by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from auditfw.audits.parsing.kept.row_facts import absent_rows
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.settings import STORED_LABEL
from auditfw.audits.parsing.trials import UNSCORED
from auditfw.core.errors import DataError
from auditfw.core.imports import NDArray, np
from auditfw.core.records import Value, named_cells
from auditfw.core.tables import NO_CODE
from auditfw.formulas.budget.cells import CellBudget, CellTrials, as_the_finished, cell_budget
from auditfw.formulas.budget.ended import (
    BREAKS,
    FILTER,
    FINISHED,
    LEAST_CHARACTERS,
    LEAST_TOKENS,
    NO_LABEL,
    NO_TRUTH,
    RIGHT_CODE,
    UNFINISHED,
    UNRECORDED,
    WRONG_CODE,
    AboutCut,
    Sign,
    TrialClass,
    Trials,
    about_cut,
    at_spike,
    breaks_off,
    classes,
    habits,
    recorded_limit,
)
from auditfw.formulas.clusters import row_codes, rows_of_each
from auditfw.kinds.capabilities import capability
from auditfw.kinds.questions import LabelRows

from .budget_readings import elsewhere, reference_marked
from .row_facts import shown

if TYPE_CHECKING:
    Flags = NDArray[np.bool_]

FAILED = ("sample_error", UNSCORED)  # statuses of rows on which the model's run failed; not a component of this one
MOSTLY = 0.95  # of a cell's trials, so that what is recorded of them says all


def unrecorded(rows: LabelRows) -> DataError:
    """The error where only what is recorded counts, and nothing is."""
    first = next(iter(rows.frame(["row.place"]).to_series()), None) or "audit.unfinished"
    do = "audit.unfinished=text, or map source.columns.stop"
    return DataError(str(first).rpartition(":")[0] or str(first), "no trial records how it ended", None, do)


class TrialBudget:
    """The trials with a truth of a table, and the class of each under the reference."""

    def __init__(self, rows: LabelRows) -> None:

        self.rows, self.results = rows, cast(ParsingResults, cast(Any, rows).results)
        codes, status = rows.numbers(f"code.{rows.reference}").copy(), rows.numbered("status")
        failed = np.isin(status.numbers, [n for n, name in enumerate(status.values) if name in FAILED])
        unscored = np.isin(status.numbers, [n for n, name in enumerate(status.values) if name == UNSCORED])
        trials = (codes != NO_CODE) | failed
        if rows.settings.undefined == "drop":
            trials &= codes != NO_TRUTH
        labelled = bool(np.isin(codes, (WRONG_CODE, RIGHT_CODE)).any())
        if rows.reference != STORED_LABEL or rows.unlabelled_by_design or not labelled:
            trials &= (codes != NO_LABEL) | failed  # no label by design, or a truth that a matcher cannot read
        self.at = np.flatnonzero(trials)
        self.codes, self.failed, self.unscored = codes[self.at], failed[self.at], unscored[self.at]

    @property
    def facts(self) -> Any:
        """What was counted of rows as they were read."""
        return self.results.whole.rows.facts

    def _column(self, name: str, without: int = 0) -> Any:

        if not self.rows.has(name):
            return np.full(len(self.at), without, np.uint8)
        return self.rows.numbers(name)[self.at]

    @cached_property
    def absent(self) -> Sequence[tuple[int, tuple[Any, ...] | None]]:
        """How many trials were planned and are not there, with the cell of those that are of one."""
        if capability(self.rows.settings.source, "limit") is not None:
            return []
        return absent_rows(self.facts, self.results.counts["read"], self.rows.settings)

    @cached_property
    def ended(self) -> Any:
        return self._column("row.ended", UNRECORDED)

    @property
    def has_texts(self) -> bool:
        return self.rows.has("row.signs")

    @cached_property
    def signs(self) -> Any:
        """The signs of each text; one that is not there, where others are, is empty unless an answer was stored."""
        signs = self._column("row.signs")
        without = np.where(self._column("row.stored_key") == 0, int(Sign.EMPTY), 0).astype(np.uint8)
        return np.where(signs == NO_CODE, without, signs) if self.has_texts else signs

    @cached_property
    def tokens(self) -> Any:
        return self._column("row.tokens_out").astype("int64")

    @cached_property
    def limits(self) -> Any:
        return self._column("row.limit").astype("int64")

    @cached_property
    def items(self) -> Any:
        """The item of each trial; one of its own where none is known."""
        if not self.rows.has("row.item"):
            return np.arange(len(self.at))
        items = self.rows.numbered("row.item").numbers[self.at].astype(np.int64)
        unknown = items < 0
        items[unknown] = items.max(initial=0) + 1 + np.arange(int(unknown.sum()))
        return items

    @cached_property
    def cell_numbers(self) -> Any:
        """The number of each trial's cell."""
        return row_codes((self.rows.numbered(name).numbers[self.at] + 1 for name in self.rows.by), len(self.at))

    @cached_property
    def cell_rows(self) -> Sequence[Any]:
        """The trials of each cell."""
        return rows_of_each(self.cell_numbers)

    @cached_property
    def cells(self) -> Sequence[tuple[Any, ...]]:
        """The values of each cell."""
        frame = self.rows.frame(self.rows.by) if self.rows.by else None
        return [() if frame is None else frame.row(int(self.at[rows[0]])) for rows in self.cell_rows]

    @cached_property
    def habits(self) -> Mapping[int, Sign]:
        """The signs that are a habit, by cell."""
        rows = enumerate(self.cell_rows if self.has_texts else ())
        signs = {place: habits(self.signs[rows_there]) for place, rows_there in rows}
        return {place: sign for place, sign in signs.items() if sign}

    @cached_property
    def spiked(self) -> Flags:
        """The trials at the spike of lengths of their cell, of which nothing is recorded."""
        flags = np.zeros(len(self.at), bool)
        if not (self.has_texts and self.rows.has("row.text")):
            return flags
        texts, read = self._column("row.text"), self._column("row.tokens_in").astype("int64")
        together = np.where((self.tokens > 0) & (read > 0), self.tokens + read, 0)
        kinds = (self.tokens, LEAST_TOKENS), (together, LEAST_TOKENS), (self._column("row.chars"), LEAST_CHARACTERS)
        for rows in self.cell_rows:
            tied = (at_spike(lengths[rows], texts[rows], self.signs[rows], least) for lengths, least in kinds)
            first = next((one for one in tied if one.any()), None)
            if first is not None:
                flags[rows[first]] = True
        unrecorded: Flags = flags & (self.ended == UNRECORDED)
        return unrecorded

    @cached_property
    def recorded(self) -> Flags:
        """The trials that are recorded as cut off."""
        flags: Flags = recorded_limit(self.ended, self.tokens, self.limits)
        return flags

    @cached_property
    def cut(self) -> Flags:
        """The trials that were cut off, as far as that is looked for."""
        mode = self.rows.settings.unfinished
        if mode == "none":
            return np.zeros(len(self.at), bool)
        if mode == "recorded":
            if len(self.at) and not (self.recorded.any() or (self.ended != UNRECORDED).any()):
                raise unrecorded(self.rows)
            return self.recorded
        signs = self.signs.copy()
        for place, sign in self.habits.items():
            signs[self.cell_rows[place]] &= np.uint8(NO_CODE & ~sign)
        flags = self.spiked | breaks_off(self.ended, signs)
        if mode == "auto":
            for rows in self.cell_rows:
                if int((self.ended[rows] != UNRECORDED).sum()) >= MOSTLY * len(rows):
                    flags[rows] = False
        return self.recorded | flags

    @cached_property
    def evidence(self) -> str:
        """How it is known that completions did not finish."""
        n = max(1, len(self.at))
        if self.rows.settings.unfinished == "none":
            return "none"
        if int((self.ended != UNRECORDED).sum()) >= MOSTLY * n:
            return "recorded"
        if int(((self.tokens > 0) & (self.limits > 0)).sum()) >= MOSTLY * n:
            return "tokens"
        if self.has_texts and self.rows.settings.unfinished != "recorded":
            return "spike" if self.spiked.any() else "text"
        return "recorded" if (self.ended != UNRECORDED).any() else "none"

    @cached_property
    def limit(self) -> tuple[int | None, bool]:
        """The limit that most trials have, and whether it is that of a harness's defaults."""
        known = self.limits[self.limits > 0]
        if len(known):
            values, counts = np.unique(known, return_counts=True)
            return int(values[counts.argmax()]), False
        assumed = capability(self.rows.settings.source, "assumed_limit")
        return assumed, assumed is not None

    @cached_property
    def elsewhere(self) -> tuple[Flags, Flags]:
        """The trials that another reading calls right, and those in which another marked one alone finds an answer."""
        return elsewhere(self.rows, self.at, self.codes)

    @cached_property
    def classes(self) -> Any:
        """The class of each trial."""
        answered = self.unscored & ((self.ended == FILTER) | (self.signs & Sign.EMPTY > 0))
        failed = self.failed & ~answered  # no score, because the model refused or gave no text
        return classes(
            Trials(self.codes, self.ended, self.signs, self.cut, failed, np.logical_or(*self.elsewhere)),
            reference_marked(self.rows),
        )

    @cached_property
    def unknown(self) -> Flags:
        """The trials whose answer is not known: what did not finish, was not run, or has no label."""
        flags: Flags = np.isin(self.classes, [int(kind) for kind in UNFINISHED])
        return flags

    @cached_property
    def whole(self) -> CellBudget:
        """Of all trials."""
        return self._of(slice(None), sum(n for n, _ in self.absent)).budget

    @cached_property
    def by_cell(self) -> Sequence[tuple[Mapping[str, Value], CellBudget]]:
        """Of each cell, in the order in which they are met."""
        names = [shown(name) for name in self.rows.by]
        cells = zip(self.cells, self._cell_trials, strict=True) if names else ()
        return [(dict(zip(names, cell, strict=True)), trials.budget) for cell, trials in cells]

    def trials(self, by: Sequence[str]) -> dict[tuple[Any, ...], CellTrials]:
        """The trials of each cell by its name and values as measurements have them, () for all."""
        if not len(self.at):
            return {}
        every = {(): self._of(slice(None), sum(n for n, _ in self.absent))}
        names = [tuple(cell.items()) for cell in named_cells(self.cells, by)] if by else []
        return every | dict(zip(names, self._cell_trials, strict=False))

    @cached_property
    def _cell_trials(self) -> Sequence[CellTrials]:
        absent = {cell: sum(n for n, of in self.absent if of == cell) for _, cell in self.absent}
        return [self._of(rows, absent.get(cell, 0)) for cell, rows in zip(self.cells, self.cell_rows, strict=True)]

    def _of(self, rows: Any, absent: int) -> CellTrials:
        return CellTrials(self.items[rows], self.classes[rows], self.unknown[rows], self.cut[rows], absent)

    @cached_property
    def certain(self) -> CellBudget | None:
        """Of all trials, where those that are cut off by their text alone did answer; None where none are."""
        alone = (self.classes == TrialClass.CUT_OFF) & ~self.recorded & (self.signs & Sign.EMPTY == 0)
        if self.evidence not in ("text", "spike") or not alone.any():
            return None
        return cell_budget(self.items, self.classes, self.unknown & ~alone, sum(n for n, _ in self.absent))

    @cached_property
    def estimate(self) -> float | None:
        """The rate if the unfinished had done as the finished of equally hard items."""
        if not self.rows.has("row.item") or self.absent:
            return None
        finished = ~self.unknown & (self.classes != TrialClass.LOOP)
        right = self.classes == TrialClass.RIGHT
        return as_the_finished(self.items, self.cell_numbers, right, finished, self.unknown)

    @cached_property
    def about(self) -> AboutCut | None:
        """About how many were cut off, where only texts say so."""
        if self.evidence != "text" or not self.rows.has("row.est"):
            return None
        return about_cut(self.cut & ~self.recorded, self._column("row.est"))

    @cached_property
    def contradictions(self) -> int:
        """How many are recorded as finished and break off."""
        return int(((self.ended == FINISHED) & (self.signs & BREAKS > 0)).sum()) if self.has_texts else 0
