"""The page of a sweep: its jobs with their numbers and links to their pages, and a chart of each metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from auditfw.audits.sweep_settings import SweepTable
from auditfw.components.report.html import FILE, HtmlReport
from auditfw.components.report.page.content import Folded, HtmlPage, Items, Linked, PagePart
from auditfw.components.report.wording import number, title
from auditfw.core.document import Note, Table, some
from auditfw.core.records import Answer, shortened
from auditfw.core.result_json import finite, write_whole

from .charts import FAILED, charted, charts_of
from .columns import shown
from .comparable import comparable, value_of
from .jobs import Job, styles_in, worst
from .overrides import swept_keys
from .own_choices import with_own_choices
from .table import SweepSummary, column_title, state_of

WORDS = {0: ("pass", "PASS"), 1: ("fail", "FAIL")}
TONES = {"pass": "good", "fail": "bad", "error": "bad-hatched", "inconclusive": "open"}
STATES = ("pass", "none", "inconclusive", "fail", "error", "not run")
WORDS_SHOWN = 160  # characters of a job's overrides; its own page has them all
LONG = 40  # rows of a table above which it is folded
MARKED = f"{FAILED} marks jobs that failed a gate. A dashed line is the bound of a gate on the metric shown."


def write_page(
    sweep: Path, jobs: Sequence[Job], settings: SweepTable, summary: SweepSummary, answer: Answer | None
) -> None:
    """Writes report.html into the folder of a sweep."""
    from auditfw.components.report.page.page import page_text

    page = replace(page_of(sweep, jobs, settings, summary), answer=answer)
    write_whole(str(sweep), FILE, page_text(page, HtmlReport().max_bytes))


def page_of(sweep: Path, jobs: Sequence[Job], settings: SweepTable, summary: SweepSummary) -> HtmlPage:
    """The content of the page below its answer: what failed, the jobs, the charts by metric, where the jobs differ."""
    jobs = with_own_choices(jobs, settings)
    code = worst([job.exit_code for job in jobs])
    status, word = WORDS.get(code, ("error", "ERROR"))
    if {job.verdict for job in jobs} == {"none"}:
        status, word = "none", "no gates"
    states = Counter(state_of(job) for job in jobs)
    links = [f"{row[0]}/{FILE}" if (sweep / row[0] / FILE).is_file() else "" for row in summary.jobs.rows]
    jobs_table = _numbers_first(summary.jobs)
    table = Linked(jobs_table.columns, jobs_table.rows, jobs_table.align, targets=links)
    common = [Note(f"In every job: {summary.common}")] if summary.common else []
    parts = [PagePart("Failures", [Items(summary.failures, "warning")])] if summary.failures else []
    parts.append(PagePart("Jobs", [*common, table, *([Items(summary.feet)] if summary.feet else [])]))
    parts += _charts(jobs, settings)
    parts += [PagePart("Where the Jobs Differ", [_long(summary.numbers)])] if summary.numbers.rows else []
    return HtmlPage(
        "Sweep",
        status,
        word,
        list(_lines(jobs, settings, code)),
        parts,
        sorted(states.items(), key=_place),
        tones=TONES,
    )


def _place(count: tuple[str, int]) -> int:
    return STATES.index(count[0])


def _lines(jobs: Sequence[Job], settings: SweepTable, code: int) -> Iterator[str]:
    """What the head of the page says: how it ended, between which ends the numbers of the jobs lie."""
    keys = ", ".join(key.name for key in swept_keys(jobs))
    yield f"exit code {code}, {some(len(jobs), 'job')}{f' over {keys}' if keys else ''}"
    able = [job for job in jobs if job.measurements]
    if len(able) > 1 and all(job.measurements == able[0].measurements for job in able):
        yield "every number is the same in all jobs"
    for name in shown(jobs, settings)[:1]:
        known = [(value, job) for job in jobs if (value := finite(value_of(name, job))) is not None]
        if len({value for value, _ in known}) > 1 and comparable(name, jobs):
            (low, least), (high, most) = (pick(known, key=lambda pair: pair[0]) for pick in (min, max))
            metric, styles = name.partition("@")[0], styles_in(jobs)
            ends = (f"{number(value, metric, styles)} (job {job.job})" for value, job in ((low, least), (high, most)))
            yield f"{column_title(name, styles)}: {' to '.join(ends)}"


def _charts(jobs: Sequence[Job], settings: SweepTable) -> Iterator[PagePart]:
    """A part for each metric, with its charts; the first says what their marks are."""
    marks = [Note(MARKED)] if any(job.verdict == "fail" for job in jobs) else []
    for metric, names in charted(jobs, settings).items():
        blocks = charts_of(jobs, metric, names)
        if blocks:
            yield PagePart(title(metric, styles_in(jobs)), [*marks, *blocks])
            marks = []


def _numbers_first(table: Table) -> Table:
    """The table of jobs with answers and numbers where a narrow page shows them, and of long overrides the start."""
    first, last = ("job", "answer", "status", "overrides"), ("n", "exit")
    at = {name: place for place, name in reversed(list(enumerate(table.columns))) if name in (*first, *last)}
    numbers = [place for place in range(len(table.columns)) if place not in at.values()]
    order = [*(at[name] for name in first if name in at), *numbers, *(at[name] for name in last if name in at)]
    rows = [[shortened(row[place], WORDS_SHOWN) for place in order] for row in table.rows]
    return Table([table.columns[place] for place in order], rows, "".join(table.align[place] for place in order))


def _long(table: Table) -> Table | Folded:
    return table if len(table.rows) <= LONG else Folded(some(len(table.rows), "row"), table)
