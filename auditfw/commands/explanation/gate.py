"""Why a gate came out as it did: its bound, what was measured, the cells, the trials behind it, what to do next."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.commands.run_folder import MEASUREMENTS, read_table
from auditfw.commands.stored_run import StoredRun
from auditfw.components.report.wording import estimate_text, number, title
from auditfw.core.document import Note, Section, Table
from auditfw.core.files import present
from auditfw.core.records import Estimate
from auditfw.core.result_json import FIELDS
from auditfw.kinds.metrics import ON_ANSWER

MOST = 8  # cells
TERM = re.compile(
    r"(?P<kind>change of |interval of |low of |high of )?(?P<metric>\w+)(?P<cells> in every cell)? "
    r"(?P<side>[<>]=?) (?P<bound>[-+.\de]+)"
)
SECOND = re.compile(r" and (?P<side><=) (?P<bound>[-+.\de]+)$")  # of a change
NAMED = re.compile(r'"([^"@]+)@([^"]+)"')
Row = Mapping[str, Any]


@dataclass(frozen=True)
class StoredGate:
    """A gate's result, with what its rule says: the metrics, the end that is bounded, the bounds, whether every cell.

    `end` is "" for the value, else `change`, `interval`, `low` or `high`. A `strict` bound itself is outside. `pairs`
    are the measurements that a rule in SQL names.
    """

    result: Row
    metric: str = ""
    end: str = ""
    every: bool = False
    low: float = -math.inf
    high: float = math.inf
    pairs: tuple[tuple[str, str], ...] = ()
    strict: bool = False

    @property
    def on_answer(self) -> bool:
        return str(self.result["rule"]).startswith(ON_ANSWER)

    def margin(self, row: Row) -> float | None:
        """How far a number is within its bounds, below 0 outside; None for one that is undefined."""
        value = row.get(self.end if self.end in ("low", "high") else "value")
        return None if value is None else min(value - self.low, self.high - value)


def stored_gate(result: Row) -> StoredGate:
    """A gate by its stored result."""
    rule = str(result["rule"])
    pairs = tuple(NAMED.findall(rule))
    terms = list(TERM.finditer(rule)) if not pairs else []
    if not terms:
        return StoredGate(result, pairs=pairs)
    first = terms[0]
    kind = (first["kind"] or "").removesuffix(" of ").strip()
    sides = {term["side"][0]: float(term["bound"]) for term in terms}
    if (second := SECOND.search(rule)) is not None:
        sides[second["side"][0]] = float(second["bound"])
    low, high = sides.get(">", -math.inf), sides.get("<", math.inf)
    return StoredGate(result, first["metric"], kind, bool(first["cells"]), low, high, strict=first["side"] in "<>")


def gate_sections(run: StoredRun, gate: StoredGate, trials: Sequence[Section]) -> list[Section]:
    """A gate with what was measured, in sections."""
    blocks = [Note(text) for text in _head(run, gate)]
    table = measured(run, gate)
    sections = [Section(f"Gate {gate.result['name']}: {str(gate.result['status']).upper()}", list(blocks))]
    sections += [Section("Measured Overall", [table])] if table.rows else []
    cells = cell_table(run, gate)
    telling = gate.result["status"] != "pass" or any("no" in row[-2:] for row in cells.rows)
    sections += [Section("Cells, the Worst First", [cells])] if cells.rows and telling else []
    return [
        *sections,
        *(trials if gate.result["status"] != "pass" else ()),
        Section("What to Do", [Note(next_step(run, gate))]),
    ]


def _head(run: StoredRun, gate: StoredGate) -> list[str]:
    result = gate.result
    value = number(result["value"], gate.metric, run.styles)
    texts = [f"The rule is: {result['rule']}."]
    if result["value"] is not None:
        of = f" of {run.called(result['reading'])}" if result["reading"] else ""
        what = {"change": "change", "low": "lower end", "high": "upper end"}.get(gate.end, "value")
        texts.append(f"The deciding {what}{of} is {value}{_room(run, gate)}.")
    return [*texts, *([f"{result['why'][0].upper()}{result['why'][1:].rstrip('.')}."] if result["why"] else [])]


def _room(run: StoredRun, gate: StoredGate) -> str:
    """How far the number that decided is from its bound."""
    value = gate.result["value"]
    near = min((abs(value - bound), bound) for bound in (gate.low, gate.high)) if gate.metric else (math.inf, 0.0)
    if not math.isfinite(near[0]):
        return ""
    if gate.end == "interval":
        return f"; its whole interval is compared with {number(near[1], gate.metric, run.styles)}"
    if not near[0]:
        return ", exactly the bound"
    inside = gate.low <= value <= gate.high
    return f", {number(near[0], gate.metric, run.styles).lstrip('+')} {'within' if inside else 'beyond'} the bound"


def overall(run: StoredRun, gate: StoredGate) -> list[Row]:
    """The overall measurements that the gate is about."""
    rows = [row for row in run.result["measurements"] if not row["cell"]]
    if gate.pairs:
        return [row for row in rows if (row["metric"], row["reading"]) in gate.pairs]
    return [row for row in rows if row["metric"] == gate.metric]


def measured(run: StoredRun, gate: StoredGate) -> Table:
    """The overall measurements of all readings, and whether each is within the bounds."""
    rows, one = [], len({row["metric"] for row in overall(run, gate)}) == 1
    for row in overall(run, gate):
        counts = [f"{row['counted']:,}", f"{row['missing']:,}" if row["missing"] else ""]
        shown = estimate_text(estimate_of(row), row["metric"], run.styles)
        name = "" if one else title(row["metric"], run.styles)
        rows.append([name, run.called(row["reading"]), shown, _held(gate, row), *counts])
    value = title(gate.metric, run.styles) if one and gate.metric else "value"
    return filled(["measurement", "reading", value, "in bounds", "counted", "missing"], rows, "<<><>>")


def estimate_of(row: Row) -> Estimate:
    return Estimate(*(row[name] for name in ("value", "counted", "missing", "low", "high", "undefined")))


def _held(gate: StoredGate, row: Row) -> str:
    """Whether a number, or its whole interval, is within the bounds: yes, no, open, or why it is undefined."""
    if not gate.metric or gate.end == "change":
        return row["undefined"] or ""
    margin = gate.margin(row)
    if margin is None:
        return row["undefined"] or "undefined"
    if gate.end != "interval":
        return "yes" if margin > 0 or (margin == 0 and not gate.strict) else "no"
    low, high = row["low"], row["high"]
    if low is None or high is None:
        return "open"
    return "yes" if gate.low <= low and high <= gate.high else "no" if high < gate.low or low > gate.high else "open"


def cell_rows(run: StoredRun, gate: StoredGate) -> list[Row]:
    """The cells of the reading that decided, those furthest beyond the bounds first."""
    file = run.folder / MEASUREMENTS
    if not gate.metric or gate.end == "change" or not present(file):
        return []
    rows = []
    for row in read_table(file).to_dicts():
        cell = {name: value for name, value in row.items() if name not in FIELDS and value is not None}
        wanted = gate.result["reading"] in (None, row["reading"])
        if cell and wanted and row["metric"] == gate.metric and gate.margin(row) is not None:
            rows.append({**{name: row[name] for name in FIELDS}, "cell": cell})
    return sorted(rows, key=lambda row: (gate.margin(row), -row["counted"], str(row["cell"])))


def cell_table(run: StoredRun, gate: StoredGate) -> Table:
    """The first of these cells."""
    rows = cell_rows(run, gate)
    names = list(dict.fromkeys(name for row in rows for name in row["cell"]))
    shown = [
        [
            *(str(row["cell"].get(name, "")) for name in names),
            "" if gate.result["reading"] else run.called(row["reading"]),
            estimate_text(estimate_of(row), gate.metric, run.styles),
            _held(gate, row),
            f"{row['counted']:,}",
        ]
        for row in rows[:MOST]
    ]
    heads = [*names, "reading", title(gate.metric, run.styles), "in bounds", "counted"]
    return filled(heads, shown, "<" * len(names) + "<><>", max(0, len(rows) - MOST))


def filled(heads: Sequence[str], rows: Sequence[Sequence[str]], align: str, left_out: int = 0) -> Table:
    """A table without the columns that are empty throughout."""
    kept = [at for at in range(len(heads)) if any(row[at] for row in rows)]
    cells = [[row[at] for at in kept] for row in rows]
    return Table([heads[at] for at in kept], cells, "".join(align[at] for at in kept), left_out=left_out)


def next_step(run: StoredRun, gate: StoredGate) -> str:
    """One thing to do."""
    result, name = gate.result, gate.result["name"]
    if gate.on_answer:
        answer = run.result["answer"]
        do = f" Next: {answer['next']}" if answer else ""
        return f"auditfw explain {run.folder} says how the answer came about.{do}"
    if result["status"] == "pass":
        return "Nothing: the gate passed."
    if result["status"] == "inconclusive":
        if result["value"] is None:
            return f"Provide the missing data; or say what undefined means: gates.{name}.undefined=fail"
        return "Audit more items: the interval is too wide for the bound."
    if gate.end == "change":
        return "Look at what changed: auditfw compare shows two runs; auditfw accept RUN stores this one instead."
    if gate.pairs or not gate.metric:
        return f"Look at the measurements that the rule names; to change the rule: gates.{name}.where='...'"
    value = result["value"]
    side = "min" if value is not None and value < gate.low else "max"
    return f"Look at the cells and trials above. To bound it elsewhere: gates.{name}.{side}=NUMBER"
