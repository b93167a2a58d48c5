"""Files written and read back: rows as records, and refusals by their words."""

from __future__ import annotations

import json
import pickle
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.core.errors import AuditError


def read(source: Any, *required: str, optional: tuple[str, ...] | None = None) -> tuple[list[dict[str, Any]], Any]:
    """All rows of a source as records, and the tallies; every task goes through pickle."""
    evidence = source.open(list(required), optional)
    rows: list[dict[str, Any]] = []
    tally = {"dropped": Counter(), "notes": Counter(), "evidence": evidence, "tasks": 0}
    for task in evidence.tasks:
        batch = pickle.loads(pickle.dumps(task))()
        assert tuple(batch.columns) == evidence.columns
        assert len({len(values) for values in batch.columns.values()}) == 1
        rows += [dict(zip(batch.columns, row, strict=True)) for row in zip(*batch.columns.values(), strict=True)]
        tally["dropped"] += batch.dropped
        tally["notes"] += batch.notes
        tally["tasks"] += 1
    tally["notes"] = placed(tally["notes"])
    return rows, tally


def placed(notes: Any) -> Any:
    """Notes with the first places of those that have one."""
    pairs = [(f" (first: {place})" if (place := getattr(note, "place", "")) else "", note) for note in notes]
    return Counter({f"{note}{place}": notes[note] for place, note in pairs})


def refused(kind: type[AuditError], source: Any, *words: str, required: tuple[str, ...] = ()) -> None:
    with pytest.raises(kind) as caught:
        read(source, *required)
    said = str(caught.value)
    assert "\n" not in said or kind is AuditError
    for word in words:
        assert word in said, said


def put(name: str, content: str | bytes) -> str:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def lines(*records: Any, name: str = "a.jsonl") -> str:
    return put(name, "".join(json.dumps(record) + "\n" for record in records))


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
QUIET = settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def database(
    name: str = "a.db", script: str = "CREATE TABLE r (id, t); INSERT INTO r VALUES (1, 'x'), (2, NULL)"
) -> str:
    with closing(sqlite3.connect(name)) as db:
        db.executescript(script)
        db.commit()
    return name
