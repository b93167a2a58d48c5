"""What the jobs of a sweep conclude, in the words of their audits: each, all together, and which one to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from auditfw.core.records import ORDER

from .jobs import Job

NAMED = 5  # stable jobs whose numbers are listed
SCORING = "DEPENDS ON SCORING"
PLURAL = {"DEPENDS": "DEPEND", "HOLDS": "HOLD", "MISSES": "MISS", "DOES": "DO"}


class Doubted(NamedTuple):
    """A job to read: its number, what it answers in words, and its folder within the sweep's."""

    job: int
    words: str
    folder: str

    @property
    def sentence(self) -> str:
        says = "" if self.words.partition(" ")[0].upper() in (*PLURAL, "CANNOT") else "says: "
        return f"read why job {self.job} {says}{self.words}"


def words_of(job: Job) -> str:
    """The words of a job's answer, whoever is better; its status where it has none."""
    answer = job.answer or {}
    words = str(answer.get("words") or str(answer.get("status", "")).upper())
    return SCORING if words.endswith(SCORING) else words


def answer_of(jobs: Sequence[Job]) -> tuple[str, str]:
    """What most of the worst off jobs say, and its status; empty where no job drew an answer."""
    drawn = [job for job in jobs if job.answer]
    if not drawn:
        return "", ""
    status = min((str((job.answer or {})["status"]) for job in drawn), key=[*map(str, ORDER)].index)
    counts: Mapping[str, int] = Counter(words_of(job) for job in drawn if (job.answer or {})["status"] == status)
    words = max(counts, key=lambda one: counts[one])
    return _counted(counts[words], words, len(jobs)), status


def answers_of(jobs: Sequence[Job]) -> str:
    """How many jobs have which answer, the worst first, and which ones are stable; "" where none has one."""
    drawn = [(words_of(job), str(job.answer["status"]), str(job.job)) for job in jobs if job.answer]
    counts = Counter(words for words, _, _ in drawn)
    places = {words: min(ORDER.index(status) for own, status, _ in drawn if own == words) for words in counts}
    parts = []
    for words in sorted(counts, key=lambda one: (places[one], one)):
        stable = [number for own, status, number in drawn if own == words and status == "stable"]
        few = f" ({'job' if len(stable) == 1 else 'jobs'} {', '.join(stable)})" if 0 < len(stable) <= NAMED else ""
        parts.append(f"{_counted(counts[words], words).lower()}{few}")
    return ", ".join(parts)


def doubted_in(jobs: Sequence[Job]) -> Doubted | None:
    """The first of the jobs with the worst answer; None where every answer is stable."""
    held = [(str(job.answer["status"]), job) for job in jobs if job.answer]
    doubted = [(ORDER.index(status), job) for status, job in held if status != "stable"]
    if not doubted:
        return None
    _, job = min(doubted, key=lambda one: one[0])
    return Doubted(job.job, words_of(job).lower(), job.folder)


def _counted(n: int, words: str, of: int | None = None) -> str:
    """`26 OF 30 DEPEND ON SCORING`, or `26 OF 30: WHO IS BETTER DEPENDS ON SCORING`."""
    number = f"{n}" if of is None else f"{n} OF {of}"
    first, _, rest = words.partition(" ")
    if first in PLURAL and n != 1:
        return f"{number} {PLURAL[first]}{f' {rest}' if rest else ''}"
    return f"{number} {words}" if first in (*PLURAL, "CANNOT", "THEY") else f"{number}: {words}"
