"""What the best job of a sweep is worth: nothing where jobs differ in scoring alone, else what luck leaves of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from auditfw.audits.best_of import best_words
from auditfw.core.errors import AuditError
from auditfw.formulas.ranking.best_of import FEWEST, best_of

from .comparable import comparable, estimate_of, names_of
from .jobs import Job
from .overrides import overrides_of, swept_keys

if TYPE_CHECKING:
    import polars as pl

SCORING = ("parser", "normalizer", "matcher", "scorer", "form", "gate", "report", "metric", "audit", "gates", "metrics")
RATE = "error_rate"
OF_SCORING = "jobs differ in scoring, not in models: the best is no better system"
OTHER_TRIALS = "not compared: the jobs label different trials"
RIGHT = 1  # the code of a right label


def best_sentence(sweep: Path, column: str, jobs: Sequence[Job]) -> str:
    """What the best of a sweep's jobs is worth, by the column that ranks them; "" where that is not known.

    Jobs whose reading accepts wrong answers are left out.
    """
    able = [job for job in jobs if job.measurements and column.partition("@")[0] == RATE]
    keys = {key.name.partition(".")[0] for key in swept_keys(jobs)}
    if len(able) < FEWEST or not keys:
        return ""
    if keys <= {*SCORING}:
        return OF_SCORING
    if not comparable(column, able) and "source" not in keys:
        return OTHER_TRIALS
    fair = [job for job in able if names_of(column, job) and names_of(column, job)[0] not in job.lossy]
    tables = [_labels(sweep / job.folder, names_of(column, job)[0].partition("@")[2]) for job in fair]
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

    try:
        table = pl.read_parquet(folder / "trials.parquet")
        code = pl.col(f"code.{reading}")
        item = pl.coalesce(pl.col("row.item"), pl.col("id")) if "row.item" in table.columns else pl.col("id")
        kept = table.filter(code.is_not_null())
        return kept.select("id", item.alias("item"), (code == RIGHT).alias("right")).sort("id")
    except (OSError, AuditError, pl.exceptions.PolarsError):
        return None
