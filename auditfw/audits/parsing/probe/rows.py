"""The rows of a batch that may be drawn for the probe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, repeat
from typing import Any

from auditfw.audits.parsing.scored_batch import ScoredBatch
from auditfw.audits.parsing.trials import PROBED

from .draw import DrawSieve, ProbeRows, hashes


def probe_rows(sieve: DrawSieve, scored: ScoredBatch, seed: int, distinct: Sequence[str] | None = None) -> ProbeRows:
    """Those rows of a batch that may be drawn; where the source has no items each id is one.

    `distinct` are the names of its items, where they are known.
    """
    trials = scored.trials
    names: list[str] = trials.names if trials.items is None else trials.items  # type: ignore[assignment]  # no null
    low = sieve.low(names if distinct is None else distinct, seed)
    rows = [i for i in compress(range(len(names)), map(low.__contains__, names)) if scored.sound[i]]
    items, ids = [names[i] for i in rows], [trials.names[i] for i in rows]
    places = [map(low.__getitem__, items), items, hashes(ids, seed), ids]
    own = ([column[i] for i in rows] for column in (trials.cells, trials.truths, trials.stored))
    return sieve.of(list(zip(*places, *own, *_answers(scored, rows), *_further(scored, rows), strict=True)))


def _answers(scored: ScoredBatch, rows: Sequence[int]) -> tuple[list[str | None], list[str | None]]:
    """The raw and the stored texts; one that is there twice is sent and kept once."""
    columns = scored.trials.raw, scored.trials.parsed
    raw, parsed = ([None if column is None else column[i] for i in rows] for column in columns)
    return raw, [one if other == one else other for one, other in zip(raw, parsed, strict=True)]


def _further(scored: ScoredBatch, rows: Sequence[int]) -> Iterator[Iterable[Any]]:
    """The question with its options, which only the probe reads, and what says by which rule a row is read."""
    kept, columns = scored.trials.kept, [scored.batch.columns.get(name) for name in PROBED]
    yield [tuple(None if values is None else values[kept[i]] for values in columns) for i in rows]
    ruled = scored.trials.values
    yield [ruled[i] for i in rows] if ruled else repeat(None, len(rows))
    unstored = frozenset(scored.trials.unstored)
    yield [i in unstored for i in rows] if unstored else repeat(False, len(rows))
