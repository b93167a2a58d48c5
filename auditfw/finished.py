"""The JSON files that runs and sweeps leave behind, read back by the verbs: schema and shape are checked first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import DataError

RESULT, RESULT_SCHEMA = "result.json", "auditfw.result/1"
RUN = "name the folder of a finished run"

NUMBER = (int, float, type(None))
TEXT = (str, type(None))
_WORDS = {str: "a text", int: "a whole number", dict: "an object", list: "a list", TEXT: "a text or null"}
_WORDS |= {NUMBER: "a number or null", (int, type(None)): "a whole number or null"}
_MEASUREMENT = {"metric": str, "reading": str, "cell": dict, "value": NUMBER, "counted": int, "missing": int}
_GATE = {"name": str, "rule": str, "reading": TEXT, "value": NUMBER, "status": str, "why": str}
RESULT_SHAPE: Mapping[str, Any] = {
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


def read_run(folder: Path) -> dict[str, Any]:
    """The result.json of a finished run. Raises DataError where the folder holds none."""
    if folder.is_file():
        raise DataError(str(folder), "is a file, not the folder of a run", None, RUN)
    return read_document(folder / RESULT, RESULT_SCHEMA, RESULT_SHAPE)


def read_document(file: Path, schema: str | None, shape: Mapping[str, Any], do: str = RUN) -> dict[str, Any]:
    """A JSON file of ours, with the keys of its shape alone. Raises DataError for any other file.

    A shape is a type or several; a list of one shape; an object of the named keys, or of `{str: SHAPE}` each.
    """
    try:
        told = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        raise DataError(str(file), "no such file", None, do) from None
    except (ValueError, RecursionError) as error:
        raise DataError(str(file), "is not JSON", str(error), do) from None
    if not isinstance(told, dict):
        raise DataError(str(file), f"is not an object of schema {schema}" if schema else "is not an object", told, do)
    if schema is not None and told.get("schema") != schema:
        raise DataError(str(file), f"is not of schema {schema}", told.get("schema"), do)
    try:
        made: dict[str, Any] = _shaped(told, shape, "")
    except DataError as error:
        raise DataError(str(file), f"{error.where} {error.what}".strip(), error.found, do) from None
    return made


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
