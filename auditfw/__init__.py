"""Audits you run before you believe a number.

`run(settings)` runs an audit from Python; `load(kind, name)` gives one component; the functions behind the formulas
are public. Each name is imported when it is first used.
"""

import sys  # and no other module: the current folder may have one of that name

if (
    sys.argv[:1] == ["-m"]  # Python looks for modules in the current folder first, and it is for us that it does
    and not sys.flags.safe_path
    and sys.orig_argv[-len(sys.argv)].partition(".")[0] in ("auditfw", "-mauditfw")
):
    _current = sys.path.pop(0)
    if __path__[0].startswith(_current):  # this package is not installed, but run from where it is
        sys.path.append(_current)

TYPE_CHECKING = False  # the module typing takes as long as all else before the command hears signals
if TYPE_CHECKING:
    from typing import Any

    __version__: str

    from .audits.batches import Batches, InputSums, TakenBatch, collect
    from .audits.consistency.decisions import arbitrate
    from .audits.parsing.engine.reference import evaluate
    from .audits.parsing.samples import cell_deltas
    from .audits.self_audit.loop import Refine
    from .commands.notebook.guest import run
    from .commands.stored_run import read_result
    from .components.solver.prompts import extract_code, parse_code
    from .components.stop.budgets import Budgets
    from .config.schema import load
    from .core.document import Chart, Exhibit, Note, Section, Series, Snippet, Table, snip, snippet, with_ends
    from .core.errors import AuditError, DataError, IncompleteError, UsageError
    from .core.notes import Size, remarks
    from .core.records import (
        Batch,
        Cell,
        Estimate,
        GateResult,
        Input,
        Measurement,
        Range,
        Reading,
        Refusal,
        Result,
        Role,
        Value,
        named_cells,
        sorted_cells,
    )
    from .core.results.findings import Finding, FindingKind, NotChecked
    from .core.statistics import benjamini_hochberg, mcnemar_exact, wilson
    from .formulas.agreement.ratings import Judged, Ratings
    from .formulas.alignment import score_alignment
    from .formulas.grid_scores import example_score, soft_score
    from .formulas.label_counts import LabelCounts
    from .formulas.loop_counts import LoopCounts
    from .formulas.markers import has_marker, has_think_end, is_refusal
    from .formulas.outcome_columns import OutcomeCounts
    from .formulas.posiwid import POSIWIDAuditor, SimulatorWrapper
    from .kinds.context import Context, Outcome, ReportLimits, Sample, Task
    from .kinds.evidence import Evidence, ScorerRule, ShippedScorer, Source
    from .kinds.first_look import FirstLook
    from .kinds.ledger import Ledger, StopReason
    from .kinds.questions import LabelRows
    from .kinds.registry import register
    from .kinds.simulation import ScenarioBatch, Simulated
    from .kinds.solving import Ask, Attempt, Example, Execution, Problem, Reply, RequestTimeoutError, TransientError
    from .kinds.text import beside

