"""The arguments of the answer: what must be met, the comparison with null simulators, the weights."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf, isnan
from typing import NamedTuple

from auditfw.audits.alignment.counts import AlignmentResults
from auditfw.audits.alignment.settings import AlignmentSettings
from auditfw.audits.answers import RULES, Argument, Reason, Statement, interval, with_interval
from auditfw.core.digits import change, clear_digits, fixed, short, short_apart
from auditfw.core.document import some, verb
from auditfw.core.errors import brief
from auditfw.core.records import AnswerRule, AnswerStatus
from auditfw.formulas.clusters import ClusteredMean, ClusteredRate, rate

from .comparison import (
    ACTUAL,
    DrawnFigures,
    FreeDirection,
    ScoredWeights,
    further_scenarios,
    with_a_higher_score,
    with_a_key_met,
    with_more_scenarios,
    with_other_weights,
)
from .musts import Miss, MustCounts

MOSTLY_MISSED = RULES["mostly_missed"]
MUST_MISSED = RULES["must_missed"]
FEW_SCENARIOS = RULES["few_scenarios"]
NOTHING_DECIDES = RULES["nothing_decides"]
NO_BETTER = RULES["no_better_than_free"]
NOT_EXCLUDED = RULES["free_not_excluded"]
WEIGHTS_TURN = RULES["weights_turn"]
FREE_TURNS = RULES["free_turns"]
DIRECTION_FREE = RULES["direction_free"]


PLACES = 2  # of scores

# What must be met


class MissRule(NamedTuple):
    """The rule that divides the scenarios that miss from the others: in words, at which values they miss.

    `exactly` says that all there miss and none elsewhere.
    """

    text: str
    values: str
    exactly: bool


def musts_argument(audit: AlignmentSettings, musts: MustCounts, where: MissRule | None = None) -> Argument:
    """Whether what must be met is met, and `where` not; without a declared must the scope names what decides."""
    if not musts.scenarios:
        return Argument(
            scope=["No outcome is required (level: must), so the comparison with trivial baselines decides"]
        )
    share = must_share(musts)
    bound = audit.most_missed
    rules = [
        MOSTLY_MISSED(ACTUAL, share.share, share.low, share.high, bound=bound, fired=share.low > bound),
        MUST_MISSED(ACTUAL, float(musts.missed), bound=0.0, fired=musts.missed > 0),
    ]
    words: dict[AnswerStatus, Statement] = {}
    if musts.missed:
        words = {
            "broken": _missed(audit, musts, where, mostly=True),
            "fragile": _missed(audit, musts, where, mostly=False),
        }
    n = musts.scenarios - musts.missed
    meet = verb(n, "meets", "meet")
    met = f"{n:,} of {some(musts.scenarios, 'scenario')} {meet} all requirements (level: must)"
    return Argument(rules, words, [met])


def must_share(musts: MustCounts) -> ClusteredRate:
    """The share of scenarios that miss a must, with its interval over scenarios or items."""
    if musts.items:
        return rate([n for n, _ in musts.items.values()], [missed for _, missed in musts.items.values()])
    return rate([1] * musts.scenarios, [1] * musts.missed + [0] * (musts.scenarios - musts.missed))


def _missed(audit: AlignmentSettings, musts: MustCounts, where: MissRule | None, mostly: bool) -> Statement:
    share, miss = must_share(musts), musts.first[0]
    ends = f"{fixed(100 * share.share, 0)} % {interval(100 * share.low, 100 * share.high, 0)}"
    of = f"{musts.missed:,} of {some(musts.scenarios, 'scenario')}"
    lead = "Most scenarios miss a requirement" if mostly else "Some scenarios miss a requirement"
    headline, scenario = f"{lead}: {of}, {ends}.", brief(miss.scenario, 60)
    one, wish = musts.missed == 1, "(level: should if it is a wish, not a requirement)"
    meant = f"what {scenario} intends for {brief(miss.key, 60)}" if one else "what is intended"
    do = f"Fix the simulator, or change {meant} {wish}."
    if where is not None:
        rate = "" if where.exactly else f", {ends},"
        headline = f"{of}{rate} {verb(musts.missed, 'misses', 'miss')} a requirement: {where.text}."
        do = f"Look at what the simulator does where {where.values}."
    because = [f"{'In' if one else 'For example, in'} {scenario}, {miss_text(miss, audit)}."]
    return Statement(headline, because, do, with_a_key_met(musts))


def miss_text(miss: Miss, audit: AlignmentSettings) -> str:
    """What came for what must be: `y is 2 but must be at least 3`."""
    actual, low, high = short_apart(miss.actual, miss.low, miss.high)
    came = f"is {actual}" if miss.returned else "has no outcome"
    if isnan(miss.low) or isnan(miss.high):
        return f"{brief(miss.key, 60)} {came} and did not change as required"
    wanted = band_text(miss.low, miss.high, low, high)
    if miss.assumed and miss.low == miss.high:
        room = _percent(audit.tolerance) if abs(miss.low) >= audit.floor else short(audit.tolerance * audit.floor)
        wanted += f" (±{room} is assumed)"
    return f"{brief(miss.key, 60)} {came} but must be {wanted}"


def band_text(low: float, high: float, least: str, most: str) -> str:
    """What was meant, its ends as they are written: a number, a band or one end of it."""
    if low == high:
        return least
    if isinf(low):
        return f"at most {most}"
    return f"at least {least}" if isinf(high) else f"{least} to {most}"


def assumed_text(results: AlignmentResults) -> str:
    """The tolerance of outcomes that declare none, and how many these are; "" where there is none."""
    keys = results.total().keys.values()
    assumed, meant = sum(one.levels["assumed"] for one in keys), sum(one.counts.total() for one in keys)
    if not assumed:
        return ""
    of = "" if assumed == meant else f" in {assumed:,} of {some(meant, 'outcome')}"
    share = f"±{_percent(results.work.tolerance)} is assumed{of}"
    return f"{share}: these intentions declare no tolerance (audit.tolerance)"


def _percent(share: float) -> str:
    return f"{short(100 * share)} %"


# Against simulators that know nothing


def nulls_argument(audit: AlignmentSettings, results: AlignmentResults, figures: DrawnFigures) -> Argument:
    """Whether the simulator is better than the best one that ignores its parameters."""
    n = results.total().overall.n
    least = audit.least_scenarios
    rules = [FEW_SCENARIOS(ACTUAL, float(n), bound=float(least), fired=n < least)]
    words: dict[AnswerStatus, Statement] = {}
    above = None if figures.undecidable else figures.above()
    if above is None:
        alone = not results.musts.scenarios
        rules.append(NOTHING_DECIDES(ACTUAL, fired=alone))
        words["unknown"] = _few(audit, n) if rules[0].fired else _undecidable(audit, figures)
        why = figures.undecidable if len(figures.drawn) or not n else "audit.draw=0"
        return Argument(rules, words, [f"Not compared with trivial baselines: {why}"])
    low, high = above.low, above.high
    broken = high is not None and high <= 0.0
    rules.append(NO_BETTER(ACTUAL, above.mean, low, high, bound=0.0, fired=broken))
    open_end = low is None or high is None or low <= 0.0 < high
    rules.append(NOT_EXCLUDED(ACTUAL, above.mean, low, high, bound=0.0, fired=open_end))
    words["broken"] = _no_better(results, figures, above)
    numbers = Reason(f"{_compared(figures, above).rstrip('.')}: {difference_text(above)}.", rules[1:])
    required = results.musts.scenarios > 0
    words["unknown"] = _few(audit, n, [numbers]) if rules[0].fired else _not_excluded(figures, above, required)
    return Argument(rules, words, _seen(results, figures, above))


def difference_text(above: ClusteredMean) -> str:
    """A difference of scores with its interval, `+0.03 [-0.01, 0.08]`: more digits where an end would look like 0."""
    digits = clear_digits(filter(None, (above.low, above.high)), PLACES)
    return with_interval(change(above.mean, digits), above.low, above.high, digits, above.mean)


def _no_better(results: AlignmentResults, figures: DrawnFigures, above: ClusteredMean) -> Statement:
    headline = f"No better than a trivial baseline ({figures.best}): score difference {difference_text(above)}."
    because = [_compared(figures, above)]
    do = "Look at the worst scenarios in report.html, and at the magnitude score alone: weights=[balanced,magnitude]"
    if not results.work.rule.weights.direction:
        do = "Look at the worst scenarios in report.html, and check that the parameters affect the outcomes at all."
    return Statement(headline, because, do, with_a_higher_score(figures.compared_mean, above))


def _not_excluded(figures: DrawnFigures, above: ClusteredMean, required: bool) -> Statement:
    headline = (
        f"Not distinguishable from a trivial baseline ({figures.best}): score difference {difference_text(above)}."
    )
    more = further_scenarios(above)
    design = f"scenarios.n={above.n + more}" if more and above.items == above.n else "scenarios.n=64"
    do = f"Add scenarios{'' if more else ' with different intentions'} (for a design: {design})"
    if not required:
        do += ", or say what must hold (level: must)"
    return Statement(headline, [_compared(figures, above)], do, with_more_scenarios(above))


def _compared(figures: DrawnFigures, above: ClusteredMean) -> str:
    """Both scores, and on how many scenarios they were compared."""
    free = f"the best trivial baseline ({figures.best}) {fixed(figures.free[figures.best], PLACES)}"
    n = len(figures.keys)
    on = f" on the {some(n, 'key')} that {verb(n, 'differs', 'differ')}" if figures.part else ""
    return f"It scores {fixed(figures.compared_mean, PLACES)}{on}, {free}, in {some(above.n, 'scenario')}."


def _few(audit: AlignmentSettings, n: int, because: Sequence[Reason] = ()) -> Statement:
    headline = f"Too few scenarios to tell: {n:,}."
    more = audit.least_scenarios - n
    change = f"At least {some(more, 'more scenario')} {verb(more, 'is', 'are')} needed."
    do = f"Add scenarios (for a design: scenarios.n=64), or allow fewer: audit.least_scenarios={max(2, n)}"
    return Statement(headline, because, do, change)


def _undecidable(audit: AlignmentSettings, figures: DrawnFigures) -> Statement:
    if not audit.draw:
        headline = "No trivial baseline was computed, so there is nothing to compare the score with."
        return Statement(headline, [], "Score trivial baselines on a sample of scenarios: audit.draw=2000")
    if not figures.nulls:
        return Statement("Fewer than two scenarios have outcomes: nothing can be compared.", [], "Add scenarios.")
    headline = (
        "Every scenario has the same intentions and none is required: a constant may score as well as any simulator."
    )
    do = "Declare a requirement, as intended: {KEY: {at_least: NUMBER}}, or add scenarios that differ."
    return Statement(headline, [], do)


def _seen(results: AlignmentResults, figures: DrawnFigures, above: ClusteredMean) -> list[str]:
    parts = []
    if len(figures.drawn) < results.total().scenarios:
        parts.append(f"Trivial baselines were scored on a random sample of {some(len(figures.drawn), 'scenario')}")
    if above.low is not None and above.high is not None:
        half = fixed((above.high - above.low) / 2, PLACES)
        parts.append(f"A difference from trivial baselines below {half} may go undetected")
    return parts


# Weights of direction and magnitude


def weights_argument(audit: AlignmentSettings, scores: Sequence[ScoredWeights], free: FreeDirection) -> Argument:
    """Whether a purpose that is met under the deciding weights is missed under others; what direction gives free."""
    first, others = scores[0], scores[1:]
    turned = [one for one in others if (one.score >= audit.aligned) != (first.score >= audit.aligned)]
    rules = [
        WEIGHTS_TURN(one.reading, one.score, one.low, one.high, bound=audit.aligned, fired=one in turned)
        for one in others
    ]
    for one in others:
        if first.above is not None and one.above is not None:
            rules.append(_null_turns(one.reading, first.above, one.above))
    share = len(free.keys) / free.of if free.of else 0.0
    rules.append(DIRECTION_FREE(ACTUAL, share, bound=0.0, fired=bool(free.keys)))
    together = ", ".join(one.text for one in scores)
    remarks = [Reason(free.text, rules[-1:])] if free.text else []
    if others and not turned:
        remarks.insert(0, Reason(f"The score is {together}.", rules[: len(others)]))
    words: dict[AnswerStatus, Statement] = {}
    if turned:
        bound, one = f"{audit.aligned:g}", turned[0]
        met, missed = (first, one) if first.score >= audit.aligned else (one, first)
        headline = (
            f"The result depends on the weights: {together}; {met.words} reaches {bound}, {missed.words} does not."
        )
        name = one.reading.removeprefix(f"{ACTUAL}.")
        do = f"Decide which weights count, and set weights={name} or audit.weights={{direction: 0.5, magnitude: 0.5}}"
        tried = [rule for rule in rules if rule.reading == one.reading]
        change = with_other_weights(first, one, audit.aligned)
        words["fragile"] = Statement(headline, [Reason(_ends_text(one), tried)], do, change)
    return Argument(rules, words, remarks=remarks)


def _null_turns(reading: str, first: ClusteredMean, above: ClusteredMean) -> AnswerRule:
    """Whether other weights turn the comparison with null simulators; reported."""
    turned = {_side(first), _side(above)} == {-1, 1}
    return FREE_TURNS(reading, above.mean, above.low, above.high, bound=0.0, fired=turned)


def _side(above: ClusteredMean) -> int:
    if above.low is None or above.high is None:
        return 0
    return -1 if above.high <= 0 else int(above.low > 0)


def _ends_text(one: ScoredWeights) -> str:
    score = with_interval(f"By {one.words} the score is {fixed(one.score, 2)}", one.low, one.high)
    against = "" if one.above is None else f", {difference_text(one.above)} relative to the trivial baseline {one.best}"
    return f"{score}{against}."
