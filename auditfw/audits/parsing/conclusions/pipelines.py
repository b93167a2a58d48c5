"""What a reading does to a text, step by step, and what each step is called.

A reading is a pipeline: the steps of its parser, those of its normalizer, and last the comparison. Its *prefixes* are
the text alone, then the text after the first step, after the second, and so on. A prefix has a text and no label: that
takes a comparison. The *label of a prefix* is the one that the reference's own comparison gives it. Its text and the
truth go through the normalizer of the reference, and the matcher of the reference compares them. Steps of the
reading's normalizer act on both sides, so the truth goes through those within the prefix, too.

So the labels lead from the reference to the reading. Where the first of them is the final one already, no step changed
the label: the reference had another text. A normalizer or matcher that is the reference's own is no step. A normalizer
that is not takes the place of the reference's: after its steps there is one more, `without NAME`, by which texts are
compared as they are then, no longer normalised by the reference's. Last comes the reading's matcher in place of
the reference's.

The comparison of stored labels is that of the baseline; where there is none, the run's first normalizer and matcher.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cached_property
from typing import Any, ClassVar

from auditfw.audits.parsing.engine.chains import checked, steps_of
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.table import STORED
from auditfw.kinds.registry import name_of
from auditfw.kinds.text import Matcher, Normalizer, Parser, Step

WITHOUT = "without"
SETTING_SHOWN = 30  # characters of a setting in the name of a step


@dataclass(frozen=True)
class StepList:
    """Steps in order, as a parser or a normalizer; nothing is done to an empty text."""

    by_steps: ClassVar[bool] = True

    steps: tuple[Step, ...]
    column: str = "raw_text"
    only_with: str | None = None

    def __call__(self, text: object) -> str:
        result = str(text) if text else ""
        for call in self.calls if result else ():
            result = call(result)
        return result

    @cached_property
    def calls(self) -> tuple[Callable[[str], str], ...]:
        """The steps in their quicker forms, where they have one."""
        return tuple(map(checked, self.steps))


@dataclass(frozen=True)
class Rule:
    """How a label comes about: a parser; steps on what it keeps and on the truth; a normalizer and a matcher."""

    parser: StepList
    both: StepList
    normalizer: Normalizer
    matcher: Matcher


@dataclass(frozen=True)
class Pipeline:
    """The steps of a reading by name; for each the rule of the prefix that ends before it, and that without it alone.

    The label of a prefix is what its rule gives. `without` are rules of the reading: its own normalizer and matcher
    compare.
    """

    names: tuple[str, ...]
    prefixes: tuple[Rule, ...]
    without: tuple[Rule, ...]


NOTHING_DONE = StepList(())


def comparison_of(plan: ReadingPlan, reference: int, baseline: int | None) -> int:
    """The number of the normalizer, which stands for its matcher too, by which the reference compares texts."""
    number = reference if reference != STORED else baseline
    return 0 if number is None else plan.readings[number][1]


@dataclass
class _StepRules:
    """The steps of a pipeline while they are listed."""

    names: list[str] = field(default_factory=list)
    prefixes: list[Rule] = field(default_factory=list)
    without: list[Rule] = field(default_factory=list)

    def add(self, name: str, prefix: Rule, without: Rule) -> None:
        self.names.append(name)
        self.prefixes.append(prefix)
        self.without.append(without)


def pipeline_of(plan: ReadingPlan, reading: int, comparison: int) -> Pipeline:
    """The pipeline of a reading of a plan; `comparison` is the number by which the reference compares."""
    p, n = plan.readings[reading]
    parser, own, theirs = plan.parsers[p].part, plan.normalizers[n].part, plan.normalizers[comparison]
    matcher, other = plan.matcher_of(n), plan.matcher_of(comparison)
    whole = StepList(steps_of(parser))
    steps = _StepRules()
    for name, before, without in _cuts(parser):
        first = Rule(before, NOTHING_DONE, theirs.part, other)
        steps.add(name, first, Rule(without, NOTHING_DONE, own, matcher))
    if own != theirs.part:
        for name, before, without in _cuts(own):
            steps.add(name, Rule(whole, before, theirs.part, other), Rule(whole, NOTHING_DONE, without, matcher))
        normalised = StepList(steps_of(own))
        left = Rule(whole, normalised, theirs.part, matcher)
        steps.add(f"{WITHOUT} {theirs.name}", Rule(whole, normalised, theirs.part, other), left)
    if matcher != other:
        swapped = Rule(whole, NOTHING_DONE, own, other)
        steps.add(f"matcher {step_name(matcher)}", swapped, swapped)
    return Pipeline(tuple(_numbered(steps.names)), tuple(steps.prefixes), tuple(steps.without))


def _cuts(part: Parser | Normalizer) -> Iterable[tuple[str, StepList, StepList]]:
    """For each step of a part its name, the steps before it, and all others."""
    steps = steps_of(part)
    for i, step in enumerate(steps):
        yield step_name(step), StepList(steps[:i]), StepList(steps[:i] + steps[i + 1 :])


def _numbered(names: Sequence[str]) -> list[str]:
    """Names of which each is one step: the second of a name has a (2)."""
    met: Counter[str] = Counter()
    numbered = []
    for name in names:
        met[name] += 1
        numbered.append(name if met[name] == 1 else f"{name} ({met[name]})")
    return numbered


def step_name(step: object) -> str:
    """A step as a user writes it, with the setting that says most: `after_last "</think>"`.

    That is the first that has no default, else the first that is not its default. Of a choice the first step of each
    list is named.
    """
    name = name_of(step)
    choices = _choices(step)
    if choices:
        return f"{name} ({' | '.join(choices)})"
    setting = _decisive(step)
    return name if setting is None else f"{name} {_brief(setting)}"


def _choices(step: object) -> list[str]:
    """The names of the first steps of a choice's lists."""
    values = [getattr(step, one.name) for one in fields(step)] if is_dataclass(step) else []
    lists = [value for value in values if isinstance(value, tuple) and value and all(map(_is_list, value))]
    return [name_of(one[0]) if one else "nothing" for one in lists[0]] if lists else []


def _is_list(value: object) -> bool:
    return isinstance(value, tuple) and all(callable(one) for one in value)


def _decisive(step: object) -> Any:
    """The setting that says most of a component, None where all are as usual."""
    if not is_dataclass(step):
        return None
    settings = fields(step)
    wanted = [one.name for one in settings if one.default is MISSING and one.default_factory is MISSING]
    wanted += [one.name for one in settings if one.default is not MISSING and one.default != getattr(step, one.name)]
    return getattr(step, wanted[0]) if wanted else None


def _brief(setting: object) -> str:
    """A setting on one line, cut where it is long; of several texts the first."""
    several = isinstance(setting, tuple | list) and setting
    one = setting[0] if several else setting  # type: ignore[index]  # a tuple or a list
    text = one if isinstance(one, str) else str(one)
    more = len(text) > SETTING_SHOWN or (several and len(setting) > 1)  # type: ignore[arg-type]  # it has a length
    shown = text[:SETTING_SHOWN]
    return f"{json.dumps(shown, ensure_ascii=False) if isinstance(one, str) else shown}{'…' if more else ''}"
