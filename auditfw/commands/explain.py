"""`auditfw explain`: why an answer or a gate came out as it did, from what a finished run has stored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auditfw.core.document import Section
from auditfw.core.errors import UsageError, nearest
from auditfw.core.records import GateResult
from auditfw.core.result_json import dumps, gate_document

from .explanation.answer import alpha_of, answer_sections, described, parted, without
from .explanation.gate import cell_rows, gate_sections, next_step, overall
from .explanation.trials import trial_sections, trials_behind
from .run_folder import table_errors
from .stored_run import StoredRun, stored
from .sweep.refusal import refuse_sweep

SCHEMA = "auditfw.explanation/1"
WRITE = "write auditfw explain RUN [GATE]"
ROWS = 40  # cells in JSON


def explain(argv: list[str]) -> int:
    """`auditfw explain RUN [GATE] [--json]`: the rules behind the answer, or the numbers and trials behind a gate.

    The code is 0 whatever the run came to: what is explained is not judged again.
    """
    words = [word for word in argv if word != "--json"]
    if not 1 <= len(words) <= 2 or any(word.startswith("-") for word in words):
        raise UsageError("explain", "needs a run folder, and at most one gate", " ".join(argv) or None, WRITE)
    folder = Path(words[0])
    refuse_sweep(folder, "explain")
    run = stored(folder)
    with table_errors(words[0]):
        gate = _gate(run, words[1]) if len(words) == 2 else None
        if "--json" in argv:
            document = _answer_document(run) if gate is None else _gate_document(run, gate)
            print(dumps({"schema": SCHEMA, "run": words[0], "audit": run.result["audit"], **document}), end="")
        elif gate is None:
            _print(answer_sections(run))
        else:
            _print(gate_sections(run, gate, trial_sections(run, trials_behind(run, gate))))
    return 0


def _gate(run: StoredRun, name: str) -> GateResult:
    gates: dict[str, GateResult] = {gate.name: gate for gate in run.result["gates"]}
    if not gates:
        raise UsageError(f"explain {name}", "the run has no gates", None, f"write auditfw explain {run.folder}")
    if name not in gates:
        raise UsageError(f"explain {name}", f"no gate named '{name}'", None, nearest(name, list(gates)))
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


def _print(sections: Sequence[Section]) -> None:
    from auditfw.components.report.console import printing

    with printing() as page:
        for section in sections:
            page.section(section)
