"""Golden vectors of the consistency audit: the public functions in the reference settings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from golden_alignment import decode

import auditfw
from auditfw.formulas.agreement.scorer import confusion_and_kappa
from auditfw.kinds.judgements import FaultError


def expand(given: dict[str, Any]) -> list[Any]:
    """The records of a case: as given, or so many of each pair of labels."""
    if "rows" in given:
        return list(given["rows"])
    return [
        {"scholar": {"label": scholar}, "auditor": {"label": auditor}}
        for scholar, auditor, n in given["rows_counts"]
        for _ in range(n)
    ]


def kappa(given: dict[str, Any]) -> dict[str, Any]:
    found = confusion_and_kappa(expand(decode(given)))
    return {**found, "extra_is_empty": found["n"] == 0}


def arbitration(given: dict[str, Any]) -> dict[str, Any]:
    """The shipped policy on one record; where our error stands for the original's crash, that crash is raised."""
    try:
        final, why = auditfw.arbitrate(decode(given)["row"], auditfw.load("policy", "auditor_veto"))
    except FaultError as fault:
        raise fault.__cause__ or fault from None
    return {"final": final, "why": why}


SHOWN = {"--pa_gate": "pa", "--kappa_gate": "kappa", "--abstain_gate": "abstain"}
OPTIONS = {"--pa_gate": "agreement.min", "--kappa_gate": "kappa.min", "--abstain_gate": "abstain.max"}


def settings_of(args: list[str], folder: Path) -> dict[str, Any]:
    """The reference experiment with the scorer's options as settings."""
    given = dict(zip(args[::2], args[1::2], strict=True))
    source: dict[str, Any] = {"use": "raters", "paths": {}}
    for rater in ("scholar", "auditor"):
        if f"--{rater}" in given:
            source["paths"][rater] = str(folder / given[f"--{rater}"])
    if "--pairs" in given:
        source = {"use": "pairs", "path": str(folder / given["--pairs"])}
    gates: dict[str, dict[str, float]] = {}
    for option, place in OPTIONS.items():
        if option in given:
            name, bound = place.split(".")
            gates[name] = {bound: float(given[option])}
    told = {name: float(given[option]) for option, name in SHOWN.items() if option in given}
    return {
        "experiment": "cross_agent_reference",
        "source": source,
        "gates": gates,
        "reports": {"consistency": {"gates": told}},
        "report": {"max_examples": 2},
    }


def text_of(content: Any) -> str:
    """A file of a case: as given, or so many records of each pair of labels."""
    if isinstance(content, str):
        return content
    pairs = [(scholar, auditor) for scholar, auditor, n in content["$pairs_counts"] for _ in range(n)]
    rows = [
        {"qid": f"q{i:03}", "scholar": {"label": scholar}, "auditor": {"label": auditor}}
        for i, (scholar, auditor) in enumerate(pairs, 1)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def scorer(given: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The scorer as a command: the report and the rows of the TSV, or the name of our error."""
    for name, content in given["files"].items():
        (folder / name).write_bytes(text_of(content).encode("utf-8", "surrogateescape"))
    try:
        auditfw.run(settings_of(given["args"], folder), folder / "run")
    except auditfw.AuditError as error:
        return {"report": None, "rows": None, "error": str(error)}
    report = json.loads((folder / "run/consistency.json").read_text("utf-8"))
    lines = (folder / "run/disagreements.tsv").read_text("utf-8").split("\n")
    assert lines[0] == "qid\tscholar\tauditor\tfinal\twhy"
    rows = [[re.sub(r"\\(.)", lambda m: ESCAPES[m[1]], cell) for cell in line.split("\t")] for line in lines[1:-1]]
    return {"report": report, "rows": rows, "error": None}


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}


def forgiven(given: dict[str, Any]) -> bool:
    """Whether the original breaks on an input for a reason that the reference experiment mends.

    It reads a byte order mark, joins items by id as text, takes the line for an id that is missing from a pairs file,
    and makes its folder itself.
    """
    if not given["runs_dir_exists"]:
        return True
    texts = {name: text_of(content) for name, content in given["files"].items()}
    if any(text.startswith("\ufeff") for text in texts.values()):
        return True
    ids = [row.get("qid") for text in texts.values() for row in records(text) if isinstance(row, dict)]
    return any(not isinstance(word, str) for word in ids)


def records(text: str) -> list[Any]:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError:
        return []


def rows_of(tsv: Any, rows: list[list[str]] | None, stale: str | None) -> bool:
    """Whether the rows are those of the original's file: a table, its number of rows, or none at all."""
    if tsv is None or tsv == stale:
        return rows == []
    if isinstance(tsv, dict):
        return rows is not None and len(rows) == tsv["$rows"]
    told = "qid\tscholar\tauditor\tfinal\twhy\n" + "".join("\t".join(row) + "\n" for row in rows or [])
    return bool(told == tsv)


FUNCTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "consistency_kappa": kappa,
    "consistency_arbitration": arbitration,
}
