"""A finished run whose trials people label: its readings as numbers, the cells and items of its trials."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditfw.components.files.run_tables import check_tables, read_table
from auditfw.core.errors import DataError, UsageError
from auditfw.core.files import data_digest, present, read_bytes, read_text
from auditfw.core.imports import np
from auditfw.core.records import OVERALL, Cell, Input, sorted_cells
from auditfw.core.result_json import RESULT
from auditfw.core.shapes import declared, json_value
from auditfw.formulas.clusters import rate

if TYPE_CHECKING:
    from .draw import Codes

MANIFEST, TRIALS = "manifest.json", "trials.parquet"
TEXT, LABELS = "String", {"Boolean", "String"}  # types of columns
AUDITS = (_, RATED) = ("parsing", "consistency")
CODE, ITEM, QUESTION, ID, STATUS, AUDITED = "code.", "row.item", "row.question", "id", "status", "audited"
FINISHED = "name the folder of a finished parsing or consistency run"
ACCEPTABLE = "acceptable"  # in the manifest of a run with raters: the labels of theirs that ship
COMPLETE = (0, 1)  # the exit codes of runs that audited all of their input


@dataclass(frozen=True)
class AuditedRun:
    """A finished run: its folder, result.json with its SHA-256 and size, manifest, and table of trials (Polars).

    `frame` has of that table the ids, cells and status, the readings with their codes, items and hashes of questions.
    """

    folder: Path
    result: Mapping[str, Any]
    input: Input
    manifest: Mapping[str, Any]
    frame: Any

    @cached_property
    def readings(self) -> list[str]:
        """Its readings in their order, which have a column with a label each and one with its code."""
        return [name for name in self.frame.columns if f"{CODE}{name}" in self.frame]

    @property
    def cells(self) -> list[str]:
        """The columns of its cells, as they are called in its table."""
        columns = self.frame.columns
        return list(columns[columns.index(ID) + 1 : columns.index(STATUS)])

    @property
    def seed(self) -> int:
        """Its seed."""
        return int(self.result["seed"])

    @property
    def reference(self) -> str:
        """The reading that the others are compared with."""
        name = self.manifest.get("reference")
        return str(name) if name in self.readings else self.readings[0]

    @cached_property
    def acceptable(self) -> list[str]:
        """The labels of raters that count as right."""
        labels = self.manifest.get(ACCEPTABLE)
        return [str(label) for label in labels] if isinstance(labels, list) else []

    @cached_property
    def undeciding(self) -> set[str]:
        """The readings that accept wrong answers of built-in pairs, and therefore do not decide."""
        rules = (self.result.get("answer") or {}).get("rules", [])
        return {rule["reading"] for rule in rules if rule["rule"] == "lossy" and rule["fired"]}

    @property
    def asks(self) -> bool:
        """Whether its source has questions."""
        return QUESTION in self.frame and self.frame[QUESTION].null_count() < self.frame.height

    def codes(self, reading: str) -> Codes:
        """The labels of a reading: 1 right, 0 wrong, -1 none; of a rater whether its label is one that ships."""
        column = self.frame[reading]
        if column.dtype.is_(type(self.frame[STATUS].dtype)):
            accepted = self.acceptable
            words = column.to_list()
            return np.fromiter((-1 if word is None else word in accepted for word in words), np.int8, len(words))
        there = column.is_not_null().to_numpy()
        codes: Codes = np.where(there, np.nan_to_num(column.to_physical().cast(_small()).to_numpy()), -1).astype(
            np.int8
        )
        return codes


def _small() -> Any:
    import polars as pl

    return pl.Int8


def audited_run(folder: Path, where: str = "audit.run") -> AuditedRun:
    """Reads a finished run whose trials people may label. Raises UsageError for another folder, or DataError."""
    file = folder / RESULT
    try:
        data = read_bytes(file)
        result = json_value(data.decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(where, "no finished run is there", str(folder), FINISHED) from None
    except ValueError as error:
        raise DataError(str(file), "is not JSON", str(error), FINISHED) from None
    audit = result.get("audit") if isinstance(result, dict) else None
    if audit not in AUDITS or not isinstance(result.get("digests"), dict):
        what = "draws from parsing and consistency runs" if where == "label" else "is of no parsing or consistency run"
        raise UsageError(where, what, str(audit), "name the folder of one")
    known = declared(_Known, result, str(file), do=FINISHED)
    if known.exit_code not in COMPLETE:
        raise UsageError(where, "the run is incomplete", f"exit code {known.exit_code}", FINISHED)
    check_tables(folder, result)
    summed = Input(str(file), data_digest(data), len(data))
    run = AuditedRun(folder, result, summed, _manifest(folder), read_table(folder / TRIALS, _wanted))
    kinds = {str(run.frame.schema[name]) for name in run.readings}
    if [str(run.frame.schema.get(name)) for name in (ID, STATUS)] != [TEXT, TEXT] or not kinds or not kinds <= LABELS:
        raise DataError(str(folder / TRIALS), "is no table of labelled trials", None, FINISHED)
    if audit == RATED and not any((run.codes(name) == 1).any() for name in run.readings):
        labels = ", ".join(run.acceptable) or "its manifest names none"
        do = "run it again with audit.acceptable=[LABEL], the labels that count as right"
        raise UsageError(where, "no rater of the run has an acceptable label", labels, do)
    return run


@dataclass(frozen=True)
class _Known:
    """What is read of a result.json."""

    schema: str
    exit_code: int
    seed: int
    inputs: list[Input]
    digests: dict[str, str]


def _manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a run, which vouches for nothing: {} where it cannot be read."""
    try:
        manifest = json_value(read_text(folder / MANIFEST)) if present(folder / MANIFEST) else {}
    except (DataError, ValueError):
        manifest = {}
    return manifest if isinstance(manifest, dict) else {}


