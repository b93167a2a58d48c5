"""How many attempts to pay for: what each number of them solves and takes, and at what worth of a solve it pays.

Source: incremental cost-effectiveness ratios of the options that no mixture of others beats (Karlsson & Johannesson
1996, The decision rules of cost-effectiveness analysis, PharmacoEconomics 9, 113-120).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from auditfw.audits.self_audit.readings import Allowed
from auditfw.core.digits import fixed
from auditfw.core.document import some, verb
from auditfw.core.statistics import ExactSum
from auditfw.kinds.ledger import Spent

# What each further attempt takes and brings, over all loops: what the curve and the first screen are drawn from.

COSTS = ("seconds", "tokens", "cost")
ROWS = 6  # of joined attempts


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
    """The attempts `first` to `last` of all loops: loops `asked` at the first, `new` and all problems solved."""

    first: int
    last: int
    asked: int
    new: int
    solved: int
    costs: AttemptCosts

    def join(self, other: JoinedAttempts) -> None:
        """Takes in the attempts that come after."""
        self.last, self.new, self.solved = other.last, self.new + other.new, other.solved
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
        own = JoinedAttempts(at, at, point.asked, point.solved - before, point.solved, costs)
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


def cost_text(value: float) -> str:
    """Seconds, tokens or a cost in three significant digits."""
    places = 2 - Decimal(f"{value:.2e}").adjusted() if value else 0
    return fixed(value, max(0, places))


def requests_text(value: float) -> str:
    """A mean of requests: without decimal places from 10 on and where it is whole, else with one."""
    return fixed(value, 0 if value >= 10 or value == int(value) else 1)


MOST_STEPS = 4  # that are named in a line


class AttemptsBought(NamedTuple):
    """So many attempts a problem: the problems they solve, and what they take in all."""

    attempts: int
    solved: int
    spent: float


@dataclass(frozen=True)
class Paying:
    """The numbers of attempts that pay, each from another worth of a solved problem on, of `n` problems.

    `steps` are in their order, `bought` has every number of attempts that was made. `unit` is what they take:
    "requests", "tokens", "cost", or "$" for a cost in dollars.
    """

    unit: str
    n: int
    steps: Sequence[AttemptsBought]
    bought: Sequence[AttemptsBought]

    @classmethod
    def of(cls, points: Sequence[Point], n: int, dollars: bool = False) -> Paying | None:
        """What the attempts take in cost if all report it, else in tokens, else in requests.

        None where nothing was solved, or what so many attempts give is not known of all `n` loops.
        """
        made = [point for point in points if point.asked]
        if not made or not made[-1].solved or any(point.known < n for point in made):
            return None
        names = ("cost", "tokens")
        unit = next((name for name in names if all(_taken(point.costs, name) > 0 for point in made)), "requests")
        spent = [_taken(point.costs, unit) for point in made]
        bought = [AttemptsBought(at, point.solved, math.fsum(spent[:at])) for at, point in enumerate(made, start=1)]
        return cls("$" if dollars and unit == "cost" else unit, n, frontier(bought), bought)

    @property
    def every(self) -> AttemptsBought:
        """All the attempts that were made."""
        return self.bought[-1]

    @property
    def decides(self) -> bool:
        """Whether the worth of a solved problem decides: fewer attempts solve fewer, but each for less."""
        return len(self.steps) > 1

    def each(self, at: int) -> float:
        """What each problem takes that is solved beyond the step before."""
        before, step = self._ends(at)
        return (step.spent - before.spent) / (step.solved - before.solved)

    def _ends(self, at: int) -> tuple[AttemptsBought, AttemptsBought]:
        """The step before a step, at first that of no attempt, and the step."""
        return [AttemptsBought(0, 0, 0.0), *self.steps][at - 1 if at < 0 else at], self.steps[at]

    def _more(self, at: int) -> str:
        """The attempts beyond the step before: `attempt 2`, `attempts 3 and 4`, `attempts 5 to 8`."""
        before, step = self._ends(at)
        first, last = before.attempts + 1, step.attempts
        return f"attempt {last}" if first == last else f"attempts {first} {'and' if last - first == 1 else 'to'} {last}"

    @property
    def wasted(self) -> bool:
        """Whether the last attempts solve nothing more."""
        return self.steps[-1].attempts < self.every.attempts

    def sentence(self, setting: bool = False) -> str:
        """What fewer attempts give beside all of them, also as a `setting`; "" where no fewer than all pay."""
        last = self.steps[-1]
        if self.wasted:
            more = "2" if self.every.attempts == 2 else f"up to {self.every.attempts:,}"
            return f"{self._gives(last)}; {more} solve no more, for {self.bare(self.every.spent)}{_setting(last)}."
        if not self.decides:
            return ""
        before, new = self.steps[-2], last.solved - self.steps[-2].solved
        solve = f"{last.attempts:,} {verb(last.attempts, 'solves', 'solve')} {last.solved:,}"
        dearer = f"{self.bare(self.each(-1))} for {f'each of the {new:,}' if new > 1 else 'the one'} more"
        by = _setting(before) if setting else ""
        return f"{self._gives(before)}; {solve} for {self.bare(last.spent)}: {dearer}{by}."

    def _gives(self, step: AttemptsBought) -> str:
        solve = f"{some(step.attempts, 'attempt')} {verb(step.attempts, 'solves', 'solve')}"
        return f"{solve} {step.solved:,} of {some(self.n, 'problem')} for {self.amount(step.spent)}"

    def alone(self) -> str:
        """What the only number of attempts that pays gives, as a sentence."""
        only = self.steps[-1]
        fewer = "; fewer solve none for less" if only.attempts > 1 else ""
        return f"{self._gives(only)}{fewer}."

    def choice(self) -> str:
        """What decides between the last two numbers of attempts that pay, as a sentence; "" where one alone pays."""
        if not self.decides:
            return ""
        before, last = self.steps[-2:]
        pay = f"{before.attempts:,} {verb(before.attempts, 'pays', 'pay')} from {self.bare(self.each(-2))} on"
        more = self._more(-2)
        if more.startswith("attempts"):  # no row of the table says it
            pay += f", what {more} together cost per new solve"
        worth = f"if one more solve is worth {self.amount(self.each(-1))} to you"
        return f"Pay for {last.attempts:,} only {worth}; {pay}{_setting(before)}."

    def grounds(self) -> str:
        """Where these worths come from, as a sentence: what the attempts between two steps take and solve."""
        parts = []
        for at in range(len(self.steps)):
            before, step = self._ends(at)
            taken, new = self.amount(step.spent - before.spent), step.solved - before.solved
            each = f" ({self.bare(self.each(at))} each)" if new > 1 else ""
            parts.append(f"{self._more(at)} {taken} for {some(new, 'new solve')}{each}")
        return f"{self.summed}: {'; '.join(parts)}."

    @property
    def summed(self) -> str:
        """What the sums are over."""
        return f"What {some(self.n, 'problem')} took in all, each until its first success"

    def line(self) -> str:
        """From what worth of one more solve on so many attempts pay, the last few; "" where one number alone does."""
        if not self.decides:
            return ""
        (at, first), *others = list(enumerate(self.steps))[1:][-MOST_STEPS:]
        pay = f"{some(first.attempts, 'attempt')} {verb(first.attempts, 'pays', 'pay')}"
        head = f"{pay} if one more solve is worth {self.amount(self.each(at))}"
        return "; ".join([head, *(f"{step.attempts:,} if {self.bare(self.each(at))}" for at, step in others)])

    def amount(self, value: float) -> str:
        """So much of the unit in words: `$1.91`, `a cost of 1.91`, `1 request`."""
        number = self.bare(value)
        if self.unit in ("$", "cost"):
            return f"a cost of {number}" if self.unit == "cost" else number
        return f"{number} {self.unit[:-1] if number == '1' else self.unit}"

    def bare(self, value: float) -> str:
        """The same without words, where the unit has just been named."""
        return f"{'$' if self.unit == '$' else ''}{self.number(value)}"

    def number(self, value: float) -> str:
        """The number alone, where a title names the unit."""
        return requests_text(value) if self.unit == "requests" else cost_text(value)


def frontier(steps: Sequence[AttemptsBought]) -> list[AttemptsBought]:
    """The steps that pay at some worth of a solved problem: no other and no mixture of others solves as many for less.

    What each further solved problem takes grows from one to the next. The first solves something.
    """
    kept = [AttemptsBought(0, 0, 0.0)]
    for step in steps:
        if step.solved == kept[-1].solved:
            continue
        while len(kept) > 1 and not _dearer(kept[-2], kept[-1], step):
            kept.pop()
        kept.append(step)
    return kept[1:]


def _setting(step: AttemptsBought) -> str:
    return f" (stop.max_iterations={step.attempts})"


def _dearer(first: AttemptsBought, second: AttemptsBought, third: AttemptsBought) -> bool:
    """Whether a solved problem takes more from the second step to the third than from the first to the second."""
    return (third.spent - second.spent) * (second.solved - first.solved) > (second.spent - first.spent) * (
        third.solved - second.solved
    )


def _taken(costs: AttemptCosts, name: str) -> float:
    """The sum of a cost of some attempts; 0 where one of them does not report it."""
    if name == "requests":
        return costs.requests
    return 0.0 if name in costs.unknown else costs.sums[name].value
