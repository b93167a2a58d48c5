"""Audits you run before you believe a number.

`run(settings)` runs an audit from Python; `load(kind, name)` gives one component; the functions behind the formulas
are public. Each name is imported when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing takes as long as all else before the command hears signals
if TYPE_CHECKING:
    from typing import Any

    from auditfw.audits.consistency.decisions import arbitrate
    from auditfw.audits.parsing.engine.reference import evaluate
    from auditfw.audits.parsing.facts import has_marker, has_think_end, is_refusal
    from auditfw.audits.parsing.samples import cell_deltas
    from auditfw.audits.self_audit.loop import Refine
    from auditfw.commands.run import run
    from auditfw.components.solver.prompts import parse_code
    from auditfw.config.schema import load
    from auditfw.core.document import snip
    from auditfw.core.errors import AuditError
    from auditfw.core.records import Result
    from auditfw.core.statistics import benjamini_hochberg, mcnemar_exact, wilson
    from auditfw.formulas.alignment import score_alignment
    from auditfw.formulas.grid_scores import example_score, soft_score
    from auditfw.formulas.posiwid import POSIWIDAuditor, SimulatorWrapper
    from auditfw.kinds.registry import register

_HOMES = {
    "AuditError": "core.errors",
    "POSIWIDAuditor": "formulas.posiwid",
    "Refine": "audits.self_audit.loop",
    "Result": "core.records",
    "SimulatorWrapper": "formulas.posiwid",
    "arbitrate": "audits.consistency.decisions",
    "benjamini_hochberg": "core.statistics",
    "cell_deltas": "audits.parsing.samples",
    "evaluate": "audits.parsing.engine.reference",
    "example_score": "formulas.grid_scores",
    "has_marker": "audits.parsing.facts",
    "has_think_end": "audits.parsing.facts",
    "is_refusal": "audits.parsing.facts",
    "load": "config.schema",
    "mcnemar_exact": "core.statistics",
    "parse_code": "components.solver.prompts",
    "register": "kinds.registry",
    "run": "commands.run",
    "score_alignment": "formulas.alignment",
    "snip": "core.document",
    "soft_score": "formulas.grid_scores",
    "wilson": "core.statistics",
}

__all__ = [
    "AuditError",
    "POSIWIDAuditor",
    "Refine",
    "Result",
    "SimulatorWrapper",
    "arbitrate",
    "benjamini_hochberg",
    "cell_deltas",
    "evaluate",
    "example_score",
    "has_marker",
    "has_think_end",
    "is_refusal",
    "load",
    "mcnemar_exact",
    "parse_code",
    "register",
    "run",
    "score_alignment",
    "snip",
    "soft_score",
    "wilson",
]


def __getattr__(name: str) -> Any:
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module 'auditfw' has no attribute '{name}'")
    return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
