"""The report of the parsing audit: its sections."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from auditfw.core.digits import fixed, p_text
from auditfw.core.document import Note, Section, Table, some
from auditfw.core.records import GateResult, Measurement, Value
from auditfw.core.statistics import benjamini_hochberg, mcnemar_exact

from .charts import curve, heat, moves
from .exhibits import browse
from .samples import delta_row, format_row, sort_deltas
from .story import Numbers, ParsingResults

ALPHA = 0.05


@dataclass
class Teller:
    """Tells a story; runs that differ in gates alone tell the same one, and get the same sections."""

    story: ParsingResults
    _told: tuple[list[Measurement], list[Section]] | None = None

    def __call__(self, measurements: list[Measurement], gates: list[GateResult]) -> list[Section]:
        if self._told is None or self._told[0] is not measurements:
            self._told = measurements, tell(self.story, measurements)
        return list(self._told[1])


def tell(story: ParsingResults, measurements: list[Measurement]) -> list[Section]:
    """The sections, coverage first and exhibits last."""
    numbers = {(m.metric, m.reading): m for m in measurements if m.overall}
    sections = [_coverage(story), _consistency(story, numbers)]
    sections += [curve(story, numbers), _sensitivity(story, numbers), _survive(story)]
    sections += [heat(story), _incidence(story), _largest(story), *_deltas(story), *_think(story, numbers)]
    return [section for section in [*sections, _flips(story), moves(story), browse(story)] if section.blocks]


def _coverage(story: ParsingResults) -> Section:
    rows = [[bucket, f"{n:,}"] for bucket, n in story.counts.items()]
    section = Section("Coverage", [Table(["rows", "n"], rows, "<>")])
    cells = {tuple(s.cell.items()) for s in story.samples if s.cell}
    if cells:
        section.blocks.append(Note(f"{some(len(cells), 'cell')} by {', '.join(story.by)}."))
        section.blocks += [Note(f"{name}: {_listed(story, name)}") for name in story.by]
    differing = story.whole.facts["raw.differs"]
    if differing and not _marked(story):
        section.blocks.append(Note(f"Raw and stored text differ in {differing:,} audited trials."))
    return section


def _marked(story: ParsingResults) -> bool:
    """Whether any marker or delimiter was found."""
    facts = story.whole.facts
    return any(n for name, n in facts.items() if name != "raw.differs")


def _listed(story: ParsingResults, column: str) -> str:
    values = list(dict.fromkeys(_show(s.cell[column]) for s in story.samples if s.cell))
    return ", ".join(values[:20]) + (f" and {len(values) - 20} more" if len(values) > 20 else "")


def _consistency(story: ParsingResults, numbers: Numbers) -> Section:
    section = Section("Stored-Label Consistency Check")
    if story.absent:
        section.blocks.append(Note(f"Not made: {next(iter(story.absent.values()))}."))
        return section
    found = numbers.get(("mismatches", story.baseline or ""))
    if found is None:
        return section
    if found.estimate.value is None:
        section.blocks.append(Note(f"Not made: {found.estimate.undefined}."))
        return section
    n, counted = int(found.estimate.value), found.estimate.counted
    text = f"The baseline {story.baseline} differs from the stored label on {n:,} of {some(counted, 'trial')}."
    section.blocks.append(Note(text))
    if n:
        shown = story.whole.mismatches
        section.console = True
        section.blocks.append(Note("Baseline not reproduced: what follows compares labels of unknown origin."))
        section.blocks.append(Note(f"The first {len(shown)} that differ: {', '.join(e.title for e in shown)}."))
        section.blocks += shown
    return section


def _sensitivity(story: ParsingResults, numbers: Numbers) -> Section:
    rows = []
    for name in story.candidates:
        flips = numbers.get(("flips", name))
        if flips is None or flips.estimate.value is None:
            continue
        cells = [
            _number(numbers.get((metric, name)))
            for metric in ("flips_to_true", "flips_to_false", "delta_pp", "mcnemar_p")
        ]
        n = flips.estimate.counted
        share = f"{100 * flips.estimate.value / n:.2f}" if n else "–"
        rows.append([name, f"{n:,}", f"{int(flips.estimate.value):,}", share, *cells])
    columns = ["reading", "n", "flips", "flips %", "→ right", "→ wrong", "Δ pp", "p (McNemar)"]
    return Section("High-Level Sensitivity", [Table(columns, rows, "<>>>>>>>")] if rows else [])


def _survive(story: ParsingResults) -> Section:
    """Whether the conclusions survive each reading: overall, in the cells, and in the order of the cells."""
    rows = []
    for name in story.candidates:
        whole = [s.data for s in story.samples if s.reading.name == name and not s.cell and s.data.paired]
        cells = story.paired(name)
        moved = sort_deltas([delta_row(s.cell, s.data) for s in cells])
        if not whole:
            continue
        shifted = mcnemar_exact(whole[0].to_true, whole[0].to_false) < ALPHA
        chances = benjamini_hochberg([mcnemar_exact(s.data.to_true, s.data.to_false) for s in cells])
        beyond = sum(1 for chance in chances if chance < ALPHA)
        say = "no: cells shift" if beyond else "no: the whole shifts" if shifted else "within chance"
        largest = fixed(moved[0]["delta_pp"], 2, signed=True) if moved else "–"
        changed = f"{sum(1 for row in moved if row['n_label_flips'])} of {len(moved)}" if moved else "–"
        rows.append([name, say, largest, changed, str(beyond) if moved else "–", _reversed(moved)])
    columns = ["reading", "survive?", "largest Δ pp", "cells with a flip", "cells beyond chance", "cell pairs reversed"]
    if not rows:
        return Section("Do the Conclusions Survive?")
    how = Note(
        f"Beyond chance: exact McNemar test, p < {ALPHA} for the whole, q < {ALPHA} (Benjamini-Hochberg) for a cell. "
        "Reversed: two cells whose stored error rates stand in the other order."
    )
    if not story.by:
        columns, rows = columns[:2], [row[:2] for row in rows]
        how = Note(f"Beyond chance: exact McNemar test, p < {ALPHA}.")
    return Section("Do the Conclusions Survive?", [Table(columns, rows, "<<>>>>"), how], console=True)


def _reversed(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many pairs of cells stand in the other order under the reading; ties on either side do not count."""
    turned = 0
    below: list[float] = []
    by_stored = sorted(rows, key=lambda row: row["stored_err_pct"])
    for _, tied in groupby(by_stored, key=lambda row: row["stored_err_pct"]):
        group = [row["v2_err_pct"] for row in tied]
        turned += sum(len(below) - bisect_right(below, rate) for rate in group)
        for rate in group:
            insort(below, rate)
    return f"{turned:,} of {len(rows) * (len(rows) - 1) // 2:,}"


