"""Two sentences for a paper: who labelled how many items, on how many they differ, how well they agree, who is off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from auditfw.audits.consistency.charts import COEFFICIENTS
from auditfw.audits.consistency.conclusions.bounds import AGREED
from auditfw.audits.paper import made_by, paper_section, percent, places_of, with_span
from auditfw.core.digits import fixed
from auditfw.core.document import Note, Section, some, verb
from auditfw.core.records import Estimate, Measurement
from auditfw.formulas.agreement.ratings import ITEMS, MISSING

from .facts import ScreenFacts
from .group import TWO, among_people, each_rater, of_two, people_left
from .pair import TwoRaters, example

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
            *_people(facts),
            *_together(facts, off),
        ]
    )


def _people(facts: ScreenFacts) -> list[str]:
    """The agreement between people, which a judge cannot be asked to exceed, and who of them was left out and why."""
    number, people = among_people(facts), people_left(facts)
    if not number:
        return []
    if len(people) == TWO:
        one = of_two(facts, people)
        number = _spanned(one, f"n = {one.counted:,}") or number
    tests = facts.stand_ins
    text = f"The agreement between people ({_listed(people, facts)}) is {_called(facts)} {number}"
    if tests is None or not tests.off:
        return [f"{text}."]
    own, theirs = facts.off_means
    why = f", whose mean {_called(facts)} with the others is {own}, theirs {theirs}" if own and theirs else ""
    return [f"{text}; {_listed(tests.off, facts)} {verb(len(tests.off), 'was', 'were')} left out{why}."]


def _called(facts: ScreenFacts) -> str:
    """What the coefficient of the screen is called in a paper."""
    coefficient = facts.coefficient
    return f"{WEIGHTED[coefficient.weights]} weighted kappa" if coefficient.ordered else COEFFICIENTS["kappa"]


def _together(facts: ScreenFacts, off: Sequence[str]) -> list[str]:
    """Krippendorff's alpha of three raters or more, and without those that are off: ordinal of labels in order."""
    level = facts.coefficient.level
    every = [facts.alpha(facts.raters)] if len(facts.raters) > 2 else []
    left = [rater for rater in facts.raters if rater not in off]
    every += [facts.alpha(left)] if every and off and len(left) > 1 else []
    texts = [text for one in every if (text := _spanned(one, f"n = {one.counted:,}"))]
    if len(texts) < len(every) or not texts:
        return []
    without = f"; without {_listed(off, facts)} it is {texts[1]}" if len(texts) > 1 else ""
    return [f"Krippendorff's alpha at the {level} level over all {len(facts.raters):,} raters is {texts[0]}{without}."]


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
        if own is not None and (text := _spanned(own, "" if parts else f"n = {own.counted:,}")):
            parts.append(f"{called} {text}")
            break
    return f"is {', '.join(parts)}" if parts else ""


def _coefficients(
    facts: ScreenFacts, known: Mapping[tuple[str, str], Estimate], name: str
) -> Iterator[tuple[str, Estimate | None]]:
    """What a coefficient is called, and its number: of labels in order the first screen's, else those measured."""
    coefficient, judged = facts.coefficient, facts.results.overall[name]
    if coefficient.ordered:
        yield _called(facts), coefficient(judged)
        return
    for metric in TAKEN:
        yield COEFFICIENTS[metric], known.get((metric, name))


def _spanned(one: Estimate, n: str) -> str:
    """A coefficient with its interval and n; "" where it has no interval."""
    ends = _ends(one)
    if ends is None:
        return ""
    value, low, high = ends
    digits = places_of(low, high, share=True)
    return with_span(fixed(value, digits), low, high, digits, n)


def _ends(one: Estimate) -> tuple[float, float, float] | None:
    return None if one.value is None or one.low is None or one.high is None else (one.value, one.low, one.high)


# The sections of the first screen in their order: who, where they differ, an example, how many have all labels.


def first_sections(facts: ScreenFacts) -> list[Section]:
    """What the terminal shows before the answer; nothing where no item was audited."""
    if not facts.results.audited:
        return []
    two = TwoRaters(facts) if len(facts.raters) == 2 else None
    who = two.sections() if two is not None else [each_rater(facts)]
    sections = [*who, example(facts, two), _labels(facts)]
    return [section for section in sections if section is not None]


def _labels(facts: ScreenFacts) -> Section:
    """How many items all raters labelled."""
    everyone = facts.results.overall["all"]
    every = sum(n for pattern, n in everyone.everyone.items() if MISSING not in pattern)
    items, raters = everyone.facts.get(ITEMS, 0), len(facts.raters)
    which = "both labels" if raters == 2 else f"the labels of all {raters:,} raters"
    text = f"{every:,} of {some(items, facts.noun)} {verb(every, 'has', 'have')} {which}"
    if raters > 2 and everyone.everyone.n > every:
        text += f", {everyone.everyone.n:,} of two or more"
    return Section("Who Labelled What", [Note(text), *_bounds(facts)], 3, screen="data")


def _bounds(facts: ScreenFacts) -> list[Note]:
    """What bounds are, of more raters than two, whose screen has room for it; the page says it of all."""
    text = facts.results.bounds_text
    return [Note(text)] if text and len(facts.raters) > 2 else []
