"""A finished run read back from its folder, so that its reports can be written again."""

from __future__ import annotations

import json
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from auditfw.components.files.formats.footers import check_table
from auditfw.components.files.run_tables import MOST_SCANNED, RUN, check_tables, has_table, read_table
from auditfw.components.report.wording import introduced, side_by_side
from auditfw.config.stored import read_stored
from auditfw.core.document import Block, Chart, Exhibit, Gallery, Matrix, Note, NumberText, Section, Table
from auditfw.core.errors import AuditError, DataError
from auditfw.core.files import check, present, read_text
from auditfw.core.memo import remembered
from auditfw.core.records import Answer, Estimate, GateCells, Input, Measurement, MetricStyle, Result, Value
from auditfw.core.result_json import FIELDS, finite, write_whole
from auditfw.core.results.latest import NextStep
from auditfw.core.shapes import json_value, shaped
from auditfw.core.tables import pieces

from .run_folder import MANIFEST, read_document, read_run

SECTIONS = "sections.json"
STYLES = "metrics"  # in manifest.json: how each prints
TITLES = "titles"  # there: what readings are called for people
REFERENCE = "reference"  # there: the reading that the others are compared with
STEP = "next"  # there: the parts of the next step around the names of the run
PARTS = ("value", "counted", "missing", "low", "high", "undefined")  # of an estimate in result.json
TABLES = ("disagreements", "items", "places", "scenarios", "texts")
Numbers = list[
    tuple[int, int, int, float | None, float | None, float | None]
]  # row, column, length of the text before the interval
_BLOCKS = {kind.__name__.lower(): kind for kind in (Note, Table, Exhibit, Chart, Matrix, Gallery)}


@dataclass(frozen=True)
class StoredRun:
    """A finished run: its folder, result.json, config as composed ({} where it was not kept) with its digest.

    `styles` says of its metrics how they print, `titles` what its readings are called for people.
    """

    folder: Path
    result: Mapping[str, Any]
    config: Mapping[str, Any]
    digest: str = ""
    styles: Mapping[str, MetricStyle] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    def called(self, reading: str) -> str:
        """A reading for people, or two of them: `GPT-4 (scholar) and human annotators (auditor)`."""
        names = reading.split(" and ")
        known = all(name in self.titles for name in names)
        return " and ".join(introduced(name, self.titles) for name in (names if known else [reading]))

    @property
    def numbers(self) -> dict[str, float | None]:
        """The overall measurements as metric@reading."""
        return {f"{m['metric']}@{m['reading']}": m["value"] for m in self.result["measurements"] if not m["cell"]}


def stored(folder: Path) -> StoredRun:
    """Reads a finished run. Raises DataError where the folder holds none."""
    result = read_run(folder)
    check_tables(folder, result)
    return StoredRun(folder, result, *stored_config(folder), read_styles(folder), read_titles(folder))


def overall_estimates(result: Mapping[str, Any], parts: Sequence[str] = PARTS) -> dict[str, Estimate]:
    """The overall numbers of a result.json that may stand beside each other, and why others may not, by name."""
    overall = [
        Measurement(m["metric"], m["reading"], {}, Estimate(**{part: m[part] for part in parts if part in m}))
        for m in result["measurements"]
        if not m.get("cell")
    ]
    return {one.name: one.estimate for one in side_by_side(result["audit"], overall)}


def config_file(folder: Path) -> Path:
    """Where a run keeps its config."""
    return folder / ".hydra" / "config.yaml"


def stored_config(folder: Path) -> tuple[Mapping[str, Any], str]:
    """The config of a finished run as composed with its digest, ({}, "") where it was not kept. Raises AuditError."""
    file = config_file(folder)
    if not present(file):
        return {}, ""
    config, digest = read_stored(file)
    return (config, digest) if isinstance(config, dict) else ({}, "")


def save_sections(folder: str, sections: Sequence[Section], cells: Sequence[GateCells] = ()) -> None:
    """Writes what the reports show beyond the numbers as sections.json."""
    texts = ",".join(map(_section_text, sections))
    text = f'{{"schema":"auditfw.sections/1","sections":[{texts}],"cells":{_text(list(cells))}}}'
    write_whole(folder, SECTIONS, text + "\n")


