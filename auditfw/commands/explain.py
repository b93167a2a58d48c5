"""`auditfw explain`: why an answer or a gate came out as it did, from what a finished run has stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auditfw.core.document import Section
from auditfw.core.errors import UsageError, nearest
from auditfw.core.records import GateResult
from auditfw.core.result_json import RESULT, dumps, gate_document

from .explanation.answer import alpha_of, answer_sections, described, parted, without
from .explanation.gate import cell_rows, gate_sections, next_step, overall
from .explanation.trials import trial_sections, trials_behind
from .run_folder import table_errors
from .stored_run import StoredRun, stored
from .sweep.folder import FILE as PLAN
from .sweep.folder import job_folders
from .sweep.jobs import Job, gather

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
    _refuse_sweep(folder)
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


def _refuse_sweep(folder: Path) -> None:
    """Asks for one job of a sweep. Raises UsageError that names the one that most needs an explanation."""
    if not folder.is_dir() or (folder / RESULT).exists() or not ((folder / PLAN).exists() or job_folders(folder)):
        return
    jobs = gather(folder)
    finished = [job for job in jobs if job.verdict is not None]
    if not finished:
        do = f"write auditfw sweep {folder}"
        raise UsageError(str(folder), "is a sweep none of whose jobs has a result", None, do)
    counts = Counter(map(_came_to, finished))
    first = min(finished, key=lambda job: (ORDERED.index(_came_to(job)), job.job))
    came = ", ".join(f"{n} {name}" for name, n in sorted(counts.items(), key=lambda one: ORDERED.index(one[0])))
    do = f"name one: auditfw explain {folder / first.folder}"
    raise UsageError(str(folder), f"is a sweep of {len(jobs)} jobs", came, do)


ORDERED = ("broken", "fragile", "fail", "unknown", "inconclusive", "stable", "pass", "none")


def _came_to(job: Job) -> str:
    """What a job came to in a word: its answer, else its verdict."""
    word = str(job.answer["status"] if job.answer else job.verdict)
    return word if word in ORDERED else "none"


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
