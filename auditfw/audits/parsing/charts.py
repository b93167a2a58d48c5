"""The pictures of the parsing audit: specification curve, shifts by cell, flips between readings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auditfw.audits.parsing.kept.flips import RIGHT, WRONG
from auditfw.core.digits import fixed
from auditfw.core.document import FEW, Chart, Matrix, Note, Section, Series, some
from auditfw.core.records import Estimate, Value
from auditfw.formulas.label_counts import error_percent

from .results import Numbers, ParsingResults
from .samples import delta_row
from .settings import STORED_LABEL

MOST_COMPARED = 24


def curve(results: ParsingResults, numbers: Numbers) -> Section:
    """The specification curve: the error rate of every reading, sorted, and beneath which choices made it."""
    section = Section("Specification Curve", page=True, first=True)
    rates = [
        (name, numbers["error_rate", name].estimate) for name in results.candidates if ("error_rate", name) in numbers
    ]
    drawn = sorted(((name, e) for name, e in rates if e.value is not None), key=lambda pair: pair[1].value or 0.0)
    if drawn:
        names = [name for name, _ in drawn]
        choices = {kind: [of[name] for name in names] for kind, of in chosen_by_reading(results).items()}
        series = [_rates(drawn), *_reference(results, names)]
        section.blocks.append(
            Chart("Error rate by reading", "reading", "error %", series, "points", choices=choices, metric="error_rate")
        )
        section.blocks.append(_how_to_read(results, names))
        section.blocks += [Note(f"{name}: no rate, {e.undefined}.") for name, e in rates if e.value is None]
    return section


def _how_to_read(results: ParsingResults, names: Sequence[str]) -> Note:
    """Which reading has a rate of few trials, what a reading is, what the lines are, and the rate of the reference."""
    audited, own = results.counts["audited"], results.reference_labels
    counted = {name: results.overall[name].data.counted for name in names}
    few = [name for name, n in counted.items() if n < audited / 2]
    more = f" (and {some(len(few) - 1, 'more reading')})" if len(few) > 1 else ""
    brief = f"{few[0]}{more}: only {some(counted[few[0]], 'trial')}. " if few else ""
    brief += legend(results, names)
    text = f"{brief}; lines are 95 % intervals."
    if own.counted and results.reference not in names:
        text += f" {results.reference}: {fixed(error_percent(own.right, own.counted), 2)} % overall."
    return Note(text, f"{brief}.")


def legend(results: ParsingResults, names: Sequence[str]) -> str:
    """What a reading is, by an example among `names`: `stored+v2: stored answer, normalizer v2`."""
    chosen = chosen_by_reading(results)
    stored = [name for name, parser in chosen["parser"].items() if parser == STORED_LABEL and name in names]
    example = next(iter(stored[-1:] or [name for name in results.candidates if name in names]))
    parts = [f"{kind} {of[example]}" for kind, of in chosen.items()]
    if stored:
        parts[0] = "stored answer"
    return f"{example}: {', '.join(parts)}"


def chosen_by_reading(results: ParsingResults) -> dict[str, dict[str, str]]:
    """The parser, the normalizer and where there are several the matcher of each reading."""
    plan = results.plan
    chosen = dict(zip(plan.names(), plan.readings, strict=True))
    parts = {
        "parser": {name: plan.parsers[p].name for name, (p, _) in chosen.items()},
        "normalizer": {name: plan.normalizers[n].name for name, (_, n) in chosen.items()},
    }
    if plan.matchers:
        parts["matcher"] = {name: plan.matchers[n].name for name, (_, n) in chosen.items()}
    return parts


def _rates(drawn: Sequence[tuple[str, Estimate]]) -> Series:
    names, estimates = zip(*drawn, strict=True)
    ends = [e.low for e in estimates], [e.high for e in estimates]
    values = [e.value for e in estimates]
    return Series("reading", names, values, low=ends[0], high=ends[1], role="candidate")


def _reference(results: ParsingResults, names: Sequence[str]) -> list[Series]:
    """The reference beside the readings, where it has labels."""
    rows = {name: delta_row({}, results.overall[name].data) for name in names if results.overall[name].data.paired}
    named, rates = f"{results.reference} on the same trials", [row["stored_err_pct"] for row in rows.values()]
    return [Series(named, list(rows), rates, role="reference")] if rows else []


def heat(results: ParsingResults) -> Section:
    """The shift of every reading in every cell, the cells that move most first."""
    section = Section("Shifts by Cell", page=True)
    cells: dict[tuple[Value, ...], dict[str, dict[str, Any]]] = {}
    for name in results.candidates:
        for sample in results.paired(name):
            cells.setdefault(tuple(sample.cell.values()), {})[name] = delta_row({}, sample.data)
    ranked = sorted(cells.items(), key=lambda cell: _by_movement(list(cell[1].values())))
    moved = [cell for cell in ranked if any(row["n_label_flips"] for row in cell[1].values())]
    shown = moved[: results.limits.max_rows]
    if ranked and results.by and len(moved) < len(ranked):
        section.blocks.append(Note(f"{some(len(ranked) - len(moved), 'cell')} without changed labels left out."))
    if shown and results.by:
        section.blocks.append(
            Matrix(
                "Shift of the error rate by cell and reading, in percentage points",
                " · ".join(results.by),
                [" · ".join(map(str, cell)) for cell, _ in shown],
                list(results.candidates),
                [[of[name]["delta_pp"] if name in of else None for name in results.candidates] for _, of in shown],
                [
                    [fixed(of[name]["delta_pp"], 2, signed=True) if name in of else "" for name in results.candidates]
                    for _, of in shown
                ],
                diverging=True,
                better="lower",
                counts=[[of[name]["n"] if name in of else 0 for name in results.candidates] for _, of in shown],
                notes=[_sizes([row["n"] for row in of.values()]) for _, of in shown],
                note="trials",
                left_out=len(moved) - len(shown),
            )
        )
    return section


def _sizes(counts: Sequence[int]) -> str:
    """How many trials the shifts of a cell are based on."""
    least, most = min(counts), max(counts)
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def _by_movement(rows: Sequence[dict[str, Any]]) -> tuple[float, int]:
    """By the largest shift of at least FEW trials, then by flips."""
    return -max((abs(row["delta_pp"]) for row in rows if row["n"] >= FEW), default=0.0), -sum(
        row["n_label_flips"] for row in rows
    )


def moves(results: ParsingResults) -> Section:
    """How many labels each reading flips in each direction, and on how many trials two readings differ."""
    section = Section("Changed Labels by Reading", page=True)
    pairs = {name: sample.data for name, sample in results.overall.items() if sample.data.paired}
    if any(p.to_true or p.to_false for p in pairs.values()):
        series = [
            Series(RIGHT, list(pairs), [p.to_true for p in pairs.values()], role="better"),
            Series(WRONG, list(pairs), [p.to_false for p in pairs.values()], role="worse"),
        ]
        section.blocks.append(Chart(_flips_title(results), "reading", "trials", series, "bars"))
    if pairs and results.limits.max_exhibits:
        section.blocks.append(_apart(results))
    return section


def _flips_title(results: ParsingResults) -> str:
    stored = results.reference == STORED_LABEL
    return "Changed labels, compared with the stored label" if stored else f"Changed labels against {results.reference}"


def _apart(results: ParsingResults) -> Matrix:
    """On how many trials with both labels two readings differ."""
    names = list(results.candidates[:MOST_COMPARED])
    apart = results.table.apart(range(len(names)), results.draw.settings.undefined)
    counted = [results.overall[name].data.counted for name in names]
    counts = [
        [apart[min(i, j), max(i, j)] if i != j and counted[i] and counted[j] else None for j in range(len(names))]
        for i in range(len(names))
    ]
    crossed = [results.overall[name].data for name in names]
    if any(pairs.paired for pairs in crossed):
        own = [pairs.to_true + pairs.to_false if pairs.paired else None for pairs in crossed]
        counts = [[None, *own], *([first, *row] for first, row in zip(own, counts, strict=True))]
        names.insert(0, results.reference)
    shown = [["" if n is None else f"{n:,}" for n in row] for row in counts]
    left = len(results.candidates) - MOST_COMPARED
    return Matrix("Trials on which two readings differ", "reading", names, names, counts, shown, left_out=max(0, left))
