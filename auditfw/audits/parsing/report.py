"""The report of the parsing audit: its sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.audits.claim_report import turned_in
from auditfw.audits.parsing.conclusions import by_value, claims
from auditfw.audits.parsing.conclusions.origin import origin_section
from auditfw.audits.parsing.kept.flips import WRONG
from auditfw.core.digits import fixed, p_text
from auditfw.core.document import FEW, Note, Section, Table, some, with_ends
from auditfw.core.records import Estimate, Measurement
from auditfw.core.statistics import benjamini_hochberg
from auditfw.formulas.label_counts import flip_test

from .exhibits import FLIP_SHOWN, THINK_SHOWN, examples
from .results import Numbers, ParsingResults
from .samples import delta_row, shown_row, sort_deltas
from .settings import STORED_LABEL

ALPHA = 0.05
LARGEST = "Largest Shifts"
SHIFT, BLANK = "delta_pp", "no_answer"
SIGNIFICANT = f"Significant: exact McNemar test, p < {ALPHA}"
ANY_SIZE = "a shift of any size counts here, for the answer only one of audit.margin or more."
TWO_WAYS = "p is of an exact test; intervals are approximate (Bonett and Price), and may reach 0 where p is small."
UNKNOWN_ORIGIN = "The baseline does not reproduce the stored labels: all comparisons are with labels of unknown origin."

Measured = Mapping[tuple[Any, ...], Estimate]


def coverage(results: ParsingResults) -> Section:
    rows = [[bucket, f"{n:,}"] for bucket, n in results.counts.items()]
    section = Section("Coverage", [Table(["rows", "n"], rows, "<>")])
    cells = {tuple(s.cell.items()) for s in results.samples if s.cell}
    if cells:
        section.blocks.append(Note(f"{some(len(cells), 'cell')} (subgroups) by {', '.join(results.context.by)}."))
        section.blocks += [Note(f"{name}: {_listed(results, name)}") for name in results.context.by]
    differing = results.whole.readings.facts["raw.differs"]
    if differing and not _marked(results):
        section.blocks.append(Note(f"Raw and stored text differ in {differing:,} audited trials."))
    return section


def _marked(results: ParsingResults) -> bool:
    """Whether any marker or delimiter was found."""
    facts = results.whole.readings.facts
    return any(n for name, n in facts.items() if name != "raw.differs")


def _listed(results: ParsingResults, column: str) -> str:
    values = list(dict.fromkeys(str(s.cell[column]) for s in results.samples if s.cell))
    return ", ".join(values[:20]) + (f" and {len(values) - 20} more" if len(values) > 20 else "")


def consistency(results: ParsingResults, numbers: Numbers) -> Section:
    """Whether the configured rule gives the stored labels, and where others were tried which rule does."""
    section = _configured(results, numbers)
    ruled = results.of(by_value.ask)
    if ruled is not None and section.blocks:
        return Section(section.title, [*by_value.blocks(ruled), *section.blocks], console=section.console)
    return section if results.search is None else origin_section(results.search, results.baseline, section.blocks)


def _configured(results: ParsingResults, numbers: Numbers) -> Section:
    section = Section("Stored-Label Consistency Check")
    if results.absent:
        section.blocks.append(Note(f"Not checked: {next(iter(results.absent.values()))}."))
        return section
    mismatches = numbers.get(("mismatches", results.baseline or ""))
    if mismatches is None or (results.search is not None and results.search.written):
        return section
    if mismatches.estimate.value is None:
        section.blocks.append(Note(f"Not checked: {mismatches.estimate.undefined}."))
        return section
    n, counted = int(mismatches.estimate.value), mismatches.estimate.counted
    ruled = results.of(by_value.ask)
    baseline = results.baseline if ruled is None else f"by {ruled.column}"
    text = f"The baseline {baseline} differs from the stored label on {n:,} of {some(counted, 'trial')}."
    section.blocks.append(Note(text))
    if n:
        shown = examples(results, results.whole.readings.mismatches, FLIP_SHOWN)
        section.console = True
        if results.search is None and not (ruled is not None and ruled.searched):
            section.blocks.append(Note(UNKNOWN_ORIGIN))
        section.blocks.append(Note(f"The first {len(shown)} that differ: {', '.join(e.title for e in shown)}."))
        section.blocks += shown
    return section


def sensitivity(results: ParsingResults, numbers: Numbers) -> Section:
    rows = []
    for name in results.compared:
        flips = numbers.get(("flips", name))
        if flips is None or flips.estimate.value is None:
            continue
        up, down, moved, p = (
            numbers.get((metric, name)) for metric in ("flips_to_true", "flips_to_false", "delta_pp", "mcnemar_p")
        )
        shift = shift_text(_number(moved), None if moved is None else moved.estimate)
        cells = [_number(up), _number(down), shift, _number(p)]
        n = flips.estimate.counted
        share = fixed(100 * flips.estimate.value / n, 2) if n else "–"
        rows.append([name, f"{n:,}", f"{int(flips.estimate.value):,}", share, *cells])
    columns = ["reading", "n", "changed labels", "changed %", "→ right", "→ wrong", "Δ pp", "p (McNemar)"]
    section = Section("High-Level Sensitivity", off_page=True)
    section.blocks += [Table(columns, rows, "<>>>>>>>"), Note(TWO_WAYS)] if rows else []
    return section


def survive(results: ParsingResults) -> Section:
    """Whether the conclusions survive each reading: overall, in the cells, and in the order of a column's values."""
    rows, read = [], results.of(claims.ask)
    turned = {} if read is None else turned_in(read.orders, results.compared)
    for name in results.compared:
        labels = results.overall[name].data
        if not labels.paired:
            continue
        cells, shifted = results.paired(name), flip_test(labels) < ALPHA
        deltas = sort_deltas([delta_row(s.cell, s.data) for s in cells])
        q_values = benjamini_hochberg([flip_test(s.data) for s in cells])
        n_significant = sum(1 for chance in q_values if chance < ALPHA)
        largest = fixed(deltas[0]["delta_pp"], 2, signed=True) if deltas else "–"
        changed = f"{sum(1 for row in deltas if row['n_label_flips'])} of {len(deltas)}" if deltas else "–"
        rows.append(
            [
                name,
                _conclusion(shifted, n_significant, 0 if read is None else read.orders.turned_under(name) or 0),
                largest,
                changed,
                str(n_significant) if deltas else "–",
                turned.get(name, "–"),
            ]
        )
    columns = ["reading", "survive?", "largest Δ pp", "cells changed", "cells significant", "pairs reversed"]
    if not rows:
        return Section("Do the Conclusions Survive?")
    text = f"{SIGNIFICANT} overall, q < {ALPHA} (Benjamini-Hochberg) for a cell; {ANY_SIZE}"
    if turned:
        text += " Reversed: of two values of a column of by, one is significantly better in the reference, worse here."
    else:
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    how = Note(text)
    if not results.context.by:
        columns, rows = columns[:2], [row[:2] for row in rows]
        how = Note(f"{SIGNIFICANT}; {ANY_SIZE}")
    return Section("Do the Conclusions Survive?", [Table(columns, rows, "<<>>>>"), how], console=True)


