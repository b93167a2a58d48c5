"""Labels of a rater that stand for others of those that it is held against, or are written in several ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from auditfw.audits.consistency.conclusions.renaming import Renaming, in_words, spellings, to_rename
from auditfw.audits.row_places import located
from auditfw.core.document import some
from auditfw.core.records import named_cells
from auditfw.core.results.findings import CellCount, Finding, FindingKind
from auditfw.kinds.registry import declare

from .rated import against, called, kappa_rules, rated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .rater_rows import RaterRows

ALPHA = 0.001
KIND = FindingKind("renamed", "Labels of a rater that stand for others of those it is held against.", ("leans",))


@declare("question", "renamed")
class LabelsRenamed:
    """Whether a rater's labels, read as others, agree much better: one-to-one, or in one spelling of each."""

    finds: ClassVar[tuple[FindingKind, ...]] = (KIND,)

    def __call__(self, rows: RaterRows) -> Iterator[Finding]:
        """Of all items, then of cells."""
        maps = [*_whole(rows)]
        maps += [one for one in _of_cells(rows) if one.reading not in {whole.reading for whole in maps}]
        maps += [one for one in spellings(rows.settings, rows.results) if one.reading not in {m.reading for m in maps}]
        if maps:
            yield _finding(rows, max(maps, key=lambda one: (one.gained, -one.p)), maps)


def _whole(rows: RaterRows) -> Iterator[Renaming]:
    import numpy as np

    for rater in rows.of(rated).candidates:
        yield from _of_rater(rows, rater, np.ones(rows.n, bool), {}, 1)


def _of_cells(rows: RaterRows) -> Iterator[Renaming]:
    if rows.cells is None:
        return
    keys, numbers = rows.cells
    for place, cell in enumerate(named_cells(keys, rows.context.by)):
        for rater in rows.of(rated).candidates:
            yield from _of_rater(rows, rater, numbers == place, cell, len(keys))


def _of_rater(rows: RaterRows, rater: int, chosen: NDArray[Any], cell: Any, cells: int) -> Iterator[Renaming]:
    from auditfw.formulas.judges.others import NONE
    from auditfw.formulas.judges.renaming import renaming

    items = rows.of(rated)
    own, other = items.codes[rater], items.against(rater)
    at = chosen & (own != NONE) & (other != NONE)
    kept = [place for place, name in enumerate(items.names) if name in rows.results.settings.abstain]
    groups = None if items.groups is None else items.groups[at]
    one = renaming(own[at], other[at], len(items.names), kept, groups)
    if one is None or one.p * len(items.candidates) * cells > ALPHA:
        return
    names = {items.names[i]: items.names[j] for i, j in one.moved.items()}
    p = min(1.0, one.p * len(items.candidates) * cells)
    yield Renaming(rows.labels.raters[rater], cell, names, one.n, one.before / one.n, one.after / one.n, p)


def _finding(rows: RaterRows, first: Renaming, maps: list[Renaming]) -> Finding:
    import numpy as np

    items = rows.of(rated)
    rater = rows.labels.raters.index(first.reading) if first.reading in rows.labels.raters else None
    who, whom = (first.reading, rows.reference) if rater is None else (called(rows, rater), against(rows, rater))
    headline, text = in_words(first, who, whom)
    readings = {one.reading: None for one in maps}
    more = len(readings) - 1
    text += f" So it is with {some(more, 'more rater')}." if more else ""
    moved = [items.names.index(label) for label in first.moved if label in items.names]
    where = () if rater is None else np.flatnonzero(np.isin(items.codes[rater], moved))
    return KIND(
        1 + more,
        len(items.candidates),
        text,
        effect="fragile",
        points=100 * first.gained / rows.n,
        p=first.p,
        cells=[CellCount(first.cell, first.n)] if first.cell else (),
        explains=(
            *KIND.explains,
            *kappa_rules(rows, KIND.name, [rows.labels.raters.index(one.reading) for one in maps]),
        ),
        headline=headline,
        brief=f"labels of {who} differ {first.kind}",
        next=to_rename(first, rows.settings),
        detail={"renamed": [[one.reading, dict(one.moved)] for one in maps]},
        **(located(rows, where) if len(where) else {}),
    )
