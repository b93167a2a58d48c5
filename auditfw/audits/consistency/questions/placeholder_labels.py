"""Labels by which programs say that there is none: None, nan, -1 among what raters say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, ClassVar

from auditfw.audits.row_places import located
from auditfw.core.document import some, verb
from auditfw.core.escaping import quoted, typed
from auditfw.core.results.findings import Finding, FindingKind
from auditfw.kinds.judgements import LABEL
from auditfw.kinds.registry import declare

from .rated import called, kappa_rules, listed, rated
from .rater_rows import RaterRows

if TYPE_CHECKING:
    from auditfw.formulas.judges.others import RatedItems

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
        import numpy as np

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