def _conclusion(shifted: bool, cells: int, pairs: int) -> str:
    if cells:
        return "no - cells shift"
    if pairs and not shifted:
        return "no - pairs reverse"
    return "no - overall error rate shifts" if shifted else "net shift not significant"


def incidence(results: ParsingResults) -> Section:
    if not _marked(results):
        return Section("Garbage-Marker Incidence")
    facts, texts = results.whole.readings.facts, {"raw_text": ("raw", "raw"), "parsed_text": ("parsed", "stored")}
    read = [names for column, names in texts.items() if column in results.evidence.columns]
    rows = [
        [f"{column} text has {name} markers", f"{facts[f'{where}.{name}']:,}"]
        for where, column in read
        for name in results.settings.markers
    ]
    if len(read) > 1:
        rows.append(["raw and stored text differ", f"{facts['raw.differs']:,}"])
    if "raw_text" in results.evidence.columns:
        rows.append([f"raw text has {results.settings.delimiter}", f"{facts['raw.think']:,}"])
    return Section("Garbage-Marker Incidence", [Table(["audited trials whose", "n"], rows, "<>")] if rows else [])


def deltas(results: ParsingResults) -> list[Section]:
    whose = "Stored" if results.reference == STORED_LABEL else results.reference
    title = f"Deltas: {whose} vs Alternative Parsing/Normalization"
    sections = [Section(title, [Note("Sorted by size of the shift, then by the number of changed labels.")])]
    for name in results.compared:
        rows = sort_deltas([delta_row(s.cell, s.data) for s in results.paired(name)])
        if name == results.baseline and not any(row["n_label_flips"] for row in rows):
            continue
        shown = [shown_row(row, as_script=True) for row in rows[: results.context.limits.max_rows]]
        align = "<" * len(results.context.by) + ">>>>>"
        if shown:
            moved = sum(1 for row in rows if row["n_label_flips"])
            table = Table(columns_of(results), shown, align, left_out=len(rows) - len(shown))
            sections.append(
                Section(name, [table], level=3, folded=f"{moved:,} of {some(len(rows), 'cell')} with changed labels")
            )
    return sections if len(sections) > 1 else []


