"""Labels that stand for others of the other raters, and those by which programs say that there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Any, ClassVar

from auditfw.audits.consistency.conclusions.renaming import Renaming, in_words, spellings, to_rename
from auditfw.audits.table_rows import located
from auditfw.core.document import some, verb
from auditfw.core.escaping import quoted, typed
from auditfw.core.imports import NDArray, np
from auditfw.core.records import named_cells
from auditfw.core.results.findings import CellCount, Finding, FindingKind
from auditfw.kinds.judgements import LABEL
from auditfw.kinds.registry import declare

from .rater_rows import RaterRows, against, called, kappa_rules, listed, rated

if TYPE_CHECKING:
    from auditfw.formulas.judges.placeholders import RatedItems

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
    from auditfw.formulas.judges.placeholders import NONE
    from auditfw.formulas.judges.scales import renaming

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


# Labels by which programs say that there is none: None, nan, -1 among what raters say.

PLACEHOLDERS = FindingKind(
    "placeholder_labels",
    "Labels by which programs say that there is none.",
    ("labels_shifted", "scale_factor", "renamed", "one_rater_constant", "lazy_rater"),
)
MARK = '"'


@declare("question", "placeholder_labels")
class PlaceholderLabels:
    """Which labels are such as programs write where there is none."""

    finds: ClassVar[tuple[FindingKind, ...]] = (PLACEHOLDERS,)

    def __call__(self, rows: RaterRows) -> Iterator[Finding]:
        """Those among labels that were read as labels, and among those that are not declared."""
        from auditfw.formulas.judges.placeholders import placeholders

        labels, items = rows.labels, _with_undeclared(rows)
        one = placeholders(items, labels.names if labels.declared else ())
        if one is None:
            return
        own = [rater for rater, n in enumerate(one.by_rater) if n]
        by_rater = [(called(rows, rater), n) for rater, n in enumerate(one.by_rater)]
        flags = np.isin(items.codes, [items.names.index(name) for name in one.names])
        counted = one.sure and not labels.declared  # as labels: what is not declared enters no coefficient
        rules = kappa_rules(rows, PLACEHOLDERS.name, own)
        as_what = "as one" if not labels.declared else "as a label that is not declared"
        words, stands = ", ".join(f"'{name}'" for name in one.names), verb(len(one.names), "stands", "stand")
        share = f"{one.n:,} of {some(one.total, 'label')}"
        yield PLACEHOLDERS(
            one.n,
            one.total,
            f"{words}, as programs write where there is no label: {share}, {listed(by_rater)}.",
            effect="fragile" if one.sure else "reported",
            points=100 * one.touched / rows.n,
            explains=(*PLACEHOLDERS.explains, *rules) if counted else (),
            headline=f"{words} {stands} for no label, and was counted {as_what}: {share}.",
            brief=f"{one.n:,} labels {words}",
            detail={
                "labels": list(one.names),
                "raters": dict(zip(labels.raters, one.by_rater, strict=True)),
            },
            next=f"If it means that there is none: {_nulls(rows, one.names, one.by_rater)}",
            **located(rows, np.flatnonzero(flags.any(0))),
        )


def _with_undeclared(rows: RaterRows) -> RatedItems:
    """The labels of all raters, and those words for no label that are not declared."""
    items, undeclared = rows.of(rated), rows.judgements.undeclared
    names = (*items.names, *dict.fromkeys(one.text for one in undeclared))
    codes = items.codes.copy() if undeclared else items.codes
    for row, rater, text in undeclared:
        codes[rater, row] = names.index(text)
    values = items.values and (*items.values, *(nan for _ in names[len(items.names) :]))
    return replace(items, names=names, codes=codes, values=values)


def _nulls(rows: RaterRows, names: Sequence[str], by_rater: Sequence[int]) -> str:
    """The words by which these texts become no label; an empty text is none already."""
    texts = ", ".join(quoted(name, MARK) for name in ("", *names))
    own = [rater for rater, n in zip(rows.labels.raters, by_rater, strict=True) if n]
    columns = [LABEL] if LABEL in rows.columns else own
    return typed(f"source.nulls={{{', '.join(f'{column}: [{texts}]' for column in columns)}}}")
