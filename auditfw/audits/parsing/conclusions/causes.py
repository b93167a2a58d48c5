"""Why labels changed: how many of the flips of each reading go through which step of its pipeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.table import STORED
from auditfw.audits.parsing.trials import FlipCause, Trial
from auditfw.core.document import Exhibit, Note, Section, Table, some

from .pipelines import NAMES, WITHOUT, comparison_of
from .tracing import NO_STEP

TITLE = "Why Labels Change"
MOST_OF = (4, 5)  # the share of a reading's flips from which on a step is named in the answer
SIGNS_SHOWN = 3
NO_SIGN = "none"


@dataclass
class StepFlips:
    """The flips of a reading that a step causes: how many to right and to wrong, by it alone, with which signs."""

    example: str
    right: int = 0
    wrong: int = 0
    sufficient: int = 0
    signs: Counter[str] = field(default_factory=Counter)

    @property
    def flips(self) -> int:
        return self.right + self.wrong


def by_step(drawn: Sequence[tuple[Trial, FlipCause]]) -> dict[str, StepFlips]:
    """Flips by the step that causes them, the most frequent first; the example is the first that was drawn."""
    steps: dict[str, StepFlips] = {}
    for trial, cause in drawn:
        step = steps.setdefault(cause.step, StepFlips(trial.id))
        step.right, step.wrong = step.right + cause.right, step.wrong + (not cause.right)
        step.sufficient += cause.sufficient
        step.signs.update(cause.signs)
    return dict(sorted(steps.items(), key=lambda item: (-item[1].flips, item[0])))


def drawn_of(results: ParsingResults, name: str) -> list[tuple[Trial, FlipCause]]:
    """The drawn flips of a reading, by its name, with their causes."""
    names = results.names
    return results.draw.causes(names.index(name)) if name in results.candidates else []


def cause_text(cause: FlipCause) -> str:
    """A cause in words."""
    if cause.step == NO_STEP:
        return f"{NO_STEP}: the reference reads a different text"
    return f"{cause.step} ({'sufficient' if cause.sufficient else 'with other steps'})"


def main_step(results: ParsingResults, name: str) -> str:
    """The step that causes most flips of a reading, as the end of a sentence; "" where none causes 4 of 5."""
    drawn = drawn_of(results, name)
    steps = by_step(drawn)
    part, whole = MOST_OF
    for step, of in steps.items():
        if step != NO_STEP and whole * of.flips >= part * len(drawn):
            labels = results.overall[name].data
            which = "sampled changes" if len(drawn) < labels.to_true + labels.to_false else "changes"
            return f"; step {step} causes {of.flips:,} of the {len(drawn):,} {which}"
    return ""


def causes_sections(results: ParsingResults) -> list[Section]:
    """A section with a table for each reading: step, flips, directions, sufficient, an example, signs."""
    tables = [table for name in results.candidates if (table := _table(results, name)) is not None]
    steps = {row[0] for table in tables for row in table.rows}
    return [Section(TITLE, [*map(Note, _explained(results, steps)), *tables])] if tables else []


def _table(results: ParsingResults, name: str) -> Table | None:
    drawn, labels = drawn_of(results, name), results.overall[name].data
    if not drawn:
        return None
    all_flips = labels.to_true + labels.to_false
    rows = [
        [step, *(f"{n:,}" for n in (of.flips, of.right, of.wrong, of.sufficient)), of.example, sign_text(of)]
        for step, of in by_step(drawn).items()
    ]
    looked = some(all_flips, "changed label")
    if len(drawn) < all_flips:
        looked = f"{len(drawn):,} of {looked}, a random sample (seed {results.context.seed})"
    signs = "features of the texts (a label may have several)"
    columns = ["step", "changed labels", "→ right", "→ wrong", "sufficient", "example", signs]
    return Table(columns, rows, "<>>>><<", f"{name}: {looked}")


def sign_text(step: StepFlips) -> str:
    """The most frequent signs, with their numbers."""
    ranked = sorted((name for name in NAMES if step.signs[name]), key=lambda name: -step.signs[name])
    return ", ".join(f"{name} {step.signs[name]:,}" for name in ranked[:SIGNS_SHOWN]) or "–"


def _explained(results: ParsingResults, steps: Collection[str]) -> list[str]:
    """What the tables say: how texts are compared, and what some of these steps are."""
    plan, names = results.plan, results.names
    reference = names.index(results.reference) if results.reference in names else STORED
    baseline = names.index(results.baseline) if results.baseline in names else None
    normalizer = plan.normalizers[comparison_of(plan, reference, baseline)].name
    known = f"normalizer {normalizer}"
    if plan.is_ruled(baseline if reference == STORED and baseline is not None else reference):
        known = "one rule for each value"
    elif reference == STORED and baseline is None:
        known = f"not known, assumed to be {known}"
    notes = [
        "Each text passes through the steps of its reading one by one. After each step it is compared with the truth "
        f"by the rule of {results.reference_words} ({known}). Listed is the step from which on the label is changed.",
        "Sufficient: leaving out this step alone restores the old label and the text of the reference; "
        "otherwise other steps contribute.",
    ]
    if f"{WITHOUT} {normalizer}" in steps:
        notes.append(
            f"{WITHOUT.capitalize()} {normalizer}: the reference normalizes in this way, the reading does not."
        )
    if NO_STEP in steps:
        notes.append(
            f"{NO_STEP.capitalize()}: the label differs before the first step, as the reference reads a different text."
        )
    return notes


def flip_facets(results: ParsingResults) -> list[tuple[str, ...]]:
    """By what the gallery finds flips: reading and direction, the cause, markers, signs."""
    if results.draw.tracer is None:
        return [("reading", "direction"), ("marker",)]
    return [("reading", "direction", "cause"), ("marker",), ("sign",)]


def with_causes(results: ParsingResults, drawn: Sequence[Trial], exhibits: Sequence[Exhibit]) -> list[Exhibit]:
    """The exhibits of a gallery, each with the causes of its trial's flips."""
    draw, names = results.draw, results.names
    if draw.tracer is None:
        return list(exhibits)
    turned = [dict(draw.settings.strata(trial)) for trial in drawn]
    for reading in range(draw.settings.candidates):
        draw.traced(reading, [trial for trial, strata in zip(drawn, turned, strict=True) if reading in strata])
    causes = [{names[r]: trial.causes[r] for r in strata} for trial, strata in zip(drawn, turned, strict=True)]
    return [_with(exhibit, of, len(results.context.by)) for exhibit, of in zip(exhibits, causes, strict=True)]


def _with(exhibit: Exhibit, causes: Mapping[str, FlipCause], at: int) -> Exhibit:
    """An exhibit with its causes: as facts, and as tags beside those of reading and direction at this place."""
    known = [(f"cause under {name}", cause_text(cause)) for name, cause in causes.items()]
    signs = {sign for cause in causes.values() for sign in cause.signs}
    tags = list(exhibit.tags)
    tags[at] = [(*tag, causes[tag[0]].step) for tag in tags[at]]
    tags.append([(name,) for name in NAMES if name in signs] or [(NO_SIGN,)])
    return replace(exhibit, facts=[*exhibit.facts, *known], tags=tags)
