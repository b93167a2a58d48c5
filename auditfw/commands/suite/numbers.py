"""The numbers of an entry: the metric on both sides and the drop, by item where labels are paired.

A rate of labels is paired over the common items as `auditfw compare` does, any and all of k repeats over their values.
Of another metric the interval of the drop is made of the two intervals, as if the sides were independent (Newcombe
1998, Stat. Med. 17, method 10; Zou and Donner 2008, Stat. Med. 27): too wide rather than too narrow where the same
items are behind both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditfw.audits.claims import side_of
from auditfw.commands.comparison.accepted import labels_beside
from auditfw.commands.comparison.corners import compared_trials
from auditfw.commands.comparison.items import ID, ITEM, MODEL, STATUS, STORED, LabelledSide
from auditfw.commands.comparison.pair import bounds_of, measured
from auditfw.commands.comparison.pairing import PairedSides, paired_sides
from auditfw.commands.comparison.settings import CompareSettings
from auditfw.commands.comparison.sides import ComparedSide
from auditfw.commands.planning.sides import undefined_is_wrong
from auditfw.commands.stored_run import StoredRun, read_reference
from auditfw.core.errors import AuditError, DataError, NothingAudited, UsageError
from auditfw.core.imports import np, pl
from auditfw.core.result_json import finite
from auditfw.formulas.budget.ended import NO_LABEL, NO_TRUTH, NOTHING_FOUND, RIGHT_CODE, WRONG_CODE
from auditfw.formulas.clusters import rate
from auditfw.formulas.gaps.intervals import gap_of
from auditfw.formulas.gaps.paired import PairedLogs
from auditfw.formulas.gaps.verdict import GapBounds, gap_rules, status_of
from auditfw.formulas.repeats.release import limited_drop

from .repeats import PairedRepeats, component_of, paired_repeats, repeats_asked

RIGHT_OF_ALL, ERROR_RATE = "right_of_all", "error_rate"  # the metrics that are rates of the labels
LABEL_RATES = (RIGHT_OF_ALL, ERROR_RATE)
FAILED_ROWS = ("sample_error", "unscored")  # statuses of trials on which the model's run failed
COUNTED = "\0counted"  # the column of the labels that a rate counts
Numbers = tuple[float, float | None, float | None]  # a value, and the ends of its interval


@dataclass(frozen=True)
class EntryDrop:
    """What is lost from baseline to candidate, both in the metric's unit, and on how many.

    `change` is baseline less candidate with its interval, `higher` whether more is better, `n` the trials of the side
    with fewer. `square` is the mean square of an item's difference (of shares), None where the two sides are not
    paired; `paired` are their labels. `items` are those of both, `only` how many more the baseline and the candidate
    have.
    """

    baseline: float
    candidate: float
    change: Numbers
    higher: bool
    n: int
    square: float | None = None
    paired: PairedLogs | None = None
    items: int = 0
    only: tuple[int, int] = (0, 0)
    fragile: bool | None = None  # as `auditfw compare` of the two is; None where it cannot be asked

    @property
    def lost(self) -> tuple[float, float, float]:
        """The drop with the ends of its interval, above 0 where something was lost; infinite where none is known."""
        one = limited_drop(self.change, 0.0, self.higher)
        return one.value, one.low, one.high


class MissingNumberError(Exception):
    """A run has no number for an entry; the text says which."""


class UncomparableError(Exception):
    """Two different things were measured; the text says which."""


def side_higher(metric: str, where: str) -> bool:
    """Whether more of a metric is better. Raises UsageError where neither is, or there is no such metric."""
    side = side_of(metric)
    if side is None:
        raise UsageError(f"{where}.metric", "neither more nor less of it is better", metric, "write min or max")
    return side == "higher"


def metric_and_reading(named: str, run: StoredRun) -> tuple[str, str]:
    """The metric and the reading of an entry in a run: the reference, else the only one. Raises MissingNumberError."""
    metric, at, reading = named.partition("@")
    if at:
        return metric, reading
    reference = read_reference(run.folder) or STORED
    readings = [one["reading"] for one in run.result["measurements"] if one["metric"] == metric and not one["cell"]]
    if metric in LABEL_RATES or reference in readings or not readings:
        return metric, reference
    if len(readings) > 1:
        raise MissingNumberError(f"{metric} has {len(readings)} readings: write metric: {metric}@{readings[0]}")
    return metric, readings[0]


def own_number(named: str, of: ComparedSide) -> Numbers:
    """A run's own number with its interval: as measured, else a rate of its labels. Raises MissingNumberError."""
    run = of.run
    metric, reading = metric_and_reading(named, run)
    for one in run.result["measurements"]:
        if (one["metric"], one["reading"]) == (metric, reading) and not one["cell"]:
            if (value := finite(one["value"])) is None:
                raise MissingNumberError(f"{metric} of {run.folder} is undefined: {one['undefined']}")
            return value, finite(one["low"]), finite(one["high"])
    if metric not in LABEL_RATES or run.folder.is_file():
        raise MissingNumberError(f"{run.folder} has no {metric}")
    side = _side(of, metric, reading)
    rows = np.flatnonzero(side.labels >= 0)
    if not len(rows):
        raise MissingNumberError(f"{run.folder} has no label of the reading {reading}")
    items = pl.coalesce(pl.col(ITEM), pl.col(ID)) if side.has(ITEM) else pl.int_range(pl.len())
    numbers = side.frame.select(items.rank("dense").alias("item"))["item"].to_numpy()[rows]
    share = rate(np.bincount(numbers), np.bincount(numbers[side.labels[rows] == 1], minlength=int(numbers.max()) + 1))
    ends = (share.share, share.low, share.high)
    return _percent(ends if metric == RIGHT_OF_ALL else (1 - ends[0], 1 - ends[2], 1 - ends[1]))


