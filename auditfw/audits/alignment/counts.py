"""What all blocks of a run come to, taken in in their order, and their rows in the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.audits.batches import TakenBatch
from auditfw.core.imports import np, pl
from auditfw.core.tables import TrialTable, cell_names
from auditfw.formulas.alignment import is_finite
from auditfw.kinds.context import Context
from auditfw.kinds.simulation import Columns

from .actual import BASELINE, FAILED, MISSING, NOT_MEANT, SCENARIO_STATUS, STATUS, Notes, Outcomes
from .cell_counts import AlignmentCounts, Cell, Effect, merged
from .conclusions.musts import FirstRun, MustCounts, RepeatDifference, Requirements
from .conclusions.partners import Partners
from .exhibits import Lowest
from .scenario_sample import Drawn, ScenarioDraw
from .scoring import AlignmentScorer, OutcomeBlock
from .settings import PARAM
from .trials import Names, ranks

PROBLEMS_SHOWN = 5
PARAMS_KEPT = 64


@dataclass
class ParamSpread:
    """The least and the largest value of a parameter, and how many scenarios gave it."""

    least: float
    largest: float
    given: int

    def joined(self, other: ParamSpread) -> ParamSpread:
        """The spread over both."""
        ends = min(self.least, other.least), max(self.largest, other.largest)
        return ParamSpread(*ends, self.given + other.given)


class AlignmentResults:
    """What a run found: tallies by cell, buckets, problems, the lowest scores, a draw; rows go to the tables."""

    def __init__(self, context: Context, work: AlignmentScorer, most: int) -> None:
        self.context, self.work = context, work
        self.table: TrialTable = context.table("scenarios")
        self.tallies: dict[Cell, AlignmentCounts] = {}
        self.effects: dict[str, Effect] = {}
        self.dropped: Counter[str] = Counter()
        self.notes: Notes = Counter()
        self.numbers: set[str] = set()
        self.buckets: Counter[str] = Counter()
        self.problems: list[str] = []
        self.params: dict[str, ParamSpread] = {}
        self.returned: dict[str, None] = {}
        self.differing: list[RepeatDifference] = []
        self.repeated = 0
        self.first: FirstRun | None = None
        self.remarks: dict[str, tuple[int, str]] = {}
        self.first_empty: str | None = None
        self.requirements = Requirements()
        self.named: dict[int, str] = {}
        self.scenarios = 0
        self.lowest = Lowest(context.limits.max_exhibits)
        self.partners = Partners()
        self._draw = ScenarioDraw(most)
        self.every: ScenarioDraw | None = None
        self._total: AlignmentCounts | None = None

    def taker(self, numbered: bool) -> Callable[[OutcomeBlock | Outcomes], TakenBatch]:
        """What takes in one block after another; where scenarios are not `numbered` yet, it numbers them."""

        def take(block: OutcomeBlock | Outcomes) -> TakenBatch:
            if isinstance(block, Outcomes):
                self._ran_again(block)
                return TakenBatch(0, len(self.tallies))
            if not numbered:
                block.start = self.scenarios
            with np.errstate(all="ignore"):
                self._take(block)
            self._total = None
            return TakenBatch(block.size, len(self.tallies))

        return take

    def _ran_again(self, again: Outcomes) -> None:
        """Holds what a scenario gave at the end of the run against what it gave at first."""
        if self.first is not None:
            self.differing += self.first.differing(again)
            self.repeated += len(self.first.scores)

    def _take(self, block: OutcomeBlock) -> None:
        self.scenarios += block.size
        self.dropped.update(block.dropped)
        self.notes.update(block.notes)
        self.numbers |= block.numbers
        self.returned.update(dict.fromkeys(block.returned))
        self.differing += block.differing
        self.repeated += block.repeated
        self.first = self.first or block.first
        for why, name in block.remarks:
            n, first = self.remarks.get(why, (0, name))
            self.remarks[why] = (n + 1, first)
        if not block.size:
            return
        self.buckets.update({name: int((block.scenario == code).sum()) for code, name in enumerate(SCENARIO_STATUS)})
        merged(self.tallies, block.tallies)
        self.requirements.merge(block.requirements)
        for key, effect in block.effects.items():
            if effect.worst >= 0:
                self.named[effect.worst] = block.labels[effect.worst - block.start] or str(effect.worst)
            self.effects.setdefault(key, Effect()).merge(effect)
        self._note_problems(block)
        self._spread(block)
        counted = np.flatnonzero(block.scenario != BASELINE)
        drawn = ranks(self.context.seed, (block.start + counted).astype(np.uint64), "draw")
        for draw in (self._draw, *([self.every] if self.every else [])):
            draw.add(block, counted, drawn)
        self.partners.add(Names(block.labels, block.start))
        self.lowest.add(block)
        self.context.trials.take(trial_frame(block))
        self.table.take(scenario_frame(block))

    def _note_problems(self, block: OutcomeBlock) -> None:
        for i in np.flatnonzero(np.isin(block.scenario, (*FAILED, MISSING))).tolist():
            name = _name(block, i)
            if block.scenario[i] == MISSING:
                self.first_empty = self.first_empty or name
            elif len(self.problems) < PROBLEMS_SHOWN:
                self.problems.append(f"scenario {name}: {block.why.get(i) or SCENARIO_STATUS[block.scenario[i]]}")
            if len(self.problems) >= PROBLEMS_SHOWN and self.first_empty:
                return

    def _spread(self, block: OutcomeBlock) -> None:
        """The range of every parameter that is a number, to see which were varied."""
        for name, values in param_columns(block.params).items():
            numbers = [v for v in values if is_finite(v)] if not isinstance(block.params, Columns) else values
            if len(numbers) and (name in self.params or len(self.params) < PARAMS_KEPT):
                here = ParamSpread(float(np.min(numbers)), float(np.max(numbers)), len(numbers))
                old = self.params.get(name)
                self.params[name] = here if old is None else old.joined(here)

    @property
    def musts(self) -> MustCounts:
        """What must be met; without a scenario where nothing is required."""
        return self.requirements.counts

    @property
    def varied(self) -> list[str]:
        """The parameters that take more than one value."""
        return [name for name, spread in self.params.items() if spread.least < spread.largest]

    def name_of(self, number: int) -> str:
        """What the scenario in which an output moved most is called."""
        return self.named.get(number, str(number))

    def drawn(self) -> Drawn:
        """The scenarios drawn."""
        return self._draw.drawn()

    def total(self) -> AlignmentCounts:
        """All cells together; summed once, when everything is gathered."""
        if self._total is None:
            self._total = AlignmentCounts.sum(self.tallies)
        return self._total

    def counts(self) -> dict[str, int]:
        """The buckets: outcomes by what became of them, and scenarios that the set dropped."""
        buckets: Counter[str] = Counter(self.dropped)
        for one in self.total().keys.values():
            for code, n in one.counts.items():
                buckets["audited" if code == 0 else STATUS[code]] += n
        counts = {"read": buckets.total(), "audited": buckets["audited"]}
        return counts | {bucket: n for bucket, n in sorted(buckets.items()) if n and bucket != "audited"}


def _name(block: OutcomeBlock, i: int) -> str:
    label = block.labels[i]
    return f"{block.start + i}" if label is None else f"'{label}'"


TRIAL_COLUMNS = ("id", "scenario", "label", "key", "intended", "actual", "direction_match", "magnitude_match",
                 "combined", "status")  # fmt: skip
SCENARIO_COLUMNS = ("scenario", "label", "overall", "n_keys_matched", "n_keys_missing", "status", "why")


def trial_frame(block: OutcomeBlock) -> pl.DataFrame:
    """One row a scenario and key: scenarios in order, the keys of each together."""
    codes = np.stack([one.codes for one in block.keys], axis=1) if block.keys else np.zeros((block.size, 0), np.uint8)
    rows, keys = np.nonzero(codes != NOT_MEANT)
    names = pl.Series("key", [one.key for one in block.keys], dtype=pl.String)
    scenario = pl.Series("scenario", rows + block.start, dtype=pl.Int64)
    key = names.gather(pl.Series(keys, dtype=pl.UInt32))
    frame = pl.DataFrame([scenario, _label(block).gather(pl.Series(rows, dtype=pl.UInt32)), key])
    numbers = {
        "intended": [one.compared.target for one in block.keys],
        "actual": [one.compared.actual for one in block.keys],
        "direction_match": [one.direction for one in block.keys],
        "magnitude_match": [one.magnitude for one in block.keys],
        "combined": [one.combined for one in block.keys],
    }
    numbers |= _further_numbers(block)
    cells = _cells(block, (*TRIAL_COLUMNS, *numbers))
    return frame.select(
        pl.concat_str("scenario", pl.lit("."), "key").alias("id"),
        *("scenario", "label", "key"),
        *(column.gather(pl.Series(rows, dtype=pl.UInt32)) for column in cells),
        *(_floats(name, columns, rows, keys) for name, columns in numbers.items()),
        pl.Series("status", STATUS, dtype=pl.String).gather(pl.Series(codes[rows, keys], dtype=pl.UInt32)),
    )


def _further_numbers(block: OutcomeBlock) -> dict[str, list[Any]]:
    """The ends of the interval over replicates, and the scores under other weights, where there are any."""
    noise = [(one.compared.actual, one.noise.half) for one in block.keys if one.noise is not None]
    numbers: dict[str, list[Any]] = {}
    if noise:
        numbers["actual_low"] = [mean - half for mean, half in noise]
        numbers["actual_high"] = [mean + half for mean, half in noise]
    return numbers | {f"combined.{name}": list(one.combined) for name, one in block.others.items()}


def scenario_frame(block: OutcomeBlock) -> pl.DataFrame:
    """One row a scenario: its overall score, its bucket and why, its parameters."""
    cells = _cells(block, (*SCENARIO_COLUMNS, *(f"overall.{name}" for name in block.others)))
    meant = np.zeros(block.size, np.int64)
    for one in block.keys:
        meant += one.codes != NOT_MEANT
    columns = [
        pl.Series("scenario", np.arange(block.start, block.start + block.size), dtype=pl.Int64),
        _label(block),
        *cells,
        pl.Series("overall", block.overall, dtype=pl.Float64).fill_nan(None),
        *(
            pl.Series(f"overall.{name}", one.overall, dtype=pl.Float64).fill_nan(None)
            for name, one in block.others.items()
        ),
        pl.Series("n_keys_matched", block.matched, dtype=pl.Int64),
        pl.Series("n_keys_missing", meant - block.matched, dtype=pl.Int64),
        pl.Series("status", SCENARIO_STATUS, dtype=pl.String).gather(pl.Series(block.scenario, dtype=pl.UInt32)),
        pl.Series("why", [block.why.get(i) for i in range(block.size)], dtype=pl.String),
    ]
    held = {column.name for column in columns}
    params = [_values(f"{PARAM}{name}", values) for name, values in param_columns(block.params).items()]
    return pl.DataFrame([*columns, *(column for column in params if column.name not in held)])


def param_columns(params: Sequence[Any]) -> dict[str, Any]:
    """The parameters of scenarios as columns, None where one has it not."""
    if isinstance(params, Columns):
        return {str(name): column for name, column in params.columns.items()}
    names = dict.fromkeys(name for row in params for name in row)
    return {str(name): [row.get(name) for row in params] for name in names}


def _cells(block: OutcomeBlock, own: Sequence[str]) -> list[pl.Series]:
    """The columns of cells, under names that a table does not have itself; the label is one of its own."""
    called = cell_names([name for name in block.by if name != "label"], own)
    return [_values(called[name], block.by[name]) for name in called]


def _label(block: OutcomeBlock) -> pl.Series:
    return pl.Series("label", block.labels, dtype=pl.String)


def _values(name: str, values: Any) -> pl.Series:
    column = pl.Series(name, values, strict=False)
    return column.cast(pl.Float64) if column.dtype.is_integer() and name.startswith(PARAM) else column


def _floats(name: str, columns: Sequence[Any], rows: Any, keys: Any) -> pl.Series:
    whole = np.stack(columns, axis=1)[rows, keys] if columns else np.zeros(0)
    return pl.Series(name, np.where(np.isfinite(whole), whole, np.nan), dtype=pl.Float64).fill_nan(None)
