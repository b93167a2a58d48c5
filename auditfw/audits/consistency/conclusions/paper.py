"""Two sentences for a paper: who labelled how many items, and how well they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auditfw.audits.consistency.results import ConsistencyResults
from auditfw.audits.paper import made_by, paper_section, percent, places_of, with_span
from auditfw.core.digits import fixed
from auditfw.core.document import Section, some
from auditfw.core.records import Estimate, Measurement

NAMED, SHOWN = 6, 3  # raters
AGREED = "percent_agreement"
COEFFICIENTS = {  # the first that was measured
    "kappa": "Cohen's kappa",
    "weighted_kappa": "weighted kappa",
    "krippendorff_alpha": "Krippendorff's alpha",
    "gwet_ac1": "Gwet's AC1",
}


def paper(results: ConsistencyResults, measurements: Sequence[Measurement]) -> Section:
    """The section; empty where no rater has a number of agreement with an interval."""
    settings = results.settings
    known = {(m.metric, m.reading): m.estimate for m in measurements if m.overall}
    texts = {name: text for name in results.candidates if (text := _agreement(known, name))}
    if not texts:
        return paper_section([])
    items = {row.item for row in results.placed.rows(None)} if results.placed.itemised else set()
    of = f" of {some(len(items), 'question')}" if items else ""
    n = some(sum(results.audited.values()), "item")
    raters = [settings.called(name) for name in settings.raters]
    names = f"{', '.join(raters[:-1])} and {raters[-1]}" if len(raters) <= NAMED else some(len(raters), "rater")
    against = settings.called(settings.reference)
    agreements = [f"with {settings.called(name)} {text}" for name, text in texts.items()]
    return paper_section(
        [
            f"We compared the labels that {names} gave to {n}{of} ({made_by(settings.seed)}).",
            f"The agreement of {against} {'; '.join(agreements[:SHOWN])}{_more(agreements)}.",
        ]
    )


def _agreement(known: Mapping[tuple[str, str], Estimate], name: str) -> str:
    """Percent agreement with a rater and one coefficient, those of the two that have an interval."""
    parts = []
    agreed = known.get((AGREED, name))
    if agreed is not None and (ends := _ends(agreed)):
        parts.append(percent(ends[0], *ends[1:], f"n = {agreed.counted:,}"))
    for metric, called in COEFFICIENTS.items():
        own = known.get((metric, name))
        if own is not None and (ends := _ends(own)):
            value, low, high = ends
            digits = places_of(low, high, share=True)
            n = "" if parts else f"n = {own.counted:,}"
            parts.append(f"{called} {with_span(fixed(value, digits), low, high, digits, n)}")
            break
    return f"is {', '.join(parts)}" if parts else ""


def _ends(one: Estimate) -> tuple[float, float, float] | None:
    return None if one.value is None or one.low is None or one.high is None else (one.value, one.low, one.high)


def _more(agreements: Sequence[str]) -> str:
    more = len(agreements) - SHOWN
    return f" ({some(more, 'further rater')} in the report)" if more > 0 else ""
