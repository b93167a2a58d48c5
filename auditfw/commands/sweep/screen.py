"""The end of a sweep on a terminal: which job is the best and what that is worth, how many hold, the answer once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, cast

from auditfw.audits.best_of import best_words
from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.suite.decision import SuiteDecision
from auditfw.components.report.wording import estimate_text, number, title
from auditfw.config.variants import known_names
from auditfw.core.digits import fixed
from auditfw.core.document import Table, capital, estimated, some, verb
from auditfw.core.escaping import typed
from auditfw.core.records import Answer, AnswerStatus
from auditfw.core.result_json import finite
from auditfw.formulas.best_of import FEWEST, best_of
from auditfw.kinds.metric_styles import style_of

from .answers import Doubted, answer_of, answers_of, doubted_in, reasoned, words_of
from .columns import Group, equal_jobs, kept, numbers_of, ranked, ranking_column
from .comparable import comparable, estimate_of, first_numbers, names_of, reading_of, unsound_of, value_of
from .jobs import FIRST, LOSSY, RATE, UNFIT, Job, codes_of, overrides_of, styles_in, swept_keys, worst
from .models import ModelOrders, model_orders

if TYPE_CHECKING:
    import polars as pl


# What the best job of a sweep is worth: nothing where jobs differ in scoring alone, else what luck leaves of it.

SCORING = ("parser", "normalizer", "matcher", "scorer", "form", "gate", "report", "metric", "audit", "gates", "metrics")
OF_SCORING = "jobs differ in scoring, not in models: the best is no better system"
RIGHT = 1  # the code of a right label
OTHER_TRIALS = "not compared: the jobs label different trials"


def best_sentence(sweep: Path, column: str, jobs: Sequence[Job]) -> str:
    """What the best of a sweep's jobs is worth, by the column that ranks them; "" where that is not known.

    Jobs whose reading accepts wrong answers, or finds none, are left out.
    """
    able = [job for job in jobs if job.measurements and column.partition("@")[0] == RATE]
    keys = {key.name.partition(".")[0] for key in swept_keys(jobs)}
    if len(able) < FEWEST or not keys:
        return ""
    if keys <= {*SCORING}:
        return OF_SCORING
    if not comparable(column, able) and "source" not in keys:
        return OTHER_TRIALS
    fair = [job for job in able if names_of(column, job) and not unsound_of(column, job)]
    tables = [_labels(sweep / job.folder, reading_of(column, job)) for job in fair]
    known = [table for table in tables if table is not None]
    if len(known) < max(FEWEST, len(fair)) or any(not table["id"].equals(known[0]["id"]) for table in known):
        return OTHER_TRIALS
    return _sentence(column, fair, known)


def _sentence(column: str, jobs: Sequence[Job], tables: Sequence[pl.DataFrame]) -> str:
    import numpy as np

    _, item = np.unique(tables[0]["item"].to_numpy(), return_inverse=True)
    every = np.all([table["right"].is_not_null().to_numpy() for table in tables], axis=0)
    trials = np.bincount(item[every])
    right = [np.bincount(item[every], table["right"].fill_null(False).to_numpy()[every]) for table in tables]
    there = trials > 0
    best = best_of(np.column_stack(right)[there].astype(np.int64), trials[there])
    if best is None:
        return ""
    job = jobs[best.best]
    estimate = estimate_of(column, job)
    return best_words(named(job, jobs), best, *((None, None) if estimate is None else (estimate.low, estimate.high)))


def named(job: Job, jobs: Sequence[Job]) -> str:
    """A job by its number, and by the words in which it differs from others."""
    own = overrides_of(job)
    return f"job {job.job} ({' '.join(f'{key.name}={own[key.name]}' for key in swept_keys(jobs) if key.name in own)})"


def _labels(folder: Path, reading: str) -> pl.DataFrame | None:
    """The labels of a job under a reading, sorted by id: `id`, `item`, `right`; None where it has none."""
    import polars as pl

    table = codes_of(folder, reading)
    return None if table is None else table.select("id", "item", (pl.col("code") == RIGHT).alias("right"))


CHANGED = "flips"  # the metric that counts changed labels
BEST, LISTED, LONGEST = 4, 3, 22  # jobs that are shown, numbers of equal ones, characters of a value
UNSOUND = {
    LOSSY: ("accepts wrong answers", "accept wrong answers"),
    UNFIT: ("reads no answers", "read no answers"),
    FIRST: ("takes the first number", "take the first number"),
}
NO_GATE = "no gate checks the answer"
HERE = "from the folder of this file"


@dataclass(frozen=True)
class SweepScreen:
    """What is printed at the end of a sweep: the best and the last jobs as a table, sentences, the answer.

    `tables` are the same with more and more rows; none where the jobs have no number in common. `first` names the best
    job where all judged the same trials; `answer` is "" where no job drew one, else
    `status` is that of the words, and `doubted` the job to read. `models` is how the models stand, where all jobs
    judged the same; `counts` how many jobs may not be the best, are equal and differ; `release` what a suite over the
    jobs decides, where one is asked for.
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
    models: ModelOrders | None = None
    counts: str = ""
    release: SuiteDecision | None = None

    @property
    def as_answer(self) -> Answer | None:
        """It as the answer of a page or another file in the folder of the sweep; None where no job drew one."""
        if not self.answer:
            return None
        best = f"{self.best.rstrip('.')}." if self.best else ""
        models = "" if self.models is None else self.models.sentence
        because = [capital(line) for line in (models, self.first, best, "; ".join(self.jobs), self.counts) if line]
        do = (
            ""
            if self.doubted is None
            else f"{self.doubted.sentence}: {self.doubted.command(typed(self.doubted.folder))} ({HERE})"
        )
        return Answer(cast(AnswerStatus, self.status), self.headline, because, do, "", words=self.answer)