def _wanted(columns: Sequence[str]) -> list[str]:
    """The columns that labels of people are held against; others, the most of a table, are not read."""
    readings = {name for name in columns if f"{CODE}{name}" in columns}
    first = columns[: columns.index(STATUS) + 1] if STATUS in columns else columns
    kept = {*first, *readings, *(f"{CODE}{name}" for name in readings), ITEM, QUESTION}
    return [name for name in columns if name in kept]


@dataclass(frozen=True)
class RunTrials:
    """The rows of a run with their classes."""

    run: AuditedRun
    kinds: Codes

    @cached_property
    def kept(self) -> Any:
        """The rows that have a class, by number; of a run with raters also those that some rater left out."""
        if self.run.result.get("audit") == RATED:
            return np.flatnonzero(self.kinds >= 0)
        return np.flatnonzero((self.kinds >= 0) & (self.run.frame[STATUS] == AUDITED).to_numpy())

    def column(self, name: str) -> list[Any]:
        """A column of them."""
        return list(self.run.frame[name].gather(self.kept).to_list())

    @cached_property
    def ids(self) -> list[str]:
        """Their ids."""
        return self.column(ID)

    def places(self, names: Collection[str]) -> dict[str, int]:
        """The places of those of some ids that are among theirs."""
        wanted, ids = set(names), self.run.frame[ID].gather(self.kept)
        return {name: place for place, name in enumerate(ids) if name in wanted}

    @cached_property
    def items(self) -> list[Any] | None:
        """The item of each; None where the run knows none."""
        known = ITEM in self.run.frame and self.run.frame[ITEM].null_count() < self.run.frame.height
        return self.column(ITEM) if known else None

    def coded(self, by: Sequence[str]) -> tuple[list[Cell], Any]:
        """The cells of columns in order, and the number of that of each."""
        if not by:
            return [OVERALL], np.zeros(len(self.kept), np.int64)
        columns = [self.run.frame[name].gather(self.kept) for name in by]
        codes = np.zeros(len(self.kept), np.int64)
        for column in columns:
            _, own = np.unique(column.hash().to_numpy(), return_inverse=True)
            _, codes = np.unique(codes * (own.max(initial=0) + 1) + own, return_inverse=True)
        _, first = np.unique(codes, return_index=True)
        values = list(zip(*(column.gather(first).to_list() for column in columns), strict=True))
        cells = sorted_cells(set(values))
        number = {cell: place for place, cell in enumerate(cells)}
        return cells, np.array([number[cell] for cell in values], np.int64)[codes]

    @cached_property
    def item_numbers(self) -> Any:
        """A number for the item of each; one without an item, and each where the run knows none, has its own."""
        own = np.arange(len(self.kept))
        if ITEM not in self.run.frame:
            return own
        column = self.run.frame[ITEM].gather(self.kept)
        _, codes = np.unique(column.hash().to_numpy(), return_inverse=True)
        return np.where(column.is_null().to_numpy(), len(own) + own, codes)

    def effective_items(self, labels: Codes, cells: Sequence[Cell], cell: Any) -> dict[Cell, float]:
        """The questions that the error rate of a reading is worth, by cell and for all."""
        items, worth = self.item_numbers, dict[Cell, float]()
        for name, inside in [
            (OVERALL, labels >= 0),
            *((one, (cell == i) & (labels >= 0)) for i, one in enumerate(cells)),
        ]:
            _, codes = np.unique(items[inside], return_inverse=True)
            trials = np.bincount(codes)
            if len(trials):
                worth[name] = rate(trials, np.bincount(codes, labels[inside] == 0).astype(np.int64)).n_eff
        return worth
