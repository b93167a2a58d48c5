"""What the self-audit puts on a page: the soft score of every attempt, and a gallery of problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.core.digits import fixed
from auditfw.core.document import Exhibit, Gallery, Matrix, Note, Section, Snippet, snippet
from auditfw.kinds.solving import Problem

from .counts import LoopTable
from .exhibits import Traced, pictures, traced
from .scoring import HEAD, TAIL, LoopDone

NONE = "–"
MOST_COLUMNS = 50
MOST_SCORES = 12  # of one problem, spelled out
OPEN = "stored attempts end"


@dataclass(frozen=True)
class PageProblems:
    """The problems that a page shows with their attempts from the journal; `drawn` are those of the gallery."""

    lowest: Sequence[LoopDone]
    drawn: Sequence[LoopDone]
    traces: Mapping[str, Traced]
    problems: Mapping[str, Problem]

    @classmethod
    def of(cls, loops: LoopTable, problems: Iterable[Problem], journal: Any, ties: Any) -> PageProblems:
        """What is known of the problems chosen; `journal(ids)` gives their attempts as they were written down."""
        lowest, drawn = loops.lowest, loops.drawn
        ids = list(dict.fromkeys(seen.id for seen in (*lowest, *drawn)))
        shown = {seen.id for seen in drawn}
        traces = traced(journal(ids), ties, ids)
        return cls(lowest, drawn, traces, {one.id: one for one in problems if one.id in shown})


def timeline(page: PageProblems, total: int) -> Section:
    """The soft score of every attempt, the problems of the lowest scores first."""
    section = Section("Soft Scores by Iteration", page=True)
    known = [(loop, page.traces[loop.id].scores) for loop in page.lowest]
    n = max((max(scores, default=0) for _, scores in known), default=0)
    if not n:
        return section
    columns = range(1, min(n, MOST_COLUMNS) + 1)
    values = [[scores.get(number) for number in columns] for _, scores in known]
    cut = f" (the first {MOST_COLUMNS} of {n})" if n > MOST_COLUMNS else ""
    matrix = Matrix(
        title=f"Soft score of each attempt, problems with the lowest scores first{cut}",
        corner="problem",
        rows=[loop.id for loop, _ in known],
        columns=[str(number) for number in columns],
        values=values,
        shown=[["" if value is None else fixed(value, 2) for value in row] for row in values],
        ends=(0.0, 1.0),
        notes=[loop.reason or OPEN for loop, _ in known],
        note="stop reason",
        left_out=total - len(known),
    )
    section.blocks.append(matrix)
    return section


def gallery(page: PageProblems, by: Sequence[str], total: int, seed: int) -> Section:
    """Problems with their best attempt: grids where they are of that form, else program and feedback."""
    section = Section("Browse Problems", page=True)
    if not page.drawn:
        return section
    facets = [("solved",), ("stop reason",), *((name,) for name in by)]
    exhibits = [_exhibit(loop, page.traces[loop.id], page.problems[loop.id], by) for loop in page.drawn]
    how = f"A balanced random sample (seed {seed}) of every stop reason. " if len(exhibits) < total else ""
    section.blocks.append(Note(f"{how}The lowest scores come first; each problem shows its best attempt."))
    section.blocks.append(Gallery(facets, exhibits, total, "problems"))
    return section


def _exhibit(loop: LoopDone, trace: Traced, problem: Problem, by: Sequence[str]) -> Exhibit:
    best = trace.best
    cell = [(name, str(value)) for name, value in zip(by, loop.cell, strict=True)]
    solved, reason = _word(loop.solved), loop.reason or OPEN
    scores = [NONE if score is None else fixed(score, 4) for score in list(trace.scores.values())[:MOST_SCORES]]
    more = len(trace.scores) - len(scores)
    facts = [("solved", solved), ("stop reason", reason), *cell, ("attempts", str(len(trace.scores)))]
    facts.append(("scores", ", ".join([*scores, *([f"and {more:,} more"] if more else [])])))
    grids, texts = [], [snippet("no attempt could be evaluated", trace.why or "no attempt was made", HEAD)]
    if best:
        facts.append(("best attempt", f"{best['attempt']}, score {fixed(best['score'], 4)}"))
        facts.append(("tests right", _word(best["tests"])))
        texts = _texts(best)
        if best["outputs"] is not None:
            grids = pictures(problem, best["outputs"])
        else:
            facts.append(("outputs", "not in the journal"))
    return Exhibit(loop.id, facts, texts, grids, [[(solved,)], [(reason,)], *([(value,)] for _, value in cell)])


def _texts(best: Mapping[str, Any]) -> list[Snippet]:
    named = (("program", best["program"]), ("feedback", best["feedback"]))
    return [snippet(name, text, HEAD, TAIL) for name, text in named if text]


def _word(known: bool | None) -> str:
    return "unknown" if known is None else "yes" if known else "no"