def build_screen(sweep: Path, jobs: Sequence[Job], settings: SweepTable) -> SweepScreen:
    """Gathers the end of a sweep from its jobs, which have their common names. Raises UsageError for a column."""
    column = ranking_column(jobs, settings)
    groups = ranked(jobs, column, settings)
    name = title(column.partition("@")[0], styles_in(jobs))
    words, status = answer_of(jobs)
    best = best_sentence(sweep, column, jobs) if column and settings.best_of else ""
    alike = comparable(column, jobs) or best not in ("", OF_SCORING, OTHER_TRIALS)  # they are paired by id
    order = "the best first" if alike else "not of the same trials"
    models = model_orders(sweep, jobs, settings)
    same = _counts(groups, len(groups if models is None else models.scorings), column, jobs)
    first = groups[0] if len(groups) > 1 and alike else ()
    return SweepScreen(
        f"{some(len(jobs), 'job')}{f': {same};' if same else ','} {name or 'nothing in common'}, {order}",
        [_table(groups, column, jobs, most) for most in range(1, BEST + 1)] if groups else [],
        _means([job for group in groups for job in group], column),
        best,
        list(_jobs(jobs, column)),
        words,
        status,
        _between(groups, column, jobs) if alike else "",
        _first(groups, column, jobs) if alike else "",
        doubted_in(jobs, first, _proof(first, column, settings)),
        models,
        f"{some(len(jobs), 'job')}: {same}" if same else "",
    )


def _counts(groups: Sequence[Group], differ: int, column: str, jobs: Sequence[Job]) -> str:
    """How many jobs may not be the best and why, have the labels of others, and differ; "" where all differ.

    These add up to the jobs.
    """
    ranked = {job.job for group in groups for job in group}
    if not column or differ == len(jobs):
        return ""
    counts = Counter(unsound_of(column, job) for job in jobs if job.job not in ranked)
    without, out = counts.pop("", 0), counts.total()
    why = ", ".join(f"{n} {verb(n, *UNSOUND[rule])}" for rule, n in counts.items())
    equal = len(ranked) - differ
    parts = [f"{out} left out ({why})" if out else "", f"{without} without a number" if without else ""]
    parts += [f"{equal} {verb(equal, 'equals another', 'equal others')}" if equal else ""]
    return ", ".join([*filter(None, parts), f"{differ} {verb(differ, 'differs', 'differ')}"])


