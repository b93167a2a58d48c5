"""The summary of a sweep: on standard output, and in its folder as sweep.json, .parquet, .md, and report.html."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.error_output import ignore_closed_pipe, print_error
from auditfw.commands.suite.command import judged
from auditfw.commands.suite.decision import SuiteDecision
from auditfw.commands.suite.settings import read_suite
from auditfw.commands.suite.written import print_suite, section_text, write_suite
from auditfw.components.report.layout import needed
from auditfw.components.report.wording import left_out, shortened
from auditfw.config.quoting import is_path
from auditfw.core.document import Table
from auditfw.core.errors import AuditError, UsageError
from auditfw.core.escaping import typed
from auditfw.core.files import guarded, read_text, refusals
from auditfw.core.result_json import RESULT, dumps, finite, write_whole
from auditfw.core.results.table_files import write_table
from auditfw.core.shapes import json_value

from .folder import SweepPlan, read_plan
from .jobs import Job, gather, overrides_of, with_own_choices, worst
from .screen import NO_GATE, SweepScreen, build_screen
from .table import SweepSummary, build_summary, headed

if TYPE_CHECKING:
    from auditfw.components.report.console import ConsolePage
    from auditfw.components.report.screen.short import Screen

    from .models import ModelOrders

SCHEMA = "auditfw.sweep/1"
LINES, MOST_FAILURES = 24, 3  # on a terminal
PLACES = ("table", "models", "best", "jobs", "answer", "suite", "next", "place")
MOST_ROWS = 40  # of the numbers in which the jobs differ, in the terminal


def show_summary(argv: list[str]) -> int:
    """`auditfw sweep FOLDER [sweep.sort_by=…]`: reads the jobs again, writes the summary and prints it."""
    folders = [word for word in argv if "=" not in word or is_path(word)]
    if len(folders) != 1:
        raise UsageError("sweep", "needs one folder", " ".join(argv) or None, "write auditfw sweep FOLDER")
    return summarise(Path(folders[0]), words=[word for word in argv if word not in folders])


def summarise(sweep: Path, as_json: bool = False, listed: bool = False, words: Sequence[str] = ()) -> int:
    """Gathers the jobs of a sweep, writes its files, prints its table, and returns its exit code.

    As JSON it prints sweep.json, or the results of the jobs as a list. `words` are settings of the table, which replace
    those that the sweep was started with.
    """
    from .page import write_page

    jobs = gather(sweep)
    settings = _settings(read_plan(sweep), words)
    wrong: AuditError | None = None
    try:
        summary = build_summary(jobs, settings)
    except AuditError as error:
        summary, wrong = build_summary(jobs, SweepTable()), error
    release, unread = _release(sweep, settings)
    settings = settings if wrong is None else SweepTable()
    screen = replace(build_screen(sweep, with_own_choices(jobs, settings), settings), release=release)
    document = as_document(jobs, release)
    if release is not None:
        summary = replace(summary, title=headed(jobs, [release.exit_code]))
    work: list[Callable[[], object]] = [
        lambda: write_whole(str(sweep), "sweep.json", dumps(document)),
        lambda: _write_parquet(sweep, jobs),
        lambda: write_whole(str(sweep), "sweep.md", as_markdown(summary, screen)),
        lambda: write_page(sweep, jobs, settings, summary, screen),
        *([] if release is None else [lambda: write_suite(sweep, release)]),
    ]
    refused: list[AuditError] = [*filter(None, refusals(sweep, work))]
    with ignore_closed_pipe():
        if as_json:
            sys.stdout.write(dumps(_results(sweep, jobs) if listed else document))
            sys.stdout.flush()
        else:
            _print(summary, sweep, screen)
    refused += [error for error in (wrong, unread) if error is not None]
    for refusal in refused:
        print_error(refusal)
    codes = [] if release is None else [release.exit_code]
    return worst([*(one.exit_code for one in refused), *codes, *(job.exit_code for job in jobs)])


def _release(sweep: Path, settings: SweepTable) -> tuple[SuiteDecision | None, AuditError | None]:
    """The decision of a suite over the jobs, where one is asked for; or what is wrong with it."""
    if settings.suite is None:
        return None, None
    try:
        return judged(read_suite(Path(settings.suite)), sweep), None
    except AuditError as error:
        return None, error


def _settings(plan: SweepPlan | None, words: Sequence[str]) -> SweepTable:
    """The settings of the table as they were planned, with those of a command. Raises UsageError."""
    from auditfw.config.build import build_part
    from auditfw.config.choices import parsed

    table = {**plan.table, "best_of": plan.best_of, "suite": plan.suite} if plan is not None else {}
    for one in parsed(words):
        key = str(one.key_or_group).lstrip("+")
        if not key.startswith("sweep."):
            do = "write sweep.sort_by=, sweep.best=, sweep.metrics=, sweep.best_of= or sweep.suite="
            raise UsageError(key, "is no setting of a sweep's table", str(one.input_line), do)
        table[key.removeprefix("sweep.")] = one.value()
    return build_part(SweepTable, table, "sweep")


def _results(sweep: Path, jobs: Sequence[Job]) -> list[Any]:
    """What result.json of each job holds, in their order; of a job without one its error."""
    results: list[Any] = []
    for job in jobs:
        try:
            results.append(json_value(read_text(sweep / job.folder / RESULT)))
        except (OSError, ValueError, AuditError):
            results.append({"exit_code": job.exit_code, "error": job.error, "overrides": list(job.overrides)})
    return results


def as_document(jobs: Sequence[Job], release: SuiteDecision | None = None) -> dict[str, Any]:
    """The content of sweep.json, with what a suite over the jobs decides, where there is one."""
    rows: list[dict[str, Any]] = [
        {
            "job": job.job,
            "overrides": list(job.overrides),
            "answer": job.answer,
            "verdict": job.verdict,
            "exit_code": job.exit_code,
            "error": job.error,
            "folder": job.folder,
            "measurements": {name: finite(value) for name, value in job.measurements.items()},
        }
        for job in jobs
    ]
    return {"schema": SCHEMA, "jobs": rows, **({} if release is None else {"suite": release.brief})}


def _write_parquet(sweep: Path, jobs: Sequence[Job]) -> None:
    """Writes sweep.parquet: one row a job, its overrides by key as text, its measurements as numbers."""
    import polars as pl

    keys = dict.fromkeys(key for job in jobs for key in overrides_of(job))
    names = dict.fromkeys(name for job in jobs for name in job.measurements)
    columns: dict[str, Any] = {
        "job": pl.Series([job.job for job in jobs], dtype=pl.Int64),
        "answer": pl.Series([job.answer["status"] if job.answer else None for job in jobs], dtype=pl.String),
        "verdict": pl.Series([job.verdict for job in jobs], dtype=pl.String),
        "exit_code": pl.Series([job.exit_code for job in jobs], dtype=pl.Int64),
        "error": pl.Series([job.error for job in jobs], dtype=pl.String),
        "folder": pl.Series([job.folder for job in jobs], dtype=pl.String),
    }
    for key in keys:
        name = f"override.{key}" if key in columns else key
        columns[name] = pl.Series([overrides_of(job).get(key) for job in jobs], dtype=pl.String)
    for name in names:
        columns[name] = pl.Series([finite(job.measurements.get(name)) for job in jobs], dtype=pl.Float64)
    with guarded(sweep / "sweep.parquet"):
        write_table(sweep / "sweep.parquet", "sweep", columns)


def as_markdown(summary: SweepSummary, screen: SweepScreen) -> str:
    """The content of sweep.md."""
    from auditfw.components.report.markdown import table_text
    from auditfw.core.escaping import markdown_code, markdown_text

    parts, answer = [f"# {markdown_text(summary.title)}"], screen.as_answer
    if answer is not None:
        parts += [f"## {markdown_text(answer.title)}", *([markdown_text(answer.headline)] if answer.headline else [])]
        parts.append("\n".join(f"- {markdown_text(line)}" for line in answer.because))
        parts += [f"Next: {markdown_text(answer.next)}"] if answer.next else []
    parts += [section_text(screen.release)] if screen.release is not None else []
    parts += [f"In every job: {markdown_code(summary.common)}"] if summary.common else []
    parts.append(table_text(summary.jobs))
    parts += [markdown_text(line) for line in summary.feet]
    if screen.models is not None:
        parts += [
            f"## {markdown_text(screen.models.title)}",
            table_text(screen.models.table(len(screen.models.scorings))),
        ]
    if summary.failures:
        parts += ["## Failures", "\n".join(f"- {markdown_text(line)}" for line in _lines(summary.failures))]
    if summary.numbers.rows:
        parts += ["## Where the jobs differ", table_text(summary.numbers)]
    return "\n\n".join(parts) + "\n"


def _print(summary: SweepSummary, sweep: Path, screen: SweepScreen) -> None:
    """Prints the table of all jobs, on a terminal the best and the last of them; then what follows from them."""
    from auditfw.components.report.console import from_here, printing
    from auditfw.components.report.screen.short import Screen
    from auditfw.components.report.wording import TONES

    do, seen = "", sys.stdout.isatty() and bool(screen.tables)
    if screen.doubted is not None:
        folder = from_here(str(sweep / screen.doubted.folder))
        do = f"Next: {screen.doubted.sentence}: {screen.doubted.command(typed(folder))}"
    with printing() as page:
        shown = Screen(page, LINES if seen else None)

        def block(head: str, lines: Sequence[str], style: str = "bold") -> None:
            page.head(head, style)
            page.lines(lines)

        def jobs(table: Table, *more: str) -> None:
            page.head(screen.head)
            page.compact(table)
            page.lines(more)

        shown.offer("place", lambda: page.place(str(sweep), of="sweep"), needed=True)
        first = "" if screen.models is None else screen.models.sentence
        answer = f"Answer: {screen.answer}", TONES.get(screen.status, "bold")
        last = [do] if seen else []
        if screen.answer:
            shown.offer("answer", lambda: block(answer[0], [screen.headline, *last], answer[1]), needed=True)
        failures = _lines(summary.failures)[: MOST_FAILURES if seen else None]
        shown.offer("jobs", lambda: block("Jobs", [*screen.jobs[:1], *failures]), needed=True)
        if seen:
            shown.offer("table", partial(jobs, screen.tables[0]), needed=True)
        else:
            shown.offer("table", lambda: _print_table(summary, page))
        if screen.answer and first:
            shown.offer("answer", lambda: block(answer[0], [screen.headline, first, *last], answer[1]))
        if screen.models is not None:
            most = 1 if seen else len(screen.models.scorings)
            shown.offer("models", partial(_print_models, page, screen.models, most))
        lines = [*([] if seen else filter(None, [screen.counts])), *screen.jobs]
        needed = [line for line in lines if not line.startswith(NO_GATE)]
        shown.offer("jobs", lambda: block("Jobs", [*needed, *failures]))
        _offer_release(page, shown, screen.release)
        best = [line for line in ("" if seen else screen.first, screen.best) if line]
        if best:
            shown.offer("best", partial(block, f"The best of {len(summary.jobs.rows)}", best))
        shown.offer("jobs", lambda: block("Jobs", [*lines, *failures]))
        for most, table in enumerate(screen.tables, 1) if seen else ():
            shown.offer("table", partial(jobs, table))
            if screen.models is not None:
                shown.offer("models", partial(_print_models, page, screen.models, most))
        if seen:
            shown.offer("table", partial(jobs, screen.tables[-1], screen.means))
        if do and not seen:
            shown.offer("next", lambda: page.console.print(page.text(do), soft_wrap=True))
        shown.write(PLACES)


def _offer_release(page: ConsolePage, shown: Screen, release: SuiteDecision | None) -> None:
    if release is not None:
        shown.offer("suite", partial(print_suite, page, release), needed=True)


def _print_models(page: ConsolePage, models: ModelOrders, most: int) -> None:
    page.head(models.title)
    page.compact(models.table(most))


def _print_table(summary: SweepSummary, page: ConsolePage) -> None:
    page.head(summary.title)
    page.lines([f"in every job: {summary.common}"] if summary.common else [])
    page.rows(page.stacked(_fitting(summary, page), 2), 2)
    page.lines([*summary.feet])
    if summary.numbers.rows:
        page.head("Where the jobs differ")
        shown = shortened(summary.numbers, MOST_ROWS)
        page.rows(shown, 2)
        page.lines([f"{left_out(shown.left_out)} in report.html" if shown.left_out else ""])


def _fitting(summary: SweepSummary, page: ConsolePage) -> Table:
    """The table of jobs with as many of the numbers that nobody asked for as there is room for, but one at least."""
    tables = [summary.narrowed(n) for n in range(summary.numbered, 0, -1)] or [summary.jobs]
    return next((table for table in tables if needed(page.columns(table)) <= page.width), tables[-1])


def _lines(failures: Sequence[str]) -> list[str]:
    return [" ".join(line.split("\n")) for line in failures]
