"""One run from settings to finished files: what the command line, sweeps and Python share."""

from __future__ import annotations

import errno
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from auditfw.audits import spine
from auditfw.audits.adjudication.run_trials import ACCEPTABLE
from auditfw.config import build as bridge
from auditfw.config.guessed import guessed_note
from auditfw.core.errors import AuditError, IncompleteError, NothingAudited, UsageError
from auditfw.core.files import guarded, part_beside, refusals
from auditfw.core.interrupts import look
from auditfw.core.masking import hidden, masked, masked_data
from auditfw.core.records import Result
from auditfw.core.result_json import write_whole
from auditfw.core.results.latest import LATEST
from auditfw.kinds.capabilities import capability
from auditfw.kinds.metrics import Report

from .error_output import ignore_closed_pipe, warn
from .progress import RunProgress
from .run_folder import MANIFEST, claimed, write_measurements, write_result
from .stored_run import REFERENCE, STYLES, TITLES, kept_step, kept_styles, save_sections

NO_LINKS = (errno.EPERM, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)  # a system, or a disk, without links
Measuring = Callable[[spine.Run, spine.Stamp, spine.Progress], spine.Measured]
Finish = Callable[[Path, Result, spine.Run, dict[str, Any]], None]


def finish(folder: Path, result: Result, reports: Sequence[Report], manifest: dict[str, Any]) -> None:
    """Writes the files of a run, result.json last: one that the disk refuses makes it incomplete. Raises AuditError."""
    manifest |= {"finished": time.time(), "versions": result.versions, STYLES: kept_styles(result.styles)}
    manifest |= {REFERENCE: result.reference, **({TITLES: dict(result.titles)} if result.titles else {})}
    manifest |= kept_step(result.answer)
    text = json.dumps(masked_data(manifest), indent=1) + "\n"
    files = [report for report in reports if not capability(report, "sends", False)]
    with guarded(folder):
        for report in reports:
            if begin := capability(report, "begin"):
                begin(result)
        work: list[Callable[[], object]] = [
            lambda: save_sections(str(folder), result.sections, result.cells),
            *(partial(_report, report, result, str(folder)) for report in files),
            lambda: write_whole(str(folder), MANIFEST, text),
        ]
        outcomes = refusals(folder, work)
        if any(outcomes):
            _make_incomplete(result, [one for one in outcomes if one is not None])
            for before, again in zip(outcomes, refusals(folder, work), strict=True):  # they say how the run ended
                if before is None and again is not None:
                    warn(masked(str(again)))
        look()
        write_result(folder, result)
    send(reports, result)


def _report(report: Report, result: Result, folder: str) -> None:
    look()
    report(result, folder)


def _make_incomplete(result: Result, refusals: Sequence[IncompleteError]) -> None:
    """Ends a run with exit code 4 for files that could not be written; the last warning is its error."""
    texts = [masked(str(refusal)) for refusal in refusals]
    last = result.warnings[-1:] if result.exit_code == IncompleteError.exit_code else texts[-1:]
    result.exit_code = IncompleteError.exit_code
    result.warnings[:] = [one for one in (*result.warnings, *texts) if one not in last] + last
    for text in texts:
        if text not in last:
            warn(text)


def send(reports: Iterable[Report], result: Result) -> None:
    """Hands a finished run on, to those reports that do so; what goes wrong there is a warning."""
    for report in reports:
        if capability(report, "sends", False):
            try:
                report(result, result.folder)
            except AuditError as error:
                warn(masked(str(error)))


def at_once(folder: Path, result: Result, plan: spine.Run, manifest: dict[str, Any]) -> None:
    """Finishes a run here and now."""
    if acceptable := capability(plan.audit, ACCEPTABLE, ()):
        manifest |= {ACCEPTABLE: list(acceptable)}
    finish(folder, result, writing(plan.reports.values()), manifest)


@dataclass(frozen=True)
class Prepared:
    """What the settings of a run were built into, what audits and measures, and what writes files beyond the tables."""

    built: tuple[spine.Run, list[str]] | None = None
    measuring: Measuring = spine.measured
    finishing: Finish = at_once


def writing(reports: Iterable[Report]) -> list[Report]:
    """Those reports that write files."""
    return [report for report in reports if not capability(report, "prints", False)]


