"""From the counted loops to what the metrics read."""

from __future__ import annotations

from auditfw.core.records import named_cells, sorted_cells
from auditfw.kinds.context import Sample

from .counts import LoopTable


def samples(counts: LoopTable) -> list[Sample]:
    """One sample a reading, overall first, then the cells."""
    cells = sorted_cells({cell for _, cell in counts.loops if cell is not None})
    named = named_cells(cells, counts.by)
    all_samples: list[Sample] = []
    for reading in counts.readings:
        all_samples.append(Sample(reading, {}, counts.of(reading.name, None)))
        all_samples += [Sample(reading, n, counts.of(reading.name, c)) for n, c in zip(named, cells, strict=True)]
    return all_samples
