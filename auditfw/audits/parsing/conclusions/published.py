"""Are published figures those that were measured? Cell by cell, within half a unit of the last digit as written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from auditfw.audits.answers import MOST_NAMED, RULES, Argument
from auditfw.audits.parsing.questions.label_rows import label_rows
from auditfw.audits.parsing.questions.repeats import ITEM, NO_ITEM
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.written_numbers import room_of, written_number
from auditfw.core.digits import fixed
from auditfw.core.document import Note, Section, Table, some, verb
from auditfw.core.errors import DataError, UsageError
from auditfw.core.records import Value
from auditfw.formulas.label_counts import LabelCounts
from auditfw.formulas.repeats.stored import UNBIASED
from auditfw.kinds.context import Sample

from .published_repeats import DIFFERS, OfRepeats, PublishedRepeats, StoredNumber, of_repeats
from .published_table import Published, PublishedTable

TITLE = "Published Figures"
PUBLISHED = RULES["published"]
THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")

Key = tuple[str, ...]


@dataclass(frozen=True)
class Figure:
    """One published figure with what was measured; `text` is as it is written, both numbers in its own scale."""

    key: Key
    measure: str
    text: str
    value: Fraction
    room: Fraction
    measured: Fraction
    stored: StoredNumber | None = None
    scale: int = 1

    @property
    def equal(self) -> bool:
        """Whether it is what was measured; of repeats, by any convention."""
        if self.stored is not None:
            return self.stored.convention != DIFFERS
        return abs(self.value - self.measured) <= self.room

    @property
    def convention(self) -> str:
        """Of repeats, by which convention other than the unbiased one it is so, in a sentence; "" else."""
        if self.stored is None or self.stored.convention in (UNBIASED, DIFFERS):
            return ""
        return self.stored.sentence(self.text, self.scale)

    @property
    def digits(self) -> int:
        """So many decimal places show the measured number beside the published one."""
        return min(12, len(self.text.rstrip("%").partition(".")[2]) + 1)


@dataclass(frozen=True)
class PublishedFigures:
    """What comparing came to: the figures in the order of the table, and the cells that are on one side only."""

    path: str
    names: tuple[str, ...]
    reading: str
    figures: Sequence[Figure]
    only_published: Sequence[Key]
    only_measured: Sequence[Key]

    @property
    def differing(self) -> list[Figure]:
        return [one for one in self.figures if not one.equal]


def ask(results: ParsingResults) -> PublishedFigures | None:
    """How published figures compare with those of the run, where there are any."""
    if results.figures is None or results.settings.published is None or not results.counts["audited"]:
        return None
    published, names = results.settings.published, results.figures.names
    reading = published.reading or results.reference
    rows = results.of(label_rows)
    repeats = PublishedRepeats(rows, reading, names, lambda cell: _key(cell, names)[1]) if rows.has(ITEM) else None
    mapped = next((name for name in published.columns if of_repeats(name) is not None), None)
    if mapped is not None and repeats is None:
        raise UsageError(f"audit.published.columns.{mapped}", "a figure of repeats needs items", None, NO_ITEM)
    return compared(published, results.figures, results.samples, results.reference, repeats)


def compared(
    published: Published,
    table: PublishedTable,
    samples: Sequence[Sample],
    reference: str,
    repeats: PublishedRepeats | None = None,
) -> PublishedFigures:
    """Compares the figures of a table with the samples of a reading, and those of repeats with its `repeats`.

    Raises DataError for what is no number, a cell that the table has twice, or where no cell is on both sides.
    """
    reading = published.reading or reference
    measured = _measured(samples, reading, table.names)
    figures: list[Figure] = []
    keys: dict[Key, Key] = {}
    for number, (texts, row) in enumerate(table.rows, 1):
        key = tuple(map(_comparable, texts))
        if key in keys:
            raise DataError(published.path, "has two rows for one cell", _cell(table.names, texts), "keep one of them")
        keys[key] = texts
        if key in measured:
            where = f"{published.path}, row {number}"
            own, scale = measured[key][1], published.scale
            for written in row.items():
                of = of_repeats(written[0])
                if of is None:
                    figures.append(_figure(where, texts, written, own, scale))
                elif repeats is not None:
                    figures += _figure_of_repeats(where, key, _Written(texts, *written, scale), of, repeats)
    if not figures:
        do = "look at audit.published.on and audit.published.columns"
        raise DataError(published.path, "has no figure for any cell of this run", _examples(table, measured), do)
    return PublishedFigures(
        published.path,
        table.names,
        reading,
        figures,
        [texts for key, texts in keys.items() if key not in measured],
        [texts for key, (texts, _) in measured.items() if key not in keys],
    )


def _measured(samples: Sequence[Sample], reading: str, names: Sequence[str]) -> dict[Key, tuple[Key, LabelCounts]]:
    """The labels of a reading in the cells by these columns alone, those of finer cells added up."""
    cells: dict[Key, tuple[Key, LabelCounts]] = {}
    for sample in samples:
        if sample.reading.name != reading or sample.reading.role == "baseline" or bool(sample.cell) != bool(names):
            continue
        texts, key = _key(sample.cell, names)
        before = cells[key][1] if key in cells else LabelCounts(0, 0, 0, 0, 0, 0, 0, 0)
        own: LabelCounts = sample.data
        both = (before.right + own.right, before.wrong + own.wrong, 0, before.blank + own.blank)
        cells[key] = texts, LabelCounts(*both, 0, 0, 0, 0, stored=own.stored)
    return {key: one for key, one in cells.items() if one[1].counted}


def _key(cell: Mapping[str, Value], names: Sequence[str]) -> tuple[Key, Key]:
    """The values of a cell in these columns, and by what they are compared."""
    texts = tuple(_written(cell[name]) for name in names)
    return texts, tuple(map(_comparable, texts))


class _Written(NamedTuple):
    """A figure as it stands in a table."""

    cell: Key
    measure: str
    text: str
    scale: str


def _figure_of_repeats(
    where: str, key: Key, written: _Written, of: OfRepeats, repeats: PublishedRepeats
) -> Iterator[Figure]:
    """A published figure of repeats with the convention by which it is so; none where the cell has no item."""
    value, room = _number(where, written.measure, written.text)
    scale = 100 if written.scale == "percent" or written.text.endswith("%") else 1
    stored = repeats.number(key, of, float(value / scale), float(room / scale))
    if stored is not None:
        measured = Fraction(stored.nearest) * scale
        yield Figure(written.cell, written.measure, written.text, value, room, measured, stored, scale)


def _number(where: str, measure: str, text: str) -> tuple[Fraction, Fraction]:
    """A figure as a number with its room. Raises DataError where it is none."""
    plain = text.rstrip("%").strip()
    number = written_number(plain.replace(",", "") if THOUSANDS.fullmatch(plain) else plain)
    if number is None:
        raise DataError(where, f"{measure} is not a number", text, "write the figures without text")
    return number[0], room_of(*number)


def _figure(where: str, key: Key, written: tuple[str, str], counts: LabelCounts, scale: str) -> Figure:
    """A published figure as it stands in the table, with what was measured. Raises DataError where it is no number."""
    measure, text = written
    value, room = _number(where, measure, text)
    percent = measure != "n" and (scale == "percent" or text.endswith("%"))
    measured = _share(measure, counts) * (100 if percent else 1)
    return Figure(key, measure, text, value, room, measured)


def _share(name: str, counts: LabelCounts) -> Fraction:
    """A measured figure, rates as shares."""
    if name == "n":
        return Fraction(counts.counted)
    if name == "no_answer" and counts.stored:
        where, do = "audit.published.columns.no_answer", "name a reading: audit.published.reading=NAME"
        raise UsageError(where, "stored labels do not say which answers were empty", None, do)
    part = {"error_rate": counts.wrong, "accuracy": counts.right, "no_answer": counts.blank}[name]
    return Fraction(part, counts.counted)


def _written(value: Value) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _comparable(text: str) -> str:
    """A text by which cells are compared: numbers by their value, others as they are."""
    plain = text.strip()
    number = written_number(plain)
    if number is not None:
        return str(number[0])
    return plain.lower() if plain.lower() in ("true", "false") else plain


def _cell(names: Sequence[str], texts: Key) -> str:
    return ", ".join(f"{name} = {text}" for name, text in zip(names, texts, strict=True)) or "all trials"


def _examples(table: PublishedTable, measured: Mapping[Key, tuple[Key, LabelCounts]]) -> str:
    theirs = next((_cell(table.names, texts) for texts, _ in table.rows), "no row")
    ours = next((_cell(table.names, texts) for texts, _ in measured.values()), "no cell")
    return f"there {theirs}; here {ours}"


# What follows


def published_argument(figures: PublishedFigures | None) -> Argument:
    """Whether published figures are those that were measured: reported, it decides nothing."""
    if figures is None:
        return Argument()
    differing, n = figures.differing, len(figures.figures)
    share = 100 * len(differing) / n
    rule = PUBLISHED(figures.reading, share, bound=0.0, fired=bool(differing))
    scope = f"{_equal(figures, 'published figure')} {figures.reading}"
    remarks = []
    if differing:
        first = differing[0]
        remarks.append(
            f"{len(differing):,} of {some(n, 'published figure')} {_differ(figures)} from {figures.reading}; first "
            f"{_cell(figures.names, first.key)}: {first.measure} {first.text} published, {_shown(first)} here."
        )
    remarks += [text for one in figures.figures if one.equal and (text := _by_convention(figures, one))][:MOST_NAMED]
    return Argument([rule], scope=[scope], remarks=remarks)


def _by_convention(figures: PublishedFigures, one: Figure) -> str:
    """By which convention a number of repeats is so, where that is not the unbiased one; "" else."""
    return one.convention and f"{_cell(figures.names, one.key)}: {one.convention}"


def _equal(figures: PublishedFigures, noun: str, where: str = "") -> str:
    n = len(figures.figures) - len(figures.differing)
    return f"{n:,} of {some(len(figures.figures), noun)}{where} {verb(n, 'equals that', 'equal those')} of"


def _differ(figures: PublishedFigures) -> str:
    return verb(len(figures.differing), "differs", "differ")


def published_section(figures: PublishedFigures | None, most: int) -> Section:
    """The figures that differ with both numbers, and the cells that are on one side only."""
    section = Section(TITLE)
    if figures is None:
        return section
    differing = figures.differing
    equal = f"{_equal(figures, 'figure', f' in {figures.path}')} {figures.reading}"
    differ = f"{len(differing):,} {_differ(figures)}"
    section.blocks.append(Note(f"{equal}, within half a unit of the last digit as written; {differ}."))
    section.console = bool(differing)
    if differing:
        rows = [[*one.key, one.measure, one.text, _shown(one), _difference(one)] for one in differing]
        columns = [*figures.names, "figure", "published", "measured", "difference"]
        align = "<" * (len(figures.names) + 1) + ">>>"
        section.blocks.append(Table(columns, rows[:most], align, left_out=max(0, len(rows) - most)))
    other = [text for one in figures.figures if (text := _by_convention(figures, one))]
    section.blocks += map(Note, other[:most])
    section.console = section.console or bool(other)
    for keys, where in ((figures.only_published, "in the published table"), (figures.only_measured, "in this run")):
        if keys:
            more = f" and {len(keys) - most:,} more" if len(keys) > most else ""
            listed = "; ".join(_cell(figures.names, key) for key in keys[:most])
            section.blocks.append(Note(f"{some(len(keys), 'cell')} only {where}: {listed}{more}."))
    return section


def _shown(figure: Figure) -> str:
    return fixed(float(figure.measured), 0 if figure.measure == "n" else figure.digits)


def _difference(figure: Figure) -> str:
    digits = 0 if figure.measure == "n" else figure.digits
    return fixed(float(figure.measured - figure.value), digits, signed=True)