def _proof(best: Sequence[Job], column: str, settings: SweepTable) -> str:
    """The reading of the best job where it has the lowest error and changes labels, else ""."""
    if not best or column.partition("@")[0] != RATE or settings.best == "max":
        return ""
    own = column if "@" in column else next(iter(names_of(column, best[0])), "")
    changed = best[0].measurements.get(f"{CHANGED}@{own.partition('@')[2]}")
    return reading_of(column, best[0]) if changed else ""


def _between(groups: Sequence[Group], column: str, jobs: Sequence[Job]) -> str:
    """From the least to the largest number of the jobs that may be the best."""
    ends = sorted(value_of(column, group[0]) or 0.0 for group in groups)
    texts = [_short_number(end, column, jobs) for end in (ends[0], ends[-1])] if len(ends) > 1 else []
    style = style_of(column.partition("@")[0], styles_in(jobs))
    name = capital(style.title or title(column.partition("@")[0], styles_in(jobs)))
    return f"{name}: {f'{texts[0]} to {texts[1]} {style.unit}'.rstrip()}." if texts else ""


def _first(groups: Sequence[Group], column: str, jobs: Sequence[Job]) -> str:
    """The best job with its number, and which others are equal; "" where there is no other."""
    if len(groups) < 2:
        return ""
    name = title(column.partition("@")[0], styles_in(jobs))
    best = f"best: {named(groups[0][0], jobs)}, {name} {_value(column, groups[0][0])}"
    return "; ".join(text for text in (best, equal_jobs(groups[0])) if text)


def _table(groups: Sequence[Group], column: str, jobs: Sequence[Job], most: int) -> Table:
    """A row for each of the `most` best groups of equal jobs, how many jobs are between, and the last.

    What a job answers has a column where that is not the same in all shown.
    """
    keys = swept_keys(jobs)
    answers = len({words_of(job) for group, _ in kept(groups, BEST) for job in group}) > 1
    rows = []
    for group, between in kept(groups, most):
        rows += [[f"… {between:,} more", *[""] * (len(keys) + 1 + answers)]] if between else []
        rows.append([*_row(group, column, jobs), *([reasoned(group[0])] if answers else [])])
    names = [key.name.rpartition(".")[2] for key in keys]
    metric = title(column.partition("@")[0], styles_in(jobs))
    return Table(["job", *names, metric, *(["answer"] if answers else [])], rows, "<" * (len(keys) + 2 + answers))


def _row(group: Group, column: str, jobs: Sequence[Job]) -> list[str]:
    cells = []
    for key in swept_keys(jobs):
        own = list(dict.fromkeys(overrides_of(job).get(key.name, "") or "not set" for job in group))
        every = len(own) == len(key.values) > 1
        cells.append(_short("both" if every and len(own) == 2 else "all" if every else ", ".join(own)))
    return [numbers_of(group, LISTED), *cells, _value(column, group[0])]


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


def _jobs(jobs: Sequence[Job], column: str) -> Iterator[str]:
    """How many jobs have which answer, what failed, what takes the first number, whether a gate checks the answer."""
    failed, listed = [job for job in jobs if job.error], answers_of(jobs)
    ended = f"{some(len(failed), 'job')} failed" if failed else "no job failed"
    yield f"{f'{listed}; ' if listed else ''}{ended} (exit {worst([job.exit_code for job in jobs])})"
    yield from first_numbers(column, jobs)
    asked = any(gate.answer is not None for job in jobs for gate in job.gates)
    if listed and not asked and any(job.answer and job.answer["status"] != "stable" for job in jobs):
        known = known_names("gate")
        gates = dict.fromkeys(gate.name for job in jobs for gate in job.gates if gate.name in known)
        yield f"{NO_GATE}: gate=[{','.join([*gates, 'stable'])}]"
