"""Two sentences for a paper: who labelled how many items, on how many they differ, how well they agree, who is off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from auditfw.audits.consistency.charts import COEFFICIENTS
from auditfw.audits.consistency.conclusions.bounds import AGREED
from auditfw.audits.paper import made_by, paper_section, percent, places_of, with_span
from auditfw.core.digits import fixed
from auditfw.core.document import Section, some, verb
from auditfw.core.records import Estimate, Measurement

from .facts import ScreenFacts

NAMED, SHOWN = 6, 3  # raters
TAKEN = ("kappa", "krippendorff_alpha", "gwet_ac1")  # of labels in no order the first that was measured
WEIGHTED = {"linear": "linearly", "quadratic": "quadratically"}


def paper(facts: ScreenFacts, measurements: Sequence[Measurement]) -> Section:
    """The section; empty where no rater has a number of agreement with an interval."""
    results, settings = facts.results, facts.results.settings
    known = {(m.metric, m.reading): m.estimate for m in measurements if m.overall}
    texts = ((name, _agreement(facts, known, name)) for name in results.candidates)
    shown = list(islice(((name, text) for name, text in texts if text), SHOWN))
    if not shown:
        return paper_section([])
    of = f" of {some(results.placed.items, 'question')}" if results.placed.items else ""
    n, differ = sum(results.audited.values()), sum(times for p, times in results.audited.items() if p.differs)
    by = f"({made_by(settings.seed)}); on {differ:,} of them the labels differ"
    agreements = "; ".join(f"with {settings.called(name)} {text}" for name, text in shown)
    more = len(results.candidates) - results.candidates.index(shown[-1][0]) - 1
    further = f" ({some(more, 'further rater')} in the report)" if more else ""
    off = [rater for rater in settings.raters if rater in facts.off]
    apart = f"; by the checks of the audit {_listed(off, facts)} {verb(len(off), 'is', 'are')} off" if off else ""
    return paper_section(
        [
            f"We compared the labels that {_listed(settings.raters, facts)} gave to {some(n, 'item')}{of} {by}.",
            f"The agreement of {settings.called(settings.reference)} {agreements}{further}{apart}.",
        ]
    )


def _listed(raters: Sequence[str], facts: ScreenFacts) -> str:
    """Raters in words; of many their number."""
    names = [facts.called(rater) for rater in raters]
    if len(names) > NAMED:
        return some(len(names), "rater")
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _agreement(facts: ScreenFacts, known: Mapping[tuple[str, str], Estimate], name: str) -> str:
    """Percent agreement with a rater and one coefficient, those of the two that have an interval."""
    parts = []
    agreed = known.get((AGREED, name))
    if agreed is not None and (ends := _ends(agreed)):
        parts.append(percent(ends[0], *ends[1:], f"n = {agreed.counted:,}"))
    for called, own in _coefficients(facts, known, name):
        if own is not None and (ends := _ends(own)):
            value, low, high = ends
            digits = places_of(low, high, share=True)
            n = "" if parts else f"n = {own.counted:,}"
            parts.append(f"{called} {with_span(fixed(value, digits), low, high, digits, n)}")
            break
    return f"is {', '.join(parts)}" if parts else ""


def _coefficients(
    facts: ScreenFacts, known: Mapping[tuple[str, str], Estimate], name: str
) -> Iterator[tuple[str, Estimate | None]]:
    """What a coefficient is called, and its number: of labels in order the first screen's, else those measured."""
    coefficient, judged = facts.coefficient, facts.results.overall[name]
    if coefficient.ordered:
        pair = judged.pair(coefficient.abstain)
        estimate = None if pair is None else coefficient.of_pair(judged, pair)
        yield f"{WEIGHTED[coefficient.weights]} weighted kappa", estimate
        return
    for metric in TAKEN:
        yield COEFFICIENTS[metric], known.get((metric, name))


def _ends(one: Estimate) -> tuple[float, float, float] | None:
    return None if one.value is None or one.low is None or one.high is None else (one.value, one.low, one.high)
