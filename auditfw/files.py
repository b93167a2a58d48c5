"""The files of a run: the folder claimed exclusively, every file written whole, result.json last."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .disk import guarded, sync_file, sync_folder
from .errors import IncompleteError, UsageError
from .finished import RESULT, digest_of
from .machine import dumps, measurement_rows, result_document, write_whole
from .records import Result
from .regular import own_folder, part_beside, refuse_link, whole

MANIFEST = "manifest.json"
MEASUREMENTS = "measurements.parquet"


def claim(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Makes a run folder ours by creating its manifest exclusively. Raises UsageError if another run has it."""
    if ".." in folder.parts:
        raise UsageError("hydra.run.dir", "a run folder must not climb with '..'", str(folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / MANIFEST).open("x", encoding="utf-8") as file:
            json.dump(manifest, file, indent=1)
    except FileExistsError:
        raise UsageError(
            "hydra.run.dir",
            "this folder holds a run already",
            str(folder),
            "leave the setting out, or name a new folder",
        ) from None
    except OSError as error:
        raise IncompleteError(str(folder), "cannot write", f"{error.strerror}, errno {error.errno}") from None


def save_hydra(folder: Path, files: Mapping[str, str]) -> None:
    """Writes the `.hydra` files of a run. Raises DataError where a link stands in their place."""
    inside = own_folder(folder / ".hydra")
    for name, text in files.items():
        with whole(inside / name, sync=False) as stream:
            stream.write(text.encode("utf-8"))


def refuse_links(folder: Path, log: str, inside: str | None = ".hydra") -> None:
    """Raises DataError where a link stands in a folder for what Hydra writes there before a run."""
    if folder.is_dir():
        names = ("", "config.yaml", "hydra.yaml", "overrides.yaml") if inside is not None else ()
        for file in (folder / log, *(folder / str(inside) / name for name in names)):
            refuse_link(file)


def write_measurements(folder: Path, result: Result) -> None:
    """Writes measurements.parquet: one row a measurement, null cells in the overall rows."""
    file = folder / MEASUREMENTS
    temporary = part_beside(file)
    known = Path(result.measured_in) / MEASUREMENTS if result.measured_in is not None else file
    with guarded(file):
        if known != file and known.is_file():
            shutil.copyfile(known, temporary)
        else:
            _write_measurements(temporary, result)
        os.replace(temporary, file)


def _write_measurements(file: Path, result: Result) -> None:
    import polars as pl

    rows = measurement_rows(result)
    numbers: dict[str, Any] = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    types: dict[str, Any] = {"metric": pl.String, "reading": pl.String, "counted": pl.Int64, "missing": pl.Int64}
    types |= {**numbers, "undefined": pl.String}
    names = list(rows[0]) if rows else list(types)
    columns = {
        name: pl.Series(name, [row[name] for row in rows], types.get(name), strict=name in types) for name in names
    }
    pl.DataFrame(columns).write_parquet(file, compression="zstd")


def write_result(folder: Path, result: Result) -> None:
    """Writes result.json with the SHA-256 of the tables beside it, which are on the disk before: the run is whole."""
    tables = [f"{name}.parquet" for name in ("measurements", "trials", *result.tables)]
    result.digests = {name: digest_of(folder / name) for name in tables if (folder / name).is_file()}
    inside = folder / ".hydra"
    saved = [one for one in sorted(inside.iterdir()) if one.is_file()] if inside.is_dir() else []
    for file in (*(folder / name for name in result.digests), *saved):
        sync_file(file)
    for one in (inside, folder) if saved else (folder,):
        sync_folder(one)
    try:
        write_whole(str(folder), RESULT, dumps(result_document(result)))
    except IncompleteError:
        (folder / RESULT).unlink(missing_ok=True)  # what may not be on the disk vouches for nothing
        raise


def link_latest(folder: Path) -> None:
    """Points the `latest` link beside a run folder at it; where links cannot be made there is none."""
    link, temporary = folder.parent / "latest", part_beside(folder.parent / "latest")
    try:
        temporary.symlink_to(folder.name)
        os.replace(temporary, link)
    except OSError:
        temporary.unlink(missing_ok=True)
