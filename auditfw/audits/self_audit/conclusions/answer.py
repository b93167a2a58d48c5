"""What follows from the loops: are answers that solve training right, and would another stop rule do?"""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.audits.answers import (
    INCOMPLETE,
    Argument,
    Reason,
    RuleKind,
    Statement,
    concluded,
    incomplete_argument,
    nothing_audited,
)
from auditfw.audits.self_audit.counts import LoopTable
from auditfw.audits.self_audit.readings import LIVE
from auditfw.audits.self_audit.settings import SelfAuditSettings, WrongBounds
from auditfw.core.digits import fixed
from auditfw.core.document import some, verb
from auditfw.core.errors import AuditError
from auditfw.core.records import Answer, AnswerRule, AnswerStatus
from auditfw.core.statistics import wilson
from auditfw.formulas.loop_counts import LoopCounts

from .stopping import cheaper, percent_interval

MOST_NEEDED = 1_000  # further problems that are looked at
LOOK = "check the path, the filters and why problems were not audited (Coverage)"
WRONG = "the share that is wrong"
BROKEN = RuleKind(
    "mostly_wrong",
    "Are most answers that solve training wrong on the tests?",
    WRONG,
    "low_above",
    "broken",
    "audit.wrong.broken",
)
FRAGILE = RuleKind(
    "wrong_on_tests",
    "Are answers that solve training wrong on the tests?",
    WRONG,
    "low_above",
    "fragile",
    "audit.wrong.fragile",
)
WIDE = RuleKind(
    "wrong_unsure", "Could many answers be wrong on the tests?", WRONG, "high_above", "unknown", "audit.wrong.unknown"
)
FEW = RuleKind(
    "few_solved", "Are there enough answers with tests?", "how many there are", "below", "unknown", "audit.wrong.least"
)
UNTESTED = RuleKind("tests_unknown", "Are the tests known?", "how many answers have tests", "below", "unknown")


def own_arguments(settings: SelfAuditSettings, counts: LoopTable) -> list[Argument]:
    """The arguments of the answer besides those of findings."""
    saving = _saving(settings, counts)
    return [Argument(remarks=[f"{saving}."] if saving else []), wrong_argument(settings.wrong, counts.of(LIVE, None))]


def answer_of(
    settings: SelfAuditSettings, counts: LoopTable, heard: Sequence[Argument], incomplete: AuditError | None = None
) -> Answer:
    """The answer of a self-audit from all that is `heard`; of one that is `incomplete` it is never stable."""
    if not counts.counts["audited"]:
        return nothing_audited(LOOK)
    arguments, live = list(heard), counts.of(LIVE, None)
    if incomplete is not None:
        arguments.insert(0, _incomplete(counts, settings.max_error_rate, incomplete))
    rules = [rule for argument in arguments for rule in argument.rules]
    return concluded(arguments, lambda: _stable(live, _saving(settings, counts), rules), "self_audit")


def _saving(settings: SelfAuditSettings, counts: LoopTable) -> str | None:
    return cheaper(counts.stopping, settings.stop_rules, counts.counts["audited"])


def wrong_argument(bounds: WrongBounds, live: LoopCounts) -> Argument:
    """How many answers that solve training are wrong on the tests, which the loop did not look at."""
    n = live.solved_tested
    rules = [
        _wrong_rule(BROKEN, live, bounds.broken),
        _wrong_rule(FRAGILE, live, bounds.fragile),
        UNTESTED(LIVE, float(n), bound=1.0, fired=bool(live.solved) and not n),
        FEW(LIVE, float(n), bound=float(bounds.least), fired=n < bounds.least),
        _wrong_rule(WIDE, live, bounds.unknown),
    ]
    words: dict[AnswerStatus, Statement] = {}
    if n:
        words["broken"] = words["fragile"] = _wrong(live)
    words["unknown"] = _unknown(bounds, live)
    return Argument(rules, words, [_scope(live)])


