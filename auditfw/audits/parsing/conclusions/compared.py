"""A reading beside the reference: how far it shifts the error rate, by which test, and that in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from auditfw.audits.answers import points, shift_interval
from auditfw.core.digits import chance
from auditfw.core.document import some
from auditfw.core.records import AnswerRule
from auditfw.formulas.label_counts import LabelCounts, delta_points, error_points, flip_test, shift
from auditfw.formulas.shifts import ClusteredShift
from auditfw.kinds.context import Sample


@dataclass(frozen=True)
class Compared:
    """A reading beside the reference, of all trials or of one cell."""

    sample: Sample

    @property
    def name(self) -> str:
        return self.sample.reading.name

    @property
    def labels(self) -> LabelCounts:
        labels: LabelCounts = self.sample.data
        return labels

    @cached_property
    def shift(self) -> ClusteredShift:
        return shift(self.labels)

    @cached_property
    def p(self) -> float:
        return flip_test(self.labels)

    @cached_property
    def moved(self) -> float:
        """The shift of the error rate in points."""
        return delta_points(self.labels)

    def ends(self, significant: bool = False) -> tuple[float, float]:
        """The interval of the shift of the error rate in points; beyond chance it is cut at 0."""
        return error_points(*(self.shift.beyond_chance() if significant else (self.shift.low, self.shift.high)))

    # In words

    @property
    def shift_text(self) -> str:
        return f"{self.points_text} {shift_interval(*self.ends())}"

    @property
    def points_text(self) -> str:
        """The shift without its interval."""
        return points(self.moved, *self.ends())

    def tested(self, rule: AnswerRule, readings: int) -> str:
        """The shift with p: the interval beside it is an approximation, and may reach 0 where the test is sure."""
        items = self.labels.items
        test = "exact test" if items is None or items.flips.exact else "test in the normal limit"
        tested = f"{test} {chance(p_of(rule))}, adjusted for {some(readings, 'reading')}"
        ends = rule.low or 0.0, rule.high or 0.0
        return f"{points(self.moved, *ends)} (approximate interval {shift_interval(*ends)}; {tested})"

    @property
    def turns(self) -> str:
        """What the reading does to the labels: `answer_v2 turns 23 right answers wrong and no wrong ones right`."""
        down, up = (self.labels.to_false, "right"), (self.labels.to_true, "wrong")
        (many, label), (few, other) = (down, up) if down[0] >= up[0] else (up, down)
        turned = f"{_turned(many, label, 'answer')} {other} and {_turned(few, other, 'one')} {label}"
        return f"{self.name} turns {turned}"

    @property
    def turns_alone(self) -> str:
        """The same of the only reading that is left beside a reference that the user chose, in short."""
        return f"only {self.name} still differs, in {some(self.labels.to_true + self.labels.to_false, 'label')}"

    @property
    def flips(self) -> str:
        labels, items = self.labels, self.labels.items
        turned = [(labels.to_true, "right"), (labels.to_false, "wrong")]
        (many, to), (few, other) = turned[::-1] if labels.to_false >= labels.to_true else turned
        text = f"{some(many, 'label')} to {to}, {f'{few:,}' if few else 'none'} to {other}"
        return text if items is None else f"{text}, in {self.shift.changed:,} of {some(self.shift.items, 'item')}"


def p_of(rule: AnswerRule) -> float:
    """The adjusted p of a shift that was tested."""
    return 1.0 if rule.p is None else rule.p


def _turned(n: int, label: str, noun: str) -> str:
    return some(n, f"{label} {noun}") if n else f"no {label} {noun}s"
