"""Where the trials are that flip: FILE:LINE of those that most readings change, for reports that ask for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.kinds.context import Context
from auditfw.samples import shown

from .flips import FlippedTrials

PLACE, TABLE = "#place", "places"

Placed = tuple[int, str, str]  # how many readings turn the trial's label, its id, FILE:LINE


def placed(flips: FlippedTrials, ids: Sequence[Any], places: Sequence[Any], most: int) -> list[Placed]:
    """The flips of a batch that are turned by most readings, those alike in the order of the input."""
    turned: Counter[int] = Counter(i for stratum in flips.masks for i in flips.of(stratum))
    rows = sorted(turned, key=lambda i: (-turned[i], i))[:most]
    return [(turned[i], str(ids[i]), str(places[i])) for i in rows]


def merged(earlier: Sequence[Placed], later: Sequence[Placed], most: int) -> list[Placed]:
    """Those of both that most readings turn."""
    return sorted([*earlier, *later], key=lambda one: -one[0])[:most]


def table_of(rows: Sequence[Placed], context: Context) -> Mapping[str, Any]:
    """The table `places` of a run, by its name; none where no trial flips."""
    if not rows:
        return {}
    table = context.table(TABLE)
    table.add({"id": [name for _, name, _ in rows], "place": [shown(place) for *_, place in rows]})
    return {TABLE: table.close()}
