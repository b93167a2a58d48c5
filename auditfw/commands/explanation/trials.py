"""The trials behind a gate: those that differ from the reference, are wrong, or score lowest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.commands.run_folder import read_table
from auditfw.commands.stored_run import SECTIONS, StoredRun, read_reference
from auditfw.core.digits import short
from auditfw.core.document import Note, Section, Table, some
from auditfw.core.errors import AuditError
from auditfw.core.files import present, read_text
from auditfw.core.records import GateResult
from auditfw.core.shapes import json_value

from .gate import overall

MOST = 5  # trials
SHOWN = 2  # of them with their texts
LENGTH = 160  # characters of a text
OF_STORED = ("mismatches", "unreproduced")  # metrics that compare with the stored labels, whatever the reference is
OF_LABEL = ("error_rate", "no_answer")  # metrics of one reading: the trials that it has wrong


@dataclass(frozen=True)
class TrialsBehind:
    """Trials behind a number: what they are, how many, the first of them, and which columns are labels."""

    noun: str
    what: str
    total: int
    rows: Sequence[Mapping[str, Any]]
    labels: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return f"{some(self.total, self.noun)} {self.what}"


def trials_behind(run: StoredRun, gate: GateResult) -> TrialsBehind | None:
    """The trials behind a gate's number; None where the tables do not say which they are."""
    file = run.folder / "trials.parquet"
    reading = gate.reading or next((row["reading"] for row in overall(run, gate) if gate.metric is None), None)
    if gate.answer is not None or not present(file):
        return None
    frame = read_table(file)
    if "combined" in frame.columns:
        return _lowest(frame)
    if "solved" in frame.columns and "soft_score" in frame.columns:
        return _unsolved(frame, str(reading))
    return _differing(run, gate, frame, str(reading))


def _lowest(frame: Any) -> TrialsBehind:
    scored = frame.filter(frame["combined"].is_not_null()).sort(["combined", "id"])
    rows = scored.select("id", "intended", "actual", "combined").head(MOST).to_dicts()
    return TrialsBehind("outcome", "scored, the lowest scores first", len(scored), rows)


def _unsolved(frame: Any, reading: str) -> TrialsBehind:
    column = reading if reading in frame.columns and reading != "live" else "solved"
    rows = frame.filter(~frame[column].fill_null(value=False))
    kept = [name for name in ("id", "stop_reason", "soft_score") if name in frame.columns]
    return TrialsBehind("problem", "not solved", len(rows), rows.select(kept).head(MOST).to_dicts())


def _differing(run: StoredRun, gate: GateResult, frame: Any, reading: str) -> TrialsBehind | None:
    reference = "stored" if gate.metric in OF_STORED else read_reference(run.folder)
    columns = frame.columns
    labels: tuple[str, ...]
    if reading not in columns or (reference not in columns and gate.metric not in OF_LABEL):
        return None
    by = [name for name in columns[: columns.index("status")] if name != "id"] if "status" in columns else []
    if gate.metric in OF_LABEL:
        rows = frame.filter(frame[reading].eq(other=False))  # a trial without a label is not wrong
        labels, what = (reading,), f"that {run.called(reading)} has wrong"
        kept = ["id", *by, reading]
    elif reading == reference:
        return None
    else:
        rows = frame.filter(frame[reading] != frame[reference])
        labels, what = (reference, reading), f"where {run.called(reading)} and {run.called(reference)} differ"
        kept = ["id", *by, reference, reading]
    return TrialsBehind("trial", what, len(rows), rows.select(kept).head(MOST).to_dicts(), labels)


def trial_sections(run: StoredRun, behind: TrialsBehind | None) -> list[Section]:
    """The trials with the texts that the run kept of the first of them."""
    if behind is None or not behind.rows:
        return []
    columns = list(behind.rows[0])
    rows = [[_value(row[name], name in behind.labels) for name in columns] for row in behind.rows]
    listed = Table(columns, rows, "<" * len(columns), left_out=behind.total - len(rows))
    texts = [note for row in behind.rows for note in exhibit_notes(run, str(row["id"]))][: 2 * SHOWN]
    return [Section("The Trials Behind It", [Note(f"{behind.text}."), listed, *texts])]


def _value(value: Any, label: bool) -> str:
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return ("right" if value else "wrong") if label else str(value).lower()
    return short(value) if isinstance(value, float) else str(value)


def exhibit_notes(run: StoredRun, name: str) -> list[Note]:
    """What the run kept of a trial: the start of each of its first texts, of equal ones the first."""
    starts: dict[str, str] = {}
    for label, text in _texts(run, name)[:2]:
        starts.setdefault(f"{text[:LENGTH]}{'…' if len(text) > LENGTH else ''}", label)
    return [Note(f"{name}, {label}: {text}") for text, label in starts.items()]


def _texts(run: StoredRun, name: str) -> list[tuple[str, str]]:
    """The texts of the exhibit of this name in sections.json; none where that cannot be read."""
    file = run.folder / SECTIONS
    try:
        sections = json_value(read_text(file))["sections"] if present(file) else []
        blocks = [block for section in sections for block in section["blocks"]]
        exhibits = [one for block in blocks for one in (block.get("exhibits") or [block]) if one.get("title") == name]
        return [(str(part["label"]), str(part["head"])) for one in exhibits[:1] for part in one["snippets"]]
    except (AuditError, ValueError, KeyError, TypeError, AttributeError):
        return []
