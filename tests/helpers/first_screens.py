"""The first screen of a consistency run on small tables, as texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import auditfw
from auditfw.core.document import Note, Section, Table
from auditfw.core.records import Result

Rows = Sequence[Mapping[str, Any]]


def pairs(counted: Mapping[tuple[str | None, str | None], int]) -> list[dict[str, Any]]:
    """So many rows of each pair of labels of x and y."""
    every = [pair for pair, n in counted.items() for _ in range(n)]
    return [{"id": f"q{i}", "x": one, "y": other} for i, (one, other) in enumerate(every)]


def rated(
    rows: Rows, raters: Sequence[str], labels: Sequence[str] | str, guessed: Sequence[str] = (), **audit: Any
) -> Result:
    """A run on a row an item with a column a rater, whose last one is the reference; without gates and policies."""
    settings = {"raters": [*raters], "reference": raters[-1], "labels": labels, "abstain": [], **audit}
    source = {"use": "frame", "frame": [*rows]}
    run = {"experiment": "cross_agent", "source": source, "gate": [], "policy": [], "metric": ["kappa"]}
    return auditfw.run({**run, "audit": settings, **({"guessed": [*guessed]} if guessed else {})})


def two(counted: Mapping[tuple[str | None, str | None], int], labels: Sequence[str] | str, **audit: Any) -> list[str]:
    """The lines of a run on counted pairs of labels."""
    return lines(rated(pairs(counted), ["x", "y"], labels, **audit))


def first(result: Result) -> list[Section]:
    """The sections of the first screen in their order, but for the picture."""
    return [section for section in result.sections if section.screen in ("who", "example", "data")]


def lines(result: Result) -> list[str]:
    """Titles, rows with a bar between cells, and notes."""
    texts = []
    for section in first(result):
        texts.append(f"{section.screen}: {section.title}")
        for block in section.blocks:
            if isinstance(block, Table):
                texts += ["|".join(row) for row in (block.columns, *block.rows) if any(row)]
            elif isinstance(block, Note):
                texts.append(block.text)
    return texts
