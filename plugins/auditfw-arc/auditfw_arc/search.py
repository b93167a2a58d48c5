"""One request as a slice of a search that goes on from request to request."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from auditfw import Ask, Attempt, Problem, Reply

from . import SearchSolver
from .boards import read_grid
from .explore import Candidate, Search

KEPT = 1  # a loop finishes one problem before it begins another


@dataclass
class Session:
    """A search under way: how many requests it has served, and what was tried by then."""

    search: Search
    served: int = 0
    tried: list[tuple[str, float]] = field(default_factory=list)


_sessions: dict[str, Session] = {}


def reply_to(ask: Ask, solver: SearchSolver) -> Reply:
    """What one request gives."""
    key = _digest(ask.problem, solver)
    session = _sessions.pop(key, None)
    tried = [(attempt.program, attempt.score) for attempt in ask.history]
    if session is None or session.served != ask.iteration - 1 or session.tried != tried[: len(session.tried)]:
        session = _begin(ask.problem)
    if session is None:
        return Reply(why="the problem is not made of grids of the numbers 0 to 9", seconds=0.0)
    while session.served < ask.iteration - 1:
        _slice(solver, session, [attempt for attempt in ask.history if attempt.number <= session.served], None)
    spent = _slice(solver, session, ask.history, ask.timeout)
    _sessions[key] = session
    while len(_sessions) > KEPT:
        _sessions.pop(next(iter(_sessions)))
    return _reply(solver, session, spent)


def _slice(solver: SearchSolver, session: Session, history: Sequence[Attempt], timeout: float | None) -> float:
    """One request's worth of search, and the seconds of work it took."""
    search = session.search
    session.served += 1
    session.tried = [(attempt.program, attempt.score) for attempt in history]
    _follow(search, session.tried)
    start = search.work
    end = start + (solver.seconds if timeout is None else min(solver.seconds, timeout))
    tried = {program for program, _ in session.tried}
    while search.work < end and not _sure(solver, search, tried) and search.step():
        pass
    return round(search.work - start, 9)


def _sure(solver: SearchSolver, search: Search, tried: set[str]) -> bool:
    return any(_fits(solver, found) and found.program not in tried for found in search.found.values())


def _fits(solver: SearchSolver, candidate: Candidate) -> bool:
    return candidate.miss == 0 and candidate.cost <= solver.caution


def _reply(solver: SearchSolver, session: Session, spent: float) -> Reply:
    tried = {program for program, _ in session.tried}
    left = [c for c in session.search.found.values() if c.program not in tried and (c.miss or _fits(solver, c))]
    if not left:
        return Reply(why="no further program was found", seconds=spent)
    best = min(left, key=lambda candidate: candidate.rank)
    outputs = [None if grid is None else grid.tolist() for grid in best.grids()]
    return Reply(program=best.program, outputs=outputs, seconds=spent)


def _begin(problem: Problem) -> Session | None:
    inputs = [read_grid(example.input) for example in (*problem.train, *problem.test)]
    outputs = [read_grid(example.output) for example in problem.train]
    found_inputs = [grid for grid in inputs if grid is not None]
    found_outputs = [grid for grid in outputs if grid is not None]
    if len(found_inputs) < len(inputs) or len(found_outputs) < len(outputs) or not outputs:
        return None
    return Session(Search(found_inputs, found_outputs))


def _follow(search: Search, tried: Sequence[tuple[str, float]]) -> None:
    """Brings forward what builds on the best attempt so far, the latest of equals."""
    if not tried:
        return
    program, score = max(reversed(tried), key=lambda pair: pair[1])
    if program in search.found and score > 0:
        search.favour(search.found[program].origin, score)


def _digest(problem: Problem, solver: SearchSolver) -> str:
    question = [[[e.input, e.output] for e in problem.train], [e.input for e in problem.test], repr(solver)]
    return hashlib.sha256(json.dumps(question, default=repr).encode()).hexdigest()
