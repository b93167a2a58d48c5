"""From people's labels to what the metrics read: a sample a reading, whole and by cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auditfw.core.document import some, verb
from auditfw.core.records import OVERALL, Cell, Estimate, Reading
from auditfw.formulas.people.estimates import PeoplesEstimates
from auditfw.formulas.people.shares import Share
from auditfw.kinds.context import Sample

from .numbers import RIGHT, UNDECIDED, WRONG
from .results import PEOPLE, PeoplesResults

ONLY_RATES = "labels chosen with probabilities give error rates alone"


def readings_of(results: PeoplesResults) -> list[Reading]:
    """People, the reference, and the readings of the run, which are held against them."""
    return [Reading(PEOPLE, "reference"), *(Reading(name, "candidate") for name in results.readings)]


def samples(results: PeoplesResults) -> list[Sample]:
    """One sample a reading, overall first, then the cells."""
    cells: list[tuple[Cell, dict[str, Any]]] = [(OVERALL, {}), *results.named]
    made = []
    for reading in readings_of(results):
        for cell, name in cells:
            numbers = _of_people(results, cell) if reading.role == "reference" else _of(results, reading.name, cell)
            made.append(Sample(reading, name, PeoplesEstimates(numbers)))
    return made


def _of_people(results: PeoplesResults, cell: Cell) -> dict[str, Estimate]:
    rows = results.trials.rows
    inside = rows.every if (chosen := results.trials.inside(cell)) is None else chosen
    decided, open_ones = int((inside & rows.decided).sum()), int((inside & (rows.people == UNDECIDED)).sum())
    numbers = {
        "error_rate": _estimate(results, rows.error_rate(inside), inside),
        "undecided": Estimate(None, 0, undefined="no trial was labelled"),
        "labelled": Estimate(float(decided), decided),
    }
    if came := decided + open_ones:
        numbers["undecided"] = Estimate(100 * open_ones / came, came)
    if cell == OVERALL:
        numbers["labellers_agree"] = _agreement(results)
    return numbers


def _agreement(results: PeoplesResults) -> Estimate:
    two = results.labellers
    if two is None:
        return Estimate(None, 0, undefined="no trial has labels of two people")
    return _percent(two.share, two.pairs, 0)


def _of(results: PeoplesResults, reading: str, cell: Cell) -> dict[str, Estimate]:
    """What people's labels say of a reading in a cell."""
    rows = results.trials.rows
    inside = rows.labelled(reading, results.trials.inside(cell))
    trials = int(rows.times[inside].sum())
    if not trials:
        return {"error_rate": Estimate(None, 0, undefined="the reading has no label here")}
    own, off = rows.own_rate(reading, inside), rows.off(reading, inside)
    numbers = {
        "error_rate": Estimate(100 * own, trials),
        "bias_pp": _estimate(results, None if off is None else off.off, inside),
    }
    for name, share, domain in (
        ("agrees", rows.agrees(reading, inside), inside),
        ("false_right", rows.false_labels(reading, RIGHT, inside), inside & (rows.readings[reading] == RIGHT)),
        ("false_wrong", rows.false_labels(reading, WRONG, inside), inside & (rows.readings[reading] == WRONG)),
    ):
        numbers[name] = _estimate(results, share, domain)
    if rows.probability is not None:
        numbers |= {name: Estimate(None, 0, undefined=ONLY_RATES) for name in ("agrees", "false_right", "false_wrong")}
    return numbers


def _estimate(results: PeoplesResults, share: Share | None, domain: Any) -> Estimate:
    """A share of a domain in percent, or why there is none."""
    rows = results.trials.rows
    labels, open_ones = int((domain & rows.decided).sum()), int((domain & (rows.people == UNDECIDED)).sum())
    if share is not None:
        return _percent(share, labels, open_ones)
    trials = some(int(rows.times[domain].sum()), "trial")
    return Estimate(
        None, labels, open_ones, undefined=f"only {labels:,} of {trials} {verb(labels, 'has', 'have')} a label"
    )


def _percent(share: Share, counted: int, missing: int) -> Estimate:
    return Estimate(100 * share.value, counted, missing, 100 * share.low, 100 * share.high)


def absent(results: PeoplesResults) -> dict[str, str]:
    """The metrics that these labels cannot have, with the reason."""
    lacking: Sequence[str] = () if results.labellers else ("labellers_agree",)
    return dict.fromkeys(lacking, "no trial has labels of two people")
