"""The self-audit's report: why loops ended, what stopping cost and saved, which recorded labels are contradicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from auditfw.audits.findings import HeardQuestions
from auditfw.core.digits import fixed
from auditfw.core.document import Chart, Note, Section, Series, Table, grouped, some, verb
from auditfw.core.errors import brief
from auditfw.core.records import Measurement
from auditfw.core.results.findings import Finding
from auditfw.formulas.loop_counts import LoopCounts
from auditfw.kinds.context import ReportLimits
from auditfw.kinds.ledger import Stop
from auditfw.kinds.solving import Clock

from .charts import PageProblems, gallery, timeline
from .conclusions.paper import paper
from .conclusions.paying import Paying
from .conclusions.records import records_section
from .conclusions.stopping import OnLine, against, stopping_section
from .counts import LoopTable
from .first_screen import attempts_bought, attempts_in_all, loops_data, solved_wrong
from .readings import LIVE, RUN_ALL
from .scoring import LoopDone

NONE = "–"
UNSOLVED = "What Each Stop Rule Gives"  # where nothing was solved, so that none saves anything
LEAST_POINTS, MOST_POINTS = 2, 50
ESTIMATED = "an estimate, from the mean of the problem's own iterations"


@dataclass(frozen=True)
class LoopResults:
    """All that the sections are made from; `tier` is None where no program was run, `page` where there is no page.

    `heard` is what the questions of the table came to, `paying` how many attempts pay, where that is known.
    """

    tally: LoopTable
    stop: Stop
    clock: Clock
    by: Sequence[str]
    limits: ReportLimits
    counts: Mapping[str, int]
    tier: str | None
    rules: Sequence[str]
    page: PageProblems | None = None
    heard: HeardQuestions | None = None
    paying: Paying | None = None

    @property
    def survivors(self) -> Finding | None:
        """The finding of readings that are known for part of the problems."""
        return None if self.heard is None else self.heard.findings.of("survivors")

    @property
    def readings(self) -> dict[str, LoopCounts]:
        """The readings of which something is known."""
        loops = {name: self.tally.of(name, None) for name in (RUN_ALL, LIVE, *self.rules)}
        return {name: one for name, one in loops.items() if one.counted}

    @property
    def shared(self) -> int:
        """How many problems the readings are compared on: no figure over fewer stands beside one over these."""
        return max((one.counted for one in self.readings.values()), default=0)

    @property
    def compared(self) -> dict[str, LoopCounts]:
        """The readings that are known for all of these problems."""
        return {name: one for name, one in self.readings.items() if one.counted == self.shared}


def write_sections(results: LoopResults, measurements: list[Measurement]) -> list[Section]:
    """The sections, group by group."""
    page, heard = _page(results), results.heard
    return [
        *grouped(
            "answer",
            attempts_bought(results.tally, results.stop.max_iterations, results.paying),
            attempts_in_all(results.paying),
            solved_wrong(results.tally),
            loops_data(results.tally),
        ),
        *grouped(
            "who",
            _endings(results),
            _cost_quality(results),
            stopping_section(results.tally.stopping, _places(results), results.shared, results.stop.max_iterations),
            _cloud(results),
        ),
        *grouped("look", *page[1:], _problems(results), _worst(results)),
        *grouped(
            "sound",
            *([] if heard is None else heard.sections(results.limits.max_rows)),
            _contradictions(results),
            records_section(results.tally.records, results.limits.max_rows),
        ),
        *grouped("rest", _paper(results), *page[:1], *_used(results), _coverage(results)),
    ]


def _paper(results: LoopResults) -> Section:
    problems = results.counts["read"] - results.counts.get("duplicate", 0)  # further rows of one are no other
    return paper(results.tally, results.stop.max_iterations, problems)


def _page(results: LoopResults) -> list[Section]:
    """What only a page shows."""
    if results.page is None:
        return []
    total = results.tally.counts.total()
    return [timeline(results.page, total), gallery(results.page, results.by, total, results.tally.seed)]


def _coverage(results: LoopResults) -> Section:
    rows = [[bucket, f"{n:,}"] for bucket, n in results.counts.items()]
    return Section("Coverage", [Table(["problems", "n"], rows, "<>")])


def _endings(results: LoopResults) -> Section:
    """Why the loops ended, and what they spent beside the loop that always makes every iteration."""
    rows = [[reason, *_ending(one)] for reason, one in sorted(results.tally.endings.items())]
    columns = ["stop reason", "problems", "solved", "iterations", "requests", f"seconds ({results.clock})"]
    live = results.tally.of(LIVE, None)
    blocks: list[Note | Table] = [Table(columns, rows, "<>>>>>")] if rows else []
    if live.counted:
        spent, whole, most = live.requests, live.base_requests, some(results.stop.max_iterations, "iteration")
        ended = results.counts["audited"]
        of = "" if live.counted == ended else f" for the {live.counted:,} of {ended:,} problems that live is known for"
        each = f"{some(spent, 'request')}{of}, {fixed(spent / live.counted, 2)} per problem"
        blocks.append(Note(f"{each}; running all {most}, even after a success, would take {whole:,}."))
    if results.tier is not None:
        blocks.append(Note(f"Candidate programs ran in the sandbox tier {results.tier}."))
    return Section("Why the Loops Ended", list(blocks), console=True)


def _ending(loops: Sequence[LoopDone]) -> list[str]:
    """How many loops there are, how many solved their problem, their attempts, requests and seconds."""
    solved, attempts = sum(bool(one.solved) for one in loops), sum(one.attempts for one in loops)
    seconds = [one.spent.seconds for one in loops]
    known = fsum(second for second in seconds if second is not None)
    numbers = (len(loops), solved, attempts, sum(one.spent.requests for one in loops))
    return [*(f"{number:,}" for number in numbers), NONE if None in seconds else _seconds(known)]


def _cost_quality(results: LoopResults) -> Section:
    """Each reading's quality beside its cost, of the same problems: what stopping there saves and loses."""
    section = Section("What Stopping Costs and Saves", console=True)
    rows = [_reading(results, name, one) for name, one in results.compared.items()]
    if not rows:
        return section
    solved = any(one.solved for one in results.compared.values())
    columns = ["reading", "solved %", "soft score", "requests", "requests saved %", "seconds", "seconds saved %"]
    against_what = f" {against(results.stop.max_iterations)} Solves lost" if solved else " Solves lost"
    how = (
        f"Of {some(results.shared, 'problem')}. live is your stop rule; run_all runs all iterations, even after a "
        f"success, and returns the best attempt: its seconds are {ESTIMATED}. Requests and seconds are means per "
        f"problem.{against_what} and regret (the mean loss of soft score): compared with run_all."
    )
    table = Table([*columns, "solves lost", "regret"], rows, "<>>>>>>>>")
    if not solved:
        section.title, table = UNSOLVED, _without(table, ("requests saved %", "seconds saved %"))
    section.blocks += [table, Note(how), *map(Note, _known_in_part(results)), *_curve(results)]
    return section


