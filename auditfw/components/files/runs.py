"""A folder of conformity runs: which databases there are, by the metadata that lists them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auditfw.components.files.files import check_regular, missing
from auditfw.components.files.formats.strict_json import Reader, RefusedError
from auditfw.core.errors import DataError, NothingAudited, UsageError, brief, kind_of_value

DATABASE = "simulation.db"
COMPLETED = "completed"


@dataclass(frozen=True)
class ConformityRun:
    """One completed run: its temperature, its id, its database."""

    temperature: float
    run_id: str
    path: str


def completed(metadata: str | None, folder: str | None, outside: bool = False) -> tuple[ConformityRun, ...]:
    """The completed runs, by temperature. Raises DataError, or NothingAudited when there is none.

    `outside` lets the metadata name folders that are not within `folder`.
    """
    if metadata is None:
        raise UsageError("source.metadata", "not set", None, "write source.metadata=FILE, the list of runs")
    if folder is None:
        raise UsageError("source.runs_dir", "not set", None, "write source.runs_dir=FOLDER")
    listed = _listed(metadata)
    if not os.path.isdir(folder):
        raise missing(folder) if not os.path.exists(folder) else DataError(folder, "is not a folder")
    statuses = {key: entry.get("status") for key, entry in listed.items()}
    done = {key: entry for key, entry in listed.items() if statuses[key] == COMPLETED}
    if not done:
        summary = brief(", ".join(f"{key}: {status}" for key, status in statuses.items())) if statuses else "no run"
        raise NothingAudited(
            metadata, "lists no completed run", summary, f'only runs with status "{COMPLETED}" are read'
        )
    keys: dict[float, str] = {}
    for key in done:
        number = _temperature(metadata, key)
        if number in keys:
            raise DataError(
                metadata, f"two runs have the temperature {number}", f"keys '{keys[number]}' and '{key}'", "keep one"
            )
        keys[number] = key
    runs = tuple(_run(metadata, folder, keys[number], number, done[keys[number]]) for number in sorted(keys))
    for run in () if outside else runs:
        _check_inside(metadata, folder, run)
    for run in runs:
        check_regular(run.path)
    return runs


def _check_inside(metadata: str, folder: str, run: ConformityRun) -> None:
    """Raises DataError for a run whose database is not within the folder of runs, links followed."""
    home = os.path.realpath(folder)
    if os.path.commonpath([home, os.path.realpath(run.path)]) != home:
        do = "write source.outside=true to read it anyway"
        raise DataError(metadata, f"the run '{run.run_id}' is outside source.runs_dir", run.path, do)


def _listed(metadata: str) -> Mapping[str, Mapping[str, Any]]:
    check_regular(metadata)
    shape = 'write {"experiments": {"0.0": {"run_id": ..., "run_dir": ..., "status": "completed"}}}'
    with open(metadata, "rb") as stream:
        data = stream.read()
    try:
        whole = Reader().parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DataError(metadata, "is not UTF-8", str(error)) from None
    except RefusedError as error:
        line = data[: error.at or 0].count(b"\n") + 1
        raise error.as_error(f"{metadata}:{line}") from None
    listed = whole.get("experiments") if isinstance(whole, dict) else None
    if not isinstance(listed, dict):
        raise DataError(metadata, "holds no 'experiments'", None, shape)
    for key, entry in listed.items():
        if not isinstance(entry, dict):
            raise DataError(metadata, f"expected an object for the run '{key}'", kind_of_value(entry), shape)
    return listed


def _temperature(metadata: str, key: str) -> float:
    try:
        number = float(key)
    except ValueError:
        number = float("nan")
    if number - number != 0:  # NaN and infinities
        raise DataError(metadata, "expected a temperature as the key", f"'{key}'", 'write it as in "0.5"')
    return number + 0.0


def _run(metadata: str, folder: str, key: str, number: float, entry: Mapping[str, Any]) -> ConformityRun:
    for name in ("run_id", "run_dir"):
        if not isinstance(entry.get(name), str) or not entry[name]:
            raise DataError(metadata, f"the run '{key}' has no {name}", f"found: {', '.join(entry)}", f'add "{name}"')
        try:
            unusable = b"\0" in os.fsencode(entry[name])
        except UnicodeEncodeError:  # half a surrogate pair
            unusable = True
        if unusable:
            raise DataError(metadata, f"the {name} of the run '{key}' has characters that no name has", entry[name])
    return ConformityRun(number, entry["run_id"], os.path.join(folder, entry["run_dir"], DATABASE))
