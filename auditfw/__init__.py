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
    from .core.notes import Remark, Size, remarks
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
    from .kinds.first_look import FirstLook, Recognised
    from .kinds.ledger import Ledger, StopReason
    from .kinds.questions import LabelRows
    from .kinds.registry import register
    from .kinds.simulation import ScenarioBatch, Simulated
    from .kinds.solving import Ask, Attempt, Example, Execution, Problem, Reply, RequestTimeoutError, TransientError
    from .kinds.text import beside

_NAMES = {  # by module
    "audits.batches": "Batches InputSums TakenBatch collect",
    "audits.consistency.decisions": "arbitrate",
    "audits.parsing.engine.reference": "evaluate",
    "audits.parsing.samples": "cell_deltas",
    "audits.self_audit.loop": "Refine",
    "commands.notebook.guest": "run",
    "commands.stored_run": "read_result",
    "components.solver.prompts": "extract_code parse_code",
    "components.stop.budgets": "Budgets",
    "config.schema": "load",
    "core.document": "Chart Exhibit Note Section Series Snippet Table snip snippet with_ends",
    "core.errors": "AuditError DataError IncompleteError UsageError",
    "core.notes": "Remark Size remarks",
    "core.records": (
        "Batch Cell Estimate GateResult Input Measurement Range Reading Refusal Result Role Value named_cells "
        "sorted_cells"
    ),
    "core.results.findings": "Finding FindingKind NotChecked",
    "core.statistics": "benjamini_hochberg mcnemar_exact wilson",
    "formulas.agreement.ratings": "Judged Ratings",
    "formulas.alignment": "score_alignment",
    "formulas.grid_scores": "example_score soft_score",
    "formulas.label_counts": "LabelCounts",
    "formulas.loop_counts": "LoopCounts",
    "formulas.markers": "has_marker has_think_end is_refusal",
    "formulas.outcome_columns": "OutcomeCounts",
    "formulas.posiwid": "POSIWIDAuditor SimulatorWrapper",
    "kinds.context": "Context Outcome ReportLimits Sample Task",
    "kinds.evidence": "Evidence ScorerRule ShippedScorer Source",
    "kinds.first_look": "FirstLook Recognised",
    "kinds.ledger": "Ledger StopReason",
    "kinds.questions": "LabelRows",
    "kinds.registry": "register",
    "kinds.simulation": "ScenarioBatch Simulated",
    "kinds.solving": "Ask Attempt Example Execution Problem Reply RequestTimeoutError TransientError",
    "kinds.text": "beside",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

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
    "Recognised",
    "Refine",
    "Refusal",
    "Remark",
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