_HOMES = {
    "Ask": "kinds.solving",
    "Attempt": "kinds.solving",
    "AuditError": "core.errors",
    "Batch": "core.records",
    "Batches": "audits.batches",
    "Budgets": "components.stop.budgets",
    "Cell": "core.records",
    "Chart": "core.document",
    "Context": "kinds.context",
    "DataError": "core.errors",
    "Estimate": "core.records",
    "Evidence": "kinds.evidence",
    "Example": "kinds.solving",
    "Execution": "kinds.solving",
    "Exhibit": "core.document",
    "Finding": "core.results.findings",
    "FindingKind": "core.results.findings",
    "FirstLook": "kinds.first_look",
    "GateResult": "core.records",
    "IncompleteError": "core.errors",
    "Input": "core.records",
    "InputSums": "audits.batches",
    "Judged": "formulas.agreement.ratings",
    "LabelCounts": "formulas.label_counts",
    "LabelRows": "kinds.questions",
    "Ledger": "kinds.ledger",
    "LoopCounts": "formulas.loop_counts",
    "Measurement": "core.records",
    "NotChecked": "core.results.findings",
    "Note": "core.document",
    "Outcome": "kinds.context",
    "OutcomeCounts": "formulas.outcome_columns",
    "POSIWIDAuditor": "formulas.posiwid",
    "Problem": "kinds.solving",
    "Range": "core.records",
    "Ratings": "formulas.agreement.ratings",
    "Reading": "core.records",
    "Refine": "audits.self_audit.loop",
    "Refusal": "core.records",
    "Reply": "kinds.solving",
    "ReportLimits": "kinds.context",
    "RequestTimeoutError": "kinds.solving",
    "Result": "core.records",
    "Role": "core.records",
    "Sample": "kinds.context",
    "ScenarioBatch": "kinds.simulation",
    "ScorerRule": "kinds.evidence",
    "Section": "core.document",
    "Series": "core.document",
    "ShippedScorer": "kinds.evidence",
    "Simulated": "kinds.simulation",
    "SimulatorWrapper": "formulas.posiwid",
    "Size": "core.notes",
    "Snippet": "core.document",
    "Source": "kinds.evidence",
    "StopReason": "kinds.ledger",
    "Table": "core.document",
    "TakenBatch": "audits.batches",
    "Task": "kinds.context",
    "TransientError": "kinds.solving",
    "UsageError": "core.errors",
    "Value": "core.records",
    "arbitrate": "audits.consistency.decisions",
    "benjamini_hochberg": "core.statistics",
    "beside": "kinds.text",
    "cell_deltas": "audits.parsing.samples",
    "collect": "audits.batches",
    "evaluate": "audits.parsing.engine.reference",
    "example_score": "formulas.grid_scores",
    "extract_code": "components.solver.prompts",
    "has_marker": "formulas.markers",
    "has_think_end": "formulas.markers",
    "is_refusal": "formulas.markers",
    "load": "config.schema",
    "mcnemar_exact": "core.statistics",
    "named_cells": "core.records",
    "parse_code": "components.solver.prompts",
    "read_result": "commands.stored_run",
    "register": "kinds.registry",
    "remarks": "core.notes",
    "run": "commands.notebook.guest",
    "score_alignment": "formulas.alignment",
    "snip": "core.document",
    "snippet": "core.document",
    "soft_score": "formulas.grid_scores",
    "sorted_cells": "core.records",
    "wilson": "core.statistics",
    "with_ends": "core.document",
}

__all__ = [
    "Ask",
    "Attempt",
    "AuditError",
    "Batch",
    "Batches",
    "Budgets",
    "Cell",
    "Chart",
    "Context",
    "DataError",
    "Estimate",
    "Evidence",
    "Example",
    "Execution",
    "Exhibit",
    "Finding",
    "FindingKind",
    "FirstLook",
    "GateResult",
    "IncompleteError",
    "Input",
    "InputSums",
    "Judged",
    "LabelCounts",
    "LabelRows",
    "Ledger",
    "LoopCounts",
    "Measurement",
    "NotChecked",
    "Note",
    "Outcome",
    "OutcomeCounts",
    "POSIWIDAuditor",
    "Problem",
    "Range",
    "Ratings",
    "Reading",
    "Refine",
    "Refusal",
    "Reply",
    "ReportLimits",
    "RequestTimeoutError",
    "Result",
    "Role",
    "Sample",
    "ScenarioBatch",
    "ScorerRule",
    "Section",
    "Series",
    "ShippedScorer",
    "Simulated",
    "SimulatorWrapper",
    "Size",
    "Snippet",
    "Source",
    "StopReason",
    "Table",
    "TakenBatch",
    "Task",
    "TransientError",
    "UsageError",
    "Value",
    "arbitrate",
    "benjamini_hochberg",
    "beside",
    "cell_deltas",
    "collect",
    "evaluate",
    "example_score",
    "extract_code",
    "has_marker",
    "has_think_end",
    "is_refusal",
    "load",
    "mcnemar_exact",
    "named_cells",
    "parse_code",
    "read_result",
    "register",
    "remarks",
    "run",
    "score_alignment",
    "snip",
    "snippet",
    "soft_score",
    "sorted_cells",
    "wilson",
    "with_ends",
]


def __getattr__(name: str) -> "Any":
    import importlib

    if name == "__version__":
        from importlib.metadata import version

        return version("auditfw")
    if name not in _HOMES:
        raise AttributeError(f"module 'auditfw' has no attribute '{name}'")
    return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