def execute(
    settings: Mapping[str, Any],
    folder: Path | None = None,
    progress: spine.Progress = lambda done, total: None,
    show: bool = True,
    prepared: Prepared = Prepared(),
) -> Result:
    """Builds and runs an audit from plain settings; with a folder, writes all files of the run into it.

    `show=False` leaves out the reports that print; `prepared` is what the caller has built already. Raises AuditError.
    A component failing on too many trials, or nothing to audit, still leaves every file: the result then carries the
    exit code.
    """
    plan, idle = prepared.built or bridge.build(settings)
    for line in idle if show and folder is not None else ():
        warn(line)
    look()
    manifest = {"started": time.time(), "host": platform.node(), "pid": os.getpid(), "argv": sys.argv[1:]}
    place = str(folder) if folder is not None else None
    stamp = spine.Stamp(bridge.config_hash(settings), bridge.versions(), place, bridge.shipped_texts)
    holding = nullcontext() if folder is None else claimed(folder, manifest, show)
    with holding, guarded(folder or ""):
        run = prepared.measuring(plan, stamp, progress)
        if isinstance(progress, RunProgress):
            progress.write()
        result, outcome = spine.conclude(plan, stamp, run), run.outcome
        result.warnings[:0] = guessed_note(settings, plan.audit, result.reference)
        result.warnings += idle
        if outcome.incomplete is not None:
            result.warnings.append(str(outcome.incomplete))
        result = _masked(result)
        if folder is not None:
            write_measurements(folder, result)
            prepared.finishing(folder, result, plan, {**manifest, **outcome.notes})
        else:
            send(plan.reports.values(), result)
    if show:
        speak(list(plan.reports.values()), result, stamp.folder)
    return result


def _masked(result: Result) -> Result:
    """The result as it may be shown: without what the config read from the environment."""
    if not hidden():
        return result
    shown = masked_data(replace(result, folder=None, trials=None, tables={}))
    return replace(shown, folder=result.folder, trials=result.trials, tables=result.tables)


def speak(reports: Sequence[Report], result: Result, folder: str | None) -> None:
    """Has reports print; beside one that must be alone on standard output the others use standard error."""
    lone = any(capability(report, "alone", False) for report in reports)
    for report in reports:
        on_stderr = lone and not capability(report, "alone", False)
        with redirect_stdout(sys.stderr) if on_stderr else nullcontext(), ignore_closed_pipe():
            if capability(report, "prints", False):
                report(result, folder)
            elif announce := capability(report, "announce"):
                announce(result)


_ADVICE = {
    "adjudication": "fill the column with the labels: right, wrong or cannot_tell",
    "alignment": "check the names of the outcomes, and the column why of scenarios.parquet",
    "consistency": "check source.columns, audit.labels and audit.raters",
    "parsing": "check source.columns, source.where and source.nulls",
    "self_audit": "check source.where, and see attempts.jsonl",
}


def failure(result: Result) -> NothingAudited | IncompleteError | None:
    """The error a finished result stands for, for its one line on standard error."""
    buckets = ", ".join(f"{name} {n:,}" for name, n in result.counts.items() if name not in ("audited",))
    if result.exit_code == NothingAudited.exit_code:
        return NothingAudited(
            "audit", "nothing was audited", buckets, _ADVICE.get(result.audit, "see the counts above")
        )
    if result.exit_code == IncompleteError.exit_code:
        return IncompleteError("", result.warnings[-1])
    return None


def objective(result: Result, settings: Mapping[str, Any]) -> float | None:
    """The measurement that `objective` names: what the job returns to a sweeper. Raises UsageError without it."""
    named = settings.get("objective")
    if named is None:
        return None
    metric, _, reading = str(named).partition("@")
    try:
        return result.measurement(metric, reading).estimate.value
    except KeyError:
        raise UsageError("objective", "no such measurement", named, "write metric@reading") from None


def link_latest(folder: Path) -> None:
    """Points the `latest` link beside a run folder at it; where links cannot be made there is none."""
    link = folder.parent / LATEST
    try:
        with part_beside(link) as part:
            part.symlink_to(folder.name)
            os.replace(part, link)
    except OSError as error:
        if error.errno not in NO_LINKS:
            warn(f"{link}: the link to the latest run was not written ({error.strerror}, errno {error.errno})")
