"""The trials that the reports of a run show, with their texts, as a table to filter by reading, direction and cell."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from auditfw.core.document import Exhibit, Gallery, Mark, Section, Snippet, some
from auditfw.core.errors import UsageError
from auditfw.core.records import NO_VALUE, Result
from auditfw.core.result_json import FIELDS, measurement_columns
from auditfw.core.results.views import FrameKind

if TYPE_CHECKING:
    import polars as pl


# Measurements as a table for notebooks: a Polars data frame, or a pandas one with the extra.

KINDS = typing.get_args(FrameKind)
AUDIT, READING = "audit", "reading"
NUMBERS = ("value", "low", "high", "counted", "missing", "undefined")


def measurements(result: Result, kind: str) -> Any:
    """The measurements, a row each, with the names and values of measurements.parquet. Raises UsageError."""
    import polars as pl

    check_kind("frame", kind)
    columns = measurement_columns(result)
    cells = {f"cell.{name}" if name == AUDIT else name: columns[name] for name in columns if name not in FIELDS}
    audit = pl.Series(AUDIT, [result.audit] * len(columns["metric"]), pl.String)
    ordered = {AUDIT: audit, READING: columns[READING], **cells, "metric": columns["metric"]}
    return as_kind("frame", pl.DataFrame({**ordered, **{name: columns[name] for name in NUMBERS}}), kind)


def check_kind(where: str, kind: str) -> None:
    """Raises UsageError for a kind of frame that there is not."""
    if kind not in KINDS:
        raise UsageError(f"{where}.kind", "no such kind of frame", kind, f"write one of {', '.join(KINDS)}")


def as_kind(where: str, frame: pl.DataFrame, kind: str) -> Any:
    """A Polars frame as one of this kind. Raises UsageError where pandas is not installed."""
    import polars as pl

    if kind == "polars":
        return frame
    try:
        import pandas as pd
    except ImportError:
        what = "a pandas frame needs the extra pandas"
        raise UsageError(f"{where}.kind", what, None, "pip install 'auditfw[pandas]'") from None
    number = [name for name, dtype in frame.schema.items() if dtype == pl.Float64]
    made = pd.DataFrame(frame.to_dict(as_series=False), columns=frame.columns)
    return made.astype(dict.fromkeys(number, "float64"))


WHERE = "exhibits"
ID, SECTION = "id", "section"
TRUTH = "truth"  # the mark of a truth; the others are what a parser kept
NO_LABEL = frozenset({"", "missing", "undefined", "error"})
DIRECTIONS = {"→ right": "right", "→ wrong": "wrong"}  # as a gallery names them, with the labels


@dataclass(frozen=True)
class ShownTrial:
    """An exhibit with the section that shows it and the facets that it is filtered by there."""

    exhibit: Exhibit
    section: str
    facets: Sequence[tuple[str, ...]] = ()

    @cached_property
    def tags(self) -> dict[str, list[str]]:
        """What the trial has in the facets of one name."""
        tagged = zip(self.facets, self.exhibit.tags, strict=False)
        return {names[0]: [tag[0] for tag in tags] for names, tags in tagged if len(names) == 1}

    @cached_property
    def values(self) -> dict[str, str]:
        """What the trial has in each column: its facts, and the first value in each facet of one name."""
        return {**dict(self.exhibit.facts), **{name: tags[0] for name, tags in self.tags.items() if tags}}

    def changed(self, readings: Iterable[str], reference: str) -> dict[str, str]:
        """The readings whose label differs from the reference's, each with its label."""
        if self.exhibit.changes is not None:
            return dict(self.exhibit.changes)
        for names, tags in zip(self.facets, self.exhibit.tags, strict=False):
            if len(names) > 1 and names[0] == READING:
                return {tag[0]: DIRECTIONS.get(tag[1], tag[1]) for tag in tags}
        before = self.values.get(reference, "")
        labels = {name: self.values.get(name, "") for name in readings}
        if before in NO_LABEL:
            return {}
        return {name: label for name, label in labels.items() if label not in NO_LABEL and label != before}

    def is_in(self, column: str, value: Any) -> bool:
        """Whether the trial has this value in a column, which may be a facet with several."""
        wanted = {NO_VALUE, "None"} if value is None else {str(value)}
        return bool(wanted & {*self.tags.get(column, ()), self.values.get(column, "")})


@dataclass(frozen=True)
class Asked:
    """Which of the shown trials are wanted; None and {} want all."""

    reading: str | None
    direction: str | None
    cell: Mapping[str, Any]
    limit: int | None


def shown_trials(result: Result, asked: Asked, kind: str) -> Any:
    """The shown trials that fit, as a frame of this kind. Raises UsageError."""
    check_kind(WHERE, kind)
    if asked.limit is not None and (type(asked.limit) is not int or asked.limit < 0):
        raise UsageError(f"{WHERE}.limit", "expected a whole number of 0 or more", asked.limit)
    trials = trials_of(result.sections)
    columns = list(dict.fromkeys(name for one in trials for name in (*one.tags, *one.values)))
    for name in asked.cell:
        if trials and name not in columns:
            raise _none_such("cell", "no such column among the shown trials", name, columns)
    if asked.reading is not None or asked.direction is not None:
        trials = _changed(result, trials, asked)
    kept = [one for one in trials if all(one.is_in(*pair) for pair in asked.cell.items())]
    parsers = {measurement.reading.partition("+")[0] for measurement in result.measurements}
    return as_kind(WHERE, _framed(kept[: asked.limit], parsers), kind)


