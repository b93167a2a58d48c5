"""Items that stand twice: suspected by the hashes of their ids, then named with their places."""

from __future__ import annotations

from array import array

from auditfw.errors import AuditError, DataError
from auditfw.judgements import PLACE
from auditfw.kinds import Evidence

DO = "write audit.duplicates=first, last, votes or all"


def suspects(hashes: array[int]) -> frozenset[int]:
    """The hashes that more than one id has."""
    import numpy as np

    held = np.sort(np.frombuffer(hashes, dtype=np.int64))
    return frozenset(held[1:][held[1:] == held[:-1]].tolist())


def twice(evidence: Evidence, suspected: frozenset[int] | None) -> list[AuditError]:
    """An error for each id that stands twice; `suspected` are hashes of this process to look at (None: all ids)."""
    first: dict[str, str] = {}
    told: set[str] = set()
    errors: list[AuditError] = []
    for task in evidence.tasks:
        columns = task().columns
        for word, place in zip(columns["id"], columns[PLACE], strict=True):
            if suspected is not None and hash(word) not in suspected:
                continue
            if word not in first:
                first[word] = place
            elif word not in told:
                told.add(word)
                errors.append(DataError(place, f"the item '{word}' stands twice", f"first at {first[word]}", DO))
    return errors
