"""Duplicate items: suspected by the hashes of their ids, then named with their places."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from auditfw.core.errors import AuditError, DataError
from auditfw.core.native import native_kernel
from auditfw.core.native.columns import Words
from auditfw.kinds.capabilities import capability
from auditfw.kinds.evidence import Evidence, Source
from auditfw.kinds.judgements import PLACE, QID


def id_of(source: Source) -> str:
    """The column that a source reads as id: the one that its settings name, else the usual one that is there."""
    named = (capability(source, "columns") or {}).get("id")
    return str(named or (QID if QID in source.open((), (QID,)).columns else "id"))


def apart(key: str) -> str:
    """What to write where another column tells items of the same id apart."""
    first = key if "{" in key else f"{{{key}}}"
    return f"where another column tells them apart write source.columns.id='\"{first}/{{COLUMN}}\"'"


def hashes_of(ids: Sequence[str]) -> tuple[array[int], int]:
    """A hash of each id, and a salt: only hashes with the same salt can be compared (Python's differ by process)."""
    kernel = native_kernel()
    if kernel is None:
        return array("q", map(hash, ids)), hash(PLACE)
    hashes = array("q")
    hashes.frombytes(kernel.hashes(ids.joined if isinstance(ids, Words) else list(map(str, ids))))
    return hashes, 0


def suspects(hashes: array[int]) -> frozenset[int]:
    """The hashes that more than one id has."""
    import numpy as np

    held = np.sort(np.frombuffer(hashes, dtype=np.int64))
    return frozenset(held[1:][held[1:] == held[:-1]].tolist())


def duplicate_errors(evidence: Evidence, suspected: frozenset[int] | None, key: str) -> list[AuditError]:
    """An error for each duplicate id; `suspected` are hashes as made in this process, or None for all."""
    do = f"{apart(key)}, else audit.duplicates=first, last, votes or all"
    first: dict[str, str] = {}
    reported: set[str] = set()
    errors: list[AuditError] = []
    for task in evidence.tasks:
        columns = task().columns
        ids, places = columns["id"], columns[PLACE]
        hashes = () if suspected is None else hashes_of(ids)[0]
        rows = range(len(ids)) if suspected is None else [i for i, n in enumerate(hashes) if n in suspected]
        for i in rows:
            word, place = ids[i], places[i]
            if word not in first:
                first[word] = place
            elif word not in reported:
                reported.add(word)
                errors.append(DataError(place, f"duplicate item '{word}'", f"first at {first[word]}", do))
    return errors
