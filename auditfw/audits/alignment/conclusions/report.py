"""The sections of what follows from the scores: weights, relative errors, replicates against what was intended."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from auditfw.audits.alignment.cell_counts import AlignmentCounts
from auditfw.audits.answers import with_interval
from auditfw.core.digits import fixed, short
from auditfw.core.document import Block, Note, Section, Table, some

from .arguments import difference_text
from .comparison import DrawnFigures
from .direction import FreeDirection
from .scored_weights import ScoredWeights

NONE = "–"


def weights_section(scores: Sequence[ScoredWeights], free: FreeDirection) -> Section:
    """The score under each of the weights, and where direction costs nothing."""
    blocks: list[Block] = []
    if len(scores) > 1:
        rows = [
            [
                one.words,
                with_interval(fixed(one.score, 2), one.low, one.high, 2, one.score),
                one.best or NONE,
                NONE if one.above is None else difference_text(one.above),
            ]
            for one in scores
        ]
        columns = ["weights", "mean overall", "best trivial baseline", "difference"]
        blocks.append(Table(columns, rows, "<><>"))
        blocks.append(Note("Gates and the answer use the first weights."))
    blocks += [Note(free.text)] if free.text else []
    return Section("Weights and Direction", blocks, console=len(scores) > 1)


def errors_section(total: AlignmentCounts, figures: DrawnFigures, most: int) -> Section:
    """The median of the relative errors beside their mean: one large error moves the mean alone."""
    rows = []
    for one in figures.drawn.keys[:most]:
        errors = figures.errors(None, one.key)
        if errors.size:
            mean, median = float((errors / errors.size).sum()), figures.median_error(None, one.key).value
            rows.append([one.key, f"{errors.size:,}", short(mean), short(median or 0.0), short(float(errors.max()))])
    if not rows:
        return Section("Relative Errors")
    note = "|actual - intended| / |intended|; outcomes with an intended value of 0 are left out."
    if len(figures.drawn) < total.scenarios:
        note += f" From a random sample of {some(len(figures.drawn), 'scenario')}."
    left = max(0, len(figures.drawn.keys) - most)
    return Section(
        "Relative Errors", [Table(["key", "n", "mean", "median", "largest"], rows, "<>>>>", left_out=left), Note(note)]
    )


def replicates_note(total: AlignmentCounts, replicates: int) -> list[Block]:
    """How often the intended number is in the interval of the mean over replicates."""
    held = [
        (key, one["within"]) for key, one in total.keys.items() if one["within"].n and not isnan(one["within"].mean)
    ]
    if not held:
        return []
    n, inside = sum(one.n for _, one in held), sum(round(one.mean * one.n) for _, one in held)
    text = (
        f"In {inside:,} of {some(n, 'outcome')} the intended value is inside the 95 % t interval of the mean over "
        f"{replicates:,} replicates; in the others the difference exceeds the noise."
    )
    return [Note(text)]
