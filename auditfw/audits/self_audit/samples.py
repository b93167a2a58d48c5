"""From the counted loops to what the metrics read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from auditfw.core.records import named_cells, sorted_cells
from auditfw.kinds.context import Sample

from .counts import LoopTable


def samples(counts: LoopTable, values: Mapping[str, float | str]) -> list[Sample]:
    """One sample a reading, overall first, then the cells; the reference's overall one has the `values` of findings."""
    cells = sorted_cells({cell for _, cell in counts.loops if cell is not None})
    named = named_cells(cells, counts.by)
    all_samples: list[Sample] = []
    for reading in counts.readings:
        whole = counts.of(reading.name, None)
        data = replace(whole, findings=values) if reading.role == "reference" else whole
        all_samples.append(Sample(reading, {}, data))
        all_samples += [Sample(reading, n, counts.of(reading.name, c)) for n, c in zip(named, cells, strict=True)]
    return all_samples
