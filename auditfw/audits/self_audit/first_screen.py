"""What the first screen of a self-audit shows before its answer: what each further attempt buys, and an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auditfw.core.digits import fixed, interval_digits
from auditfw.core.document import Note, NumberText, Section, Table, some, verb
from auditfw.core.errors import brief
from auditfw.core.statistics import wilson
from auditfw.formulas.loop_counts import LoopCounts

from .conclusions.paying import COSTS, ROWS, JoinedAttempts, Paying, cost_text, joined_attempts, requests_text
from .counts import LoopTable
from .readings import LIVE

IDS = 4
ID = 24  # characters of an id
NONE = "–"
ENDED: Mapping[str, str] = {
    "time": "out of time",
    "timeouts": "out of timeouts",
    "tokens": "out of tokens",
    "cost": "out of money",
    "patience": "no better score for long (patience)",
    "success": "at the target score",
}


def attempts_bought(tally: LoopTable, limit: int, paying: Paying | None = None) -> Section:
    """What each further attempt of the loops that need one solves and takes, and the loops that end unsolved."""
    n, live = len(tally.sound), tally.of(LIVE, None)
    section = Section(f"What each further attempt buys: {some(n, 'problem')}, each until solved", screen="who")
    if not n:
        return section
    rows = joined_attempts(tally.curve, ROWS)
    if not rows:
        section.blocks.append(Note("No attempt was made."))
        return section
    section.blocks.append(_table(rows, n, not live.missing, paying))
    notes = ("" if paying is None else paying.line(), _unsolved(tally, limit), _not_known(live, n))
    section.blocks += [Note(text) for text in notes if text]
    return section


def attempts_in_all(paying: Paying | None) -> Section:
    """What each number of attempts solves and takes in all, and from what worth of a solve on it pays."""
    section = Section("What So Many Attempts Solve and Take in All", console=True)
    if paying is None or len(paying.bought) == 1:
        return section
    pays = {step.attempts: paying.bare(paying.each(at)) for at, step in enumerate(paying.steps)}
    rows = [
        [str(one.attempts), f"{one.solved:,}", paying.number(one.spent), pays.get(one.attempts, "")]
        for one in paying.bought
    ]
    columns = ["attempts", "solved", f"{paying.unit} in all", "pays if a solve is worth"]
    section.blocks += [Table(columns, rows, ">>>>"), Note(paying.grounds())]
    return section


def solved_wrong(tally: LoopTable) -> Section:
    """The problems that are solved on training and wrong on the tests, of those whose tests are known."""
    live = tally.of(LIVE, None)
    title = f"Solved on training, wrong on the tests: {live.solved_wrong:,} of {live.solved_tested:,}"
    section = Section(title, screen="example")
    wrong = [one for one in tally.sound if one.solved and one.live.tests is False]
    if len(wrong) == 1:
        at = f"every training example right at attempt {wrong[0].live.iteration}, a test wrong"
        section.blocks.append(Note(f"{brief(wrong[0].id, ID)}: {at}"))
    elif wrong:
        named = [f"{brief(one.id, ID)} at attempt {one.live.iteration}" for one in wrong[:IDS]]
        more = len(wrong) - len(named)
        section.blocks.append(Note("; ".join([*named, *([f"{more:,} more"] if more else [])])))
    return section


def loops_data(tally: LoopTable) -> Section:
    """How many recorded attempts there are, and how many count nowhere; of how many solved problems tests are known."""
    live, section = tally.of(LIVE, None), Section("Data", screen="data")
    recorded = sum(one.recorded for one in tally.sound)
    unused = sum(max(0, one.recorded - one.attempts) for one in tally.sound)
    if unused:
        come, count = verb(unused, "comes", "come"), verb(unused, "counts", "count")
        after = f"after a success or the end of the stop rule, and {count} nowhere"
        section.blocks.append(Note(f"{unused:,} of {some(recorded, 'recorded attempt')} {come} {after}"))
    elif recorded:
        all_of = f"{some(recorded, 'recorded attempt')} at {some(len(tally.sound), 'problem')}, all used"
        section.blocks.append(Note(all_of))
    if live.solved:
        known = f"tests are known of {live.solved_tested:,} of {some(live.solved, 'solved problem')}"
        section.blocks.append(Note(known))
    return section


def _table(rows: Sequence[JoinedAttempts], n: int, known: bool, paying: Paying | None) -> Table:
    """Only what is known of all attempts is shown; shares are of all `n` problems, where all are `known`."""
    shown = [name for name in COSTS if not any(name in row.costs.unknown for row in rows)]
    shown = [name for name in shown if any(row.costs.sums[name].value for row in rows)]
    columns = {
        "attempt": [f"{row.first} to {row.last}" if row.first < row.last else str(row.first) for row in rows],
        "asked": [f"{row.asked:,}" for row in rows],
        "new": [f"{row.new:,}" for row in rows],
        "solved so far": [_solved(row, n, known and row in (rows[0], rows[-1])) for row in rows],
    }
    cost = "cost"
    if paying is not None:
        cost = "$" if paying.unit == "$" else cost
        columns[f"{paying.unit} so far"] = [paying.number(paying.bought[row.last - 1].spent) for row in rows]
    columns["requests per new"] = [_requests(row) for row in rows]
    for name in shown:
        each = [_each(row.costs.sums[name].value, row.new) for row in rows]
        columns[f"{cost if name == 'cost' else name} per new"] = each
    cells = list(map(list, zip(*columns.values(), strict=True)))
    return Table(list(columns), cells, "<>><" + ">" * (len(columns) - 4))


def _solved(row: JoinedAttempts, n: int, known: bool) -> str:
    """The problems solved so far, at the ends of the table with the interval of their share of all in percent."""
    if not known:
        return f"{row.solved:,}"
    low, high = (100 * end for end in wilson(row.solved, n))
    ends = ", ".join(fixed(end, interval_digits(low, high)) for end in (low, high))
    return NumberText(f"{row.solved:,}", f"[{ends} %]", 100 * row.solved / n, low, high)


def _requests(row: JoinedAttempts) -> str:
    if not row.new:
        return f"none for {row.costs.requests:,}"
    return requests_text(row.costs.requests / row.new)


def _each(total: float, solved: int) -> str:
    """What a newly solved problem takes."""
    return cost_text(total / solved) if solved else NONE


def _unsolved(tally: LoopTable, limit: int) -> str:
    """What the loops that ended unsolved took of all requests, and why they ended, the most requests first."""
    unsolved = {reason: [one for one in loops if not one.solved] for reason, loops in tally.endings.items()}
    spent = {
        reason: [one.spent.requests for one in loops]
        for reason, loops in unsolved.items()
        if reason in ENDED or reason == "iterations"
    }
    whole = all(one.attempts == limit for one in unsolved.get("iterations", ()))
    every = sum(one.spent.requests for one in tally.sound)
    ended = sorted((reason for reason, own in spent.items() if own), key=lambda reason: (-sum(spent[reason]), reason))
    if not ended:
        return ""
    problems = some(sum(len(spent[reason]) for reason in ended), "problem")
    went = f"{sum(sum(spent[reason]) for reason in ended):,} of the {some(every, 'request')} went to {problems}"
    if ended == ["iterations"] and whole:
        return f"{went} never solved in {some(limit, 'attempt')}"
    counted = [f": {len(spent[reason]):,}" if len(ended) > 1 else "" for reason in ended]
    words = [f"{ENDED.get(reason, 'out of attempts')}{count}" for reason, count in zip(ended, counted, strict=True)]
    return f"{went} never solved: {', '.join(words)}"


def _not_known(live: LoopCounts, n: int) -> str:
    """How many loops end before the stop rule does: no share of all problems is known then."""
    if not live.missing:
        return ""
    end = verb(live.missing, "ends", "end")
    return f"the stored attempts of {live.missing:,} of {some(n, 'problem')} {end} before the stop rule does"
