"""Metrics of the error budget: the shares of trials lost by each cause, and of those right, of the reference."""

from __future__ import annotations

from auditfw.core.records import PERCENT, Estimate, Role, Side
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.component_index import FAMILIES
from auditfw.kinds.metric_styles import metric

REFERENCE: frozenset[Role] = frozenset({"reference"})
HIGHER = {
    "answered": "Computes the share of trials with an answer, right or wrong, in percent.",
    "right_of_all": "Computes the share right of all trials that were planned, in percent.",
    "right_of_answered": "Computes the share right of the trials with an answer, in percent: beside `answered`.",
    "right_at_least": "Computes the share right if none of the unfinished trials were, in percent.",
    "right_at_most": "Computes the share right if all of the unfinished trials were, in percent.",
}
LOWER = {
    "at_limit": "Computes the share of completions that ended at a limit, right or not, in percent.",
    "cut_off": "Computes the share of trials lost because they were cut off, in percent.",
    "loops": "Computes the share of trials lost in a passage that is repeated, in percent.",
    "empty": "Computes the share of trials lost because there is no text, in percent.",
    "refusals": "Computes the share of trials lost by a refusal, in percent.",
    "other_format": "Computes the share of trials lost that another reading finds right or answered, in percent.",
    "unparsed": "Computes the share of trials lost in which the parser finds nothing, in percent.",
    "run_errors": "Computes the share of trials lost because the run failed on them, or lacks them, in percent.",
    "unfinished": "Computes the share of trials whose answer is not known, in percent.",
}
UNKNOWN = "no trial that says it"


def _share(name: str, sentence: str, better: Side) -> None:
    """Registers the metric of a share."""

    def share(sample: LabelCounts) -> Estimate | None:
        if sample.budget is None:
            return None
        numbers = sample.budget.share(name)
        if numbers is None:
            return Estimate(None, sample.counted, sample.missing, undefined=UNKNOWN)
        value, low, high = numbers
        between = sample.budget.between if name == "right_of_all" else None
        return Estimate(value, sample.counted, sample.missing, low, high, between=between)

    share.__doc__ = sentence
    share.__name__ = share.__qualname__ = name
    title = name.replace("_", " ")
    metric(name, REFERENCE, takes=LabelCounts, better=better, range=PERCENT, title=title, unit="%", digits=2)(share)


for _name in FAMILIES["metric"]["budget"].split():
    _share(_name, {**HIGHER, **LOWER}[_name], "higher" if _name in HIGHER else "lower")
