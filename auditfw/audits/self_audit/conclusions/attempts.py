"""What each further attempt takes and brings, over all loops: what the curve and the first screen are drawn from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from auditfw.audits.self_audit.readings import Allowed
from auditfw.core.digits import fixed, short
from auditfw.core.document import some
from auditfw.core.statistics import ExactSum
from auditfw.kinds.ledger import Spent

COSTS = ("seconds", "tokens", "cost")
ROWS = 6  # of joined attempts
DIGITS = 3


@dataclass
class AttemptCosts:
    """What some attempts took together; the costs that not all of them report are `unknown`."""

    requests: int = 0
    sums: dict[str, ExactSum] = field(default_factory=lambda: {name: ExactSum() for name in COSTS})
    unknown: set[str] = field(default_factory=set)

    def add(self, spent: Spent) -> None:
        """Counts an attempt."""
        self.requests += spent.requests
        for name, total in self.sums.items():
            value = getattr(spent, name)
            if value is None:
                self.unknown.add(name)
            total.add(float(value or 0))

    def merge(self, other: AttemptCosts) -> None:
        """Adds further attempts."""
        self.requests += other.requests
        self.unknown |= other.unknown
        for name, total in self.sums.items():
            total.merge(other.sums[name])


@dataclass
class Point:
    """The loops of which it is known what so many iterations give: how many, how many solved, the sum of scores.

    `asked` loops made the last of these iterations, which took `costs`.
    """

    known: int = 0
    solved: int = 0
    score: ExactSum = field(default_factory=ExactSum)
    asked: int = 0
    costs: AttemptCosts = field(default_factory=AttemptCosts)

    def add(self, allowed: Allowed) -> None:
        """Counts a loop."""
        self.known += 1
        self.solved += allowed.solved
        self.score.add(allowed.score)
        if allowed.spent is not None:
            self.asked += 1
            self.costs.add(allowed.spent)


@dataclass
class JoinedAttempts:
    """The attempts `first` to `last` of all loops: loops `asked` at these two, `new` and all problems solved."""

    first: int
    last: int
    asked: tuple[int, int]
    new: int
    solved: int
    costs: AttemptCosts

    def join(self, other: JoinedAttempts) -> None:
        """Takes in the attempts that come after."""
        self.last, self.asked = other.last, (self.asked[0], other.asked[1])
        self.new, self.solved = self.new + other.new, other.solved
        self.costs.merge(other.costs)

    def costs_as(self, other: JoinedAttempts) -> bool:
        """Whether a solved problem takes as many requests in both."""
        return self.costs.requests * other.new == other.costs.requests * self.new


def joined_attempts(points: Sequence[Point], most: int) -> list[JoinedAttempts]:
    """At most so many rows of attempts: those that solve nothing with the next that does, and equal ones together.

    What a solved problem takes in requests is equal in these; what is more than `most` rows is the last of them.
    """
    rows: list[JoinedAttempts] = []
    before, open_ = 0, False
    for at, point in enumerate(points, start=1):
        if not point.asked:
            break
        costs = AttemptCosts()
        costs.merge(point.costs)
        own = JoinedAttempts(at, at, (point.asked, point.asked), point.solved - before, point.solved, costs)
        if open_:
            rows[-1].join(own)
        else:
            rows.append(own)
        before, open_ = point.solved, not rows[-1].new
        if not open_ and len(rows) > 1 and rows[-2].costs_as(rows[-1]):
            last = rows.pop()
            rows[-1].join(last)
    for own in rows[most:]:
        rows[most - 1].join(own)
    return rows[:most]


def stopping_before(points: Sequence[Point], n: int) -> str:
    """What stopping before the dearest attempts would have solved, and for what, as a sentence; "" where none is.

    Dearest are those that take most of a cost for each problem that they solve, or solve nothing more: of the cost if
    all attempts report it, else of the tokens, else of the requests. What they give is to be known of all `n` loops.
    """
    rows = joined_attempts(points, ROWS)
    if not rows or not rows[-1].solved or any(point.known < n for point in points[: rows[-1].last]):
        return ""
    name = next((name for name in ("cost", "tokens") if all(_costs(row, name) > 0 for row in rows)), "requests")
    at = max(range(len(rows)), key=lambda at: _costs(rows[at], name) / rows[at].new if rows[at].new else math.inf)
    if not at:
        return ""
    before = rows[:at]
    spent, total = (math.fsum(_costs(row, name) for row in part) for part in (before, rows))
    last, solved = before[-1].last, f"{before[-1].solved:,} of the {rows[-1].solved:,}"
    setting = f"stop.max_iterations={last}"
    return f"Stopping after {some(last, 'attempt')} would have solved {solved} {_for(name, spent, total)} ({setting})."


def _costs(row: JoinedAttempts, name: str) -> float:
    """The sum of a cost of some attempts; 0 where one of them does not report it."""
    if name == "requests":
        return row.costs.requests
    return 0.0 if name in row.costs.unknown else row.costs.sums[name].value


def _for(name: str, spent: float, total: float) -> str:
    if name == "cost":
        return f"at a cost of {short(spent, DIGITS)} of {short(total, DIGITS)}"
    return f"with {fixed(spent, 0)} of {fixed(total, 0)} {name}"
