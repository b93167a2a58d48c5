"""The labels that the data hold, read off in a pass of its own where a run wants these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from auditfw.audits.consistency.rules import Rules, as_label
from auditfw.audits.consistency.settings import FOUND, ConsistencySettings
from auditfw.core.errors import DataError, UsageError
from auditfw.core.records import Batch
from auditfw.core.remote.refusals import NotFetchedError
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.judgements import LABEL, RATER

from .scale import is_number, label_order

S = TypeVar("S", bound=ConsistencySettings)

MOST_FOUND, MOST_NUMBERS = 100, 1_000
LISTED = 20


def with_labels(audit: S, evidence: Evidence, raters: Sequence[str]) -> tuple[S, list[str]]:
    """The settings with the labels that the data hold, where these are wanted, and what to say of them.

    Raises DataError for fewer than two labels, and for so many that they are none; UsageError for a setting that names
    another label.
    """
    if audit.labels != FOUND:
        return audit, []
    rules = Rules(tuple(raters), (), audit.aliases_of(raters), audit.case == "fold")
    counts: Counter[str] = Counter()
    for task in evidence.tasks:
        _count(counts, rules, task())
    listed = ", ".join(f"'{label}' × {counts[label]:,}" for label in sorted(counts, key=label_order)[:LISTED])
    if not 2 <= len(counts) <= (MOST_NUMBERS if all(map(is_number, counts)) else MOST_FOUND):
        few = "fewer than two labels" if len(counts) < 2 else f"{len(counts):,} different labels"
        do = "list them: audit.labels=[...]; numbers become labels with source.bins={COLUMN: [NUMBER]}"
        raise DataError("audit.labels", f"the data hold {few}", listed or "none", do)
    more = f", and {len(counts) - LISTED:,} more" if len(counts) > LISTED else ""
    labels: list[str] = sorted(counts, key=label_order)
    try:
        settled = replace(audit, labels=tuple(labels))
    except UsageError as error:
        raise UsageError(f"audit.{error.where}", error.what, error.found, error.do) from None
    return settled, [f"the labels are those that the data hold (audit.labels={FOUND}): {listed}{more}"]


def undeclared(audit: ConsistencySettings, evidence: Evidence, raters: Sequence[str]) -> list[str]:
    """What `auditfw check` says of labels in the first batch at which a run would stop: one line, or none."""
    first = next(iter(evidence.tasks), None)
    if audit.unknown_labels != "error" or first is None:
        return []
    counts: Counter[str] = Counter()
    try:
        _count(counts, audit.rules(tuple(raters)), first())
    except NotFetchedError:
        return []
    strange = [label for label in sorted(counts, key=label_order) if label not in audit.named_labels]
    if not strange:
        return []
    listed = ", ".join(f"'{label}' × {counts[label]:,}" for label in strange[:LISTED])
    more = f", and {len(strange) - LISTED:,} more" if len(strange) > LISTED else ""
    return [f"{listed}{more} among the first rows: not declared, so a run stops there (audit.labels, audit.aliases)"]


def _count(counts: Counter[str], rules: Rules, batch: Batch) -> None:
    """Counts the labels of a batch, and declares them: of those that are compared as equal the first."""
    columns, raters = batch.columns, rules.raters
    if RATER in columns and LABEL in columns:
        pairs = [(str(rater), label) for rater, label in zip(columns[RATER], columns[LABEL], strict=True)]
        values = Counter((rater, as_label(label)) for rater, label in pairs if rater in raters)
    else:
        values = Counter((rater, as_label(label)) for rater in raters for label in columns.get(rater) or ())
    for (rater, text), n in sorted(values.items()):
        label = rules.resolved(rater, text)
        label = rules.declared.setdefault(rules.folded(label), label)
        if label.strip():
            counts[label] += n
