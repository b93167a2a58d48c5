"""What follows from the readings for the labels: every argument in its place, joined to one answer."""

from __future__ import annotations

from dataclasses import replace

from auditfw.audits.answers import INCOMPLETE, Argument, concluded, incomplete_argument, nothing_audited
from auditfw.audits.claim_answer import claims_argument
from auditfw.core.errors import AuditError
from auditfw.core.records import Answer
from auditfw.formulas.label_counts import LabelCounts

from .conclusions.by_value import by_value_argument
from .conclusions.movements import Movements
from .conclusions.origin import origin_argument
from .conclusions.published import published_argument
from .probe.lossy import lossy_argument
from .results import ParsingResults
from .settings import STORED_LABEL, ParsingSettings
from .warnings import null_argument

LOOK = "check the paths, the filters and why rows were not audited (Coverage)"


def answer_of(settings: ParsingSettings, results: ParsingResults, incomplete: AuditError | None = None) -> Answer:
    """The answer of a parsing audit; of one that is `incomplete` it is never stable."""
    if not results.counts.get("audited"):
        return nothing_audited(LOOK)
    movements = Movements(settings, results)
    origin = origin_argument(settings, results.search, _beside_stored(results))
    if results.barred(settings.decides):  # its step tells to search, too
        origin = replace(origin, first="")
    arguments = [
        null_argument(results.whole.suspects, results.counts["audited"]),
        origin,
        by_value_argument(settings, results.ruled),
        movements.argument(),
        claims_argument(results.statements, results.reference, results.deciding(settings.decides)),
        results.probed,
        lossy_argument(results.asked, results.lossy, settings.decides or ()),
        published_argument(results.figures),
    ]
    if incomplete is not None:
        arguments.insert(0, _incomplete(settings, results, incomplete))
    return concluded(arguments, movements.stable)


def _beside_stored(results: ParsingResults) -> dict[str, LabelCounts]:
    """The labels of readings beside the stored ones; none where these are not the reference."""
    stored = results.reference == STORED_LABEL
    return {name: sample.data for name, sample in results.overall.items() if stored}


def _incomplete(settings: ParsingSettings, results: ParsingResults, error: AuditError) -> Argument:
    """A component failed on more trials than the run allows."""
    failed, bound = results.whole.failed, 100 * settings.max_error_rate
    share = 100 * failed / (failed + results.counts["audited"])
    rule = INCOMPLETE(results.reference, share, bound=bound, fired=True)
    return incomplete_argument(rule, error, "Fix the component that failed and run again.")
