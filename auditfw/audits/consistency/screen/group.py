"""Three and more raters: each against the others, who is off, who gives more."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isfinite

from auditfw.audits.consistency.conclusions.stand_in import lost_texts
from auditfw.core.document import Note, Section, Table, kept_places, some

from .facts import NONE, ScreenFacts, kappa_text, label_text, more_text

MOST_ROWS, MOST_LOST = 8, 2


def each_rater(facts: ScreenFacts) -> Section | None:
    """Every rater's mean kappa with the others and its labels; of many the worst, those off, and the best one."""
    from auditfw.formulas.agreement.with_others import WithOthers

    ratings = facts.ratings
    if not ratings.n:
        return None
    known = WithOthers(ratings, facts.coefficient.matrix(ratings.labels, facts.numbers))
    means = [float(mean) for mean in known.means]
    kept = _kept(means, [rater in facts.off for rater in facts.raters])
    rows = []
    for at in kept:
        ends = known.interval(at, facts.coefficient.interval.confidence)
        kappa = kappa_text(means[at], *ends) if isfinite(means[at]) else NONE
        rows.append([facts.called(facts.raters[at]), kappa, *_labels(facts, at), *_unlabelled(facts, at)])
    titles = ["rater", "with the others", *_titles(facts), *(["no label"] if _gaps(facts) else [])]
    if facts.off:
        titles.append("")
        for at, row in zip(kept, rows, strict=True):
            row.append("off" if facts.raters[at] in facts.off else "")
    title = f"Each rater against the others ({facts.coefficient.title}; {some(ratings.n, facts.noun)})"
    lost = lost_texts(facts.results.stand_ins, facts.called)[:MOST_LOST]
    notes = [Note(text) for text in [*_left_out(facts, kept), *_against(facts), *lost]]
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
        mean, more, half, _ = shift(facts.ratings, facts.places, at, _sound(facts))
        return [facts.typical(mean, own), more_text(more, half), facts.commonest(own)]
    return list(map(partial(facts.share, own), facts.shared)) if _few(facts) else [facts.commonest(own)]


def _sound(facts: ScreenFacts) -> list[int]:
    """The places of the raters over which a lean is measured: those that are not off, none where that are too few.

    A rater that is off moves the mean of the others, and with it the lean of every rater that is not: people seem to
    give too little beside one that gives much, and a judge that gives as much as that one seems to lean less than it
    does. A reader who sees that a rater is off takes it out in thought, and cannot do so with a number. So it is
    taken out, and the note below the table says so. Kappa stays the mean over all others: it falls for all alike.
    """
    sound = [at for at, rater in enumerate(facts.raters) if rater not in facts.off]
    return sound if facts.off and len(sound) > 1 else []


def _against(facts: ScreenFacts) -> list[str]:
    """Over whom a lean is measured, where not over all others."""
    if not facts.coefficient.ordered or not _sound(facts):
        return []
    return ["gives more by: compared with the raters that are not off"]


def _gaps(facts: ScreenFacts) -> bool:
    return any(map(facts.unlabelled, facts.raters))


def _unlabelled(facts: ScreenFacts, at: int) -> list[str]:
    return [f"{facts.unlabelled(facts.raters[at]):,}"] if _gaps(facts) else []
