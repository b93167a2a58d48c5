"""What follows from the loops: are answers that solve training right, and would another stop rule do?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auditfw.audits.answers import (
    INCOMPLETE,
    RULES,
    Argument,
    RuleKind,
    Statement,
    concluded,
    incomplete_argument,
    interval,
    nothing_audited,
)
from auditfw.audits.self_audit.counts import LoopTable
from auditfw.audits.self_audit.readings import LIVE
from auditfw.audits.self_audit.settings import SelfAuditSettings, WrongBounds
from auditfw.core.digits import fixed, interval_digits
from auditfw.core.document import some, verb
from auditfw.core.errors import AuditError
from auditfw.core.records import Answer, AnswerRule, AnswerStatus
from auditfw.core.statistics import wilson
from auditfw.formulas.loop_counts import LoopCounts
from auditfw.kinds.capabilities import capability

from .paying import Paying
from .stopping import cheaper

MOST_NEEDED = 1_000  # further problems that are looked at
LOOK = "check the path, the filters and why problems were not audited (Coverage)"
WRONG = "the share that is wrong"
WOULD_BE = "The answer would be SOLVED MEANS RIGHT"
DECIDES = "DEPENDS ON WHAT A SOLVE IS WORTH"
WASTED = "MORE ATTEMPTS SOLVE NO MORE"
NOT_TESTED = "SOLVED IS NOT TESTED"
BROKEN = RULES["mostly_wrong"]
FRAGILE = RULES["wrong_on_tests"]
WIDE = RULES["wrong_unsure"]
FEW = RULES["few_solved"]
UNTESTED = RULES["tests_unknown"]


def own_arguments(settings: SelfAuditSettings, counts: LoopTable) -> list[Argument]:
    """The arguments of the answer besides those of findings."""
    saving, paying, live = _saving(settings, counts), paying_of(settings, counts), counts.of(LIVE, None)
    recorded = bool(capability(settings.scoring, "recorded", False))
    tests = wrong_argument(settings.wrong, live, recorded)
    if live.solved and not live.solved_tested:
        return [Argument(remarks=[f"{saving}."] if saving else []), _untested_argument(settings.wrong, tests, paying)]
    remark = f"{saving}." if saving else "" if paying is None else paying.sentence(setting=True)
    return [Argument(remarks=[remark] if remark else []), tests]


def _untested_argument(bounds: WrongBounds, tests: Argument, paying: Paying | None) -> Argument:
    """How many attempts pay, as far as that is known, and then that no tests of solved problems are known."""
    unknown = tests.words["unknown"]
    if paying is None:
        return replace(tests, says=NOT_TESTED)
    gives, choice = paying.sentence() or paying.alone(), paying.choice()
    says = DECIDES if choice else WASTED if paying.wasted else NOT_TESTED
    change, least = unknown.change, _further(bounds, 0, 0)
    if says != NOT_TESTED:
        shown = (
            f"tests of {some(least, 'solved problem')}, all passed, would show that, and" if least else "tests would"
        )
        change = f"Unknown is only whether solved is right: {shown} change none of these numbers."
    words: dict[AnswerStatus, Statement] = {
        "unknown": Statement(gives, [choice] if choice else [], unknown.next, change)
    }
    scope = [*tests.scope, paying.grounds()]
    return replace(tests, words=words, remarks=[unknown.headline], says=says, scope=scope)


def paying_of(settings: SelfAuditSettings, counts: LoopTable) -> Paying | None:
    """How many attempts pay, by what they take; None where that is not known of all loops, or nothing was solved."""
    return Paying.of(counts.curve, len(counts.sound), settings.dollars)


def answer_of(
    settings: SelfAuditSettings, counts: LoopTable, heard: Sequence[Argument], incomplete: AuditError | None = None
) -> Answer:
    """The answer of a self-audit from all that is `heard`; of one that is `incomplete` it is never stable."""
    if not counts.counts["audited"]:
        return nothing_audited(LOOK)
    arguments, live = list(heard), counts.of(LIVE, None)
    if incomplete is not None:
        arguments.insert(0, _incomplete(counts, settings.max_error_rate, incomplete))
    return concluded(arguments, lambda: _stable(live, _saving(settings, counts)), "self_audit")


def _saving(settings: SelfAuditSettings, counts: LoopTable) -> str | None:
    return cheaper(counts.stopping, settings.stop_rules, counts.counts["audited"])


def wrong_argument(bounds: WrongBounds, live: LoopCounts, recorded: bool = False) -> Argument:
    """How many answers that solve training are wrong on the tests, which the loop did not look at.

    `recorded` says that scores were recorded and nothing is computed.
    """
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
        words["broken"] = words["fragile"] = _wrong(bounds, live)
    words["unknown"] = _untested(bounds, live, recorded) if live.solved and not n else _unknown(bounds, live)
    return Argument(rules, words, [_scope(live)])


def _wrong_rule(kind: RuleKind, live: LoopCounts, bound: float) -> AnswerRule:
    """A bound on the share of wrong tests: the lower end of the interval is above it, for `WIDE` the upper end."""
    n, wrong = live.solved_tested, live.solved_wrong
    if not n:
        return kind(LIVE, bound=bound, fired=False)
    low, high = wilson(wrong, n)
    return kind(LIVE, wrong / n, low, high, bound=bound, fired=(high if kind == WIDE else low) > bound)


def _share(live: LoopCounts) -> str:
    """The share of the answers that is wrong, with its interval: `6 % [1, 27]`."""
    n, wrong = live.solved_tested, live.solved_wrong
    low, high = (100 * end for end in wilson(wrong, n))
    digits = interval_digits(low, high)
    return f"{fixed(100 * wrong / n, digits)} % {interval(low, high, digits)}"


def _wrong(bounds: WrongBounds, live: LoopCounts) -> Statement:
    n, wrong = live.solved_tested, live.solved_wrong
    headline = f"{wrong:,} of {some(n, 'answer')} that solve training are wrong on the tests: {_share(live)}."
    do = "Read them in report.html, solved but wrong first; success on training should not end this loop."
    return Statement(headline, [], do, _corrected(bounds, live))


def _untested(bounds: WrongBounds, live: LoopCounts, recorded: bool) -> Statement:
    """Tests of no solved problem are known; where scores are recorded there is no place for them."""
    least = _further(bounds, 0, 0)
    change = f"{WOULD_BE} if the tests of {some(least, 'solved problem')} were known and all passed." if least else ""
    headline = f"{some(live.solved, 'answer')} solved training; whether they are right on tests is unknown."
    do = "Give the problems tests with outputs: source.columns.test"
    if recorded:
        solved = f"{live.solved:,} of {some(live.counted, 'problem')} {verb(live.solved, 'is', 'are')} solved"
        headline = f"{solved} by the recorded scores; whether their answers are right was not tested."
        do = "Check solved answers by tests that the loop did not use, before you rely on them"
    return Statement(headline, [], do, change)


def _unknown(bounds: WrongBounds, live: LoopCounts) -> Statement:
    n, wrong = live.solved_tested, live.solved_wrong
    more = _further(bounds, wrong, n)
    change = f"{WOULD_BE} with about {some(more, 'more solved problem')} and no further error." if more else ""
    if n < bounds.least:
        headline = f"Too few answers: {n:,} solved training and have tests, {wrong:,} of them wrong."
        return Statement(headline, [], "Audit more problems with known tests", change)
    which = f"{wrong:,} of {some(n, 'answer')} that {verb(n, 'solves', 'solve')} training"
    headline = f"Too few to tell: {which} {verb(wrong, 'is', 'are')} wrong on the tests, {_share(live)}."
    return Statement(headline, [], "Audit more problems with known tests", change)


def _holds(bounds: WrongBounds, wrong: int, n: int) -> bool:
    """Whether no rule would fire for so many wrong ones of `n` answers with tests."""
    if n < max(bounds.least, 1):
        return False
    low, high = wilson(wrong, n)
    return low <= min(bounds.fragile, bounds.broken) and high <= bounds.unknown


def _further(bounds: WrongBounds, wrong: int, n: int) -> int | None:
    """How many more answers, all of them right, would make the answer stable; None for more than a thousand."""
    return next((more for more in range(1, MOST_NEEDED) if _holds(bounds, wrong, n + more)), None)


def _corrected(bounds: WrongBounds, live: LoopCounts) -> str:
    """How many of the wrong answers would have to be right, as a sentence; "" where these are too few answers."""
    n, wrong = live.solved_tested, live.solved_wrong
    right = next((right for right in range(1, wrong + 1) if _holds(bounds, wrong - right, n)), None)
    return "" if right is None else f"{WOULD_BE} if {right:,} of the {wrong:,} were right."


def _stable(live: LoopCounts, saving: str | None) -> Statement:
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
    return Statement(headline, [], do)


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
