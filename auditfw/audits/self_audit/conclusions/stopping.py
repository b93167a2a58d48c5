"""What stopping by another rule saves and loses, problem by problem: with intervals, and which rules others beat.

Sources: the paired bootstrap over problems (Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 8) for
what is saved; Wilson's interval for the share of problems that are no longer solved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from auditfw.audits.answers import interval
from auditfw.audits.self_audit.readings import RUN_ALL
from auditfw.core.digits import NOISE, fixed
from auditfw.core.document import Note, Section, Table, some
from auditfw.core.imports import np
from auditfw.core.statistics import ExactSum, wilson
from auditfw.formulas.loop_counts import LoopView
from auditfw.kinds.capabilities import capability
from auditfw.kinds.ledger import StopBounds, StopRule

TITLE = "Stop Rules Compared"
LEAST = 10  # problems of which an interval is drawn
NONE = "–"


class Stopped(NamedTuple):
    """One problem under a rule and under another one: the requests of both, and what only one of them solved."""

    requests: int
    before: int
    lost: int
    won: int


@dataclass
class StopCosts:
    """How often each pair of costs occurs: under a rule beside another one, of the problems that both are known for.

    `score` sums what the soft scores differ by; `seconds` and `before` sum what both took, for `timed` problems.
    """

    pairs: Counter[Stopped] = field(default_factory=Counter)
    solved: int = 0
    other_solved: int = 0
    score: ExactSum = field(default_factory=ExactSum)
    seconds: ExactSum = field(default_factory=ExactSum)
    before: ExactSum = field(default_factory=ExactSum)
    timed: int = 0

    def add(self, view: LoopView, other: LoopView) -> None:
        """Counts a problem; one whose result is unknown under either is left out."""
        if view.solved is None or other.solved is None:
            return
        lost, won = other.solved and not view.solved, view.solved and not other.solved
        self.pairs[Stopped(view.requests, other.requests, lost, won)] += 1
        self.solved += view.solved
        self.other_solved += other.solved
        self.score.add(view.score - other.score)
        if view.seconds is not None and other.seconds is not None:
            self.seconds.add(view.seconds)
            self.before.add(other.seconds)
            self.timed += 1

    @property
    def n(self) -> int:
        return self.pairs.total()

    @property
    def lost(self) -> int:
        return sum(pair.lost * n for pair, n in self.pairs.items())

    @property
    def won(self) -> int:
        return sum(pair.won * n for pair, n in self.pairs.items())

    def saved(self) -> float | None:
        """The share of the other's requests that are saved; None where there are none."""
        before = sum(pair.before * n for pair, n in self.pairs.items())
        return 1 - sum(pair.requests * n for pair, n in self.pairs.items()) / before if before else None

    def saved_seconds(self) -> float | None:
        """The share of the other's seconds that are saved; None where a problem's are unknown, or there are none."""
        before = self.before.value
        return 1 - self.seconds.value / before if before and self.timed == self.n else None

    def saved_interval(self, seed: int, name: str) -> tuple[float, float] | None:
        """The 95 % percentile interval of the share saved: problems drawn with replacement, with both their costs.

        None for fewer than 10 problems, or where there is nothing to resample. Equal problems are drawn together, which
        gives the same distribution.
        """
        if self.n < LEAST or self.saved() is None:
            return None

        from auditfw.formulas.agreement.intervals import Kinds, ends
        from auditfw.formulas.agreement.settings import Interval, RandomStream, Sampling

        pairs = sorted(self.pairs.items())
        requests, before = (np.array([pair[at] for pair, _ in pairs], dtype=float) for at in (0, 1))

        def saved(counts: Any) -> Any:
            spent = counts @ before
            return 1 - counts @ requests / np.where(spent > 0, spent, np.nan)

        sampling = Sampling(Interval(), RandomStream(seed, ("self_audit", "saved_requests", name)))
        low, high = ends(saved, Kinds(tuple(n for _, n in pairs)), sampling)
        return None if low is None or high is None else (low, high)

    def lost_interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the share of problems that the rule no longer solves."""
        return wilson(self.lost, self.n)


@dataclass
class Stopping:
    """Every reading beside stopping at the first success with the same limit, and beside the live rule."""

    seed: int = 0
    success: dict[str, StopCosts] = field(default_factory=dict)
    live: dict[str, StopCosts] = field(default_factory=dict)

    def add(self, views: Mapping[str, LoopView], success: LoopView, live: LoopView) -> None:
        """Counts a problem under every reading."""
        for name, view in views.items():
            self.success.setdefault(name, StopCosts()).add(view, success)
            self.live.setdefault(name, StopCosts()).add(view, live)

    def beside(self, name: str, n: int) -> StopCosts | None:
        """A reading beside stopping at the first success, where both are known for all of so many problems."""
        costs = self.success.get(name)
        return costs if costs is not None and costs.n == n else None


@dataclass(frozen=True)
class OnLine:
    """A reading's place between cost and quality: mean requests and share solved of the same problems."""

    name: str
    requests: float
    solved: float