def _percent(shares: tuple[float, float | None, float | None]) -> Numbers:
    value, low, high = shares
    return 100 * value, None if low is None else 100 * low, None if high is None else 100 * high


def _side(of: ComparedSide, metric: str, reading: str) -> LabelledSide:
    """The label table with the labels that a rate counts. Raises MissingNumberError where there is none."""
    frame, code = _frame(of), pl.col(f"code.{reading}")
    if f"code.{reading}" in frame.columns:
        label = pl.when(_counted(frame, of.run, metric, reading)).then((code == RIGHT_CODE).fill_null(False))
        return LabelledSide(of.run.folder, frame.with_columns(label.alias(COUNTED)), COUNTED)
    if reading not in frame.columns or str(frame.schema[reading]) != "Boolean":
        raise MissingNumberError(f"{of.run.folder}: no labels of the reading '{reading}'")
    return LabelledSide(of.run.folder, frame, reading)


def _frame(of: ComparedSide) -> Any:
    """The label table. Raises MissingNumberError where there is none."""
    try:
        return of.labels.frame
    except DataError as error:
        raise MissingNumberError(f"{error.where}: {error.what}") from None


def _counted(frame: Any, run: StoredRun, metric: str, reading: str) -> Any:
    """Which trials a rate counts, as its metric does; with right_of_all also those without a label, as not right."""
    code = pl.col(f"code.{reading}")
    dropped = set() if undefined_is_wrong(run.config) else {NO_TRUTH}
    if metric == ERROR_RATE:
        return code.is_in(sorted({WRONG_CODE, RIGHT_CODE, NOTHING_FOUND, NO_TRUTH} - dropped))
    if reading != STORED or not frame.select(code.is_in([WRONG_CODE, RIGHT_CODE]).any()).item():
        dropped |= {NO_LABEL}
    return (code.is_not_null() & ~code.is_in(sorted(dropped))) | pl.col(STATUS).is_in(FAILED_ROWS)


def drop_of(named: str, baseline: ComparedSide, candidate: ComparedSide, where: str) -> EntryDrop:
    """The drop of a metric.

    Raises MissingNumberError, UncomparableError where the audits or truths differ or a side holds several models, and
    UsageError for a metric of which nothing is worse.
    """
    higher = side_higher(component_of(named.partition("@")[0], candidate.run.config), where)
    sides = (baseline, candidate)
    audits = [str(side.run.result["audit"]) for side in sides]
    if audits[0] != audits[1]:
        raise UncomparableError(f"the audits differ: {audits[0]}, {audits[1]}")
    (metric, reading), (_, before) = (metric_and_reading(named, side.run) for side in (candidate, baseline))
    for side, role in zip(sides, ("baseline", "candidate"), strict=True):
        if len(models := models_of(side)) > 1:
            raise UncomparableError(f"the {role} holds {len(models)} models: {', '.join(models[:3])}")
    accepted = baseline.run.folder.is_file()
    if metric in LABEL_RATES:
        new = _side(candidate, metric, reading)
        if not accepted:
            both = _matched(_side(baseline, metric, before), new)
            return replace(_paired(metric, both), fragile=_fragile(sides, both))
        if (pair_of := labels_beside(baseline.run.folder, new, before)) is not None:
            return _paired(metric, _matched(*pair_of))
    numbers = [own_number(named, side) for side in sides]
    one, other = (repeats_asked(metric, side.run.config) for side in sides)
    if one is not None and other is not None and not accepted:
        if one != other:
            raise UncomparableError(f"{metric} is of {one[1]} repeats in the baseline, of {other[1]} in the candidate")
        both, zero = (
            _matched(baseline.labels, candidate.labels),
            [undefined_is_wrong(side.run.config) for side in sides],
        )
        if (pair := paired_repeats(both, (before, reading), zero, *other)) is not None:
            return replace(_of_repeats(pair), fragile=_fragile(sides, both))
    n = min(_trials(side.run, metric) for side in sides)
    return EntryDrop(numbers[0][0], numbers[1][0], _apart(*numbers), higher, n)


