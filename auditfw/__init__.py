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

    from .audits.batches import Batches as Batches, InputSums as InputSums, TakenBatch as TakenBatch, collect as collect
    from .audits.consistency.decisions import arbitrate as arbitrate
    from .audits.parsing.engine.reference import evaluate as evaluate
    from .audits.parsing.samples import cell_deltas as cell_deltas
    from .audits.self_audit.loop import Refine as Refine
    from .commands.notebook.guest import run as run
    from .commands.stored_run import read_result as read_result
    from .components.solver.prompts import extract_code as extract_code, parse_code as parse_code
    from .components.stop.budgets import Budgets as Budgets
    from .config.schema import load as load
    from .core.document import (
        Chart as Chart,
        Exhibit as Exhibit,
        Note as Note,
        Section as Section,
        Series as Series,
        Snippet as Snippet,
        Table as Table,
        snip as snip,
        snippet as snippet,
        with_ends as with_ends,
    )
    from .core.errors import (
        AuditError as AuditError,
        DataError as DataError,
        IncompleteError as IncompleteError,
        UsageError as UsageError,
    )
    from .core.notes import Remark as Remark, Size as Size, remarks as remarks
    from .core.records import (
        Answer as Answer,
        AnswerRule as AnswerRule,
        Batch as Batch,
        Cell as Cell,
        Estimate as Estimate,
        GateResult as GateResult,
        Input as Input,
        Measurement as Measurement,
        Range as Range,
        Reading as Reading,
        Refusal as Refusal,
        Result as Result,
        Role as Role,
        Value as Value,
        named_cells as named_cells,
        sorted_cells as sorted_cells,
    )
    from .core.results.findings import Finding as Finding, FindingKind as FindingKind, NotChecked as NotChecked
    from .core.statistics import (
        benjamini_hochberg as benjamini_hochberg,
        mcnemar_exact as mcnemar_exact,
        wilson as wilson,
    )
    from .formulas.agreement.ratings import Judged as Judged, Ratings as Ratings
    from .formulas.alignment import score_alignment as score_alignment
    from .formulas.grid_scores import example_score as example_score, soft_score as soft_score
    from .formulas.label_counts import LabelCounts as LabelCounts
    from .formulas.loop_counts import LoopCounts as LoopCounts
    from .formulas.markers import has_marker as has_marker, has_think_end as has_think_end, is_refusal as is_refusal
    from .formulas.outcome_columns import OutcomeCounts as OutcomeCounts
    from .formulas.posiwid import POSIWIDAuditor as POSIWIDAuditor, SimulatorWrapper as SimulatorWrapper
    from .kinds.context import (
        Context as Context,
        Outcome as Outcome,
        ReportLimits as ReportLimits,
        Sample as Sample,
        Task as Task,
    )
    from .kinds.evidence import (
        Evidence as Evidence,
        ScorerRule as ScorerRule,
        ShippedScorer as ShippedScorer,
        Source as Source,
    )
    from .kinds.first_look import FirstLook as FirstLook, Recognised as Recognised
    from .kinds.ledger import Ledger as Ledger, StopReason as StopReason
    from .kinds.questions import LabelRows as LabelRows
    from .kinds.registry import register as register
    from .kinds.simulation import ScenarioBatch as ScenarioBatch, Simulated as Simulated
    from .kinds.solving import (
        Ask as Ask,
        Attempt as Attempt,
        Example as Example,
        Execution as Execution,
        Problem as Problem,
        Reply as Reply,
        RequestTimeoutError as RequestTimeoutError,
        TransientError as TransientError,
    )
    from .kinds.text import beside as beside


_homes: "dict[str, str]" = {}  # of each public name its module


def _read_homes() -> None:
    """Reads the imports above: what they say to a checker of types is all that is needed here."""
    import ast

    with open(__file__, encoding="utf-8") as file:
        for node in ast.walk(ast.parse(file.read())):
            if isinstance(node, ast.ImportFrom) and node.level:
                _homes.update((one.name, f".{node.module}") for one in node.names)


def __getattr__(name: str) -> "Any":
    import importlib

    if name == "__version__":
        from importlib.metadata import version

        return version("auditfw")
    if not _homes:
        _read_homes()
    if name == "__all__":
        return sorted(_homes)
    if name not in _homes:
        raise AttributeError(f"module 'auditfw' has no attribute '{name}'")
    return getattr(importlib.import_module(_homes[name], __name__), name)


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))
