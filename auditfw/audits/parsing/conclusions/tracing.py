"""Which step changed the label of a flip: the prefixes of its reading's pipeline are labelled, from the last backwards.

The labels are those of the planned path, so that a text is parsed once and compared once with a truth, whichever
readings and prefixes have it; most steps leave a text as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeVar

from auditfw.audits.parsing.engine.kernels import Signs
from auditfw.audits.parsing.engine.plan import FAILED, NOTHING, Labeller, ReadingPlan
from auditfw.audits.parsing.engine.reference import Truth
from auditfw.audits.parsing.engine.texts import steps_of
from auditfw.audits.parsing.kept.flips import CHARACTERS
from auditfw.audits.parsing.table import STORED, Undefined, label_of
from auditfw.audits.parsing.trials import FlipCause, Trial
from auditfw.core.memo import Distinct
from auditfw.kinds.capabilities import Named
from auditfw.kinds.text import Matcher, Normalizer

from .pipelines import Pipeline, Rule, StepList, comparison_of, pipeline_of, signs_of

T = TypeVar("T")
NO_STEP = "no step"
Compared = tuple[int, int, Truth]


class Flip(NamedTuple):
    """A flip under a reading: its place, and the numbers of texts: after each step of the parser (first what is read),
    after each step of the normalizer, and of the reference (NOTHING where it has none).

    `truths` is the truth after each step of the normalizer, first as it is.
    """

    place: int
    parsed: tuple[int, ...]
    normalised: tuple[int, ...]
    truths: tuple[Truth, ...]
    reference: int
    texts: Trial
    before: bool
    after: bool


@dataclass(frozen=True)
class EndsPlan(ReadingPlan):
    """A plan in which each normalizer has a matcher of its own."""

    ends: tuple[Matcher, ...] = ()

    def matcher_of(self, normalizer: int) -> Matcher:
        return self.ends[normalizer]


class NumberedRule(NamedTuple):
    """A rule by numbers: a parser, steps for text and truth, and a normalizer with its matcher."""

    parser: int
    both: int
    end: int


@dataclass
class CauseTracer:
    """Traces flips of readings of a plan.

    The first `candidates` readings of the plan are those that may be asked for.
    """

    plan: ReadingPlan
    reference: int
    baseline: int | None
    candidates: int
    undefined: Undefined
    signs: Signs
    _lists: Distinct[StepList] = field(default_factory=Distinct)
    _ends: Distinct[tuple[StepList, Matcher]] = field(default_factory=Distinct)
    _walked: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    _present: dict[tuple[int, int, int, Truth], tuple[str, ...]] = field(default_factory=dict)
    _characters: int = 0

    def __post_init__(self) -> None:
        comparison = comparison_of(self.plan, self.reference, self.baseline)
        pipelines = [pipeline_of(self.plan, reading, comparison) for reading in range(self.candidates)]
        self._compared = self._lists.number(StepList(steps_of(self.plan.normalizers[comparison].part)))
        self._parsers = [self._lists.number(StepList(steps_of(named.part))) for named in self.plan.parsers]
        self._normalizers = [self._lists.number(StepList(steps_of(named.part))) for named in self.plan.normalizers]
        self._rules = [self._numbered(pipeline) for pipeline in pipelines]
        self._own = [
            self._ends.number((StepList(steps_of(self.plan.normalizers[n].part)), self.plan.matcher_of(n)))
            for _, n in self.plan.readings[: self.candidates]
        ]
        self._names = [pipeline.names for pipeline in pipelines]

    def _numbered(self, pipeline: Pipeline) -> tuple[list[NumberedRule], list[NumberedRule]]:
        def number(rule: Rule) -> NumberedRule:
            end = StepList(steps_of(rule.normalizer)), rule.matcher
            return NumberedRule(self._lists.number(rule.parser), self._lists.number(rule.both), self._ends.number(end))

        return list(map(number, pipeline.prefixes)), list(map(number, pipeline.without))

    @cached_property
    def _scorer(self) -> Labeller:
        normalizers: tuple[Named[Normalizer], ...] = tuple(Named(str(i), one) for i, (one, _) in enumerate(self._ends))
        matchers = tuple(matcher for _, matcher in self._ends)
        return Labeller(EndsPlan((), normalizers, self.plan.matcher, (), ends=matchers))

    def trace(self, reading: int, flips: Sequence[Trial]) -> list[FlipCause]:
        """The cause of each flip of a reading."""
        self._begin(sum(one.size for one in flips))
        left = self._flips(reading, flips)
        names, (prefixes, without) = self._names[reading], self._rules[reading]
        causes: dict[int, FlipCause] = {}
        # what was compared last of a flip: with the same, the label is the same; first, what the reading compares
        last = {flip.place: (self._own[reading], flip.parsed[-1], flip.texts.truth) for flip in left}
        for k in reversed(range(len(names))):
            compared = [self._prefix(prefixes[k], flip) for flip in left]
            new = [i for i, flip in enumerate(left) if last[flip.place] != compared[i]]
            labels = self._compare(prefixes[k].end, [compared[i] for i in new])
            differing = {i for i, label in zip(new, labels, strict=True) if label is not left[i].after}
            last |= {left[i].place: compared[i] for i in new}
            changed = [left[i] for i in sorted(differing)]
            left = [flip for i, flip in enumerate(left) if i not in differing]
            if changed:
                causes |= self._causes(names[k], changed, self._sufficient(without[k], changed))
        causes |= self._causes(NO_STEP, left, [False] * len(left))
        return [causes[place] for place in range(len(flips))]

    def _prefix(self, rule: NumberedRule, flip: Flip) -> Compared:
        """What the rule of a prefix compares: the number of the normalizer and matcher, of the text, and the truth."""
        parser, both = len(self._lists[rule.parser].calls), len(self._lists[rule.both].calls)
        text = flip.normalised[both] if both else flip.parsed[parser]
        return rule.end, text, flip.truths[both]

    def _compare(self, end: int, compared: Sequence[Compared]) -> list[bool | None]:
        """Labels by a normalizer and matcher; None where there is none, or something fails."""
        if not compared:
            return []
        numbers, truths = [text for _, text, _ in compared], [truth for *_, truth in compared]
        codes = self._scorer.label(end, numbers, truths)
        self._scorer.unread(end, codes, truths)
        return [label_of(code, self.undefined) for code in codes]

    def _begin(self, size: int) -> None:
        """Makes room for texts of so many characters: those of before are kept as long as they are few."""
        self._scorer.problems.clear()
        self._characters += size
        if self._characters > CHARACTERS:
            self._scorer.begin()
            self._present.clear()
            self._walked.clear()
            self._characters = size

    def _flips(self, reading: int, flips: Sequence[Trial]) -> list[Flip]:
        p, n = self.plan.readings[reading]
        parsed = self._read(p, flips)
        own = self._normalizers[n]
        normalised = [self._walk(own, steps[-1]) for steps in parsed]
        truths = [self._truths_after(own, one.truth) for one in flips]
        before, after = ([self._label(one.codes[k + 1]) for one in flips] for k in (self.reference, reading))
        columns = zip(parsed, normalised, truths, self._references(flips), flips, before, after, strict=True)
        return [Flip(place, *column) for place, column in enumerate(columns)]

    def _label(self, code: int) -> bool:
        return label_of(code, self.undefined) is True

    def _read(self, parser: int, flips: Sequence[Trial]) -> list[tuple[int, ...]]:
        """The numbers of what a parser reads, and of that after each of its steps."""
        raw, add = self.plan.parsers[parser].part.column == "raw_text", self._scorer.texts.add
        return [self._walk(self._parsers[parser], add((one.raw if raw else one.parsed) or "")) for one in flips]

    def _references(self, flips: Sequence[Trial]) -> list[int]:
        """The numbers of the texts that the reference has; NOTHING where it has none."""
        if self.reference == STORED:
            return [NOTHING if one.parsed is None else self._scorer.texts.add(one.parsed) for one in flips]
        return [steps[-1] for steps in self._read(self.plan.readings[self.reference][0], flips)]

    def _walk(self, steps: int, number: int) -> tuple[int, ...]:
        """The numbers of a text and of that after each step; FAILED from where one fails."""
        known = self._walked.get((steps, number))
        if known is None:
            texts, calls = self._scorer.texts, self._lists[steps].calls
            numbers = [number]
            try:
                text = texts.of[number] if number >= 0 else ""
                for call in calls if text else ():
                    text = call(text)
                    numbers.append(texts.add(text))
            except Exception:
                numbers.append(FAILED)
            known = self._walked[steps, number] = (*numbers, *([numbers[-1]] * (1 + len(calls) - len(numbers))))
        return known

    def _truths_after(self, steps: int, truth: Truth) -> tuple[Truth, ...]:
        """A truth, and the truth after each step."""
        add, of = self._scorer.texts.add, self._scorer.texts.of
        if isinstance(truth, str):
            return tuple(of[max(0, number)] for number in self._walk(steps, add(truth)))
        return tuple(zip(*(self._truths_after(steps, one) for one in truth), strict=True))

    def _sufficient(self, rule: NumberedRule, flips: Sequence[Flip]) -> list[bool]:
        """For each flip whether the pipeline without the step gives the reference's label and, if any, its text.

        Texts are compared as the reference's normalizer leaves them.
        """
        kept = [self._walk(rule.parser, flip.parsed[0])[-1] for flip in flips]
        both = len(self._lists[rule.both].calls)
        compared = [
            (rule.end, self._walk(rule.both, number)[-1], flip.truths[both])
            for number, flip in zip(kept, flips, strict=True)
        ]
        labels = self._compare(rule.end, compared)
        return [
            label is flip.before and self._same(one, flip.reference)
            for flip, label, one in zip(flips, labels, kept, strict=True)
        ]

    def _same(self, kept: int, reference: int) -> bool:
        """Whether a text is that of the reference, if that has one."""
        if reference in (NOTHING, kept):
            return True
        return self._walk(self._compared, kept)[-1] == self._walk(self._compared, reference)[-1]

    def _causes(self, step: str, flips: Sequence[Flip], enough: Sequence[bool]) -> dict[int, FlipCause]:
        """The causes of flips by their places, with the signs in their texts."""
        of = self._scorer.texts.of
        causes = {}
        for flip, alone in zip(flips, enough, strict=True):
            text, kept = flip.parsed[0], flip.parsed[-1]
            key = text, kept, flip.reference, flip.texts.truth
            if key not in self._present:
                sides = [of[n] for n in dict.fromkeys((kept, flip.reference)) if n >= 0]
                self._present[key] = signs_of(of[text], sides, flip.texts.truths, self.signs)
            causes[flip.place] = FlipCause(step, alone, flip.after, self._present[key])
        return causes


@dataclass
class RowTracer:
    """Traces flips where rows have rules of their own: each by that of its row."""

    tracer_of: Callable[[str], CauseTracer]  # that of a value's rule
    _tracers: dict[str, CauseTracer] = field(default_factory=dict)

    def trace(self, reading: int, flips: Sequence[Trial]) -> list[FlipCause]:
        """The cause of each flip of a reading."""
        causes: dict[int, FlipCause] = {}
        for value in sorted({one.value or "" for one in flips}):
            rows = [i for i, one in enumerate(flips) if (one.value or "") == value]
            traced = self._tracer(value).trace(reading, [flips[i] for i in rows])
            causes |= dict(zip(rows, traced, strict=True))
        return [causes[i] for i in range(len(flips))]

    def _tracer(self, value: str) -> CauseTracer:
        if value not in self._tracers:
            self._tracers[value] = self.tracer_of(value)
        return self._tracers[value]
