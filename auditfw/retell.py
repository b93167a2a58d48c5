"""A finished run read back from its folder, so that its reports can be written again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from auditfw.finished import RUN, check_tables, read_document, read_run
from auditfw.machine import write_whole
from auditfw.records import CellResult, Estimate, GateCells, GateResult, Input, Measurement, Result
from auditfw.regular import check, present
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
    told = read_run(folder)
    check_tables(folder, told)
    told.pop("schema")
    saved = read_document(folder / SECTIONS, "auditfw.sections/1", {"sections": [dict], "cells": [dict]})
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


def _measurements(file: Path) -> tuple[tuple[str, ...], list[Measurement]]:
    import polars as pl

    try:
        rows = pl.read_parquet(check(file), glob=False).to_dicts()
    except FileNotFoundError:
        raise DataError(str(file), "no such file", None, RUN) from None
    except pl.exceptions.PolarsError as error:
        raise DataError(str(file), "is not Parquet", str(error).splitlines()[0], RUN) from None
    by = tuple(name for name in (rows[0] if rows else ()) if name not in _FIXED)
    lacking = sorted(_FIXED - rows[0].keys()) if rows else []
    if lacking:
        raise DataError(str(file), "is no table of measurements", f"no column {lacking[0]}", RUN)
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
    return pl.scan_parquet(check(file), glob=False) if present(file) else None


def _gate_cells(told: dict[str, Any]) -> GateCells:
    with _of_ours():
        return GateCells(**{**told, "cells": [CellResult(**one) for one in told["cells"]]})


def _section(told: dict[str, Any]) -> Section:
    with _of_ours():
        return Section(**{**told, "blocks": [_block(block) for block in told["blocks"]]})


@contextmanager
def _of_ours() -> Iterator[None]:
    try:
        yield
    except (AttributeError, KeyError, TypeError) as error:
        raise DataError(SECTIONS, "holds a section unlike ours", f"{type(error).__name__}: {error}", RUN) from None


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
