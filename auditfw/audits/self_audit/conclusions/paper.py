"""Two sentences for a paper: how many problems were solved, and how many of the answers are wrong on the tests."""

from __future__ import annotations

from auditfw.audits.paper import all_of, made_by, paper_section, percent
from auditfw.audits.self_audit.counts import LoopTable
from auditfw.audits.self_audit.readings import LIVE
from auditfw.core.document import Section, some, verb
from auditfw.core.statistics import wilson


def paper(tally: LoopTable, most: int, read: int) -> Section:
    """The section of `read` problems with at most so many attempts each; empty where no loop has a result."""
    live = tally.of(LIVE, None)
    n, solved, tested, wrong = live.counted, live.solved, live.solved_tested, live.solved_wrong
    if not n:
        return paper_section([])
    problems = all_of(n, read, "problem")
    attempts = some(most, "attempt")
    rate = percent(solved / n, *wilson(solved, n))
    tests = "; whether they are right on tests is not known" if solved else ""
    if tested:
        right = percent(wrong / tested, *wilson(wrong, tested))
        tests = (
            f"; of {tested:,} solved with known tests {wrong:,} {verb(wrong, 'is', 'are')} wrong on the tests, {right}"
        )
    return paper_section(
        [
            f"We audited the loops of {problems}, with at most {attempts} each ({made_by(tally.seed)}).",
            f"They solved {solved:,}, {rate}{tests}.",
        ]
    )
