"""The end of a sweep on a terminal: which job is the best and what that is worth, how many hold, the answer once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import cast

from auditfw.audits.claims import side_of
from auditfw.audits.sweep_settings import SweepTable
from auditfw.components.report.wording import estimate_text, number, title
from auditfw.core.digits import fixed
from auditfw.core.document import Table, capital, estimated, some
from auditfw.core.errors import AuditError
from auditfw.core.escaping import typed
from auditfw.core.records import Answer, AnswerStatus
from auditfw.core.result_json import finite
from auditfw.kinds.metric_styles import style_of

from .answers import Doubted, answer_of, answers_of, doubted_in, words_of
from .best import OF_SCORING, OTHER_TRIALS, best_sentence, named
from .columns import shown
from .comparable import comparable, estimate_of, is_lossy, value_of
from .jobs import Job, styles_in, worst
from .overrides import overrides_of, swept_keys

BEST, LISTED, LONGEST = 4, 3, 22  # jobs that are shown, numbers of equal ones, characters of a value
HERE = "from the folder of this file"


@dataclass(frozen=True)
class SweepScreen:
    """What is printed at the end of a sweep: the best and the last jobs as a table, sentences, the answer.

    `tables` are the same with more and more rows; none where the jobs have no number in common. `first` names the best
    job where all judged the same trials; `answer` is "" where no job drew one, else `status` is that of the words, and
    `doubted` the job to read.
    """

    head: str
    tables: Sequence[Table]
    means: str
    best: str
    jobs: Sequence[str]
    answer: str
    status: str
    headline: str
    first: str = ""
    doubted: Doubted | None = None

    @property
    def as_answer(self) -> Answer | None:
        """It as the answer of a page or another file in the folder of the sweep; None where no job drew one."""
        if not self.answer:
            return None
        best = f"{self.best.rstrip('.')}." if self.best else ""
        because = [capital(line) for line in (self.first, best, "; ".join(self.jobs)) if line]
        do = (
            ""
            if self.doubted is None
            else f"{self.doubted.sentence}: auditfw report {typed(self.doubted.folder)} ({HERE})"
        )
        return Answer(cast(AnswerStatus, self.status), self.headline, because, do, "", words=self.answer)


def build_screen(sweep: Path, jobs: Sequence[Job], settings: SweepTable) -> SweepScreen:
    """Gathers the end of a sweep from its jobs, which have their common names. Raises UsageError for a column."""
    columns = shown(jobs, settings)
    asked = [name for name in columns if settings.sort_by in (name, name.partition("@")[0])]
    column = next(iter([*asked, *columns]), "")
    fair = [job for job in jobs if column and value_of(column, job) is not None and not is_lossy(column, job)]
    groups = _ranked(fair, column, settings)
    name = title(column.partition("@")[0], styles_in(jobs))
    lossy = sum(is_lossy(column, job) for job in jobs) if column else 0
    left = f"; {some(lossy, 'job')} of readings that accept wrong answers left out" if lossy else ""
    same = f" ({len(groups)} differ{left})" if len(groups) < len(jobs) else ""
    words, status = answer_of(jobs)
    best = best_sentence(sweep, column, jobs) if column and settings.best_of else ""
    alike = comparable(column, jobs) or best not in ("", OF_SCORING, OTHER_TRIALS)  # they are paired by id
    order = "the best first" if alike else "not of the same trials"
    ends = [value_of(column, group[0]) or 0.0 for group in (groups[0], groups[-1])] if len(groups) > 1 else []
    texts = [_short_number(end, column, jobs) for end in sorted(ends)]
    between = ""
    if texts and alike:
        style = style_of(column.partition("@")[0], styles_in(jobs))
        between = f"{capital(style.title or name)}: {f'{texts[0]} to {texts[1]} {style.unit}'.rstrip()}."
    return SweepScreen(
        f"{some(len(jobs), 'job')}, {name or 'nothing in common'}, {order}{same}",
        [_table(groups, column, jobs, most) for most in range(1, BEST + 1)] if groups else [],
        _means(fair, column),
        best,
        list(_jobs(jobs)),
        words,
        status,
        between,
        _first(groups, column, jobs) if alike else "",
        doubted_in(jobs),
    )


def _first(groups: Sequence[Sequence[Job]], column: str, jobs: Sequence[Job]) -> str:
    """The best job with its number; "" where there is no other."""
    if len(groups) < 2:
        return ""
    name = title(column.partition("@")[0], styles_in(jobs))
    return f"best: {named(groups[0][0], jobs)}, {name} {_value(column, groups[0][0])}"


def _ranked(jobs: Sequence[Job], column: str, settings: SweepTable) -> list[list[Job]]:
    """The jobs by a column, the better end first; those with equal numbers together."""
    metric = column.partition("@")[0]
    sign = {"max": -1.0, "min": 1.0}.get(settings.best or "", _sign(metric))
    groups: dict[tuple[object, ...], list[Job]] = {}
    for job in sorted(jobs, key=lambda one: (sign * (value_of(column, one) or 0.0), one.job)):
        groups.setdefault(_numbers(column, job), []).append(job)
    return list(groups.values())


def _sign(metric: str) -> float:
    """1 where less is better, or nothing is known of a metric."""
    with suppress(AuditError):
        return -1.0 if side_of(metric) == "higher" else 1.0
    return 1.0


def _numbers(column: str, job: Job) -> tuple[object, ...]:
    """What two jobs with the same labels have in common: every number of the reading that ranks them."""
    reading = column.partition("@")[2]
    own = {name: value for name, value in job.measurements.items() if name.partition("@")[2] == reading or not reading}
    return value_of(column, job), *sorted((name.partition("@")[0], str(value)) for name, value in own.items())


def _table(groups: Sequence[Sequence[Job]], column: str, jobs: Sequence[Job], most: int) -> Table:
    """A row for each of the `most` best groups of equal jobs, how many jobs are between, and the last."""
    keys = swept_keys(jobs)
    places = list(range(len(groups)))
    kept = places if len(places) <= most + 1 else [*places[:most], places[-1]]
    rows = [_row(groups[at], column, jobs) for at in kept]
    if len(kept) < len(places):
        between = sum(len(groups[at]) for at in places[most:-1])
        rows.insert(most, ["…", f"{between} more", *[""] * (len(keys) + 1)])
    names = [key.name.rpartition(".")[2] for key in keys]
    metric = title(column.partition("@")[0], styles_in(jobs))
    return Table(["job", *names, metric, "answer"], rows, "<" * (len(keys) + 3))


def _row(group: Sequence[Job], column: str, jobs: Sequence[Job]) -> list[str]:
    numbers = [str(job.job) for job in group]
    more = f" +{len(numbers) - LISTED}" if len(numbers) > LISTED else ""
    cells = []
    for key in swept_keys(jobs):
        own = list(dict.fromkeys(overrides_of(job).get(key.name, "") or "not set" for job in group))
        every = len(own) == len(key.values) > 1
        cells.append(_short("both" if every and len(own) == 2 else "all" if every else ", ".join(own)))
    return [", ".join(numbers[:LISTED]) + more, *cells, _value(column, group[0]), words_of(group[0]).lower()]


def _short_number(value: float, column: str, jobs: Sequence[Job]) -> str:
    """A number without an interval: percent as a whole number."""
    metric, styles = column.partition("@")[0], styles_in(jobs)
    return fixed(value, 0) if style_of(metric, styles).unit == "%" else number(value, metric, styles)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"…{text[1 - LONGEST :]}"


def _value(column: str, job: Job) -> str:
    """The number with its interval, in as many places as that bears."""
    metric, estimate = column.partition("@")[0], estimate_of(column, job)
    if estimate is None or (value := finite(estimate.value)) is None:
        return ""
    if style_of(metric, job.styles).unit == "%":
        return estimated(value, finite(estimate.low), finite(estimate.high))
    return estimate_text(estimate, metric, job.styles)


def _means(jobs: Sequence[Job], column: str) -> str:
    """The means by the values of each swept key that has several."""
    parts = []
    for key in swept_keys(jobs):
        means = []
        for value in key.values:
            same = [job for job in jobs if overrides_of(job).get(key.name, "") == value]
            own = [known for job in same if (known := value_of(column, job)) is not None]
            means += [fsum(own) / len(own)] if own else []
        texts = [_short_number(mean, column, jobs) for mean in sorted(means)]
        if len(texts) > 1:
            parts.append(f"{key.name} {texts[0]} {'and' if len(texts) == 2 else 'to'} {texts[-1]}")
    return f"means: {', '.join(parts)}" if parts else ""


def _jobs(jobs: Sequence[Job]) -> Iterator[str]:
    """How many jobs have which answer, what failed, whether a gate checks the answer."""
    failed, listed = [job for job in jobs if job.error], answers_of(jobs)
    ended = f"{some(len(failed), 'job')} failed" if failed else "no job failed"
    yield f"{f'{listed}; ' if listed else ''}{ended} (exit {worst([job.exit_code for job in jobs])})"
    asked = any(gate.answer is not None for job in jobs for gate in job.gates)
    if listed and not asked and any(job.answer and job.answer["status"] != "stable" for job in jobs):
        yield "no gate checks the answer: gate=[baseline_reproduces,stable]"