def trials_of(sections: Sequence[Section]) -> list[ShownTrial]:
    """The trials that the reports of a run show, each once, in the order of their draw."""
    return list(_unlike(_trials(sections)))


def _trials(sections: Sequence[Section]) -> Iterator[ShownTrial]:
    """The exhibits of the page's galleries; where there are none, those that the other reports show."""
    galleries = [(part.title, one) for part in sections for one in part.blocks if isinstance(one, Gallery)]
    for title, gallery in galleries:
        for exhibit in gallery.exhibits:
            yield ShownTrial(exhibit, title, gallery.facets)
    if not galleries:
        for part in sections:
            yield from (ShownTrial(block, part.title) for block in part.blocks if isinstance(block, Exhibit))


def _unlike(trials: Iterable[ShownTrial]) -> Iterator[ShownTrial]:
    """Each trial once: two sections may show the same one."""
    known: set[tuple[Any, ...]] = set()
    for one in trials:
        key = (one.exhibit.title, *map(tuple, one.exhibit.facts))
        if key not in known:
            known.add(key)
            yield one


def _changed(result: Result, trials: Sequence[ShownTrial], asked: Asked) -> list[ShownTrial]:
    """The trials whose label the reading changes, in this direction. Raises UsageError for one that there is not."""
    readings = list(dict.fromkeys(measurement.reading for measurement in result.measurements))
    changed = [one.changed(readings, result.reference) for one in trials]
    changing = {name for labels in changed for name in labels}
    if trials and not changing:
        what = "the shown trials of this run have no labels that a reading changes"
        raise UsageError(f"{WHERE}.{READING}", what, asked.reading, "leave reading and direction out")
    known = [*(name for name in readings if name != result.reference), *sorted(changing.difference(readings))]
    if asked.reading is not None and asked.reading not in known:
        raise _none_such(READING, "no such reading in this run", asked.reading, known)
    label = _label(asked.direction, sorted({label for labels in changed for label in labels.values()}))
    return [
        one
        for one, labels in zip(trials, changed, strict=True)
        if any(asked.reading in (None, name) and label in (None, now) for name, now in labels.items())
    ]


def _label(direction: str | None, known: Sequence[str]) -> str | None:
    """The label that a direction names, as such or as a gallery has it. Raises UsageError for one that there is not."""
    if direction is None or direction in known:
        return direction
    label = DIRECTIONS.get(direction, direction)
    if known and label not in known:
        raise _none_such("direction", "no shown trial changes to this label", direction, known)
    return label


def _none_such(key: str, what: str, name: object, known: Sequence[str]) -> UsageError:
    return UsageError(f"{WHERE}.{key}", what, name, f"write one of {', '.join(known)}" if known else "leave it out")


def _framed(trials: Sequence[ShownTrial], parsers: set[str]) -> Any:
    """A row for each trial: its id, the section that shows it, its facts, its texts."""
    import polars as pl

    rows = [_row(one, parsers) for one in trials]
    texts = list(dict.fromkeys(name for _, row in rows for name in row))
    names = list(dict.fromkeys([ID, SECTION, *(name for row, _ in rows for name in row), *texts]))
    merged = [{**row, **shown} for row, shown in rows]
    return pl.DataFrame({name: [row.get(name) for row in merged] for name in names}, dict.fromkeys(names, pl.String))


def _row(one: ShownTrial, parsers: set[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The facts of a trial and its texts, by column: what a parser kept is `text.<parser>`, as in trials.parquet."""
    facts = {f"fact.{name}" if name in (ID, SECTION) else name: value for name, value in one.exhibit.facts}
    texts: dict[str, str] = {}
    for shown in one.exhibit.snippets:
        taken = shown.label in parsers or shown.label in facts or shown.label in (ID, SECTION)
        texts[f"text.{shown.label}" if taken else shown.label] = shown.head + _gap(shown.omitted) + shown.tail
        for mark in shown.marks:
            if mark.name != TRUTH:
                texts.setdefault(f"text.{mark.name}", marked(shown, mark))
    return {ID: one.exhibit.title, SECTION: one.section, **facts}, texts


def marked(shown: Snippet, mark: Mark) -> str:
    """The marked part of a text, of which characters in the middle may not have been kept."""
    after = len(shown.head) + shown.omitted
    omitted = max(0, min(mark.end, after) - max(mark.start, len(shown.head)))
    tail = shown.tail[max(0, mark.start - after) : max(0, mark.end - after)]
    return shown.head[mark.start : mark.end] + _gap(omitted) + tail


def _gap(omitted: int) -> str:
    return f"… [{some(omitted, 'character')} omitted] …" if omitted else ""
