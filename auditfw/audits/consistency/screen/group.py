"""Three and more raters: each against the others, who is off, who gives more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import isfinite

from auditfw.audits.consistency.conclusions.stand_in import lost_texts
from auditfw.core.document import Note, Section, Table, kept_places, some
from auditfw.core.records import Estimate

from .facts import NONE, ScreenFacts, kappa_text, label_text, more_text, span

# How well people agree with each other: the most that can be asked of a judge; and how well each judge does with
# them.

TWO = 2  # people, who are named


def agreement_lines(facts: ScreenFacts) -> list[str]:
    """Of every judge its kappa with each of two people, or the least and the largest; then that of people."""
    tests, people = facts.stand_ins, people_left(facts)
    if tests is None or not (between := between_people(facts)):
        return []
    return [f"{_of_judge(facts, one.judge, people)}; {between}" for one in tests.judges]


def people_left(facts: ScreenFacts) -> list[str]:
    """The people that are not off, where the run names people."""
    return [] if facts.stand_ins is None else facts.stand_ins.left


def between_people(facts: ScreenFacts) -> str:
    """Kappa of two people with its interval, of more the least and the largest; "" where there are none."""
    people = people_left(facts)
    if len(people) == TWO:
        one = of_two(facts, people)
        text = kappa_text(one.value, one.low, one.high)
        return f"{' with '.join(map(facts.called, people))} {text} on {one.counted:,}"
    between = among_people(facts)
    off = [] if facts.stand_ins is None else facts.stand_ins.off
    without = f", without {' and '.join(map(facts.called, off))}" if off else ""
    return f"people with each other {between}{without}" if between else ""


def among_people(facts: ScreenFacts) -> str:
    """The kappas of every two people: the least and the largest."""
    return _span(facts, list(combinations(people_left(facts), 2)))


def of_two(facts: ScreenFacts, raters: Sequence[str]) -> Estimate:
    """The coefficient of two raters with its interval."""
    one, other = raters
    judged = replace(facts.results.overall["all"], group=None, candidate=one, reference=other)
    return facts.coefficient(judged) or Estimate(None)


def _of_judge(facts: ScreenFacts, judge: str, people: Sequence[str]) -> str:
    if len(people) > TWO:
        return f"{facts.called(judge)} with people {_span(facts, [(judge, human) for human in people])}"
    own = [f"{facts.called(human)} {_span(facts, [(judge, human)])}" for human in people]
    return f"{facts.called(judge)} with {', '.join(own)}"


def _span(facts: ScreenFacts, pairs: Sequence[tuple[str, str]]) -> str:
    """The least and the largest kappa of pairs."""
    place = facts.ratings.column
    return span(float(facts.with_others.kappa[place(one), place(other)]) for one, other in pairs)


MOST_ROWS, MOST_LOST = 8, 2


def each_rater(facts: ScreenFacts) -> Section | None:
    """Every rater's mean kappa with the others and its labels; of many the worst, those off, and the best one."""
    ratings = facts.ratings
    if not ratings.n:
        return None
    known = facts.with_others
    means = [float(mean) for mean in known.means]
    kept = _kept(means, [rater in facts.off for rater in facts.raters])
    rows = []
    for at in kept:
        ends = known.interval(at, facts.coefficient.interval.confidence)
        kappa = kappa_text(means[at], *ends) if isfinite(means[at]) else NONE
        rows.append([facts.called(facts.raters[at]), kappa, *_labels(facts, at), *_unlabelled(facts, at)])
    titles = ["rater", "with the others", *_titles(facts), *(["no label"] if _gaps(facts) else [])]
    if facts.off:
        titles.append("checks")
        for at, row in zip(kept, rows, strict=True):
            row.append("off" if facts.raters[at] in facts.off else "")
    others = "others that are not off" if facts.sound else "others"
    title = f"Each rater against the {others} ({facts.coefficient.title}; {some(ratings.n, facts.noun)})"
    judges = [*lost_texts(facts.stand_ins, facts.called)[:MOST_LOST], *agreement_lines(facts)[:MOST_LOST]]
    notes = [Note(text) for text in [*_left_out(facts, kept), *judges]]
    return Section(title, [Table(titles, rows, "<" * len(titles)), *notes], screen="who")


def _kept(means: Sequence[float], off: Sequence[bool]) -> list[int]:
    """The raters that are shown: all in their order, of many the lowest kappas, those off and the highest."""
    every = list(range(len(means)))
    if len(every) <= MOST_ROWS:
        return every
    ranked = sorted(every, key=lambda at: (means[at] if isfinite(means[at]) else -2.0, at))
    return kept_places(ranked, [at for at in every if off[at]], MOST_ROWS - 1)


def _left_out(facts: ScreenFacts, kept: Sequence[int]) -> list[str]:
    left = len(facts.raters) - len(kept)
    if not left:
        return []
    off = len(set(facts.off) - {facts.raters[at] for at in kept})
    return [f"({left:,} more{f', {off:,} of them off' if off else ''})"]


def _titles(facts: ScreenFacts) -> list[str]:
    if facts.coefficient.ordered:
        return [facts.typical_title, "gives more by", "commonest"]
    return [f"says {label_text(facts.ratings.labels[i])}" for i in facts.shared] if _few(facts) else ["commonest"]


def _few(facts: ScreenFacts) -> bool:
    """Whether the labels are so few that all their shares are shown."""
    used = [own for own in zip(*facts.counted, strict=True) if any(own)]
    return len(used) <= len(facts.shared)


def _labels(facts: ScreenFacts, at: int) -> list[str]:
    from auditfw.formulas.agreement.with_others import shift

    own = facts.counted[at]
    if facts.coefficient.ordered:
        mean, more, half, _ = shift(facts.ratings, facts.places, at, facts.sound)
        return [facts.typical(mean, own), more_text(more, half), facts.commonest(own)]
    return list(map(partial(facts.share, own), facts.shared)) if _few(facts) else [facts.commonest(own)]


def _gaps(facts: ScreenFacts) -> bool:
    return any(map(facts.unlabelled, facts.raters))


def _unlabelled(facts: ScreenFacts, at: int) -> list[str]:
    return [f"{facts.unlabelled(facts.raters[at]):,}"] if _gaps(facts) else []