def _incidence(story: ParsingResults) -> Section:
    if not _marked(story):
        return Section("Garbage-Marker Incidence")
    facts, texts = story.whole.facts, {"raw_text": ("raw", "raw"), "parsed_text": ("parsed", "stored")}
    read = [names for column, names in texts.items() if column in story.columns]
    rows = [
        [f"{column} text has {name} markers", f"{facts[f'{where}.{name}']:,}"]
        for where, column in read
        for name in story.markers
    ]
    if len(read) > 1:
        rows.append(["raw and stored text differ", f"{facts['raw.differs']:,}"])
    if "raw_text" in story.columns:
        rows.append([f"raw text has {story.delimiter}", f"{facts['raw.think']:,}"])
    return Section("Garbage-Marker Incidence", [Table(["audited trials whose", "n"], rows, "<>")] if rows else [])


def _columns(story: ParsingResults) -> list[str]:
    return [*story.by, "n", "stored err %", "err %", "Δ pp", "flips"]


def _largest(story: ParsingResults) -> Section:
    """The largest shifts of all readings in one table, for the terminal."""
    if not story.by:
        return Section("Largest Shifts")
    rows = [{"reading": name, **delta_row(s.cell, s.data)} for name in story.candidates for s in story.paired(name)]
    moved = [row for row in sort_deltas(rows) if row["n_label_flips"]]
    if not moved:
        told = [Note(_nothing_moved(story))] if rows else []  # of no shift at all a warning tells why
        return Section("Largest Shifts", [*told], console=True)
    shown = [format_row(row) for row in moved[: story.limits.max_rows]]
    align = "<" * (1 + len(story.by)) + ">>>>>"
    left = len(moved) - len(shown)
    return Section("Largest Shifts", [Table(["reading", *_columns(story)], shown, align, left_out=left)], console=True)


def _nothing_moved(story: ParsingResults) -> str:
    """That no label flips, and of which readings that cannot be told."""
    undefined = [name for name in story.candidates if not story.paired(name)]
    because = f" Flips are undefined for {', '.join(undefined)}: no trial has both its label and a stored one."
    return f"No reading flips a label in any cell.{because if undefined else ''}"


def _deltas(story: ParsingResults) -> list[Section]:
    if not story.by:
        return []
    sections = [
        Section(
            "Deltas: Stored vs Alternative Parsing/Normalization", [Note("Sorted by size of the shift, then by flips.")]
        )
    ]
    for name in story.candidates:
        rows = sort_deltas([delta_row(s.cell, s.data) for s in story.paired(name)])
        if name == story.baseline and not any(row["n_label_flips"] for row in rows):
            continue
        shown = [format_row(row) for row in rows[: story.limits.max_rows]]
        align = "<" * len(story.by) + ">>>>>"
        if shown:
            sections.append(
                Section(name, [Table(_columns(story), shown, align, left_out=len(rows) - len(shown))], level=3)
            )
    return sections if len(sections) > 1 else []


def _think(story: ParsingResults, numbers: Numbers) -> list[Section]:
    if "raw_text" not in story.columns:
        return []
    rows = story.whole.facts["raw.think"]
    if not rows:
        return []
    told = [Note(f"{rows:,} audited trials hold {story.delimiter} in their raw text.")]
    bound = {named.name for named in story.plan.parsers if named.part.only_with is not None}
    for name in story.candidates:
        flips, to_false = numbers.get(("flips", name)), numbers.get(("flips_to_false", name))
        if name.split("+", maxsplit=1)[0] in bound and flips is not None and flips.estimate.value is not None:
            down = int(to_false.estimate.value or 0) if to_false is not None else 0
            of = f"{some(int(flips.estimate.value), 'flip')} of {some(flips.estimate.counted, 'trial')}"
            told.append(Note(f"{name}: {of}, {down:,} from right to wrong."))
    shown = story.whole.exhibits.get("think", [])
    examples = Section("Examples: stored right, wrong after the delimiter", [e for *_, e in shown], level=3)
    return [Section(f"Think-Token Artifacts ({story.delimiter})", [*told]), examples]


def _flips(story: ParsingResults) -> Section:
    shown = story.whole.exhibits.get("flips", [])
    return Section(f"Random Label-Flip Examples (seed {story.seed})", [e for *_, e in shown])


def _number(measurement: Measurement | None) -> str:
    if measurement is None or measurement.estimate.value is None:
        return "–"
    value = measurement.estimate.value
    if measurement.metric == "delta_pp":
        return fixed(value, 2, signed=True)
    return p_text(value) if measurement.metric == "mcnemar_p" else f"{int(value):,}"


def _show(value: Value) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)
