"""Labels by which programs say that there is none: None, nan, -1 among what raters say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from auditfw.audits.row_places import located
from auditfw.core.document import some, verb
from auditfw.core.escaping import quoted, typed
from auditfw.core.results.findings import Finding, FindingKind
from auditfw.kinds.judgements import LABEL
from auditfw.kinds.registry import declare

from .rated import called, kappa_rules, listed, rated
from .rater_rows import RaterRows

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
        """Those among labels that were read as labels."""
        import numpy as np

        from auditfw.formulas.judges.placeholders import placeholders

        labels = rows.labels
        one = placeholders(rows.of(rated), labels.names if labels.declared else ())
        if one is None:
            return
        own = [rater for rater, n in enumerate(one.by_rater) if n]
        by_rater = [(called(rows, rater), n) for rater, n in enumerate(one.by_rater)]
        flags = np.isin(labels.codes, [labels.names.index(name) for name in one.names])
        words, stands = ", ".join(f"'{name}'" for name in one.names), verb(len(one.names), "stands", "stand")
        share = f"{one.n:,} of {some(one.total, 'label')}"
        yield PLACEHOLDERS(
            one.n,
            one.total,
            f"{words}, as programs write where there is no label: {share}, {listed(by_rater)}.",
            effect="fragile" if one.sure else "reported",
            points=100 * one.touched / rows.n,
            explains=(*PLACEHOLDERS.explains, *kappa_rules(rows, PLACEHOLDERS.name, own)) if one.sure else (),
            headline=f"{words} {stands} for no label, and was counted as one: {share}.",
            brief=f"{one.n:,} labels {words}",
            detail={
                "labels": list(one.names),
                "raters": dict(zip(labels.raters, one.by_rater, strict=True)),
            },
            next=f"If it means that there is none: {_nulls(rows, one.names, one.by_rater)}",
            **located(rows, np.flatnonzero(flags.any(0))),
        )


def _nulls(rows: RaterRows, names: Sequence[str], by_rater: Sequence[int]) -> str:
    """The words by which these texts become no label; an empty text is none already."""
    texts = ", ".join(quoted(name, MARK) for name in ("", *names))
    own = [rater for rater, n in zip(rows.labels.raters, by_rater, strict=True) if n]
    columns = [LABEL] if LABEL in rows.columns else own
    return typed(f"source.nulls={{{', '.join(f'{column}: [{texts}]' for column in columns)}}}")
