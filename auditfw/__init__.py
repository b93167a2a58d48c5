"""Audits you run before you believe a number.

`run(settings)` runs an audit from Python; `load(kind, name)` gives one component; the functions behind the formulas
are public. Each name is imported when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing takes as long as all else before the command hears signals
if TYPE_CHECKING:
    from typing import Any

    from .alignment import score_alignment
    from .audits.consistency.decide import arbitrate
    from .audits.parsing.facts import has_marker, has_think_end, is_refusal
    from .audits.parsing.reference import evaluate
    from .audits.parsing.samples import cell_deltas
    from .audits.self_audit.loop import Refine
    from .config.schema import load
    from .document import snip
    from .errors import AuditError
    from .execute import run
    from .posiwid import POSIWIDAuditor, SimulatorWrapper
    from .programs import parse_code
    from .records import Result
    from .registry import register
    from .scoring import example_score, soft_score
    from .statistics import benjamini_hochberg, mcnemar_exact, wilson

_HOMES = {
    "AuditError": "errors",
    "POSIWIDAuditor": "posiwid",
    "Refine": "audits.self_audit.loop",
    "Result": "records",
    "SimulatorWrapper": "posiwid",
    "arbitrate": "audits.consistency.decide",
    "benjamini_hochberg": "statistics",
    "cell_deltas": "audits.parsing.samples",
    "evaluate": "audits.parsing.reference",
    "example_score": "scoring",
    "has_marker": "audits.parsing.facts",
    "has_think_end": "audits.parsing.facts",
    "is_refusal": "audits.parsing.facts",
    "load": "config.schema",
    "mcnemar_exact": "statistics",
    "parse_code": "programs",
    "register": "registry",
    "run": "execute",
    "score_alignment": "alignment",
    "snip": "document",
    "soft_score": "scoring",
    "wilson": "statistics",
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
