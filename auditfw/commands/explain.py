"""`auditfw explain`: why an answer or a gate came out as it did, from what a finished run has stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from auditfw.components.files.run_tables import table_errors
from auditfw.core.document import Section
from auditfw.core.errors import UsageError, nearest
from auditfw.core.records import GateResult
from auditfw.core.result_json import dumps, gate_document

from .explanation.answer import alpha_of, answer_sections, described, parted, without
from .explanation.changed import changed_document, changed_labels, changed_sections, readings_that_change
from .explanation.gate import cell_rows, gate_sections, next_step, overall, trial_sections, trials_behind
from .stored_run import StoredRun, stored
from .sweep.refusal import refuse_sweep

SCHEMA = "auditfw.explanation/1"
WRITE = "write auditfw explain RUN [GATE|READING] [limit=10]"
LIMIT = "limit="
ROWS = 40  # cells in JSON
SHOWN = 10  # changed labels


def explain(argv: list[str]) -> int:
    """`auditfw explain RUN [GATE|READING] [limit=10] [--json]`: why an answer or a gate came out, which labels change.

    The rules behind the answer, the numbers and trials behind a gate, or the labels that a reading changes. The code
    is 0 whatever the run came to: what is explained is not judged again.
    """
    words = [word for word in argv if word != "--json" and not word.startswith(LIMIT)]
    if not 1 <= len(words) <= 2 or any(word.startswith("-") for word in words):
        what = "needs a run folder, and at most one gate or reading"
        raise UsageError("explain", what, " ".join(argv) or None, WRITE)
    limit = _limit([word.removeprefix(LIMIT) for word in argv if word.startswith(LIMIT)])
    folder = Path(words[0])
    refuse_sweep(folder, "explain")
    run = stored(folder)
    with table_errors(words[0]):
        name = words[1] if len(words) == 2 else None
        document, sections = _explained(run, name, limit, words[0])
        if "--json" in argv:
            print(dumps({"schema": SCHEMA, "run": words[0], "audit": run.result["audit"], **document()}), end="")
        else:
            from auditfw.components.report.console import printing

            with printing() as page:
                for section in sections():
                    page.section(section)
    return 0


Parts = tuple[Callable[[], dict[str, Any]], Callable[[], list[Section]]]


def _explained(run: StoredRun, name: str | None, limit: int, folder: str) -> Parts:
    """What is asked for, as a document and as sections: the answer, the labels of a reading, or a gate."""
    if name is None:
        return partial(_answer_document, run), partial(answer_sections, run)
    if name in readings_that_change(run) and all(gate.name != name for gate in run.result["gates"]):
        labels = changed_labels(run, name)
        return partial(changed_document, labels, limit), partial(changed_sections, labels, folder, limit)
    gate = _gate(run, name)
    return (
        partial(_gate_document, run, gate),
        lambda: gate_sections(run, gate, trial_sections(run, trials_behind(run, gate))),
    )


def _limit(words: Sequence[str]) -> int:
    """How many changed labels are shown. Raises UsageError."""
    [word] = words[-1:] or [str(SHOWN)]
    if not word.isascii() or not word.isdecimal():
        raise UsageError("limit", "expected a whole number of 0 or more", word)
    return int(word)


def _gate(run: StoredRun, name: str) -> GateResult:
    gates: dict[str, GateResult] = {gate.name: gate for gate in run.result["gates"]}
    readings = readings_that_change(run)
    if not gates and not readings:
        of = "it is an adjudication: name the run that it is of, or " if run.result["audit"] == "adjudication" else ""
        raise UsageError(f"explain {name}", "the run has no gates", None, f"{of}write auditfw explain {run.folder}")
    if name not in gates:
        what = f"no gate or reading named '{name}'" if readings else f"no gate named '{name}'"
        raise UsageError(f"explain {name}", what, None, nearest(name, [*gates, *readings]))
    return gates[name]


def _answer_document(run: StoredRun) -> dict[str, Any]:
    answer, alpha, gates = run.result["answer"], alpha_of(run), [gate_document(gate) for gate in run.result["gates"]]
    if answer is None:
        return {"answer": None, "gates": gates}
    deciding, _, _ = parted(answer)
    rules = [{**described(rule, alpha), "decided": rule in deciding} for rule in answer["rules"]]
    return {"answer": {**answer, "rules": rules, "without_them": without(answer)}, "gates": gates}


def _gate_document(run: StoredRun, gate: GateResult) -> dict[str, Any]:
    behind = trials_behind(run, gate)
    trials = None if behind is None else {"what": behind.text, "total": behind.total, "first": list(behind.rows)}
    cells = cell_rows(run, gate)[:ROWS]
    parts = {"measurements": overall(run, gate), "cells": cells, "trials": trials, "next": next_step(run, gate)}
    return {"gate": gate_document(gate), **parts}
