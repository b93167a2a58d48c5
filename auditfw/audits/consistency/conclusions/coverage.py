"""Did every rater label enough of the items, and in which columns were joined records compared?"""

from __future__ import annotations

from auditfw.audits.answers import Argument, Reason, RuleKind, Statement, interval
from auditfw.audits.consistency.results import ConsistencyResults
from auditfw.audits.consistency.settings import ConsistencySettings
from auditfw.core.digits import fixed
from auditfw.core.document import some, verb
from auditfw.core.records import AnswerRule
from auditfw.core.statistics import wilson
from auditfw.formulas.agreement.ratings import ITEMS, JOINED, JOINED_DIFFER, LABELLED

COVERAGE = RuleKind(
    "coverage",
    "Did each rater label enough items?",
    "the share of items that it labelled",
    "below",
    "unknown",
    "audit.coverage",
)


def coverage_argument(settings: ConsistencySettings, results: ConsistencyResults) -> Argument:
    """Whether each rater labelled as many of the items as it must: else nobody knows what it says of the others."""
    facts = results.overall["all"].facts
    items, bound = facts.get(ITEMS, 0), settings.coverage
    rules = []
    for rater in results.settings.raters if items else ():
        share, ends = _share(facts.get(f"{LABELLED}{rater}", 0), items)
        rules.append(COVERAGE(rater, share, *ends, bound=bound, fired=share < bound))
    fired = sorted((rule for rule in rules if rule.fired), key=lambda rule: (rule.value or 0.0, rule.reading))
    if not fired:
        return Argument(rules)
    worst, called = fired[0], results.settings.called
    labelled = f"{called(worst.reading)} labelled {_percent(worst.value)} of {some(items, 'item')}"
    headline = f"{labelled}: its labels for the others are unknown."
    wanted = f"of the items; {_percent(bound)} are required."
    because = [
        Reason(f"{called(rule.reading)} labelled {_percent(rule.value)} {_ends(rule)} {wanted}", [rule])
        for rule in fired
    ]
    words = Statement(headline, because, _to_cover(settings, results, worst))
    return Argument(rules, {"unknown": words})


def _to_cover(settings: ConsistencySettings, results: ConsistencyResults, worst: AnswerRule) -> str:
    """What to do about labels that are missing."""
    known = {label.casefold() for label in settings.named_labels}
    written = [text for rater, text in results.whole.unknown if rater == worst.reading]
    if settings.case == "exact" and any(text.strip().casefold() in known for text in written):
        return "Ignore upper and lower case in labels: audit.case=fold"
    if written:
        rater = results.settings.called(worst.reading)
        return f"Declare what {rater} writes, '{written[0]}': audit.labels, or audit.aliases"
    if results.whole.ties:
        return f"Declare what a tie of votes gives, '{settings.tie}': audit.labels, or another first in audit.abstain"
    facts, rater = results.overall["all"].facts, worst.reading
    nulls = facts.get(ITEMS, 0) - facts.get(f"{LABELLED}{rater}", 0) - results.whole.absent[rater]
    if settings.missing_label is None and nulls > 0:
        return "Count a null label as an answer: audit.missing_label=NONE; or add the missing labels"
    return f"Add the missing labels, or require fewer: audit.coverage={fixed(worst.value or 0.0, 2)}"


def joins_scope(results: ConsistencyResults) -> list[str]:
    """In which columns joined records were compared, and how many items differ there."""
    facts = results.overall["all"].facts
    joined, differing = facts.get(JOINED, 0), facts.get(JOINED_DIFFER, 0)
    if not joined:
        return []
    columns = ", ".join(column.name for column in results.whole.contents)
    differ = verb(differing, "differs", "differ")
    return [f"Joined records were compared in {columns}: {some(differing, 'item')} of {joined:,} {differ}"]


def _share(part: int, n: int) -> tuple[float, tuple[float, float]]:
    return part / n, wilson(part, n)


def _percent(share: float | None) -> str:
    return f"{fixed(100 * (share or 0.0), 1).removesuffix('.0')} %"


def _ends(rule: AnswerRule) -> str:
    low, high = rule.low or 0.0, rule.high or 0.0
    return interval(100 * low, 100 * high, 1)
