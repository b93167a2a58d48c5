"""The refusal of a sweep where a verb takes one run: it names the best job, else the one that most needs a look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from auditfw.audits.sweep_settings import SweepTable
from auditfw.core.errors import UsageError
from auditfw.core.escaping import typed
from auditfw.core.result_json import RESULT

from .columns import best_jobs
from .folder import FILE, job_folders, read_plan
from .jobs import Job, gather, with_own_choices

ORDERED = ("broken", "fragile", "fail", "unknown", "inconclusive", "stable", "pass", "none")


def refuse_sweep(folder: Path, verb: str, further: Sequence[str] = ()) -> None:
    """Asks for one job of a sweep. Raises UsageError with the command for the best, else the worst of them.

    Nothing happens for a run. Where two are compared, the second one is the first of the others. The command keeps the
    further words.
    """
    if not folder.is_dir() or (folder / RESULT).exists() or not ((folder / FILE).exists() or job_folders(folder)):
        return
    jobs = gather(folder)
    finished = [job for job in jobs if job.verdict is not None]
    if not finished:
        do = f"write auditfw sweep {typed(str(folder))}"
        raise UsageError(str(folder), "is a sweep none of whose jobs has a result", None, do)
    counts = Counter(map(_came_to, finished))
    best = best_of(folder, jobs)
    numbers = {job.job for job in best}
    first = best[0] if best else min(finished, key=lambda job: (ORDERED.index(_came_to(job)), job.job))
    others = [job for job in finished if job.job not in {*numbers, first.job}]
    came = ", ".join(f"{n} {name}" for name, n in sorted(counts.items(), key=lambda one: ORDERED.index(one[0])))
    named = [first, *others[:1]] if verb == "compare" else [first]
    words = " ".join(typed(word) for word in (*(str(folder / job.folder) for job in named), *further))
    do = f"name {'two' if len(named) > 1 else 'one'}{', as the best' if best else ''}: auditfw {verb} {words}"
    raise UsageError(str(folder), f"is a sweep of {len(jobs)} jobs", came, do)


def best_of(folder: Path, jobs: Sequence[Job]) -> Sequence[Job]:
    """The equally best jobs by the table of their sweep; none where they cannot be ranked."""
    plan = read_plan(folder)
    table = plan.table if plan is not None else {}
    settings = SweepTable(tuple(table.get("metrics", ())), table.get("sort_by"), table.get("best"))
    try:
        return best_jobs(with_own_choices(jobs, settings), settings)
    except UsageError:
        return ()


def _came_to(job: Job) -> str:
    """What a job came to in a word: its answer, else its verdict."""
    word = str(job.answer["status"] if job.answer else job.verdict)
    return word if word in ORDERED else "none"
