"""Why a gate came out as it did: its bound, what was measured, the cells, the trials behind it, what to do next."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from auditfw.commands.run_folder import MEASUREMENTS
from auditfw.commands.stored_run import StoredRun, read_reference, read_sections
from auditfw.components.files.run_tables import has_table, read_table
from auditfw.components.report.wording import estimate_text, number, rule_text, title
from auditfw.core.digits import short
from auditfw.core.document import Exhibit, Gallery, Note, Section, Table, capital, some
from auditfw.core.errors import AuditError
from auditfw.core.files import present
from auditfw.core.records import Estimate, GateResult
from auditfw.core.result_json import FIELDS

MOST = 8  # cells
Row = Mapping[str, Any]
ON = {"change": "change", "low": "lower end", "high": "upper end"}


def margin(gate: GateResult, row: Row) -> float | None:
    """How far a number is within its bounds, below 0 outside; None for one that is undefined."""
    value, (low, high) = row[gate.on if gate.on in ("low", "high") else "value"], gate.ends
    return None if value is None else min(value - low, high - value)


def gate_sections(run: StoredRun, gate: GateResult, trials: Sequence[Section]) -> list[Section]:
    """A gate with what was measured, in sections."""
    table = measured(run, gate)
    sections = [Section(f"Gate {gate.name}: {gate.status.upper()}", [Note(text) for text in _head(run, gate)])]
    sections += [Section("Measured Overall", [table])] if table.rows else []
    cells = cell_table(run, gate)
    telling = gate.status != "pass" or any("no" in row[-2:] for row in cells.rows)
    sections += [Section("Cells, the Worst First", [cells])] if cells.rows and telling else []
    return [
        *sections,
        *(trials if gate.status != "pass" else ()),
        Section("What to Do", [Note(next_step(run, gate))]),
    ]


def _head(run: StoredRun, gate: GateResult) -> list[str]:
    texts = [f"The rule is: {rule_text(gate, run.styles)}."]
    if gate.value is not None:
        of = f" of {run.called(gate.reading)}" if gate.reading else ""
        value = number(gate.value, gate.metric or "", run.styles)
        texts.append(f"The deciding {ON.get(gate.on or '', 'value')}{of} is {value}{_room(run, gate, gate.value)}.")
    return [*texts, *([f"{capital(gate.why.rstrip('.'))}."] if gate.why else [])]


def _room(run: StoredRun, gate: GateResult, value: float) -> str:
    """How far the number that decided is from its bound."""
    low, high = gate.ends
    near, bound = min((abs(value - end), end) for end in (low, high))
    if not math.isfinite(near):
        return ""
    if gate.on == "interval":
        return f"; its whole interval is compared with {number(bound, gate.metric or '', run.styles)}"
    if not near:
        return ", exactly the bound"
    room = number(near, gate.metric or "", run.styles).lstrip("+")
    return f", {room} {'within' if low <= value <= high else 'beyond'} the bound"


def overall(run: StoredRun, gate: GateResult) -> list[Row]:
    """The overall measurements that the gate is about."""
    rows = [row for row in run.result["measurements"] if not row["cell"]]
    if gate.metric is not None:
        return [row for row in rows if row["metric"] == gate.metric]
    named = [] if gate.answer is not None else [(term.metric, term.reading) for term in gate.terms]
    return [row for row in rows if (row["metric"], row["reading"]) in named]


def measured(run: StoredRun, gate: GateResult) -> Table:
    """The overall measurements of all readings, and whether each is within the bounds."""
    rows, alike = [], len({row["metric"] for row in overall(run, gate)}) == 1
    for row in overall(run, gate):
        counts = [f"{row['counted']:,}", f"{row['missing']:,}" if row["missing"] else ""]
        shown = estimate_text(estimate_of(row), row["metric"], run.styles)
        name = "" if alike else title(row["metric"], run.styles)
        rows.append([name, run.called(row["reading"]), shown, _held(gate, row), *counts])
    value = title(gate.metric, run.styles) if alike and gate.metric else "value"
    return filled(["measurement", "reading", value, "in bounds", "counted", "missing"], rows, "<<><>>")


def estimate_of(row: Row) -> Estimate:
    return Estimate(*(row[name] for name in ("value", "counted", "missing", "low", "high", "undefined")))


def _held(gate: GateResult, row: Row) -> str:
    """Whether a number, or its whole interval, is within the bounds: yes, no, open, or why it is undefined."""
    if gate.metric is None or gate.on == "change":
        return row["undefined"] or ""
    room = margin(gate, row)
    if room is None:
        return row["undefined"] or "undefined"
    if gate.on != "interval":
        return "yes" if room > 0 or (room == 0 and not gate.strict) else "no"
    low, high, (least, most) = row["low"], row["high"], gate.ends
    if low is None or high is None:
        return "open"
    return "yes" if least <= low and high <= most else "no" if high < least or low > most else "open"


def cell_rows(run: StoredRun, gate: GateResult) -> list[Row]:
    """The cells of the reading that decided, those furthest beyond the bounds first."""
    file = run.folder / MEASUREMENTS
    if gate.metric is None or gate.on == "change" or not has_table(file):
        return []
    rows = []
    for row in read_table(file).to_dicts():
        cell = {name: value for name, value in row.items() if name not in FIELDS and value is not None}
        wanted = gate.reading in (None, row["reading"])
        if cell and wanted and row["metric"] == gate.metric and margin(gate, row) is not None:
            rows.append({**{name: row[name] for name in FIELDS}, "cell": cell})
    return sorted(rows, key=lambda row: (margin(gate, row), -row["counted"], str(row["cell"])))


def cell_table(run: StoredRun, gate: GateResult) -> Table:
    """The first of these cells."""
    rows = cell_rows(run, gate)
    names = list(dict.fromkeys(name for row in rows for name in row["cell"]))
    shown = [
        [
            *(str(row["cell"].get(name, "")) for name in names),
            "" if gate.reading else run.called(row["reading"]),
            estimate_text(estimate_of(row), row["metric"], run.styles),
            _held(gate, row),
            f"{row['counted']:,}",
        ]
        for row in rows[:MOST]
    ]
    heads = [*names, "reading", title(gate.metric or "", run.styles), "in bounds", "counted"]
    return filled(heads, shown, "<" * len(names) + "<><>", max(0, len(rows) - MOST))


def filled(heads: Sequence[str], rows: Sequence[Sequence[str]], align: str, left_out: int = 0) -> Table:
    """A table without the columns that are empty throughout."""
    kept = [at for at in range(len(heads)) if any(row[at] for row in rows)]
    cells = [[row[at] for at in kept] for row in rows]
    return Table([heads[at] for at in kept], cells, "".join(align[at] for at in kept), left_out=left_out)


def next_step(run: StoredRun, gate: GateResult) -> str:
    """One thing to do."""
    name = gate.name
    if gate.answer is not None:
        answer = run.result["answer"]
        do = f" Next: {answer['next']}" if answer else ""
        return f"auditfw explain {run.folder} says how the answer came about.{do}"
    if gate.status == "pass":
        return "Nothing: the gate passed."
    if gate.status == "inconclusive":
        if gate.value is None:
            return f"Provide the missing data; or say what undefined means: gates.{name}.undefined=fail"
        return "Audit more items: the interval is too wide for the bound."
    if gate.on == "change":
        return "Look at what changed: auditfw compare shows two runs; auditfw accept RUN stores this one instead."
    if gate.terms:
        return f"Look at the measurements that the rule names; to change the rule: gates.{name}.where='...'"
    if gate.metric is None:
        return f"The run does not store what the gate looked at: auditfw explain {run.folder} shows the answer."
    side = "min" if gate.value is not None and gate.value < gate.ends[0] else "max"
    return f"Look at the cells and trials above. To bound it elsewhere: gates.{name}.{side}=NUMBER"


# The trials behind a gate: those that differ from the reference, are wrong, or score lowest.

TRIALS_SHOWN = 5  # trials
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
        scored = frame.filter(frame["combined"].is_not_null()).sort(["combined", "id"])
        rows = scored.select("id", "intended", "actual", "combined").head(TRIALS_SHOWN).to_dicts()
        return TrialsBehind("outcome", "scored, the lowest scores first", len(scored), rows)
    if "solved" in frame.columns and "soft_score" in frame.columns:
        return _unsolved(frame, str(reading))
    return _differing(run, gate, frame, str(reading))


def _unsolved(frame: Any, reading: str) -> TrialsBehind:
    column = reading if reading in frame.columns and reading != "live" else "solved"
    rows = frame.filter(~frame[column].fill_null(value=False))
    kept = [name for name in ("id", "stop_reason", "soft_score") if name in frame.columns]
    return TrialsBehind("problem", "not solved", len(rows), rows.select(kept).head(TRIALS_SHOWN).to_dicts())


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
    first = rows.select("id", *by, *labels).head(TRIALS_SHOWN).to_dicts()
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
