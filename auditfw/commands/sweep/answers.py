"""What the jobs of a sweep conclude, in the words of their audits: each, all together, and which one to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from auditfw.audits.answers import BY_KIND
from auditfw.core.escaping import typed
from auditfw.core.records import ORDER

from .columns import equal_jobs
from .jobs import Job

NAMED = 5  # stable jobs whose numbers are listed
SCORING, IN_DOUBT, READS_NONE = "DEPENDS ON SCORING", "LABELS ARE IN DOUBT", "READS NO ANSWERS"
PLURAL = {"DEPENDS": "DEPEND", "HOLDS": "HOLD", "MISSES": "MISS", "DOES": "DO", "READS": "READ"}


class Doubted(NamedTuple):
    """A job to read: its number, what it answers in words, its folder within the sweep's.

    `best` says of the best job that it is that, and which others are as good; `reading` is the one of the lowest error,
    where it changes labels.
    """

    job: int
    words: str
    folder: str
    best: str = ""
    reading: str = ""

    def command(self, folder: str) -> str:
        """What to type, with the folder as it is typed."""
        return f"auditfw explain {folder} {typed(self.reading)}" if self.reading else f"auditfw report {folder}"

    @property
    def sentence(self) -> str:
        if self.reading:
            return f"lowest error is not proof: read the labels that job {self.job}, {self.best}, changes"
        says = "" if self.words.partition(" ")[0].upper() in (*PLURAL, "CANNOT") else "says: "
        return f"read why job {self.job}{f', {self.best},' if self.best else ''} {says}{self.words}"


def words_of(job: Job) -> str:
    """The words of a job's answer, whoever is better; its status where it has none."""
    if job.answer and job.reads_none:
        return READS_NONE
    answer = job.answer or {}
    words = str(answer.get("words") or str(answer.get("status", "")).upper())
    return SCORING if words.endswith(SCORING) else words


def doubts_of(job: Job) -> dict[str, str]:
    """Why the labels of a job are in doubt: the findings that say so, each with what it is of; {} where not."""
    rules = (job.answer or {}).get("rules", ()) if words_of(job) == IN_DOUBT else ()
    return {one["rule"]: one.get("asks", "") for one in rules if one["fired"] and BY_KIND.get(one["rule"]) == IN_DOUBT}


def reasoned(job: Job) -> str:
    """The words of a job's answer in lower case, with why its labels are in doubt."""
    why = ", ".join(doubts_of(job))
    return words_of(job).lower() + (f" ({why})" if why else "")


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
        why = dict.fromkeys(name for job in jobs if words_of(job) == words for name in doubts_of(job))
        few = f" ({', '.join(why)})" if why else few
        parts.append(f"{_counted(counts[words], words).lower()}{few}")
    return ", ".join(parts)


def doubted_in(jobs: Sequence[Job], best: Sequence[Job] = (), reading: str = "") -> Doubted | None:
    """The first of the equally best jobs, where they are known, else the first of those with the worst answer.

    None where every answer is stable. `reading` is that of the best, where it changes labels.
    """
    held = [(str(job.answer["status"]), job) for job in jobs if job.answer]
    doubted = [(ORDER.index(status), job) for status, job in held if status != "stable"]
    if not doubted:
        return None
    if best and best[0].answer:
        equal = f" ({equal_jobs(best)})" if len(best) > 1 else ""
        return Doubted(best[0].job, words_of(best[0]).lower(), best[0].folder, f"the best{equal}", reading)
    _, job = min(doubted, key=lambda one: one[0])
    return Doubted(job.job, words_of(job).lower(), job.folder)


def _counted(n: int, words: str, of: int | None = None) -> str:
    """`26 OF 30 DEPEND ON SCORING`, or `26 OF 30: WHO IS BETTER DEPENDS ON SCORING`."""
    number = f"{n}" if of is None else f"{n} OF {of}"
    first, _, rest = words.partition(" ")
    if first in PLURAL and n != 1:
        return f"{number} {PLURAL[first]}{f' {rest}' if rest else ''}"
    return f"{number} {words}" if first in (*PLURAL, "CANNOT", "THEY") else f"{number}: {words}"
