"""The files of a run: the folder claimed exclusively, every file written whole, result.json last."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from .disk import guarded, sync_file, sync_folder
from .errors import IncompleteError, UsageError
from .finished import JOURNAL, RESULT, digest_of
from .locking import holding_folder
from .machine import dumps, measurement_rows, result_document, write_whole
from .records import Result
from .regular import own_folder, part_beside, present, read_text, refuse_link, whole

MANIFEST = "manifest.json"
MEASUREMENTS = "measurements.parquet"
FINISHED = (RESULT, JOURNAL)  # what a run came to, or can go on from
WRITTEN = (
    *("*.parquet", ".parts-*", ".*.part", "*.tsv.part", "sections.json", "report.*", "junit.xml", "chart-*.svg"),
    *("gl-code-quality-report.json", "disagreements.tsv", "consistency.json"),
)  # what a run writes before its result


@contextmanager
def claimed(folder: Path, manifest: Mapping[str, Any], tidy: bool = True) -> Iterator[None]:
    """Makes a run folder ours for as long as the run lasts. Raises UsageError if another run has it.

    The folder of a run that came to nothing (no result, no journal) is taken again; files that are not a run's stay.
    A run that is refused leaves none of its tables and reports if it is to be `tidy`; what an incomplete one has stays.
    """
    if ".." in folder.parts:
        raise UsageError("hydra.run.dir", "a run folder must not climb with '..'", str(folder))
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
            if tidy and not isinstance(error, IncompleteError):
                _leave(folder, before)
            raise


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


def _take(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Writes the manifest, in place of that of a run that came to nothing. Raises UsageError for another file."""
    file = folder / MANIFEST
    try:
        ours = not present(file) or {"started", "pid"} <= json.loads(read_text(file)).keys()
    except (ValueError, AttributeError, RecursionError):
        ours = False
    if not ours:
        what = f"this folder holds a run already, or a {MANIFEST} of another program"
        raise UsageError("hydra.run.dir", what, str(folder), "leave the setting out, or name a new folder")
    for scratch in folder.glob(".parts-*"):
        shutil.rmtree(scratch)
    with whole(file, sync=False) as stream:
        stream.write(json.dumps(manifest, indent=1).encode("utf-8", "replace"))


def _leave(folder: Path, before: Collection[str]) -> None:
    """Removes what a run wrote before it failed: names that were not there when it began, but for its journal."""
    for path in folder.iterdir():
        if path.name in before or not any(fnmatch(path.name, name) for name in WRITTEN):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def refuse_finished(folder: Path) -> None:
    """Raises UsageError where a folder holds what a run came to, or a journal to go on from."""
    for name in FINISHED:
        refuse_link(folder / name)
    if any((folder / name).exists() for name in FINISHED):
        do = "leave the setting out, or name a new folder"
        raise UsageError("hydra.run.dir", "this folder holds a run already", str(folder), do)


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
