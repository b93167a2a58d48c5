"""The trials behind a gate: those that differ from the reference, are wrong, or score lowest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from auditfw.commands.run_folder import read_table
from auditfw.commands.stored_run import StoredRun, read_reference, read_sections
from auditfw.core.digits import short
from auditfw.core.document import Exhibit, Gallery, Note, Section, Table, some
from auditfw.core.errors import AuditError
from auditfw.core.files import present
from auditfw.core.records import GateResult

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
    if gate.metric in OF_LABEL:
        labels, what = [reading], f"that {run.called(reading)} has wrong"
    else:
        labels, what = [reference, reading], f"where {run.called(reading)} and {run.called(reference)} differ"
    columns = frame.columns
    if not {*labels} <= {*columns} or labels == [reading, reading]:
        return None
    by = [name for name in columns[: columns.index("status")] if name != "id"] if "status" in columns else []
    wrong = frame[reading].eq(other=False)  # a trial without a label is not wrong
    rows = frame.filter(wrong if gate.metric in OF_LABEL else frame[reading] != frame[reference])
    first = rows.select("id", *by, *labels).head(MOST).to_dicts()
    return TrialsBehind("trial", what, len(rows), first, tuple(labels))


def trial_sections(run: StoredRun, behind: TrialsBehind | None) -> list[Section]:
    """The trials with the texts that the run kept of the first of them."""
    if behind is None or not behind.rows:
        return []
    columns = list(behind.rows[0])
    rows = [[_value(row[name], name in behind.labels) for name in columns] for row in behind.rows]
    listed = Table(columns, rows, "<" * len(columns), left_out=behind.total - len(rows))
    texts = islice(_exhibit_notes(run, [str(row["id"]) for row in behind.rows]), 2 * SHOWN)
    return [Section("The Trials Behind It", [Note(f"{behind.text}."), listed, *texts])]


def _value(value: Any, label: bool) -> str:
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return ("right" if value else "wrong") if label else str(value).lower()
    return short(value) if isinstance(value, float) else str(value)


def _exhibit_notes(run: StoredRun, names: Sequence[str]) -> Iterator[Note]:
    """What the run kept of trials: the start of each of their first texts, of equal ones the first."""
    exhibits = _exhibits(run)
    for name in names:
        starts: dict[str, str] = {}
        for part in exhibits[name].snippets[:2] if name in exhibits else ():
            starts.setdefault(f"{part.head[:LENGTH]}{'…' if len(part.head) > LENGTH else ''}", part.label)
        yield from (Note(f"{name}, {label}: {text}") for text, label in starts.items())


def _exhibits(run: StoredRun) -> dict[str, Exhibit]:
    """The trials that the reports show, by their titles; none where they cannot be read."""
    try:
        sections, _ = read_sections(run.folder)
    except AuditError:
        return {}
    blocks = [block for section in sections for block in section.blocks]
    shown = [one for block in blocks for one in (block.exhibits if isinstance(block, Gallery) else [block])]
    return {one.title: one for one in reversed(shown) if isinstance(one, Exhibit)}
