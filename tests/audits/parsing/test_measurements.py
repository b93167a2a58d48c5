"""Every measurement of a run beside one count a trial in plain Python: over the whole, in each cell, item by item."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import auditfw
from auditfw.config import build as bridge
from auditfw.formulas.clusters import ItemSums
from auditfw.formulas.label_counts import LabelCounts, LabelItems
from auditfw.formulas.shifts import ShiftSums
from auditfw.formulas.sign_flips import sign_flips
from tests.benchmarks.data.generator import generate

CELL = ("temperature", "variant", "condition")
METRICS = ["error_rate", "delta_pp", "flips", "flips_to_true", "flips_to_false", "n", "churn", "mcnemar_p", "n_eff"]
LABELS = {0: False, 1: True, 2: False, 4: False}  # a truth that normalises to nothing counts as a wrong answer
Row = dict[str, Any]


def sums(items: Sequence[tuple[int, int]]) -> ItemSums:
    """What a rate needs of items with so many trials and successes."""
    there = [(n, k) for n, k in items if n]
    return ItemSums(
        len(there),
        sum(n for n, _ in there),
        sum(k for _, k in there),
        sum(n * n for n, _ in there),
        sum(k * k for _, k in there),
        sum(n * k for n, k in there),
        max((n for n, _ in there), default=0),
        sum(k > 0 for _, k in there),
        sum(k < n for n, k in there),
    )


def changes(items: Sequence[tuple[int, int]]) -> ShiftSums:
    """What a shift needs of items with so many trials and changes to right less those to wrong."""
    there = [(n, d) for n, d in items if n]
    return ShiftSums(
        len(there),
        sum(n for n, _ in there),
        sum(d for _, d in there),
        sum(abs(d) for _, d in there),
        sum(n * n for n, _ in there),
        sum(d * d for _, d in there),
        sum(n * d for n, d in there),
        sum(d != 0 for _, d in there),
    )


def counted(rows: Sequence[Row], reading: str) -> LabelCounts:
    """The labels of a reading beside the stored ones."""
    pairs: dict[tuple[bool | None, bool | None], int] = {}
    items: dict[str, list[int]] = {}
    blank = 0
    for row in rows:
        code = row[f"code.{reading}"]
        before, label = LABELS.get(row["code.stored"]), LABELS.get(code)
        pairs[before, label] = pairs.get((before, label), 0) + 1
        item = items.setdefault(row["row.item"], [0] * 6)
        both = label is not None and before is not None
        up, down = both and label and not before, both and before and not label
        flags = label is not None, label is False, code == 2, both, up, down
        for at, flag in enumerate(flags):
            item[at] += bool(flag)
        blank += code == 2

    def of(before: Sequence[bool | None], label: bool | None) -> int:
        return sum(pairs.get((one, label), 0) for one in before)

    every = [(n, wrong, empty, both, up, down) for n, wrong, empty, both, up, down in items.values()]
    by_item = LabelItems(
        sums([(n, wrong) for n, wrong, *_ in every]),
        sums([(n, empty) for n, _, empty, *_ in every]),
        sums([(both, up) for *_, both, up, _ in every]),
        sums([(both, down) for *_, both, _, down in every]),
        changes([(both, up - down) for *_, both, up, down in every]),
        sign_flips([up - down for *_, up, down in every]),
    )
    any_label = (True, False, None)
    crossed = of([True], True), of([True], False), of([False], True), of([False], False)
    own = of(any_label, True), of(any_label, False), of(any_label, None)
    return LabelCounts(*own, blank, *crossed, items=by_item, stored=reading == "stored")


@pytest.mark.parametrize("trials", [1_500])
def test_measurements_are_those_of_one_count_a_trial(trials: int, tmp_path: Path) -> None:
    metadata, runs = generate(tmp_path / "data", trials)
    words = [
        "source=conformity", f"source.metadata={metadata}", f"source.runs_dir={runs}", f"by=[{','.join(CELL)}]",
        f"metric=[{','.join(METRICS)}]", "gate=[]", "report=[json]", "engine.workers=2",
    ]  # fmt: skip
    auditfw.run(words, tmp_path / "run")
    metrics = bridge.build(bridge.compose(words))[0].metrics
    rows = pl.read_parquet(tmp_path / "run" / "trials.parquet").filter(status="audited").to_dicts()
    by_cell: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        by_cell.setdefault(tuple(row[name] for name in CELL), []).append(row)
    labels: dict[Any, LabelCounts] = {}
    compared = 0
    for one in pl.read_parquet(tmp_path / "run" / "measurements.parquet").to_dicts():
        cell = tuple(one[name] for name in CELL)
        whole = cell == (None, None, None)
        key = one["reading"], cell
        if key not in labels:
            labels[key] = counted(rows if whole else by_cell[cell], one["reading"])
        estimate: Any = metrics[one["metric"]](labels[key])
        found = [one[name] for name in ("value", "counted", "missing", "low", "high")]
        assert found == [estimate.value, estimate.counted, estimate.missing, estimate.low, estimate.high], one
        compared += 1
    assert compared > 500