def _without(table: Table, names: Sequence[str]) -> Table:
    """A table without some of its columns."""
    kept = [at for at, name in enumerate(table.columns) if name not in names]
    rows = [[row[at] for at in kept] for row in table.rows]
    return Table([table.columns[at] for at in kept], rows, "".join(table.align[at] for at in kept))


def _known_in_part(results: LoopResults) -> list[str]:
    """Why some readings, or what they save, are not in the table."""
    n, success = results.shared, results.tally.stopping.success
    lines = [] if results.survivors is None else [results.survivors.text]
    if any(one.solved for one in results.compared.values()) and results.tally.stopping.beside(LIVE, n) is None:
        known = f"known for {success[LIVE].n:,} of {n:,} problems"
        lines.append(f"What stopping at the first success takes is {known}: what is saved beside it is not shown.")
    return lines


def _curve(results: LoopResults) -> list[Chart]:
    """Quality by the iterations allowed, where what they give is known of every loop."""
    points = results.tally.curve[:MOST_POINTS]
    whole = [point for point in points if point.known == results.counts["audited"]]
    if len(whole) < LEAST_POINTS:
        return []
    x = [float(n) for n in range(1, len(whole) + 1)]
    score = Series("soft score", x, [point.score.value / point.known for point in whole])
    solved = Series("solved", x, [point.solved / point.known for point in whole])
    return [Chart("Quality by the iterations allowed", "iterations", "share", [score, solved], ends=(0.0, 1.0))]


def _places(results: LoopResults) -> list[OnLine]:
    """The readings that can be compared, as requests per problem and share solved."""
    return [OnLine(name, _requests(name, one), one.solved / one.counted) for name, one in results.compared.items()]


def _requests(name: str, one: LoopCounts) -> float:
    """The requests of a reading per problem."""
    return (one.base_requests if name == RUN_ALL else one.requests) / one.counted


def _cloud(results: LoopResults) -> Section:
    """Each reading's quality over its requests."""
    known = results.compared
    if len(known) < LEAST_POINTS:
        return Section("Cost and Quality")
    x = [_requests(name, one) for name, one in known.items()]
    y = [one.score.value / one.counted for one in known.values()]
    cloud = Series("readings", x, y, list(known))
    chart = Chart("Cost and quality of the stop rules", "requests per problem", "soft score", [cloud], "points")
    return Section("Cost and Quality", [chart])


