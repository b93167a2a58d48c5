"""Metrics of what people say about the labels of readings."""

from __future__ import annotations

from auditfw.core.records import PERCENT, Estimate, Role
from auditfw.formulas.people.estimates import PeoplesEstimates
from auditfw.kinds.metric_styles import metric

EVERY: frozenset[Role] = frozenset({"reference", "candidate"})
PEOPLE: frozenset[Role] = frozenset({"reference"})
READINGS: frozenset[Role] = frozenset({"candidate"})
POINTS = (-100.0, 100.0)


@metric(
    "bias_pp",
    READINGS,
    takes=PeoplesEstimates,
    range=POINTS,
    title="off by",
    unit="pp",
    digits=2,
    notation="signed",
)
def bias_pp(sample: PeoplesEstimates) -> Estimate | None:
    """Computes the error rate of a reading less that of people on the same trials, in percentage points."""
    return sample.by_metric.get("bias_pp")


@metric(
    "agrees",
    READINGS,
    takes=PeoplesEstimates,
    better="higher",
    range=PERCENT,
    title="agrees",
    unit="%",
    digits=2,
)
def agrees(sample: PeoplesEstimates) -> Estimate | None:
    """Estimates the share of the trials on which a reading and people say the same, in percent."""
    return sample.by_metric.get("agrees")


@metric(
    "false_right",
    READINGS,
    takes=PeoplesEstimates,
    better="lower",
    range=PERCENT,
    title="false right",
    unit="%",
    digits=2,
)
def false_right(sample: PeoplesEstimates) -> Estimate | None:
    """Estimates the share of the answers that a reading calls right which people call wrong, in percent."""
    return sample.by_metric.get("false_right")


@metric(
    "false_wrong",
    READINGS,
    takes=PeoplesEstimates,
    better="lower",
    range=PERCENT,
    title="false wrong",
    unit="%",
    digits=2,
)
def false_wrong(sample: PeoplesEstimates) -> Estimate | None:
    """Estimates the share of the answers that a reading calls wrong which people call right, in percent."""
    return sample.by_metric.get("false_wrong")


@metric(
    "undecided",
    PEOPLE,
    takes=PeoplesEstimates,
    better="lower",
    range=PERCENT,
    title="undecided",
    unit="%",
    digits=2,
)
def undecided(sample: PeoplesEstimates) -> Estimate | None:
    """Computes the share of the trials people came to that they could not decide, skipped or label differently."""
    return sample.by_metric.get("undecided")


@metric(
    "labelled",
    PEOPLE,
    takes=PeoplesEstimates,
    better="higher",
    title="labels",
)
def labelled(sample: PeoplesEstimates) -> Estimate | None:
    """Counts the trials that people call right or wrong."""
    return sample.by_metric.get("labelled")


@metric(
    "labellers_agree",
    PEOPLE,
    takes=PeoplesEstimates,
    better="higher",
    range=PERCENT,
    title="labellers agree",
    unit="%",
    digits=2,
)
def labellers_agree(sample: PeoplesEstimates) -> Estimate | None:
    """Computes the share of the trials with two labellers on which both say the same, in percent."""
    return sample.by_metric.get("labellers_agree")
