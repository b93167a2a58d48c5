"""The files of a run: the folder claimed exclusively, every file written whole, result.json last."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from auditfw.components.files.run_tables import FIRST_SCHEMA, RUN, digest_of
from auditfw.config.hydra.arguments import SUBDIR, check_climb
from auditfw.core.errors import DataError, IncompleteError, UsageError
from auditfw.core.escaping import HASH, disarmed
from auditfw.core.files import (
    guarded,
    own_folder,
    present,
    read_text,
    refuse_link,
    remove,
    sync_file,
    sync_folder,
    whole,
)
from auditfw.core.locks import holding_folder
from auditfw.core.masking import masked, masked_data
from auditfw.core.records import Answer, GateResult, Result
from auditfw.core.result_json import (
    JOURNAL,
    RESULT,
    SCHEMA,
    answer_document,
    dumps,
    measurement_columns,
    read_findings,
    result_document,
    write_whole,
)
from auditfw.core.results.table_files import write_table
from auditfw.core.shapes import declared, json_value
from auditfw.core.tables import pieces

from .error_output import message_and_code, with_known_code

MANIFEST = "manifest.json"
ERROR_FILE = "error.json"  # why a folder has no result
TEMPORARY = (".parts-*", ".*.part")
MEASUREMENTS = "measurements.parquet"
FINISHED = (RESULT, JOURNAL)  # what a run came to, or can go on from
WRITTEN = (
    *("*.parquet", "sections.json", "report.*", "junit.xml", "chart-*.svg"),
    *("gl-code-quality-report.json", "disagreements.tsv", "consistency.json", "inspect_scores"),
)  # what a run writes before its result


@contextmanager
def claimed(folder: Path, manifest: Mapping[str, Any], tidy: bool = True) -> Iterator[None]:
    """Makes a run folder ours for as long as the run lasts. Raises UsageError if another run has it.

    The folder of a run that left neither result nor journal is taken again; files that are not a run's stay.
    No run leaves a temporary file. One that is refused leaves none of its tables and reports if it is to be `tidy`, and
    an error.json that says why; what an incomplete one has stays.
    """
    check_climb("hydra.run.dir", str(folder))
    with guarded(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with holding_folder(folder):
        refuse_finished(folder)
        with guarded(folder):
            _take(folder, manifest)
            before = set(os.listdir(folder))
        try:
            yield
        except BaseException as error:
            keep = isinstance(error, IncompleteError) or not tidy
            _leave(folder, before, TEMPORARY if keep else (*TEMPORARY, *WRITTEN))
            if tidy:
                _explain(folder, error)
            raise


def save_hydra(folder: Path, files: Mapping[str, str]) -> None:
    """Writes the `.hydra` files of a run. Raises DataError where a link is in their place."""
    inside = own_folder(folder / ".hydra")
    for name, text in files.items():
        with whole(inside / name, sync=False) as stream:
            stream.write(masked(text).encode("utf-8"))


def _take(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Writes the manifest, in place of that of a run without a result. Raises UsageError for another file."""
    file = folder / MANIFEST
    try:
        ours = not present(file) or {"started", "pid"} <= json.loads(read_text(file)).keys()
    except (ValueError, AttributeError, RecursionError):
        ours = False
    if not ours:
        what = f"this folder already holds a run, or a {MANIFEST} of another program"
        raise UsageError("hydra.run.dir", what, str(folder), "leave the setting out, or name a new folder")
    _leave(folder, (), (*TEMPORARY, ERROR_FILE))  # of one that was killed
    with whole(file, sync=False) as stream:
        stream.write(disarmed(json.dumps(masked_data(manifest), indent=1), HASH).encode("utf-8", "replace"))


def _leave(folder: Path, before: Collection[str], names: Sequence[str]) -> None:
    """Removes the files of these names that a run wrote before it failed: those that were not there when it began."""
    new = [path for path in folder.iterdir() if path.name not in before]
    remove([path for path in new if any(fnmatch(path.name, name) for name in names)])


def _explain(folder: Path, error: BaseException) -> None:
    """Leaves in a run's folder why it has no result, where the disk takes that."""
    code: int | None = None
    text: object = "interrupted"
    if isinstance(error, Exception):
        text, code = message_and_code(error)
    with suppress(IncompleteError):
        note_error(folder, code, str(text))


def note_error(folder: Path, code: int | None, error: str, **more: Any) -> None:
    """Writes error.json: why a run or job has no result, or what went wrong after it. Raises IncompleteError."""
    write_whole(str(folder), ERROR_FILE, json.dumps({"exit_code": code, "error": masked(error), **more}) + "\n")


def refuse_finished(folder: Path) -> None:
    """Raises UsageError where a folder holds what a run came to, or a journal to go on from."""
    for name in FINISHED:
        refuse_link(folder / name)
    if any((folder / name).exists() for name in FINISHED):
        do = "leave the setting out, or name a new folder"
        raise UsageError("hydra.run.dir", "this folder already holds a run", str(folder), do)


def write_measurements(folder: Path, result: Result) -> None:
    """Writes measurements.parquet: one row a measurement, null cells in the overall rows."""
    file = folder / MEASUREMENTS
    with guarded(file):
        write_table(file, "measurements", measurement_columns(result))