def beaten_by(places: Sequence[OnLine]) -> dict[str, str]:
    """For each reading that others beat, the one of these that no other beats: most solved, of equal ones the cheapest.

    One beats another where it is as good or better in both, and better in one (Pareto).
    """
    better = {
        one.name: [
            other
            for other in places
            if other.requests <= one.requests
            and other.solved >= one.solved
            and (other.requests < one.requests or other.solved > one.solved)
        ]
        for one in places
    }
    return {
        name: min(others, key=lambda one: (-one.solved, one.requests)).name for name, others in better.items() if others
    }


def stopping_section(stopping: Stopping, places: Sequence[OnLine], n: int, limit: int) -> Section:
    """What each rule saves and loses with intervals, the cheapest first, and which rule beats which.

    Of the `n` problems that most readings are known for; a reading that is not known for all of them is left out.
    """
    section = Section(TITLE, console=True)
    beaten = beaten_by(places)
    order = {one.name: (one.requests, one.solved) for one in places}
    known = [(name, costs) for name in order if name != RUN_ALL and (costs := stopping.beside(name, n)) and n]
    known.sort(key=lambda one: order[one[0]])
    if not known or not any(one.solved for one in places):
        return section
    rows = [[name, *_shares(stopping, name, costs), beaten.get(name, "")] for name, costs in known]
    columns = ["reading", "requests saved %", "95 % interval", "solves lost %", "95 % interval", "beaten by"]
    beats = "solves as many problems with fewer requests, or more with as many"
    which = f"Beaten by: that one {beats}."
    if not any(row[-1] for row in rows):
        columns, rows, which = columns[:-1], [row[:-1] for row in rows], f"None is beaten by another, which {beats}."
    how = (
        f"Of {some(n, 'problem')}. {against(limit)} {which} Intervals: bootstrap over problems ({LEAST} or more); of "
        "solves lost: Wilson's."
    )
    section.blocks += [Table(columns, rows, "<>>>><"[: len(columns)]), Note(how)]
    return section


def against(limit: int) -> str:
    """A sentence on what savings and losses are measured against."""
    return f"Saved and lost: compared with stopping at the first success, after at most {some(limit, 'attempt')}."


def _shares(stopping: Stopping, name: str, costs: StopCosts) -> list[str]:
    saved = costs.saved()
    shown = NONE if saved is None else fixed(100 * saved, 1)
    ends = percent_interval(costs.saved_interval(stopping.seed, name)) or NONE
    return [shown, ends, fixed(100 * costs.lost / costs.n, 1), percent_interval(costs.lost_interval())]


def cheaper(stopping: Stopping, rules: Mapping[str, StopRule], n: int) -> str | None:
    """A sentence on the rule that saves most of the live rule's requests, and loses no solved problem and no score.

    None where nothing was solved, or where no such rule is known for all of `n` problems.
    """
    most, best, ends = 0.0, None, None
    for name in rules:
        costs = stopping.live.get(name, StopCosts())
        saved = costs.saved()
        loses = costs.lost or costs.score.value < -NOISE or not costs.other_solved
        if saved is None or saved <= most or loses or costs.n < n:
            continue
        drawn = costs.saved_interval(stopping.seed, name)  # None where every problem saves the same share
        if costs.n >= LEAST and (drawn is None or drawn[0] > 0):
            most, best, ends = saved, name, drawn
    if best is None:
        return None
    solved = stopping.live[best].other_solved
    share, upper = f"{fixed(100 * most, 1)} % {percent_interval(ends)}".rstrip(), fixed(100 * wilson(0, solved)[1], 1)
    none = f"lose none of {some(solved, 'solved problem')}"
    text = f"{best} would save {share} of the requests of your stop rule and {none}"
    words = as_overrides(rules[best])
    return f"{text} (up to {upper} % are possible), nor any soft score" + (f": {words}" if words else "")


def as_overrides(rule: StopRule) -> str:
    """The overrides that make a replayed rule the live one; "" where it is none of budgets, or returns the last try."""
    if not isinstance(rule, StopBounds) or capability(rule, "pick", "best") != "best":
        return ""
    own = {one.name: (getattr(rule, one.name), one.default) for one in fields(StopBounds)}
    return " ".join(f"stop.{name}={value}" for name, (value, usual) in own.items() if value != usual)


def percent_interval(ends: tuple[float, float] | None) -> str:
    """An interval of shares in percent, in brackets; nothing where there is none."""
    return "" if ends is None else interval(100 * ends[0], 100 * ends[1], 1)
