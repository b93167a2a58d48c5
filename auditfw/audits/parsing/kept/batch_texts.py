"""The texts of a batch, for the table of texts."""

from __future__ import annotations

from auditfw.audits.parsing.engine.reference import alternatives
from auditfw.audits.parsing.scored_batch import LABELS, ScoredBatch

from .texts import STORED, TrialTexts


def texts_of(scored: ScoredBatch) -> TrialTexts:
    """The audited trials of a batch with their texts."""
    trials, rows = scored.trials, [i for i, whole in enumerate(scored.sound) if whole]
    none: list[str | None] = [None] * len(trials.ids)
    raw, parsed, items = trials.raw or none, trials.parsed or none, trials.items or none
    answers, own, has_stored = scored.answers, scored.own_answers, STORED in scored.batch.columns
    return TrialTexts(
        ids=[str(trials.ids[i]) for i in rows],
        items=[items[i] for i in rows],
        cells={name: [trials.cells[i][at] for i in rows] for at, name in enumerate(trials.by)},
        truths=[list(alternatives(trials.truths[i])) for i in rows],
        raw=[raw[i] for i in rows],
        answers=[[answers[i][p] for i in rows] for p in range(len(scored.plan.parsers))],
        labels=[[LABELS[codes[i]] for i in rows] for codes in scored.labels],
        own=[own[i] for i in rows] if own else [],
        stored=([parsed[i] for i in rows], [LABELS[trials.stored[i]] for i in rows]) if has_stored else None,
    )