def write_result(folder: Path, result: Result) -> None:
    """Writes result.json with the SHA-256 of the tables beside it, which are on the disk before: the run is whole."""
    tables = [folder / f"{name}.parquet" for name in ("measurements", "trials", *result.tables)]
    files = [file for table in tables for file in pieces(table) if file.is_file()]
    result.digests = {file.relative_to(folder).as_posix(): digest_of(file) for file in files}
    inside = folder / ".hydra"
    saved = [one for one in sorted(inside.iterdir()) if one.is_file()] if inside.is_dir() else []
    for file in (*files, *saved):
        sync_file(file)
    for one in dict.fromkeys((*([inside] if saved else []), *(file.parent for file in files), folder)):
        sync_folder(one)
    try:
        write_whole(str(folder), RESULT, dumps(result_document(result)))
    except IncompleteError:
        (folder / RESULT).unlink(missing_ok=True)  # what may not be on the disk vouches for nothing
        raise


def check_folders(argv: Sequence[str], writes: bool) -> None:
    """Refuses run folders that climb, and a finished run's: Hydra would write its config over. Raises UsageError."""
    for word in argv:
        key, _, value = word.partition("=")
        folder = value.strip("'\"")
        if key.lstrip("+") in ("hydra.run.dir", "hydra.sweep.dir", SUBDIR):
            check_climb(key, value)
        if writes and key == "hydra.run.dir" and "${" not in folder:
            refuse_finished(Path(folder))


NUMBER = (int, float, type(None))
TEXT = (str, type(None))
ANSWER = (dict, type(None))
_WORDS = {str: "a text", int: "a whole number", dict: "an object", list: "a list", TEXT: "a text or null"}
_WORDS |= {ANSWER: "an object or null", NUMBER: "a number or null", (int, type(None)): "a whole number or null"}
_MEASUREMENT = {"metric": str, "reading": str, "cell": dict, "value": NUMBER, "counted": int, "missing": int}
FIRST_SHAPE: Mapping[str, Any] = {
    "schema": str,
    "audit": str,
    "verdict": str,
    "exit_code": int,
    "counts": {str: int},
    "measurements": [{**_MEASUREMENT, "low": NUMBER, "high": NUMBER, "undefined": TEXT}],
    "gates": [dict],
    "warnings": [str],
    "inputs": [{"path": str, "sha256": str, "bytes": int}],
    "config_hash": str,
    "seed": int,
    "versions": {str: str},
}
RESULT_SHAPE: Mapping[str, Any] = {**FIRST_SHAPE, "answer": ANSWER, "digests": {str: str}}
NO_BUDGET: Mapping[str, Any] = {"absent": 0, "limit": {"value": None, "assumed": False}}
BUDGET_SHAPE: Mapping[str, Any] = {"absent": int, "limit": {"value": (int, type(None)), "assumed": bool}}


def read_run(folder: Path) -> dict[str, Any]:
    """The result.json of a finished run; of the first schema `answer` is None and `digests` {}. Raises DataError.

    Of the `budget` of a parsing audit there is what `BUDGET_SHAPE` names.
    """
    if folder.is_file():
        raise DataError(str(folder), "is a file, not the folder of a run", None, RUN)
    document = _document(file := folder / RESULT, RUN)
    if isinstance(document, dict) and document.get("schema") == FIRST_SCHEMA:
        result = {**_of_shape(file, document, FIRST_SHAPE, RUN), "answer": None, "digests": {}}
    else:
        result = _checked(file, document, SCHEMA, RESULT_SHAPE, RUN)
    if result["answer"] is not None:
        result["answer"] = answer_document(declared(Answer, result["answer"], str(file), "answer", RUN))
    budget = _of_shape(file, {"budget": {}, **document}, {"budget": dict}, RUN)["budget"]
    result |= _of_shape(file, {"budget": {**NO_BUDGET, **budget}}, {"budget": BUDGET_SHAPE}, RUN)
    return {**result, **read_findings(document, str(file), RUN), "gates": stored_gates(file, result)}


def stored_gates(file: Path, document: Mapping[str, Any]) -> list[GateResult]:
    return [declared(GateResult, gate, str(file), f"gates[{i}]", RUN) for i, gate in enumerate(document["gates"])]


def read_document(
    file: Path, schema: str | None, shape: Mapping[str, Any], do: str = RUN, otherwise: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A JSON file of ours, with the keys of its shape alone. Raises DataError for any other file.

    A shape is a type or several; a list of one shape; an object of the named keys, or of `{str: SHAPE}` each.
    `otherwise` has the values of keys that may be absent.
    """
    document = _document(file, do)
    if isinstance(document, dict):
        document = {**(otherwise or {}), **document}
    return _checked(file, document, schema, shape, do)


def _document(file: Path, do: str) -> Any:
    try:
        return json_value(read_text(file))
    except FileNotFoundError:
        raise DataError(str(file), "no such file", None, do) from None
    except ValueError as error:
        raise DataError(str(file), "is not JSON", str(error), do) from None


def _checked(file: Path, document: Any, schema: str | None, shape: Mapping[str, Any], do: str) -> dict[str, Any]:
    if not isinstance(document, dict):
        what = f"is not an object of schema {schema}" if schema else "is not an object"
        raise DataError(str(file), what, document, do)
    if schema is not None and document.get("schema") != schema:
        raise DataError(str(file), f"is not of schema {schema}", document.get("schema"), do)
    return _of_shape(file, document, shape, do)


def _of_shape(file: Path, document: Mapping[str, Any], shape: Mapping[str, Any], do: str) -> dict[str, Any]:
    try:
        return with_known_code(_shaped(document, shape, ""))
    except DataError as error:
        raise DataError(str(file), f"{error.where} {error.what}".strip(), error.found, do) from None


def _shaped(value: Any, shape: Any, where: str) -> Any:
    """The value with what its shape names. Raises DataError that says where it is not so."""
    kind: Any = type(shape) if isinstance(shape, list | dict) else shape
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise DataError(where, f"is not {_WORDS.get(kind, 'true or false')}", "null" if value is None else value)
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