def _reading(results: LoopResults, name: str, one: LoopCounts) -> list[str]:
    n = one.counted
    head = [name, fixed(100 * one.solved / n, 2), fixed(one.score.value / n, 4), fixed(_requests(name, one), 2)]
    if name == RUN_ALL:
        spent = NONE if one.saved_unknown else _seconds(one.base_seconds.value / n)
        return [*head, NONE, spent, NONE, NONE, NONE]
    costs = results.tally.stopping.beside(name, n)
    saved, quicker = (None, None) if costs is None else (costs.saved(), costs.saved_seconds())
    lost = [f"{one.lost:,}", fixed(one.regret.value / n, 4)] if one.paired == n else [NONE, NONE]
    spent = NONE if one.seconds_unknown else _seconds(one.seconds.value / n)
    return [*head, _percent(saved), spent, _percent(quicker), *lost]


def _problems(results: LoopResults) -> Section:
    shown = results.tally.shown
    rows = [_problem(one) for one in shown]
    columns = ["problem", "solved", "stop reason", "best at", "soft score", "iterations", "requests", "seconds"]
    left = results.tally.counts.total() - len(shown)
    if not rows:
        return Section("Each Problem")
    return Section("Each Problem", [Table(columns, rows, "<<<>>>>>", left_out=left)], console=True)


def _problem(one: LoopDone) -> list[str]:
    live = one.live
    at = NONE if live.iteration is None else str(live.iteration)
    score = NONE if live.solved is None else fixed(live.score, 4)
    ended = one.reason or "stored attempts end"
    return [
        one.id,
        "yes" if live.solved else "no" if live.solved is not None else NONE,
        ended,
        at,
        score,
        str(one.attempts),
        str(one.spent.requests),
        _seconds(one.spent.seconds),
    ]


def _used(results: LoopResults) -> list[Section]:
    """How many iterations loops took in each cell, and what the tie rule and returning the best decide."""
    used = results.tally.used if results.by else {}
    cells = sorted({cell for cell, _, _ in used}, key=str)
    rows = []
    for cell in cells:
        for n in sorted({n for c, n, _ in used if c == cell}):
            solved, open_ = used[cell, n, True], used[cell, n, False]
            rows.append([*map(str, cell), str(n), f"{solved + open_:,}", f"{solved:,}"])
    live = results.tally.of(LIVE, None)
    if not live.counted:
        return []
    most = results.limits.max_rows
    table = Table(
        [*results.by, "iterations", "problems", "solved"],
        rows[:most],
        "<" * len(results.by) + ">>>",
        left_out=max(0, len(rows) - most),
    )
    deciding = live.better or live.tied or live.misshapen
    notes = [Note(_best_and_last(live, results.stop))] if deciding else []
    return [Section("Iterations Used", [*([table] if rows else []), *notes])]


def _best_and_last(live: LoopCounts, stop: Stop) -> str:
    """How often it matters that the best attempt is returned, and how often which of equal ones."""
    text = f"In {some(live.better, 'loop')} the best attempt was not the last"
    if live.tied:
        text += f"; in {some(live.tied, 'loop')} they tie (stop.ties={stop.ties} decides)"
    if live.misshapen:
        text += f"; in {some(live.misshapen, 'attempt')} an output had the wrong shape"
    return f"{text}."


def _contradictions(results: LoopResults) -> Section:
    """The problems whose recorded label is not what their loop came to."""
    contradictions, live = results.tally.contradictions, results.tally.of(LIVE, None)
    if not live.labelled:
        return Section("Recorded Labels and Loop Results")
    text = (
        f"{live.contradicted:,} of {some(live.labelled, 'recorded label')} "
        f"{verb(live.contradicted, 'differs', 'differ')} from the result of the loop."
    )
    rows = [
        [
            done.id,
            *map(str, done.cell),
            *(brief(value, 60) for value in done.facts.values()),
            "solved" if done.traits.stored else "not solved",
            "solved" if done.solved else "not solved" if done.solved is not None else "unknown",
            fixed(done.live.score, 4),
            str(done.attempts),
            f"{done.traits.misshapen}",
            _seconds(done.live.seconds),
        ]
        for done in contradictions[: results.limits.max_rows]
    ]
    facts = list(contradictions[0].facts) if contradictions else []
    columns = [
        "problem",
        *results.by,
        *facts,
        "recorded",
        "loop",
        "soft score",
        "iterations",
        "wrong shapes",
        "seconds",
    ]
    table = Table(
        columns, rows, "<" * (len(results.by) + len(facts) + 3) + ">>>>", left_out=live.contradicted - len(rows)
    )
    return Section("Recorded Labels and Loop Results", [Note(text), *([table] if rows else [])], console=True)


def _worst(results: LoopResults) -> Section:
    blocks = [one.exhibit for one in results.tally.worst if one.exhibit is not None]
    title = f"Unsolved Problems with the Lowest Scores (ties broken by seed {results.tally.seed})"
    return Section(title, [*blocks], off_page=True)


def _percent(share: float | None) -> str:
    return NONE if share is None else fixed(100 * share, 1)


def _seconds(value: float | None) -> str:
    if value is None:
        return NONE
    return fixed(value, 2) if value < 1000 else fixed(value, 0)
