"""The pictures of the parsing audit: specification curve, shifts by cell, flips between readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from auditfw.audits.parsing.kept.flips import RIGHT, WRONG
from auditfw.audits.parsing.probe import fit
from auditfw.core.digits import fixed
from auditfw.core.document import FEW, Chart, Matrix, Note, Section, Series, some
from auditfw.core.records import Value
from auditfw.formulas.label_counts import error_percent

from .results import Numbers, ParsingResults
from .samples import delta_row
from .settings import STORED_LABEL

MOST_COMPARED = 24


def curve(results: ParsingResults, numbers: Numbers) -> Section:
    """The specification curve: the error rate of every reading, sorted, and beneath which choices made it."""
    section = Section("Specification Curve", page=True, screen="picture")
    fitting = [name for name in results.candidates if name not in results.of(fit.ask)] or results.candidates
    measured = ((name, numbers.get(("error_rate", name))) for name in fitting)
    rates = {name: one.estimate for name, one in measured if one is not None}
    known = [(rate.value, name) for name, rate in rates.items() if rate.value is not None]
    names = [name for _, name in sorted(known, key=itemgetter(0))]
    if not names:
        return section
    values, low, high = zip(*((e.value, e.low, e.high) for e in map(rates.__getitem__, names)), strict=True)
    series = [Series("reading", names, values, low=low, high=high, role="candidate")]
    both = {name: delta_row({}, results.overall[name].data) for name in names if results.overall[name].data.paired}
    if both:
        beside = [row["stored_err_pct"] for row in both.values()]
        series.append(Series(f"{results.reference} on the same trials", list(both), beside, role="reference"))
    chosen = chosen_by_reading(results)
    choices = {kind: [of[name] for name in names] for kind, of in chosen.items()}
    section.blocks.append(
        Chart("Error rate by reading", "reading", "error %", series, "points", choices=choices, metric="error_rate")
    )
    section.blocks.append(_how_to_read(results, names, chosen))
    section.blocks += [Note(f"{name}: no rate, {e.undefined}.") for name, e in rates.items() if e.value is None]
    return section


def _how_to_read(results: ParsingResults, names: Sequence[str], chosen: Mapping[str, Mapping[str, str]]) -> Note:
    """Which reading has a rate of few trials, what a reading is, what the lines are, and the rate of the reference.

    What a reading is says an example: `stored+v2: stored answer, normalizer v2`.
    """
    audited, own = results.counts["audited"], results.reference_labels
    few = [name for name in names if results.overall[name].data.counted < audited / 2]
    more = f" (and {some(len(few) - 1, 'more reading')})" if len(few) > 1 else ""
    brief = f"{few[0]}{more}: only {some(results.overall[few[0]].data.counted, 'trial')}. " if few else ""
    read = [name for name in results.names if name in names]
    parsers = chosen.get("parser", {})
    stored = [name for name in read if parsers.get(name) == STORED_LABEL]
    example = (stored[-1:] or [name for name in read if parsers.get(name)] or read)[0]
    parts = [f"{kind} {of[example]}" for kind, of in chosen.items() if of[example]]
    parts[:1] = ["stored answer"] if stored else parts[:1]
    brief += f"{example}: {', '.join(parts)}"
    text = f"{brief}; lines are 95 % intervals."
    if own.counted and results.reference not in names:
        text += f" {results.reference}: {fixed(error_percent(own.right, own.counted), 2)} % overall."
    return Note(text, f"{brief}.")


def chosen_by_reading(results: ParsingResults) -> dict[str, dict[str, str]]:
    """The parser, the normalizer and where there are several the matcher of each reading; of a scorer its name alone.

    What is not chosen by name is empty.
    """
    plan = results.plan
    places = dict(zip(plan.names(), plan.readings, strict=True))
    scorers = {name for name in places if plan.scorers.get(places[name]) == name}
    parts = {
        "scorer": {name: name if name in scorers else "" for name in places},
        "parser": {name: plan.parsers[p].name for name, (p, _) in places.items()},
        "normalizer": {name: plan.normalizers[n].name for name, (_, n) in places.items()},
        "matcher": {name: plan.matcher_name(n) if plan.matchers else "" for name, (_, n) in places.items()},
    }
    for kind in ("parser", "normalizer", "matcher"):
        parts[kind] |= dict.fromkeys(scorers, "")
    return {kind: of for kind, of in parts.items() if any(of.values())}


def heat(results: ParsingResults) -> Section:
    """The shift of every reading in every cell, the cells that move most first."""
    section = Section("Shifts by Cell", page=True)
    cells: dict[tuple[Value, ...], dict[str, dict[str, Any]]] = {}
    for name in results.candidates:
        for sample in results.paired(name):
            cells.setdefault(tuple(sample.cell.values()), {})[name] = delta_row({}, sample.data)
    ranked = sorted(cells.items(), key=lambda cell: _by_movement(list(cell[1].values())))
    moved = [cell for cell in ranked if any(row["n_label_flips"] for row in cell[1].values())]
    shown = moved[: results.context.limits.max_rows]
    if ranked and len(moved) < len(ranked):
        section.blocks.append(Note(f"{some(len(ranked) - len(moved), 'cell')} without changed labels left out."))
    if shown:
        section.blocks.append(
            Matrix(
                "Shift of the error rate by cell and reading, in percentage points",
                " · ".join(results.context.by),
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
        against = "" if results.reference == STORED_LABEL else f" against {results.reference}"
        title = f"Changed labels{against or ', compared with the stored label'}"
        section.blocks.append(Chart(title, "reading", "trials", series, "bars"))
    if pairs and results.context.limits.max_exhibits:
        section.blocks.append(_apart(results))
    return section


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
