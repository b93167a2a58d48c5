"""Files of the consistency audit for other tools: the reference scorer's report, and disagreements as TSV."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Any

from auditfw.core.errors import UsageError
from auditfw.core.escaping import tsv
from auditfw.core.files import guarded, whole
from auditfw.core.records import Result
from auditfw.core.result_json import write_whole
from auditfw.core.results.table_files import slices
from auditfw.kinds.registry import register

SCORER_FILE = "consistency.json"
PLACES = 4


@register("report", "consistency")
@dataclass(frozen=True)
class ConsistencyReport:
    """Writes consistency.json: the report of the reference scorer, with its keys and its rounding to 4 places.

    `rater` is the candidate it reports on; `gates` are the three thresholds `pa`, `kappa` and `abstain`.
    """

    rater: str = "scholar"
    gates: dict[str, float] = field(default_factory=lambda: {"pa": 0.9, "kappa": 0.75, "abstain": 0.02})

    def __post_init__(self) -> None:
        for name in ("pa", "kappa", "abstain"):
            if name not in self.gates:
                raise UsageError(f"gates.{name}", "not given", None, "write the three thresholds pa, kappa, abstain")

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        if folder is None:
            return ()
        text = json.dumps(scorer_report(result, self.rater, self.gates), indent=2) + "\n"
        return (write_whole(folder, SCORER_FILE, text),)


def scorer_report(result: Result, rater: str, gates: dict[str, float]) -> dict[str, Any]:
    """The report of the reference scorer; a number that is undefined is 0.0 there."""
    estimates = {(m.metric, m.reading): m.estimate for m in result.measurements if m.overall}

    def number(metric: str, reading: str) -> float:
        estimate = estimates.get((metric, reading))
        return 0.0 if estimate is None or estimate.value is None else estimate.value

    agreement, kappa = number("percent_agreement", rater), number("kappa", rater)
    abstain, counted = number("abstain_rate", rater), estimates.get(("percent_agreement", rater))
    passed = agreement >= gates["pa"] and kappa >= gates["kappa"] and abstain <= gates["abstain"]
    return {
        "n": 0 if counted is None else counted.counted,
        "percent_agreement": round(agreement, PLACES),
        "kappa": round(kappa, PLACES),
        "abstain_rate": round(abstain, PLACES),
        "disagreements": int(number("disagreements", "all")),
        "gates": {name: gates[name] for name in ("pa", "kappa", "abstain")},
        "pass": passed,
    }


if TYPE_CHECKING:
    import polars as pl

TABLE = "disagreements"
TSV_FILE = "disagreements.tsv"
ROWS = 65_536
PLAIN = f"{ascii_letters}{digits}_ .:;,#/()-\t\n".encode()


@register("report", "disagreements")
@dataclass(frozen=True)
class DisagreementsReport:
    """Writes disagreements.tsv: a row for each item on which raters differ or an agreement was overruled.

    Columns `qid`, one for each rater, `final` and `why` of the first policy; the header is always there. Tabs, line
    ends and backslashes are escaped; `spreadsheet` puts a ' before what a spreadsheet would take for a formula.
    """

    spreadsheet: bool = False

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        frame = result.tables.get(TABLE)
        if folder is None or frame is None:
            return ()
        file = Path(folder) / TSV_FILE
        with guarded(file), whole(file) as stream:
            for line in _lines(frame, self.spreadsheet):
                stream.write(line.encode("utf-8"))
        return (TSV_FILE,)


def _lines(frame: Any, spreadsheet: bool) -> Iterator[str]:
    """The header, then the rows, a slice at a time; only cells that need it are escaped one by one."""
    import polars as pl

    lazy = frame.lazy()
    names = lazy.collect_schema().names()
    yield "\t".join(tsv(name) for name in names) + "\n"
    for rows in slices(lazy, ROWS):
        part = rows.cast(pl.String)
        text = _text(part)
        if spreadsheet or not _is_plain(text, part.width, part.height):
            text = _text(pl.DataFrame([_escaped(column, spreadsheet) for column in part]))
        yield text


def _text(part: pl.DataFrame) -> str:
    if not part.height:
        return ""
    return part.write_csv(separator="\t", include_header=False, quote_style="never", null_value="")


def _is_plain(text: str, width: int, height: int) -> bool:
    """Whether rows hold nothing that must be escaped: plain characters, and no more tabs and line ends than cells."""
    if not text.isascii() or text.encode().translate(None, PLAIN):
        return False
    return text.count("\t") == (width - 1) * height and text.count("\n") == height


def _escaped(column: pl.Series, spreadsheet: bool) -> pl.Series:
    import polars as pl

    plain = not spreadsheet and column.str.contains("^[A-Za-z0-9_ .:;,#/()-]*$").all(ignore_nulls=True)
    if plain:
        return column
    cells = [None if value is None else tsv(value, spreadsheet) for value in column.to_list()]
    return pl.Series(column.name, cells)
