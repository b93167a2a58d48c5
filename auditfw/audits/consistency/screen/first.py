"""The sections of the first screen in their order: who, where they differ, an example, how many have all labels."""

from __future__ import annotations

from auditfw.core.document import Note, Section, some, verb
from auditfw.formulas.agreement.ratings import ITEMS, MISSING

from .example import example
from .facts import ScreenFacts
from .group import each_rater
from .pair import TwoRaters


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
    return Section("Who Labelled What", [Note(text)], 3, screen="data")
