"""A finished run read back from its folder, so that its reports can be written again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auditfw.document import (
    Block,
    Chart,
    Exhibit,
    Gallery,
    Grid,
    Mark,
    Matrix,
    Note,
    Section,
    Series,
    Snippet,
    Table,
)
from auditfw.errors import DataError
from auditfw.machine import write_whole
from auditfw.records import CellResult, Estimate, GateCells, GateResult, Input, Measurement, Result
from auditfw.remembering import remembered

SECTIONS = "sections.json"
TABLES = ("disagreements", "places", "scenarios")
_FIXED = {"metric", "reading", "value", "counted", "missing", "low", "high", "undefined"}
_BLOCKS = {kind.__name__.lower(): kind for kind in (Note, Table, Exhibit, Chart, Matrix, Gallery)}
_PARTS: Mapping[str, type] = {
    "snippets": Snippet,
    "marks": Mark,
    "grids": Grid,
    "series": Series,
    "exhibits": Exhibit,
    "span": tuple,
    "ends": tuple,
}


def save_sections(folder: str, sections: Sequence[Section], cells: Sequence[GateCells] = ()) -> None:
    """Writes what the reports tell beyond the numbers as sections.json."""
    told = ",".join(map(_section_text, sections))
    text = f'{{"schema":"auditfw.sections/1","sections":[{told}],"cells":{_text(list(cells))}}}'
    write_whole(folder, SECTIONS, text + "\n")


@remembered
def _section_text(section: Section) -> str:
    return _text({**vars(section), "blocks": [_as_data(block) for block in section.blocks]})


def _text(document: Any) -> str:
    """JSON on one line: grids and clouds hold many small numbers, each of which would stand on a line of its own."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), default=vars)


def _as_data(block: Block) -> dict[str, Any]:
    return {"block": type(block).__name__.lower(), **vars(block)}


def read_result(folder: Path) -> Result:
    """The result of a finished run. Raises DataError where the folder does not hold one."""
    told = _read(folder / "result.json", "auditfw.result/1")
    told.pop("schema")
    saved = _read(folder / SECTIONS, "auditfw.sections/1")
    by, measurements = _measurements(folder / "measurements.parquet")
    return Result(
        **{
            **told,
            "by": by,
            "measurements": measurements,
            "gates": [GateResult(**gate) for gate in told["gates"]],
            "inputs": [Input(**one) for one in told["inputs"]],
            "sections": [_section(one) for one in saved["sections"]],
            "folder": str(folder),
            "trials": table(folder, "trials"),
            "tables": {name: found for name in TABLES if (found := table(folder, name)) is not None},
            "cells": [_gate_cells(one) for one in saved.get("cells", ())],
        }
    )


def _read(file: Path, schema: str) -> dict[str, Any]:
    try:
        told: dict[str, Any] = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        raise DataError(str(file), "no such file", None, "name the folder of a finished run") from None
    except ValueError as error:
        raise DataError(str(file), "is not JSON", str(error)) from None
    if told.get("schema") != schema:
        raise DataError(str(file), f"is not of schema {schema}", told.get("schema"))
    return told


def _measurements(file: Path) -> tuple[tuple[str, ...], list[Measurement]]:
    import polars as pl

    if not file.is_file():
        raise DataError(str(file), "no such file", None, "name the folder of a finished run")
    rows = pl.read_parquet(file).to_dicts()
    by = tuple(name for name in (rows[0] if rows else ()) if name not in _FIXED)
    found = []
    for row in rows:
        cell = {name: row.pop(name) for name in by}
        known = {name: value for name, value in cell.items() if value is not None}
        found.append(Measurement(row.pop("metric"), row.pop("reading"), known, Estimate(**row)))
    return by, found


def table(folder: Path, name: str) -> Any:
    """A table of the run, read when it is looked at; None where there is none."""
    import polars as pl

    file = folder / f"{name}.parquet"
    return pl.scan_parquet(file) if file.is_file() else None


def _gate_cells(told: dict[str, Any]) -> GateCells:
    return GateCells(**{**told, "cells": [CellResult(**one) for one in told["cells"]]})


def _section(told: dict[str, Any]) -> Section:
    return Section(**{**told, "blocks": [_block(block) for block in told["blocks"]]})


def _block(told: dict[str, Any]) -> Block:
    kind = told.pop("block")
    made: Block = _made(_BLOCKS[kind], told)
    return made


def _made(kind: Any, told: dict[str, Any]) -> Any:
    """A dataclass of the document from its fields, those of `_PARTS` made of their own kind."""
    return kind(**{name: _of(_PARTS[name], value) if name in _PARTS else value for name, value in told.items()})


def _of(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    return tuple(value) if kind is tuple else [_made(kind, one) for one in value]