def _wrong_rule(kind: RuleKind, live: LoopCounts, bound: float) -> AnswerRule:
    """A bound on the share of wrong tests: the lower end of the interval is above it, for `WIDE` the upper end."""
    n, wrong = live.solved_tested, live.solved_wrong
    if not n:
        return kind(LIVE, bound=bound, fired=False)
    low, high = wilson(wrong, n)
    return kind(LIVE, wrong / n, low, high, bound=bound, fired=(high if kind == WIDE else low) > bound)


def _share(live: LoopCounts) -> str:
    return f"{fixed(100 * live.solved_wrong / live.solved_tested, 1)} %"


def _wrong(live: LoopCounts) -> Statement:
    n, wrong = live.solved_tested, live.solved_wrong
    headline = f"{_share(live)} of the answers that solve training are wrong on the tests ({wrong:,} of {n:,})."
    do = "Read them in report.html, solved but wrong first; success on training should not end this loop."
    return Statement(headline, [_because(live)], do)


def _unknown(bounds: WrongBounds, live: LoopCounts) -> Statement:
    n = live.solved_tested
    if live.solved and not n:
        headline = f"{some(live.solved, 'answer')} solved training; whether they are right on tests is unknown."
        return Statement(headline, [], "Give the problems tests with outputs: source.columns.test.")
    if n < bounds.least:
        headline = f"Too few answers: {n:,} solved training and have tests, {live.solved_wrong:,} of them wrong."
        do = f"Audit more problems: {bounds.least:,} solved ones with tests are needed."
        return Statement(headline, [_because(live)] if n else [], do)
    high = 100 * wilson(live.solved_wrong, n)[1]
    wrong = f"{live.solved_wrong:,} of {some(n, 'answer')} that {verb(n, 'solves', 'solve')} training"
    wrong += f" {verb(live.solved_wrong, 'is', 'are')} wrong on the tests"
    headline = f"Too few to tell: {wrong}, up to {fixed(high, 1)} % may be."
    return Statement(headline, [_because(live)], _needed(bounds, live))


def _needed(bounds: WrongBounds, live: LoopCounts) -> str:
    """How many more answers would bring the upper end of the interval down, if as many of them are wrong."""
    n, share = live.solved_tested, live.solved_wrong / live.solved_tested
    sizes = range(n + 1, n + MOST_NEEDED)
    more = next((size - n for size in sizes if wilson(round(share * size), size)[1] <= bounds.unknown), None)
    if more is None:
        return "Audit more problems with known tests."
    below = f"below {fixed(100 * bounds.unknown, 0)} %"
    return (
        f"Audit more problems with known tests: about {more:,} more solved would bring that {below} if the share stays."
    )


def _because(live: LoopCounts) -> str:
    ends = percent_interval(wilson(live.solved_wrong, live.solved_tested))
    return f"Wrong on the tests: {live.solved_wrong:,} of {live.solved_tested:,}, {_share(live)} {ends}."


def _stable(live: LoopCounts, saving: str | None, rules: Sequence[AnswerRule]) -> Statement:
    n, wrong = live.solved_tested, live.solved_wrong
    if not n:
        return Statement("No answer solved training, and that is known.", [], "Solve some: raise stop.max_iterations.")
    few = f"{wrong:,} of {n:,} {verb(wrong, 'is', 'are')} wrong, {_share(live)}"
    headline = f"Answers that solve training also pass the tests: {few}."
    do = (
        f"To spend less: {saving}."
        if saving
        else "Report the solve rate; no stop rule here is cheaper without losing solves or soft score."
    )
    return Statement(headline, [Reason(_because(live), [rule for rule in rules if rule.number == WRONG])], do)


def _scope(live: LoopCounts) -> str:
    have = verb(live.solved_tested, "has", "have")
    text = (
        f"{some(live.counted, 'loop')}; {live.solved:,} solved training, {live.solved_tested:,} of these {have} tests"
    )
    return f"{text}; {some(live.missing, 'loop')} without a result" if live.missing else text


def _incomplete(counts: LoopTable, bound: float, error: AuditError) -> Argument:
    failed = counts.counts["error"]
    share = failed / counts.counts.total()
    rule = INCOMPLETE(LIVE, share, bound=bound, fired=True)
    return incomplete_argument(rule, error, "Fix the solver and continue with auditfw rerun RUN or resume=RUN.")
