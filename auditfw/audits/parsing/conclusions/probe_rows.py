"""The rows of a batch that may be drawn for the probe."""

from __future__ import annotations

from typing import Any

from auditfw.audits.parsing.scored_batch import ScoredBatch
from auditfw.audits.parsing.trials import PROBED

from .draw import BatchDraw, DrawSieve, Row, hashes


def probe_rows(sieve: DrawSieve, scored: ScoredBatch, seed: int) -> BatchDraw:
    """Those rows of a batch that may be drawn; where the source has no items each id is one."""
    trials, known = scored.trials, scored.memo.hashes
    names = list(map(str, trials.ids)) if trials.items is None else list(map(str, trials.items))
    if seed not in known:
        known[seed] = hashes(names, seed)
    low = sieve.low(known[seed])
    rows = [i for i, name in enumerate(names) if name in low and scored.sound[i]]
    ids = [str(trials.ids[i]) for i in rows]
    orders = dict(zip(*hashes(ids, seed), strict=True))
    return sieve.of(
        [(low[names[i]], names[i], orders[own], own, *_of(scored, i)) for i, own in zip(rows, ids, strict=True)]
    )


def _of(scored: ScoredBatch, i: int) -> Row:
    """What the probe needs of a trial besides its place in the draw."""
    trials = scored.trials
    raw = None if trials.raw is None else trials.raw[i]
    parsed = None if trials.parsed is None else trials.parsed[i]
    further = (_value(scored, name, i) for name in PROBED)
    # a text that is there twice is sent and kept once
    return (trials.cells[i], trials.truths[i], trials.stored[i], raw, raw if parsed == raw else parsed, *further)


def _value(scored: ScoredBatch, column: str, i: int) -> Any:
    values = scored.batch.columns.get(column)
    return None if values is None else values[scored.trials.kept[i]]
