"""A result as data: the document of result.json, the rows of measurements.parquet, and files written whole."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from auditfw.core.results.findings import Finding, NotChecked
from auditfw.core.results.views import GateTerm

from .escaping import HASH, disarmed
from .files import guarded, sync_folder, whole
from .interrupts import hold
from .masking import written
from .records import Answer, AnswerRule, Estimate, GateResult, Measurement, Result
from .shapes import declared
from .tables import cell_names

SCHEMA = "auditfw.result/2"
RESULT = "result.json"
JOURNAL = "attempts.jsonl"  # what an interrupted self-audit goes on from
FIELDS = ("metric", "reading", "value", "counted", "missing", "low", "high", "undefined")
NUMBERS = ("value", "low", "high", "p")  # of a gate or a rule
FINDING_NUMBERS = (*NUMBERS, "of", "expected", "points")
NOT_FINITE = "not finite"

_SURROGATE = re.compile("[\ud800-\udfff]")
_UNPRINTED = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_NOT_ASCII = re.compile("[^\x00-\x7e]")


def result_document(result: Result) -> dict[str, Any]:
    """The content of result.json: overall and per-key measurements only, every number finite or null."""
    return {
        "schema": SCHEMA,
        "audit": result.audit,
        "verdict": result.verdict,
        "exit_code": result.exit_code,
        "answer": None if result.answer is None else answer_document(result.answer),
        "findings": [finding_document(one) for one in result.findings],
        "not_checked": [asdict(one) for one in result.not_checked],
        "digests": dict(sorted(result.digests.items())),
        "counts": ordered_counts(result.counts),
        **result.document,
        "measurements": [
            {**_measurement(entry), **_weights(result, entry.metric)}
            for entry in result.measurements
            if entry.overall or set(entry.cell) == {"key"}
        ],
        "gates": [gate_document(gate) for gate in result.gates],
        "warnings": list(result.warnings),
        "inputs": [asdict(entry) for entry in result.inputs],
        "config_hash": result.config_hash,
        "seed": result.seed,
        "versions": dict(sorted(result.versions.items())),
    }


def gate_document(gate: GateResult) -> dict[str, Any]:
    """The result of a gate as data, every number finite or null."""
    return {**_with_numbers(gate), "terms": [_with_numbers(term) for term in gate.terms]}


def answer_document(answer: Answer) -> dict[str, Any]:
    """An answer as data, every number finite or null."""
    return {**_fields(answer), "rules": [_with_numbers(rule) for rule in answer.rules]}


def finding_document(finding: Finding) -> dict[str, Any]:
    """A finding as data, every number finite or null; the words of an answer that it leads are the answer's."""
    known = {name: value for name, value in _fields(finding).items() if name not in ("headline", "next")}
    numbers: dict[str, Any] = {name: finite(known[name]) for name in FINDING_NUMBERS}
    return {**known, **numbers, "cells": [asdict(one) for one in finding.cells]}