def think(results: ParsingResults, numbers: Numbers) -> list[Section]:
    if "raw_text" not in results.evidence.columns:
        return []
    rows = results.whole.readings.facts["raw.think"]
    if not rows:
        return []
    notes = [Note(f"{rows:,} audited trials contain {results.settings.delimiter} in their raw text.")]
    plan = results.plan
    parsers = {name: plan.parsers[p].part for name, (p, _) in zip(plan.names(), plan.readings, strict=True)}
    for name in results.candidates:
        flips, to_false = numbers.get(("flips", name)), numbers.get(("flips_to_false", name))
        if parsers[name].only_with is not None and flips is not None and flips.estimate.value is not None:
            down = int(to_false.estimate.value or 0) if to_false is not None else 0
            changed = some(int(flips.estimate.value), "changed label")
            share = f"{changed} in {some(flips.estimate.counted, 'trial')}"
            notes.append(Note(f"{name}: {share}, {down:,} from right to wrong."))
    cut = [i for i, (p, _) in _candidates(results) if plan.parsers[p].part.only_with is not None]
    drawn = results.draw.of(cut[0], results.context.limits.max_examples, [WRONG]) if cut else []
    shown = examples(results, drawn, THINK_SHOWN)
    title = f"Examples: {results.reference} right, wrong after the delimiter"
    folded = some(len(shown), "example")
    verbatim = Section(title, [*shown], level=3, folded=folded)
    return [Section(f"Think-Token Artifacts ({results.settings.delimiter})", [*notes]), verbatim]


def flips(results: ParsingResults) -> Section:
    """Flips of the last reading that reads the whole text."""
    plan = results.plan
    whole = [i for i, (p, _) in _candidates(results) if plan.parsers[p].part.only_with is None]
    drawn = results.draw.of(whole[-1], results.context.limits.max_examples) if whole else []
    shown = examples(results, drawn, FLIP_SHOWN)
    return Section(f"Random Label-Flip Examples (seed {results.context.seed})", [*shown], off_page=True)


def _candidates(results: ParsingResults) -> list[tuple[int, tuple[int, int]]]:
    """The readings that are compared with the reference, by number: their parsers and normalizers."""
    return list(enumerate(results.plan.readings[: results.draw.settings.candidates]))


def _number(measurement: Measurement | None) -> str:
    if measurement is None or measurement.estimate.value is None:
        return "–"
    value = measurement.estimate.value
    if measurement.metric == "delta_pp":
        return fixed(value, 2, signed=True)
    return p_text(value) if measurement.metric == "mcnemar_p" else f"{int(value):,}"


def largest(results: ParsingResults, measurements: Sequence[Measurement]) -> Section:
    """The largest shifts of all readings in one table, for the terminal."""
    rows = [{"reading": name, **delta_row(s.cell, s.data)} for name in results.compared for s in results.paired(name)]
    moved = sorted([row for row in sort_deltas(rows) if row["n_label_flips"]], key=lambda row: row["n"] < FEW)
    if not moved:
        notes = [Note(_nothing_moved(results))] if rows else []  # a warning explains why there is none
        return Section(LARGEST, [*notes], console=True)
    known = _by_cell(results, measurements)
    blank = any(key[0] == BLANK for key in known)
    shown = [_row(row, results.context.by, known, blank) for row in moved[: results.context.limits.max_rows]]
    columns = ["reading", *columns_of(results)]
    columns[-1:] = [*(["no answer %"] if blank else []), columns[-1]]
    align = "<" * (1 + len(results.context.by)) + ">" * (5 + blank)
    table = Table(columns, shown, align, left_out=len(moved) - len(shown))
    few = moved[-1]["n"] < FEW <= moved[0]["n"]
    notes = [Note(f"Cells of fewer than {FEW} trials come last.")] if few else []
    return Section(LARGEST, [table, *notes], console=True, folded=f"{some(len(moved), 'shift')} as a table")


def columns_of(results: ParsingResults) -> list[str]:
    """The heads of a table of cells."""
    return [*results.context.by, "n", f"{results.reference} error %", "error %", "Δ pp", "changed labels"]


def shift_text(shown: str, estimate: Estimate | None) -> str:
    """A shift with its interval, where there is one."""
    if estimate is None:
        return shown
    return with_ends(shown, estimate.value, estimate.low, estimate.high, lambda end: fixed(end, 2, signed=True))


def _by_cell(results: ParsingResults, measurements: Sequence[Measurement]) -> Measured:
    """The shifts and the shares without an answer of cells, by metric, reading and the values of the cell."""
    wanted = (m for m in measurements if m.metric in (SHIFT, BLANK) and m.cell)
    return {(m.metric, m.reading, *(m.cell.get(name) for name in results.context.by)): m.estimate for m in wanted}


def _row(row: Mapping[str, Any], by: Sequence[str], known: Measured, blank: bool) -> list[str]:
    """A row as it is printed, the shift with its interval, and before the flips how many gave no answer."""
    key = (row["reading"], *(row[name] for name in by))
    *cells, shift, flips = shown_row(row)
    without = known.get((BLANK, *key))
    share = "–" if without is None or without.value is None else fixed(without.value, 2)
    return [*cells, shift_text(shift, known.get((SHIFT, *key))), *([share] if blank else []), flips]


def _nothing_moved(results: ParsingResults) -> str:
    """That no label flips, and for which readings that is unknown."""
    undefined = [name for name in results.compared if not results.paired(name)]
    because = f" Unknown for {', '.join(undefined)}: no trial has both its label and one of {results.reference}."
    return f"No reading changes a label in any cell.{because if undefined else ''}"
