"""The findings of a result: gates that did not pass, then trials that flip or disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from auditfw.core.records import GateResult, MetricStyle, Result

from . import wording

Level = Literal["error", "warning", "note"]  # the worst first
LEVELS: tuple[Level, ...] = ("error", "warning", "note")

DISAGREEMENT, OVERRULED = "disagreement", "overruled"
TO_WRONG, TO_RIGHT = "flip-to-wrong", "flip-to-right"
RUN = "run"
PLACE = "row.place"  # the column of trials that says FILE:LINE
ABOUT: Mapping[str, str] = {
    RUN: "The run finished and audited at least one trial.",
    DISAGREEMENT: "The raters of an item agree.",
    OVERRULED: "The policy decides what the raters agree on.",
    TO_WRONG: "An answer stored as right is right under every reading.",
    TO_RIGHT: "An answer stored as wrong is wrong under every reading.",
}
BROKEN = {4: ": it is incomplete", 5: ": nothing was audited"}
_FIXED = ("qid", "final", "why")


@dataclass(frozen=True)
class Annotation:
    """One finding: the rule it breaks, how bad it is, its text, and what it is about.

    `subject` distinguishes it from others of the same rule, alike in every run; `path` and `line` say where it is, ""
    and 0 where that is not known.
    """

    rule: str
    level: Level
    text: str
    subject: str
    path: str = ""
    line: int = 0


@dataclass(frozen=True)
class ReportFindings:
    """The worst findings of a result, the worst first, and how many there are in all."""

    listed: Sequence[Annotation]
    total: int

    @property
    def left_out(self) -> int:
        """How many are not listed."""
        return self.total - len(self.listed)


def findings(result: Result, most: int) -> ReportFindings:
    """The `most` worst findings: by level, those of gates first, then in the order of the input."""
    own = [_of_gate(gate, result.styles) for gate in result.gates if gate.status != "pass"]
    if result.exit_code not in (0, 1):
        why = BROKEN.get(result.exit_code, "")
        own.insert(0, Annotation(RUN, "error", f"The run ended with exit code {result.exit_code}{why}.", RUN))
    trials, n = _of_trials(result, most)
    path = result.inputs[0].path if result.inputs else ""
    whole = [replace(finding, path=path) for finding in own]
    ranked = sorted([*whole, *trials], key=lambda finding: LEVELS.index(finding.level))
    return ReportFindings(ranked[:most], len(own) + n)


def rule_of(gate: str) -> str:
    """The rule that a gate stands for."""
    return f"gate/{gate}"


def _of_gate(gate: GateResult, styles: Mapping[str, MetricStyle]) -> Annotation:
    name = gate.name
    value = wording.gate_value(gate, styles)
    where = f" of {gate.reading}" if gate.reading else ""
    value_text = f"; the value{where} is {value}" if gate.value is not None else ""
    verb = "failed" if gate.status == "fail" else "is inconclusive"
    text = f"Gate {name} {verb}: {wording.rule_text(gate, styles)}{value_text}." + (f" {gate.why}" if gate.why else "")
    return Annotation(rule_of(name), "error" if gate.status == "fail" else "warning", text, gate.reading or "")


def _of_trials(result: Result, most: int) -> tuple[list[Annotation], int]:
    """The findings of trials, and how many there are."""
    if "disagreements" in result.tables and result.tables["disagreements"] is not None:
        return _disagreements(result, most)
    if result.audit == "parsing" and result.trials is not None:
        return _flips(result, most)
    return [], 0


def _disagreements(result: Result, most: int) -> tuple[list[Annotation], int]:
    import polars as pl

    frame = result.tables["disagreements"].lazy()
    raters = [name for name in frame.collect_schema().names() if name not in _FIXED]
    agreed = pl.concat_list(raters).list.drop_nulls().list.n_unique() <= 1
    rows = frame.with_columns(agreed.alias("#agreed")).sort("#agreed", descending=True, maintain_order=True)
    listed = []
    for row in rows.head(most).collect().iter_rows(named=True):
        labels = ", ".join(f"{rater} {row[rater] if row[rater] is not None else '(none)'}" for rater in raters)
        final = "" if row["final"] is None else f"; final {row['final']} ({row['why']})"
        level: Level = "warning" if row["#agreed"] else "note"
        rule, qid = OVERRULED if row["#agreed"] else DISAGREEMENT, str(row["qid"])
        listed.append(Annotation(rule, level, f"Item {qid}: {labels}{final}.", qid))
    places = _places(result, [finding.subject for finding in listed])
    placed = _placed(result, [(finding, places.get(finding.subject)) for finding in listed])
    return placed, frame.select(pl.len()).collect().item()


def _flips(result: Result, most: int) -> tuple[list[Annotation], int]:
    """The trials whose label some reading turns, those that most readings turn first."""
    import polars as pl

    frame = result.trials.lazy()
    known = set(frame.collect_schema().names())
    measured = dict.fromkeys(measurement.reading for measurement in result.measurements if measurement.overall)
    readings = [name for name in measured if name in known and name != "stored"]
    if not readings or "stored" not in known:
        return [], 0
    turned = [(pl.col(name) != pl.col("stored")).fill_null(False).alias(name) for name in readings]
    place = pl.col(PLACE) if PLACE in known else pl.lit(None, pl.String).alias(PLACE)
    flips = frame.select("id", "stored", place, *turned).with_columns(pl.sum_horizontal(readings).alias("#turned"))
    flips = flips.filter(pl.col("#turned") > 0)
    listed = []
    for row in flips.sort("#turned", descending=True, maintain_order=True).head(most).collect().iter_rows(named=True):
        names = ", ".join(name for name in readings if row[name])
        was, now, rule = ("right", "wrong", TO_WRONG) if row["stored"] else ("wrong", "right", TO_RIGHT)
        text = f"Trial {row['id']}: stored as {was}, {now} under {names}."
        listed.append((Annotation(rule, "note", text, str(row["id"])), row[PLACE]))
    return _placed(result, listed), flips.select(pl.len()).collect().item()


def _places(result: Result, ids: Sequence[str]) -> dict[str, str | None]:
    """Where trials of these ids are: of several the first. Runs of before have a table of its own for it."""
    import polars as pl

    table: Any = result.tables.get("places") if result.trials is None else result.trials
    if table is not None and PLACE not in table.lazy().collect_schema().names():
        table = result.tables.get("places")
    if table is None or not ids:
        return {}
    known = table.lazy().filter(pl.col("id").is_in(ids)).select("id", pl.col(f"^({PLACE}|place)$")).collect()
    return dict(reversed(list(known.iter_rows())))


def _placed(result: Result, findings: Sequence[tuple[Annotation, str | None]]) -> list[Annotation]:
    """Findings with FILE and line: of the place given, else the only file."""
    only = result.inputs[0].path if len(result.inputs) == 1 else ""
    placed = []
    for finding, place in findings:
        path, _, line = (place or "").rpartition(":")
        here = {"path": path, "line": int(line)} if path and line.isdecimal() else {"path": only}
        placed.append(replace(finding, **here))
    return placed