def read_sections(folder: Path) -> tuple[list[Section], list[GateCells]]:
    """What the reports show beyond the numbers, as it was saved. Raises DataError."""
    saved = read_document(folder / SECTIONS, "auditfw.sections/1", {"sections": [dict], "cells": [dict]})
    with _errors_in(folder / SECTIONS, "holds an invalid section"):
        sections = [_section(one) for one in saved["sections"]]
        return sections, [shaped(GateCells, one) for one in saved["cells"]]


@remembered
def _section_text(section: Section) -> str:
    return _text({**vars(section), "blocks": [_as_data(block) for block in section.blocks]})


def _text(document: Any) -> str:
    """JSON on one line: grids and clouds hold many small numbers, each of which would take a line of its own."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), default=vars)


def _as_data(block: Block) -> dict[str, Any]:
    data = {"block": type(block).__name__.lower(), **vars(block)}
    if isinstance(block, Table):
        numbers = [
            (i, j, len(cell.shown), *map(finite, (cell.value, cell.low, cell.high)))
            for i, row in enumerate(block.rows)
            for j, cell in enumerate(row)
            if isinstance(cell, NumberText)
        ]
        data["numbers"] = numbers
    return data


def kept_styles(styles: Mapping[str, MetricStyle]) -> dict[str, dict[str, Any]]:
    """How metrics print as it is kept in a manifest: for each what is not as usual."""
    usual = vars(MetricStyle())
    return {name: {k: v for k, v in vars(style).items() if v != usual[k]} for name, style in styles.items()}


def read_styles(folder: Path) -> dict[str, MetricStyle]:
    """How the metrics of a finished run print; {} where its manifest does not say so."""
    return dict(_in_manifest(folder, STYLES, Mapping[str, MetricStyle], {}))


def read_result(folder: Path | str) -> Result:
    """The result of a finished run by its folder, as it was. Raises DataError where the folder does not hold one."""
    folder = Path(folder)
    document = read_run(folder)
    check_tables(folder, document)
    document = {name: value for name, value in document.items() if name not in ("schema", "budget")}
    sections, cells = read_sections(folder)
    by, measurements = read_measurements(folder / "measurements.parquet")
    answer = document["answer"] and shaped(Answer, document["answer"])
    return Result(
        **{
            **document,
            "by": by,
            "measurements": measurements,
            "answer": answer and replace(answer, next=read_step(folder, answer.next)),
            "inputs": [Input(**one) for one in document["inputs"]],
            "sections": sections,
            "folder": str(folder),
            "trials": table(folder, "trials"),
            "tables": {name: frame for name in TABLES if (frame := table(folder, name)) is not None},
            "cells": cells,
            "styles": read_styles(folder),
            "reference": read_reference(folder),
            "titles": read_titles(folder),
        }
    )


def read_reference(folder: Path) -> str:
    """The reading that the others are compared with, as the manifest says; "" where it does not."""
    return str(_in_manifest(folder, REFERENCE, str, ""))


def kept_step(answer: Answer | None) -> dict[str, Sequence[str]]:
    """The next step as it is kept in a manifest: {} where none of its commands names the run."""
    return {STEP: answer.next.parts} if answer is not None and isinstance(answer.next, NextStep) else {}


def read_step(folder: Path, text: str) -> str:
    """The next step of a finished run by its text in result.json, with the parts that the manifest keeps of it."""
    step = NextStep(*_in_manifest(folder, STEP, list[str], []))
    return step if step == text else text


def read_titles(folder: Path) -> dict[str, str]:
    """What readings are called for people, as the manifest says."""
    return dict(_in_manifest(folder, TITLES, dict[str, str], {}))


def _in_manifest(folder: Path, key: str, shape: Any, otherwise: Any) -> Any:
    """What the manifest of a run says; something else where it, which vouches for nothing, does not say so."""
    file = folder / MANIFEST
    try:
        manifest = json_value(read_text(file)) if present(file) else {}
        return shaped(shape, manifest.get(key, otherwise))
    except (AuditError, ValueError, AttributeError):
        return otherwise


def read_measurements(file: Path, metric: str | None = None) -> tuple[tuple[str, ...], list[Measurement]]:
    """The columns of `by` and every measurement of a run, or of one metric, from its table. Raises DataError."""
    frame = read_table(file)
    if metric is not None and "metric" in frame.columns:
        frame = frame.filter(frame["metric"] == metric)
    rows = frame.to_dicts()
    by = tuple(name for name in (rows[0] if rows else ()) if name not in FIELDS)
    lacking = sorted({*FIELDS} - rows[0].keys()) if rows else []
    if lacking:
        raise DataError(str(file), "is not a table of measurements", f"no column {lacking[0]}", RUN)
    measurements = []
    for row in rows:
        cell = {name: row.pop(name) for name in by}
        known = {name: value for name, value in cell.items() if value is not None}
        with _errors_in(file, "holds an invalid measurement"):
            metric, reading = (shaped(str, row.pop(name), name) for name in ("metric", "reading"))
            measurements.append(
                Measurement(metric, reading, shaped(dict[str, Value], known, "cell"), shaped(Estimate, row))
            )
    return by, measurements


def table(folder: Path, name: str) -> Any:
    """A table of the run, read when it is used; None where there is none."""
    import polars as pl

    file = folder / f"{name}.parquet"
    if not has_table(file):
        return None
    for part in (parts := pieces(file)):
        check_table(str(check(part)), MOST_SCANNED, RUN)
    return pl.scan_parquet(parts, glob=False)


@contextmanager
def _errors_in(file: Path, what: str) -> Iterator[None]:
    """Reports what is wrong in a file. Raises DataError."""
    try:
        yield
    except DataError as error:
        problem = f"{error.where} {error.what}".strip() + (f": {error.found}" if error.found is not None else "")
        raise DataError(str(file), what, problem, RUN) from None


def _section(fields: dict[str, Any]) -> Section:
    blocks = shaped(list[dict[str, Any]], fields.pop("blocks", []), "blocks")
    if fields.pop("first", False):  # as runs before 2026-12 kept it
        fields["screen"] = "picture"
    section = shaped(Section, fields)
    section.blocks = [_block(block, f"blocks[{i}]") for i, block in enumerate(blocks)]
    return section


def _block(fields: dict[str, Any], where: str) -> Block:
    kind = _BLOCKS.get(str(fields.pop("block", None)))
    if kind is None:
        raise DataError(where, "is of an unknown kind")
    numbers = fields.pop("numbers", None) if kind is Table else None
    by_metric = kind is Chart and fields.pop("by_metric", False)  # as runs before 2026-12 kept it
    block: Any = shaped(kind, fields, where)
    if by_metric:
        block = replace(block, metrics={x: x for one in block.series for x in one.x if isinstance(x, str)})
    if not _fits(block):
        raise DataError(where, "has rows of different lengths")
    if isinstance(block, Table):
        known = _of_older(block) if numbers is None else shaped(Numbers, numbers, f"{where}.numbers")
        return _with_numbers(block, known, where)
    return typing.cast(Block, block)


def _of_older(table: Table) -> Numbers:
    """The cells that end with an interval, in a table of a run that did not store which do."""
    cells = [(i, j, cell) for i, row in enumerate(table.rows) for j, cell in enumerate(row) if cell.endswith("]")]
    return [(i, j, cell.rfind(" ["), None, None, None) for i, j, cell in cells if " [" in cell]


def _with_numbers(table: Table, numbers: Numbers, where: str) -> Table:
    """A table whose cells with intervals are numbers again."""
    rows = [list(row) for row in table.rows]
    for at, (i, j, length, value, low, high) in enumerate(numbers):
        text = rows[i][j] if i in range(len(rows)) and j in range(len(rows[i])) else ""
        number = NumberText(text[:length], text[length + 1 :], value, low, high)
        if number != text:
            raise DataError(f"{where}.numbers[{at}]", "names no cell with an interval")
        rows[i][j] = number
    return replace(table, rows=rows)


def _fits(block: Any) -> bool:
    """Whether the rows of a table have a cell for each column, and so on."""
    if isinstance(block, Table):
        return all(len(row) == len(block.columns) for row in block.rows)
    if isinstance(block, Matrix):
        sides = (block.values, block.shown)
        notes = len(block.notes) in (0, len(block.rows))
        return notes and all(
            len(side) == len(block.rows) and all(len(row) == len(block.columns) for row in side) for side in sides
        )
    return not isinstance(block, Chart) or all(len(one.x) == len(one.y) for one in block.series)
