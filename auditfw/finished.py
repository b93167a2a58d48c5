"""The JSON files that runs and sweeps leave behind, read back by the verbs: schema and shape are checked first."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from .errors import DataError
from .regular import TABLE_BYTES, check, opened, present, read_text

JOURNAL = "attempts.jsonl"  # what an interrupted self-audit goes on from
RESULT, RESULT_SCHEMA = "result.json", "auditfw.result/2"
FIRST_SCHEMA = "auditfw.result/1"
_TABLE = re.compile(r"[A-Za-z0-9_-]+\.parquet")
RUN = "name the folder of a finished run"

NUMBER = (int, float, type(None))
TEXT = (str, type(None))
ANSWER = (dict, type(None))
_WORDS = {str: "a text", int: "a whole number", dict: "an object", list: "a list", TEXT: "a text or null"}
_WORDS |= {ANSWER: "an object or null", NUMBER: "a number or null", (int, type(None)): "a whole number or null"}
_MEASUREMENT = {"metric": str, "reading": str, "cell": dict, "value": NUMBER, "counted": int, "missing": int}
_GATE = {"name": str, "rule": str, "reading": TEXT, "value": NUMBER, "status": str, "why": str}
FIRST_SHAPE: Mapping[str, Any] = {
    "schema": str,
    "audit": str,
    "verdict": str,
    "exit_code": int,
    "counts": {str: int},
    "measurements": [{**_MEASUREMENT, "low": NUMBER, "high": NUMBER, "undefined": TEXT}],
    "gates": [_GATE],
    "warnings": [str],
    "inputs": [{"path": str, "sha256": str, "bytes": int}],
    "config_hash": str,
    "seed": int,
    "versions": {str: str},
}
RESULT_SHAPE: Mapping[str, Any] = {**FIRST_SHAPE, "answer": ANSWER, "digests": {str: str}}
READ_TABLES = ("trials", "measurements", "disagreements", "places", "scenarios")  # those that verbs read


def read_run(folder: Path) -> dict[str, Any]:
    """The result.json of a finished run, whose tables are those that it names. Raises DataError where there is none.

    One of the first schema has neither `answer` nor `digests`: they are None and {}.
    """
    if folder.is_file():
        raise DataError(str(folder), "is a file, not the folder of a run", None, RUN)
    told = _document(folder / RESULT, RUN)
    if isinstance(told, dict) and told.get("schema") == FIRST_SCHEMA:
        return {**_of_shape(folder / RESULT, told, FIRST_SHAPE, RUN), "answer": None, "digests": {}}
    return _checked(folder / RESULT, told, RESULT_SCHEMA, RESULT_SHAPE, RUN)


def check_tables(folder: Path, result: Mapping[str, Any]) -> None:
    """Compares the tables beside a result.json with the SHA-256 it names. Raises DataError for the first that differs.

    A result of the first schema names none, and is believed.
    """
    if result["schema"] == FIRST_SCHEMA:
        return
    for name, digest in result["digests"].items():
        if not _TABLE.fullmatch(name):
            raise DataError(str(folder / RESULT), "names a table that is none of a run", name, RUN)
        if digest_of(folder / name) != digest:
            do = "its bytes were changed after the run: restore them, or run again"
            raise DataError(str(folder / name), f"is not the table that {RESULT} names by its SHA-256", None, do)
    for table in READ_TABLES:
        file = folder / f"{table}.parquet"
        if file.name not in result["digests"] and present(file):
            do = "it is not of this run: remove it"
            raise DataError(str(file), f"is a table that {RESULT} does not name", None, do)


def digest_of(file: Path) -> str:
    """The SHA-256 of a table. Raises DataError."""
    try:
        with opened(file, TABLE_BYTES) as stream:
            return hashlib.file_digest(cast(Any, stream), "sha256").hexdigest()
    except FileNotFoundError:
        raise DataError(str(file), "no such file", f"{RESULT} names it by its SHA-256", "restore it") from None


def read_document(file: Path, schema: str | None, shape: Mapping[str, Any], do: str = RUN) -> dict[str, Any]:
    """A JSON file of ours, with the keys of its shape alone. Raises DataError for any other file.

    A shape is a type or several; a list of one shape; an object of the named keys, or of `{str: SHAPE}` each.
    """
    return _checked(file, _document(file, do), schema, shape, do)


def _document(file: Path, do: str) -> Any:
    try:
        return json.loads(read_text(file))
    except FileNotFoundError:
        raise DataError(str(file), "no such file", None, do) from None
    except (ValueError, RecursionError) as error:
        raise DataError(str(file), "is not JSON", str(error), do) from None


def _checked(file: Path, told: Any, schema: str | None, shape: Mapping[str, Any], do: str) -> dict[str, Any]:
    if not isinstance(told, dict):
        raise DataError(str(file), f"is not an object of schema {schema}" if schema else "is not an object", told, do)
    if schema is not None and told.get("schema") != schema:
        raise DataError(str(file), f"is not of schema {schema}", told.get("schema"), do)
    return _of_shape(file, told, shape, do)


def _of_shape(file: Path, told: Mapping[str, Any], shape: Mapping[str, Any], do: str) -> dict[str, Any]:
    try:
        made: dict[str, Any] = _shaped(told, shape, "")
    except DataError as error:
        raise DataError(str(file), f"{error.where} {error.what}".strip(), error.found, do) from None
    return made


@contextmanager
def reading(where: str, what: str = "holds a table that cannot be read") -> Iterator[None]:
    """Tells of a table of a run that cannot be read. Raises DataError."""
    import polars as pl

    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise DataError(where, what, str(error).partition("\n")[0], RUN) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # Polars gave up on bytes that are no Parquet
            raise
        raise DataError(where, what, "its bytes are damaged", RUN) from None


def read_table(file: Path) -> Any:
    """A table of a finished run as a frame. Raises DataError where there is none, or it cannot be read."""
    import polars as pl

    try:
        with reading(str(file)):
            return pl.read_parquet(check(file), glob=False)
    except FileNotFoundError:
        raise DataError(str(file), "no such file", None, RUN) from None


def _shaped(value: Any, shape: Any, where: str) -> Any:
    """The value with what its shape names. Raises DataError that says where it is not so."""
    kind: Any = type(shape) if isinstance(shape, list | dict) else shape
    if not isinstance(value, kind) or isinstance(value, bool):
        raise DataError(where, f"is not {_WORDS[kind]}", "null" if value is None else value)
    if isinstance(shape, list):
        return [_shaped(one, shape[0], f"{where}[{i}]") for i, one in enumerate(value)]
    if not isinstance(shape, dict):
        return value
    inside = f"{where}." if where else ""
    if str in shape:
        return {name: _shaped(one, shape[str], f"{inside}{name}") for name, one in value.items()}
    lacking = next((name for name in shape if name not in value), None)
    if lacking is not None:
        raise DataError(where, f"has no key '{lacking}'")
    return {name: _shaped(value[name], part, f"{inside}{name}") for name, part in shape.items()}
