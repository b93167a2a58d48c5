"""`auditfw check`: what a run, or a sweep, would do."""

from __future__ import annotations

import sys

from auditfw.audits.claim_report import kept_for
from auditfw.audits.spine import check_plan, contradictions
from auditfw.components.report.console import terminal_settings
from auditfw.config import build as bridge
from auditfw.config.guessed import guessed_note
from auditfw.config.hydra.command import jobs as sweep_jobs
from auditfw.config.hydra.errors import as_audit_error
from auditfw.core.document import some
from auditfw.core.errors import AuditError, Findings, UsageError, and_more
from auditfw.core.escaping import terminal
from auditfw.core.remote.refusals import NotFetchedError, heads_alone
from auditfw.kinds.capabilities import capability

from .paths.bare_words import check_bare_words
from .paths.command import with_paths
from .sweep import worst


def check(argv: list[str]) -> int:
    """`auditfw check [OVERRIDES] [-m]`: composes, builds, finds files and columns, estimates the work; runs nothing.

    With -m, and for paths that stand for several runs, it checks every job of the sweep, and ends with the worst code
    a job would have.
    """
    try:
        with heads_alone():
            return _checked(argv)
    except NotFetchedError as error:
        _show([str(error), "nothing was run"])
        return 0


def _checked(argv: list[str]) -> int:
    check_bare_words(argv, verb="check")
    commanded = with_paths(argv)
    name, sweep, overrides = _arguments(list(commanded.rest) if commanded.several else commanded.words)
    if not sweep and not commanded.several:
        _show([*_describe(overrides, name), "nothing was run"])
        return 0
    errors: dict[str, list[AuditError]] = {}
    jobs = sweep_jobs(overrides, name, commanded.runs if commanded.several else ())
    for number, job in enumerate(jobs):
        try:
            _show([f"job {number}: {' '.join(job)}", *_describe(job, name)])
        except Exception as error:
            mistake = as_audit_error(error)
            if mistake is None:
                raise
            for one in mistake.errors if isinstance(mistake, Findings) else [mistake]:
                placed = type(one)(f"job {number}, {' '.join(job)}: {one.where}", one.what, one.found, one.do)
                errors.setdefault(str(one), []).append(placed)
    _show([f"{some(len(jobs), 'job')}, nothing was run"])
    if errors:
        findings = Findings([and_more(same[0], len(same) - 1) for same in errors.values()])
        findings.exit_code = worst([same[0].exit_code for same in errors.values()])
        raise findings
    return 0


def _arguments(argv: list[str]) -> tuple[str, bool, list[str]]:
    """The primary config, whether a sweep is meant, and the overrides. Raises UsageError for other flags."""
    name, sweep, overrides = "config", False, list[str]()
    words = iter(argv)
    for word in words:
        flag, _, value = word.partition("=")
        if flag in ("--config-name", "-cn"):
            name = value or next(words, "")
        elif word in ("-m", "--multirun"):
            sweep = True
        elif word.startswith("-"):
            raise UsageError(f"check {word}", "no such flag", None, "check takes --config-dir, --config-name and -m")
        else:
            overrides.append(word)
    return name, sweep, overrides


def _describe(overrides: list[str], name: str) -> list[str]:
    """What a run would do."""
    settings = bridge.compose(overrides, name)
    run, warnings = bridge.build(settings)
    check_plan(run)
    lines = [f"audit: {run.audit.name}"]
    looked = capability(run.audit, "look")
    if looked is not None:
        kept = kept_for(run.reports)
        try:
            lines += looked(run.cells, kept) if kept else looked(run.cells)
        except NotFetchedError as error:
            lines.append(str(error))
    reached = capability(run.engine, "reached")
    if reached is not None and capability(run.engine, "starts"):
        lines += [f"engine: {reached()}"]
    lines += [f"claims: {', '.join(run.claims)}"] if run.claims else []
    lines += [f"gates: {', '.join(run.gates) or 'none'}", f"reports: {', '.join(run.reports) or 'none'}"]
    warnings = [*guessed_note(settings, run.audit), *warnings, *contradictions(run.gates)]
    return [*lines, *(f"warning: {warning}" for warning in warnings)]


def _show(lines: list[str]) -> None:
    from rich.console import Console

    console = Console(file=sys.stdout, _environ=terminal_settings())
    for line in lines:
        console.print(terminal(line), soft_wrap=True)
