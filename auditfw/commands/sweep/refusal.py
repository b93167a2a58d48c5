"""The refusal of a sweep where a verb takes one run: it names the job that most needs a look."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from auditfw.core.errors import UsageError
from auditfw.core.escaping import typed
from auditfw.core.result_json import RESULT

from .folder import FILE, job_folders
from .jobs import Job, gather

ORDERED = ("broken", "fragile", "fail", "unknown", "inconclusive", "stable", "pass", "none")


def refuse_sweep(folder: Path, verb: str) -> None:
    """Asks for one job of a sweep. Raises UsageError with the command for the worst of them; nothing for a run."""
    if not folder.is_dir() or (folder / RESULT).exists() or not ((folder / FILE).exists() or job_folders(folder)):
        return
    jobs = gather(folder)
    finished = [job for job in jobs if job.verdict is not None]
    if not finished:
        do = f"write auditfw sweep {typed(str(folder))}"
        raise UsageError(str(folder), "is a sweep none of whose jobs has a result", None, do)
    counts = Counter(map(_came_to, finished))
    first = min(finished, key=lambda job: (ORDERED.index(_came_to(job)), job.job))
    came = ", ".join(f"{n} {name}" for name, n in sorted(counts.items(), key=lambda one: ORDERED.index(one[0])))
    do = f"name one: auditfw {verb} {typed(str(folder / first.folder))}"
    raise UsageError(str(folder), f"is a sweep of {len(jobs)} jobs", came, do)


def _came_to(job: Job) -> str:
    """What a job came to in a word: its answer, else its verdict."""
    word = str(job.answer["status"] if job.answer else job.verdict)
    return word if word in ORDERED else "none"
