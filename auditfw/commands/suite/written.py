"""The files of a suite: suite.json, suite.md, and junit.xml with a case an entry; and its screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditfw.core.document import Table
from auditfw.core.escaping import markdown_text, xml
from auditfw.core.files import guarded
from auditfw.core.result_json import dumps, gate_document, write_whole

from .decision import SuiteDecision, lines_of, table_of
from .entries import JudgedEntry, suite_measurements
from .sides import SuiteSide

if TYPE_CHECKING:
    from auditfw.components.report.console import ConsolePage

SCHEMA = "auditfw.suite/1"
TONES = {"GO": "bold green", "INCONCLUSIVE": "bold dark_orange3", "NO-GO": "bold red"}


def write_suite(folder: Path, suite: SuiteDecision) -> list[str]:
    """Writes the files into a folder and names them. Raises IncompleteError."""
    texts = {"suite.json": dumps(as_document(suite)), "suite.md": as_markdown(suite), "junit.xml": junit_text(suite)}
    with guarded(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_whole(str(folder), name, text)
    return [*texts]


def as_document(suite: SuiteDecision) -> dict[str, Any]:
    """The content of suite.json: every number finite or null."""
    return {
        "schema": SCHEMA,
        "decision": suite.decision,
        "exit_code": suite.exit_code,
        "headline": suite.headline,
        "because": list(suite.because),
        "notes": list(suite.notes),
        "measurements": suite_measurements(suite.entries),
        "gates": [gate_document(gate) for gate in suite.gates],
        "entries": [_entry(entry) for entry in suite.entries],
    }


def _entry(entry: JudgedEntry) -> dict[str, Any]:
    drop, rule = entry.drop, entry.rule
    own = None if entry.own is None else dict(zip(("value", "low", "high"), entry.own, strict=True))
    paired: dict[str, Any] | None = None
    if drop is not None and drop.square is not None:
        paired = {"items": drop.items, "only_baseline": drop.only[0], "only_candidate": drop.only[1]}
        paired["discordant"] = 100 * drop.square
    if paired is not None and drop is not None and (pair := drop.paired) is not None:
        paired |= {"won": pair.lost, "lost": pair.won, "tied": pair.tied}
        paired |= {"p": pair.rates.p, "sign_flips_p": pair.sign_flips_p}
    return {
        "name": entry.name,
        "tier": rule.tier,
        "status": rule.status,
        "stops": rule.stops,
        "asks": rule.asks,
        "why": entry.why,
        "exit_code": rule.exit_code,
        "settings": asdict(entry.settings),
        "candidate": {**_side(entry.candidate), "value": None if drop is None else drop.candidate, "own": own},
        "baseline": None if entry.baseline is None else {**_side(entry.baseline), "value": drop and drop.baseline},
        "n": None if drop is None else drop.n,
        "drop": None if drop is None else _ends(drop.lost),
        "paired": paired,
        "fragile": None if drop is None else drop.fragile,
        "limits": [
            {"kind": one.kind, "bound": one.bound, **_ends(one.ends), "items_needed": one.needed,
             "status": one.limited.status(rule.by_value)}
            for one in entry.limits
        ],
        "can_hold": entry.holds,
        "gates": [gate_document(gate) for gate in entry.gates],
        "answer": None if entry.answer is None else entry.answer["status"],
    }  # fmt: skip


def _ends(ends: tuple[float, float, float]) -> dict[str, float | None]:
    numbers = (end if isfinite(end) else None for end in ends)
    return dict(zip(("value", "low", "high"), numbers, strict=True))


def _side(side: SuiteSide) -> dict[str, Any]:
    return {"place": side.place, "job": side.job, "missing": side.why or None, "exit_code": side.exit_code}


def as_markdown(suite: SuiteDecision) -> str:
    """The content of suite.md, fit for a comment."""
    return f"# Release\n\n{_body(suite)}\n"


def section_text(suite: SuiteDecision) -> str:
    """The same as a section of another file."""
    return f"## Release\n\n{_body(suite)}"


def _body(suite: SuiteDecision) -> str:
    from auditfw.components.report.markdown import table_text

    parts = [f"**{markdown_text(suite.headline)}**", _list(suite.because)]
    parts += [table_text(table_of(suite.entries)), _list([*_gate_lines(suite), *suite.notes])]
    return "\n\n".join(part for part in parts if part)


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {markdown_text(line)}" for line in lines)


def _gate_lines(suite: SuiteDecision) -> list[str]:
    return [f"gate {gate.name} of the suite: {gate.status} ({gate.rule}; it is {gate.value:g})" for gate in suite.gates]


def junit_text(suite: SuiteDecision) -> str:
    """A case an entry: a failure where it stops the release, an error where it is missing, skipped where it asks."""
    cases = [text for entry in suite.entries for text in _case(entry)]
    count = {kind: sum(f"<{kind}" in text for text in cases) for kind in ("failure", "error", "skipped")}
    totals = f'tests="{len(suite.entries)}" failures="{count["failure"]}" errors="{count["error"]}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="auditfw" {totals}>',
        f' <testsuite name="suite" {totals} skipped="{count["skipped"]}">',
        f'  <properties><property name="decision" value="{xml(suite.headline)}"/></properties>',
        *cases,
        " </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _case(entry: JudgedEntry) -> list[str]:
    message, status = xml(" ".join(lines_of(entry))), entry.rule.status
    head = f'  <testcase classname="auditfw.suite.{entry.rule.tier}" name="{xml(entry.name)}"'
    if status == "held":
        return [f"{head}/>"]
    if not entry.rule.stops:
        return [f"{head}>", f'   <skipped message="{message}"/>', "  </testcase>"]
    kind = "error" if status == "missing" else "failure"
    return [f"{head}>", f'   <{kind} type="{xml(status)}" message="{message}"/>', "  </testcase>"]


def print_suite(page: ConsolePage, suite: SuiteDecision) -> None:
    """Prints the decision, why, and the table of the entries."""
    page.head(f"Release: {suite.decision}", TONES[suite.decision])
    page.lines([suite.headline.removeprefix(f"{suite.decision}: ")])
    page.lines([line for line in suite.because if line.rstrip(".") not in suite.headline])
    table, left = shown(table_of(suite.entries))
    page.head(f"Entries ({len(suite.entries)}){left}")
    page.rows(page.stacked(table, 1), 1)
    page.lines(suite.notes)


SCREEN = (
    "entry",
    "status",
    "tier",
    "metric",
    "baseline",
    "candidate",
    "drop",
    "relative %",
    "bound",
    "n",
    "own answer",
)
ALIKE = ("metric", "own answer")


def shown(table: Table) -> tuple[Table, str]:
    """The columns for a terminal, the status beside the name, and what all rows have in common in words."""
    columns = {name: [row[at] for row in table.rows] for at, name in enumerate(table.columns)}
    align = dict(zip(table.columns, table.align, strict=True))
    alike = {name: columns[name][0] for name in ALIKE if len({*columns[name]}) == 1}
    names = [name for name in SCREEN if name not in alike and any(columns[name])]
    rows = [list(row) for row in zip(*(columns[name] for name in names), strict=True)]
    left = ", ".join(
        f"each candidate's own answer is {value}" if name == "own answer" else value
        for name, value in alike.items()
        if value
    )
    return Table(names, rows, "".join(align[name] for name in names)), f": {left}" if left else ""
