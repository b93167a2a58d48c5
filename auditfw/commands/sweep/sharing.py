"""Jobs of a sweep in one process that do the same work on the same trials: they share it where their audit knows how.

Jobs that differ in their gates alone are one audit, its measurements and its sections, which each job judges by its own
gates. All of that is kept here: no audit, metric or report knows of other jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from auditfw.audits import spine
from auditfw.audits.report_needs import kept_for
from auditfw.audits.spine import Measured, Progress, Run, Stamp
from auditfw.core.errors import AuditError
from auditfw.core.memo import Distinct
from auditfw.core.tables import TrialTable, copied
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Context, Outcome


@dataclass
class SharedWork:
    """An audit that several jobs ask for: the first job runs it, the others take over what it came to.

    `jobs` counts those that are still to ask: what nobody will ask for again is not held. `check` raises where the
    input has changed since the first.
    """

    check: Callable[[], None]
    jobs: int = 0
    _outcome: Outcome | None = None
    _tables: dict[str, Path] = field(default_factory=dict)
    _measured: list[tuple[dict[str, Any], Measured]] = field(default_factory=list)

    def __call__(self, plan: Run, stamp: Stamp, progress: Progress) -> Measured:
        """Audits and measures for one job. Raises AuditError."""
        self.jobs -= 1
        if stamp.folder is None:
            return spine.measured(plan, stamp, progress)
        if self._outcome is None or not all(table.is_file() for table in self._tables.values()):
            outcome, trials = spine.observed(plan, stamp, progress)
            self._keep(outcome, Path(stamp.folder))
        else:
            spine.check_plan(plan)
            self.check()
            outcome, trials = self._taken_over(self._outcome, stamp.folder)
        measured = self._measure(plan, outcome, trials)
        if not self.jobs:
            self._outcome = None
            self._measured.clear()
        return measured

    def _keep(self, outcome: Outcome, folder: Path) -> None:
        self._outcome, self._measured = outcome, []
        files = {name: folder / f"{name}.parquet" for name in ("trials", *outcome.tables)}
        self._tables = {name: file for name, file in files.items() if file.is_file()}

    def _taken_over(self, outcome: Outcome, folder: str) -> tuple[Outcome, Any]:
        """The outcome with tables of its own: those of the first job, copied into this one's folder."""
        tables = {name: copied(file, folder, name) for name, file in self._tables.items()}
        trials: Any = tables.pop("trials", None)
        return replace(outcome, tables={**outcome.tables, **tables}), trials

    def _measure(self, plan: Run, outcome: Outcome, trials: Any) -> Measured:
        """The measurements and sections, made once for the same metrics."""
        for metrics, known in self._measured:
            if list(metrics.items()) == list(plan.metrics.items()):
                return replace(known, outcome=replace(known.outcome, tables=outcome.tables), trials=trials)
        measured = spine.measured_by(plan, outcome, trials)
        if self.jobs:
            self._measured.append((plan.metrics, measured))
        return measured


def share(runs: Mapping[int, Run], scratch: Path) -> dict[int, tuple[Run, SharedWork]]:
    """Those of the runs, by number, that share work, with what they share; their results are the same bytes.

    `scratch` is a folder for what they share; the caller removes it.
    """
    keys, groups = Distinct[Any](), dict[int, list[int]]()
    for number, run in runs.items():
        if capability(run.audit, "share_work") is None:
            continue
        key = (type(run.audit), capability(run.audit, "work_key"), run.cells, run.engine)
        groups.setdefault(keys.number(key), []).append(number)
    shared: dict[int, tuple[Run, SharedWork]] = {}
    for place, numbers in groups.items():
        if len(numbers) > 1:
            shared |= _share_work(keys[place][0], {n: runs[n] for n in numbers}, scratch / str(place))
    return shared


def _share_work(audit: Any, runs: Mapping[int, Run], scratch: Path) -> dict[int, tuple[Run, SharedWork]]:
    contexts = [
        Context(
            run.engine,
            run.cells,
            run.seed,
            run.limits,
            TrialTable(None),
            claims=run.claims,
            keeps=kept_for(run.reports, run.metrics),
        )
        for run in runs.values()
    ]
    pairs = [(run.audit, context) for run, context in zip(runs.values(), contexts, strict=True)]
    try:
        audits = audit.share_work(pairs, scratch)
    except AuditError:
        return {}  # each run meets the error itself, and reports it
    works: dict[int, SharedWork] = {}
    for one in audits:
        works.setdefault(id(one), SharedWork(one.check)).jobs += 1
    return {n: (replace(run, audit=one), works[id(one)]) for (n, run), one in zip(runs.items(), audits, strict=True)}