def read_findings(document: Mapping[str, Any], where: str, do: str) -> dict[str, list[Any]]:
    """The findings of a result.json, and what was not looked for: none of both in older ones. Raises DataError."""
    kept: dict[str, Any] = {"findings": list[Finding], "not_checked": list[NotChecked]}
    return {name: declared(of, document.get(name, []), where, name, do) for name, of in kept.items()}


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a record; `vars` lacks those that were left out in a file."""
    return {one.name: getattr(record, one.name) for one in fields(record)}


def _with_numbers(record: AnswerRule | GateResult | GateTerm) -> dict[str, Any]:
    known = _fields(record)
    numbers: dict[str, Any] = {name: finite(known[name]) for name in NUMBERS if name in known}
    bound = known["bound"]
    return {**known, **numbers, "bound": [*map(finite, bound)] if isinstance(bound, tuple) else finite(bound)}


def _columns(result: Result) -> dict[str, list[Any]]:
    rows, names = list(map(_measurement, result.measurements)), dict.fromkeys(result.by)
    for cell in {id(one.cell): one.cell for one in result.measurements}.values():
        names.update(dict.fromkeys(cell))
    columns = {name: [row[name] for row in rows] for name in FIELDS}
    return {
        "metric": columns.pop("metric"),
        "reading": columns.pop("reading"),
        **{called: [row["cell"].get(name) for row in rows] for name, called in cell_names(list(names), FIELDS).items()},
        **columns,
    }


def measurement_columns(result: Result) -> dict[str, Any]:
    """One row a measurement, as Polars columns, each of its own type; the overall ones have null cells.

    A cell column that bears the name of one of the other columns becomes `cell.<name>`.
    """
    import polars as pl

    columns = _columns(result)
    numbers: dict[str, Any] = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    types: dict[str, Any] = {"metric": pl.String, "reading": pl.String, "counted": pl.Int64, "missing": pl.Int64}
    types |= {**numbers, "undefined": pl.String}
    return {name: pl.Series(name, column, types.get(name), strict=name in types) for name, column in columns.items()}


def dumps(document: object, ascii_only: bool = False) -> str:
    """JSON with a newline at the end, fit for a log.

    Lone surrogates are replaced; invisible and reordering characters are escaped, as is what a CI runner executes.
    """
    return _fit_for_a_log(indented(document), _NOT_ASCII if ascii_only else _UNPRINTED)


def json_line(document: object) -> str:
    """The same on one line, for JSON Lines."""
    return _fit_for_a_log(json.dumps(document, ensure_ascii=False, allow_nan=False), _UNPRINTED)


def _fit_for_a_log(text: str, escaped: re.Pattern[str]) -> str:
    text = disarmed(_SURROGATE.sub("\ufffd", text), HASH)
    return escaped.sub(_escape, text) + "\n"


def ordered_counts(counts: Mapping[str, int]) -> dict[str, int]:
    """The counts with `read` and `audited` first and the buckets by name."""
    first = [name for name in ("read", "audited") if name in counts]
    return {name: counts[name] for name in [*first, *sorted(counts.keys() - set(first))]}


def finite(value: float | None) -> float | None:
    """The number as a float, or None where there is none or it is not finite."""
    if value is None:
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def reason(estimate: Estimate) -> str | None:
    """Why an estimate has no value; None where it has one."""
    if finite(estimate.value) is not None:
        return None
    return estimate.undefined or (NOT_FINITE if estimate.value is not None else "no reason given")


def write_whole(folder: str, name: str, text: str) -> str:
    """Writes a UTF-8 text file so that no reader ever sees half of it. Returns the name.

    Raises IncompleteError with path and cause when it can't be written.
    """
    hold()
    path = Path(folder) / name
    if path.suffix == ".json":
        text = disarmed(text, HASH)  # a # occurs in strings only
    with guarded(path):
        with whole(path) as stream:
            stream.write(written(text).encode("utf-8", "replace"))
        sync_folder(path.parent)
    return name


def _measurement(measurement: Measurement) -> dict[str, Any]:
    estimate = measurement.estimate
    return {
        "metric": measurement.metric,
        "reading": measurement.reading,
        "cell": {name: finite(v) if isinstance(v, float) else v for name, v in measurement.cell.items()},
        "value": finite(estimate.value),
        "counted": int(estimate.counted),
        "missing": int(estimate.missing),
        "low": finite(estimate.low),
        "high": finite(estimate.high),
        "undefined": reason(estimate),
    }


def _weights(result: Result, metric: str) -> dict[str, str]:
    """Which weights a metric has, where it has any."""
    style = result.styles.get(metric)
    return {"weights": style.weights} if style is not None and style.weights else {}


def _escape(match: re.Match[str]) -> str:
    pairs = match[0].encode("utf-16-be").hex()
    return "".join(f"\\u{pairs[at : at + 4]}" for at in range(0, len(pairs), 4))


def indented(document: object) -> str:
    """The text of `json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)`, without lone surrogates."""
    import msgspec

    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return str(msgspec.json.format(_SURROGATE.sub("\ufffd", text), indent=1))
