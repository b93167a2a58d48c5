"""What the first screen of a self-audit shows before its answer: what each further attempt buys, and an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from auditfw.core.digits import fixed, interval_digits
from auditfw.core.document import Note, NumberText, Section, Table, some, verb
from auditfw.core.errors import brief
from auditfw.core.statistics import wilson
from auditfw.formulas.loop_counts import LoopCounts

from .conclusions.attempts import COSTS, ROWS, JoinedAttempts, joined_attempts
from .counts import LoopTable
from .readings import LIVE

IDS = 4
ID = 24  # characters of an id
WIDE = 2  # costs beside which all titles have room
SHORTER = {"newly solved": "new", "requests a solve": "requests each"}
NONE = "–"
ENDED: Mapping[str, str] = {
    "time": "out of time",
    "timeouts": "out of timeouts",
    "tokens": "out of tokens",
    "cost": "out of money",
    "patience": "no better score for long (patience)",
    "success": "at the target score",
}


def attempts_bought(tally: LoopTable, limit: int) -> Section:
    """What each further attempt of the loops that need one solves and takes, and the loops that end unsolved."""
    n, live = len(tally.sound), tally.of(LIVE, None)
    section = Section(f"What each further attempt buys: {some(n, 'problem')}", screen="who")
    if not n:
        return section
    rows = joined_attempts(tally.curve, ROWS)
    if not rows:
        section.blocks.append(Note("No attempt was made."))
        return section
    section.blocks.append(_table(rows, n, known=not live.missing))
    section.blocks += [Note(text) for text in (_unsolved(tally, limit), _not_known(live, n)) if text]
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
    """Of how many solved problems the hidden tests are known, and how many recorded attempts count nowhere."""
    live, section = tally.of(LIVE, None), Section("Data", screen="data")
    if live.solved:
        known = f"tests are known of {live.solved_tested:,} of {some(live.solved, 'solved problem')}"
        section.blocks.append(Note(known))
    recorded = sum(one.recorded for one in tally.sound)
    unused = sum(max(0, one.recorded - one.attempts) for one in tally.sound)
    if unused:
        come = verb(unused, "comes", "come")
        after = "after a success or the end of the stop rule, and count nowhere"
        section.blocks.append(Note(f"{unused:,} of {some(recorded, 'recorded attempt')} {come} {after}"))
    return section


def _table(rows: Sequence[JoinedAttempts], n: int, known: bool) -> Table:
    """Only what is known of all attempts is shown; shares are of all `n` problems, where all are `known`."""
    shown = [name for name in COSTS if not any(name in row.costs.unknown for row in rows)]
    shown = [name for name in shown if any(row.costs.sums[name].value for row in rows)]
    columns = {
        "attempt": [f"{row.first} to {row.last}" if row.first < row.last else str(row.first) for row in rows],
        "asked": ["–".join(f"{asked:,}" for asked in dict.fromkeys(row.asked)) for row in rows],
        "newly solved": [f"{row.new:,}" for row in rows],
        "all solved": [_solved(row, n, known and row in (rows[0], rows[-1])) for row in rows],
        "requests a solve": [_requests(row) for row in rows],
        **{name: [_each(row.costs.sums[name].value, row.new) for row in rows] for name in shown},
    }
    names = [SHORTER.get(name, name) if len(shown) > WIDE else name for name in columns]
    cells = list(map(list, zip(*columns.values(), strict=True)))
    return Table(names, cells, "<>><" + ">" * (len(names) - 4))


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
    each = row.costs.requests / row.new
    return fixed(each, 0 if each >= 10 or each == int(each) else 1)


def _each(total: float, solved: int) -> str:
    """What a solved problem takes, in three significant digits."""
    if not solved:
        return NONE
    value = total / solved
    places = 2 - Decimal(f"{value:.2e}").adjusted() if value else 0
    return fixed(value, max(0, places))


def _unsolved(tally: LoopTable, limit: int) -> str:
    """The loops that ended unsolved, by the reason, the most requests first: what they took of all requests."""
    unsolved = {reason: [one for one in loops if not one.solved] for reason, loops in tally.endings.items()}
    spent = {
        reason: [one.spent.requests for one in loops]
        for reason, loops in unsolved.items()
        if reason in ENDED or reason == "iterations"
    }
    whole = all(one.attempts == limit for one in unsolved.get("iterations", ()))
    every = sum(one.spent.requests for one in tally.sound)
    ended = sorted((reason for reason, own in spent.items() if own), key=lambda reason: (-sum(spent[reason]), reason))
    parts: list[str] = []
    for reason in ended:
        words = ENDED.get(reason) or (f"run out at {some(limit, 'attempt')}" if whole else "out of attempts")
        of = f" of the {some(every, 'request')}" if not parts else ""
        parts.append(f"{words}: {some(len(spent[reason]), 'problem')}, {sum(spent[reason]):,}{of}")
    return "; ".join(parts)


def _not_known(live: LoopCounts, n: int) -> str:
    """How many loops end before the stop rule does: no share of all problems is known then."""
    if not live.missing:
        return ""
    end = verb(live.missing, "ends", "end")
    return f"the stored attempts of {live.missing:,} of {some(n, 'problem')} {end} before the stop rule does"
