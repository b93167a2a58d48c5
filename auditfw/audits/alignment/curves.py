"""The alignment curve: scores over a parameter that was varied."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auditfw.core.digits import NOISE
from auditfw.core.document import Chart, Note, Section, Series, shown, some

from .explain import Causes
from .gathering import AlignmentResults
from .intended import Floats
from .scenario_sample import Drawn

MOST_KEYS = 6
BINS = 12
LEAST = 3
BINNED = 40


def curves(drawn: Drawn, whole: AlignmentResults, causes: Causes | None) -> list[Section]:
    """The curve of the one parameter that was swept, or of the one that explains most, in stretches."""
    varied = whole.varied
    rows = [i for i in range(len(drawn)) if not np.isnan(drawn.overall[i])]
    if len(rows) < LEAST or not varied:
        return []
    if len(varied) == 1:
        return [_curve(drawn, rows, varied[0])]
    if causes is None or len(rows) < BINNED:
        return []
    return [_curve(drawn, rows, causes.causes[0].name, BINS)]


def _curve(drawn: Drawn, rows: Sequence[int], name: str, bins: int | None = None) -> Section:
    own = [i for i in rows if isinstance(drawn.params[i].get(name), int | float)]
    x = np.array([float(drawn.params[i][name]) for i in own])
    columns = [("overall", drawn.overall[own])]
    columns += [(one.key, one.combined[own]) for one in drawn.found[:MOST_KEYS] if len(drawn.found) > 1]
    series = [_series(key, x, y, bins) for key, y in columns]
    chart = Chart(f"Alignment by {name}", name, "score", [one for one in series if one.x], ends=(0.0, 1.0))
    section = Section(f"Alignment by {name}", [chart], console=True)
    best = series[0]
    if best.y:
        top = max(range(len(best.y)), key=lambda i: best.y[i])
        again = sum(y >= best.y[top] - NOISE for y in best.y) - 1
        about = (
            ""
            if bins is None
            else f" Means over {some(bins, 'stretch', 'stretches')} of {name}; other parameters vary within."
        )
        at = f"at {name} = {shown(best.x[top])}" + (f" and at {some(again, 'further value')}" if again else "")
        told = f"Best overall {best.y[top]:.3f} {at}."
        if again and again + 1 == len(best.y):
            told = f"Overall is {best.y[top]:.3f} at every value of {name}."
        section.blocks.append(Note(f"{told}{about}"))
    return section


def _series(key: str, x: Floats, y: Floats, bins: int | None) -> Series:
    """The mean of y at each value of x, or in each of `bins` stretches of it."""
    held = ~np.isnan(y)
    x, y = x[held], y[held]
    if bins is not None and x.size:
        low, wide = float(x.min()), float(np.ptp(x)) / bins
        place = np.minimum(bins - 1, ((x - low) / wide).astype(np.int64)) if wide > 0 else np.zeros(x.size, np.int64)
        x = np.asarray(low + (place + 0.5) * wide, dtype=np.float64)
    values, at = np.unique(x, return_inverse=True)
    sums = np.bincount(at, weights=y, minlength=values.size) / np.maximum(1, np.bincount(at, minlength=values.size))
    return Series(key, values.tolist(), sums.tolist())
