"""Duplicate items: suspected by the hashes of their ids, then named with their places."""

from __future__ import annotations

from auditfw.audits.consistency.table import hashes_of
from auditfw.core.errors import AuditError, DataError
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


def duplicate_errors(evidence: Evidence, suspected: frozenset[int], key: str) -> list[AuditError]:
    """An error for each duplicate id; `suspected` are the hashes that several ids have."""
    do = f"{apart(key)}, else audit.duplicates=first, last, votes or all"
    first: dict[str, str] = {}
    reported: set[str] = set()
    errors: list[AuditError] = []
    for task in evidence.tasks:
        columns = task().columns
        ids, places = columns["id"], columns[PLACE]
        for i in [i for i, n in enumerate(hashes_of(ids)) if n in suspected]:
            word, place = ids[i], places[i]
            if word not in first:
                first[word] = place
            elif word not in reported:
                reported.add(word)
                errors.append(DataError(place, f"duplicate item '{word}'", f"first at {first[word]}", do))
    return errors