def _trials(run: StoredRun, metric: str) -> int:
    return min((one["counted"] for one in run.result["measurements"] if one["metric"] == metric), default=0)


def _apart(one: Numbers, other: Numbers) -> Numbers:
    """The difference of two numbers, its interval made of theirs; without ends where one has none."""
    (a, a_low, a_high), (b, b_low, b_high) = one, other
    if a_low is None or a_high is None or b_low is None or b_high is None:
        return a - b, None, None
    return a - b, a - b - math.hypot(a - a_low, b_high - b), a - b + math.hypot(a_high - a, b - b_low)


def _matched(old: LabelledSide, new: LabelledSide) -> PairedSides:
    try:
        both = paired_sides(old, new)
    except (NothingAudited, DataError) as error:
        raise UncomparableError(error.what) from None
    _check_truths(both)
    return both


def _paired(metric: str, both: PairedSides) -> EntryDrop:
    pair, sums = both.paired(), both.sums
    shares = [100 * int(right[both.common].sum()) / int(n[both.common].sum()) for n, right in (sums[:2], sums[2:])]
    change = _percent((pair.rates.difference, pair.rates.low, pair.rates.high))
    if metric == ERROR_RATE:
        shares = [100 - share for share in shares]
        value, low, high = change
        change = -value, None if high is None else -high, None if low is None else -low
    sets = both.sets()
    only = sets["only_a"] + sets["unscored_b"], sets["only_b"] + sets["unscored_a"]
    higher, n = metric == RIGHT_OF_ALL, pair.rates.trials
    return EntryDrop(shares[0], shares[1], change, higher, n, pair.square, pair, sets["common"], only)


def _of_repeats(pair: PairedRepeats) -> EntryDrop:
    one, other = pair.shares
    change = _percent(pair.change)
    return EntryDrop(100 * one, 100 * other, change, True, pair.items, pair.square, None, pair.items, pair.only)


def _fragile(sides: Sequence[ComparedSide], both: PairedSides) -> bool | None:
    """Whether `auditfw compare` finds that part of the gap is not the model's; None where it cannot be asked.

    Raises UncomparableError where it finds that two things were measured.
    """
    one, other = sides
    labelled = [replace(side, reading=of.labels.reading) for side, of in zip(both.sides, sides, strict=True)]
    stored = PairedSides((labelled[0], labelled[1]), both.matched)
    if not stored.common.any():
        return None
    try:
        trials = compared_trials(stored, (one, other))
        rules = gap_rules(gap_of(trials.logs), measured(stored, trials), bounds_of(one, CompareSettings()))
    except AuditError:
        return None
    status, fired = status_of(rules), next((rule for rule in rules if rule.fired), None)
    if status == "broken" and fired is not None:
        share = f"{100 * (fired.value or 0):.1f} %"
        if fired.name == "truths_differ":
            raise UncomparableError(f"{share} of the common items have another truth")
        raise UncomparableError(f"the two rules label {share} of the common trials' texts differently")
    return status == "fragile"


def _check_truths(both: PairedSides) -> None:
    """Raises UncomparableError where too many common items have another truth (B.5 of the comparison of logs)."""
    known, differ = both.matched.truths_known, both.sets()["other_truth"]
    if differ:
        share = rate(np.ones(known, int), np.arange(known) < differ)
        if share.low > GapBounds().truths:
            what = f"{differ:,} of {known:,} common items have another truth ({100 * share.share:.1f} %)"
            raise UncomparableError(what)


def models_of(side: ComparedSide) -> list[str]:
    """The models of a run's trials, none where no column names them, or there is no label table."""
    if side.run.folder.is_file():
        return []
    try:
        frame = side.labels.frame
    except AuditError:
        return []
    return sorted(frame[MODEL].drop_nulls().unique().to_list()) if MODEL in frame.columns else []
