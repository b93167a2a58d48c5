"""Audits you run before you believe a number.

`run(settings)` runs an audit from Python; `load(kind, name)` gives one component; the functions behind the formulas
are public. Each name is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .audits.parsing.facts import has_marker, has_think_end, is_refusal
    from .audits.parsing.reference import evaluate
    from .audits.parsing.samples import cell_deltas
    from .config.schema import load
    from .document import snip
    from .errors import AuditError
    from .execute import run
    from .records import Result
    from .registry import register
    from .statistics import benjamini_hochberg, mcnemar_exact, wilson

_HOMES = {
    "AuditError": "errors",
    "Result": "records",
    "benjamini_hochberg": "statistics",
    "cell_deltas": "audits.parsing.samples",
    "evaluate": "audits.parsing.reference",
    "has_marker": "audits.parsing.facts",
    "has_think_end": "audits.parsing.facts",
    "is_refusal": "audits.parsing.facts",
    "load": "config.schema",
    "mcnemar_exact": "statistics",
    "register": "registry",
    "run": "execute",
    "snip": "document",
    "wilson": "statistics",
}

__all__ = [
    "AuditError",
    "Result",
    "benjamini_hochberg",
    "cell_deltas",
    "evaluate",
    "has_marker",
    "has_think_end",
    "is_refusal",
    "load",
    "mcnemar_exact",
    "register",
    "run",
    "snip",
    "wilson",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'auditfw' has no attribute '{name}'")
    return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
