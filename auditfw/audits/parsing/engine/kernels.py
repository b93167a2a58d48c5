"""The port of the text kernel: a batch of texts and truths in, every reading's labels and the signs' counts out.

Two kernels do the same: `Plain`, in Python, and `Native`, in C, which leaves to `Plain` the rows that it fails on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any, Protocol

from auditfw.core.native import Name, compiled
from auditfw.core.records import Refusal
from auditfw.formulas.markers import MarkerScan
from auditfw.kinds.capabilities import call_capability
from auditfw.kinds.text import Step

from .plan import BLANK, ERROR, MISSING, NOTHING, TIMEOUT, Labeller, ReadingPlan, Test
from .reference import Truth
from .texts import checked, key_of, steps_of

Column = list[str | None] | None  # None where the source has no such column
Answers = Callable[[int], list[str | None]]


@dataclass(frozen=True)
class Signs:
    """What is looked for in the texts, to be counted: groups of markers, and the think delimiter."""

    markers: Mapping[str, MarkerScan]
    delimiter: str

    @property
    def names(self) -> tuple[str, ...]:
        return ("think", *self.markers)

    @cached_property
    def any_marker(self) -> MarkerScan:
        return MarkerScan([marker for scan in self.markers.values() for marker in scan.markers])


NO_SIGNS = Signs({}, "</think>")  # a kernel wants some; nothing is counted of them


@dataclass(frozen=True)
class Scores:
    """Each reading's label codes; the signs' counts in the sound rows; the parsers' answers to a row, on demand.

    `unread` are for each reading the rows whose truth its matcher cannot read, with the reasons.
    """

    labels: list[bytearray]
    facts: Counter[str]
    answers: Answers
    problems: list[str] = field(default_factory=list)
    unread: list[dict[int, Refusal]] = field(default_factory=list)


class Paths(Protocol):
    """Says by which path a normalizer's labels are computed."""

    def path(self, number: int, /) -> str: ...


class Kernel(Protocol):
    """Labels batches by a plan."""

    @property
    def scorer(self) -> Paths: ...

    def score(self, raw: Column, parsed: Column, truths: list[Truth]) -> Scores: ...


def kernel(name: Name, plan: ReadingPlan, signs: Signs) -> Kernel:
    """The kernel of this name; that in C knows texts alone, not what is beside them."""
    return Native(plan, signs) if name == "native" and not plan.needs else Plain(plan, signs)


def sound(labels: Sequence[bytearray], rows: int) -> bytearray:
    """For each row, whether no component failed on it."""
    flags = bytearray([True]) * rows
    for codes in labels:
        for code in (ERROR, TIMEOUT):
            at = codes.find(code)
            while at >= 0:
                flags[at] = False
                at = codes.find(code, at + 1)
    return flags


class Plain:
    """The kernel in Python: step by step over the distinct texts of a batch."""

    def __init__(self, plan: ReadingPlan, signs: Signs) -> None:
        self.plan, self.signs = plan, signs
        self.scorer = Labeller(plan)

    def score(self, raw: Column, parsed: Column, truths: list[Truth]) -> Scores:
        scorer, plan = self.scorer, self.plan
        scorer.begin()
        scorer.problems.clear()
        texts = self._numbers(raw, NOTHING, len(truths)), self._numbers(parsed, 0, len(truths))
        signs = {n: self._signs(n) for numbers in texts for n in dict.fromkeys(numbers)}
        answers = [scorer.parse(named, texts[named.part.column != "raw_text"]) for named in plan.parsers]
        labels = [scorer.label(n, answers[p], truths) for p, n in plan.readings]
        unread = [scorer.unread(n, codes, truths) for (_, n), codes in zip(plan.readings, labels, strict=True)]
        facts = self._facts(*texts, signs, sound(labels, len(truths)))
        of = scorer.texts.of

        def answer(row: int) -> list[str | None]:
            return [of[numbers[row]] if numbers[row] >= 0 else None for numbers in answers]

        return Scores(labels, facts, answer, list(scorer.problems), unread)

    def _numbers(self, column: Column, absent: int, rows: int) -> list[int]:
        if column is None:
            return [NOTHING] * rows
        if None not in column:
            return self.scorer.texts.add_all(column)  # type: ignore[arg-type]  # no None, as just looked
        return [absent if text is None else self.scorer.texts.add(text) for text in column]

    def _signs(self, number: int) -> tuple[str, ...]:
        """The names of the signs that a text holds."""
        if number < 0:
            return ()
        texts = self.scorer.texts
        names = ("think",) if texts.holds(self.signs.delimiter, number) else ()
        low = texts.low(texts.of[number])
        if self.signs.any_marker.present(low):
            return (*names, *(name for name, scan in self.signs.markers.items() if scan.present(low)))
        return names

    def _facts(
        self, raw: list[int], parsed: list[int], signs: Mapping[int, tuple[str, ...]], whole: bytearray
    ) -> Counter[str]:
        facts: Counter[str] = Counter()
        for column, numbers in (("raw", raw), ("parsed", parsed)):
            for n, times in Counter(compress(numbers, whole)).items():
                for name in signs[n]:
                    facts[f"{column}.{name}"] += times
        both = zip(raw, parsed, whole, strict=True)
        facts["raw.differs"] += sum(1 for one, other, ok in both if ok and one != other and min(one, other) >= 0)
        return facts


class Native:
    """The kernel in C. Steps and matchers that it does not know it asks in Python, once about each distinct text."""

    def __init__(self, plan: ReadingPlan, signs: Signs) -> None:
        module = compiled()
        if module is None:
            raise ImportError("the native kernel is not built")
        self.plan, self.signs = plan, signs
        self.plain = Plain(plan, signs)
        self.scorer = self.plain.scorer
        self._needle = module.Needle
        steps = _Steps()
        parsers = tuple(
            (
                named.part.column != "raw_text",
                named.part.only_with.lower() if named.part.only_with is not None else None,
                bool(call_capability(named.part, "by_steps")),
                steps.chain(steps_of(named.part)),
            )
            for named in plan.parsers
        )
        heads = tuple(map(steps.chain, self.scorer.heads))
        searched = ((signs.delimiter,), *(scan.markers for scan in signs.markers.values()))
        self._reader = module.Reader(tuple(steps.specs), parsers, heads, plan.readings, searched, self._tests)

    def score(self, raw: Column, parsed: Column, truths: list[Truth]) -> Scores:
        labels, counts, differing, failed = self._reader.score(raw, parsed, truths)
        named = (f"{column}.{name}" for column in ("raw", "parsed") for name in self.signs.names)
        facts: Counter[str] = Counter()
        for name, n in zip(named, counts, strict=True):
            if n:
                facts[name] += n
        facts["raw.differs"] += differing
        readings = zip(self.plan.readings, labels, strict=True)
        unread = [self.scorer.unread(n, codes, truths) for (_, n), codes in readings]
        # the rows that the kernel in C fails on: their codes, reasons and facts come from the kernel in Python
        left = self._left(raw, parsed, truths, failed)
        for codes, reasons, others, theirs in zip(labels, unread, left.labels, left.unread, strict=False):
            for row, code in zip(failed, others, strict=True):
                codes[row] = code
            reasons.update((failed[place], refusal) for place, refusal in theirs.items())
        facts.update(left.facts)
        places = {row: i for i, row in enumerate(failed)}

        def answers(row: int) -> list[str | None]:
            if row in places:
                return left.answers(places[row])
            row_answers: list[str | None] = self._reader.answers(_rows(raw, [row]), _rows(parsed, [row]))
            return row_answers

        return Scores(labels, facts, answers, left.problems, unread)

    def _left(self, raw: Column, parsed: Column, truths: list[Truth], rows: list[int]) -> Scores:
        """The scores of the rows that are left to the kernel in Python."""
        if not rows:
            return Scores([], Counter(), lambda row: [])
        return self.plain.score(_rows(raw, rows), _rows(parsed, rows), [truths[row] for row in rows])

    def _tests(self, truth: Truth) -> tuple[tuple[Test, ...], ...]:
        """A truth's tests under each normalizer."""
        return tuple(self.scorer.tests(n, truth, self._test) for n in range(len(self.plan.normalizers)))

    def _test(self, truth: str, normalizer: int) -> Test:
        shape = call_capability(self.plan.matcher_of(normalizer), "shape")
        parts = shape(truth, self.scorer.blanks[normalizer]) if shape is not None and truth else None
        if parts is None:
            return self.scorer.test(truth, normalizer)
        tokens, gap, *edges = parts
        test: Test = self._needle(tokens, "".join(sorted(gap)), *edges)
        return test


def _rows(column: Column, rows: Sequence[int]) -> Column:
    return None if column is None else [column[row] for row in rows]


class _Steps:
    """Steps by number, each once, as the native kernel takes them."""

    def __init__(self) -> None:
        self.specs: list[tuple[Any, ...]] = []
        self._numbers: dict[object, int] = {}

    def chain(self, steps: Sequence[Step]) -> tuple[int, ...]:
        return tuple(map(self._number, steps))

    def _number(self, step: Step) -> int:
        known = self._numbers.get(key_of(step))
        if known is None:
            spec = self._spec(step)
            known = self._numbers[key_of(step)] = len(self.specs)
            self.specs.append(spec)
        return known

    def _spec(self, step: Step) -> tuple[Any, ...]:
        spec: tuple[Any, ...] | None = call_capability(step, "native")
        if spec is None:
            return ("call", checked(step))
        return ("first_of", tuple(map(self.chain, spec[1]))) if spec[0] == "first_of" else spec


# Labels by rules of the rows: every rule has labelled all rows, and each row keeps the label of its own.


def by_row(scores: Scores, plan: ReadingPlan, values: Sequence[str]) -> Scores:
    """The scores of a plan from those of `plan.scored`, some by the rule of each row's value.

    These are the last reading, and those that compare by the same rules.

    A rule that fails on a row that is not its own does no harm. Every value has a rule.
    """
    if plan.ruled is None:
        return scores
    numbers = {place: i for i, place in enumerate(plan.scored.readings)}
    labels: list[bytearray] = []
    unread: list[dict[int, Refusal]] = []
    for reading, place in enumerate(plan.readings):
        places = plan.places(reading)
        if places is None:
            labels.append(scores.labels[numbers[place]])
            unread.append(scores.unread[numbers[place]])
            continue
        of = [numbers[places[value]] for value in values]
        labels.append(bytearray(scores.labels[number][row] for row, number in enumerate(of)))
        several = [(number, scores.unread[number]) for number in sorted(set(of))]
        unread.append({row: one for number, rows in several for row, one in rows.items() if of[row] == number})
    problems = [] if all(sound(labels, len(values))) else scores.problems
    return replace(scores, labels=labels, problems=problems, unread=unread)


def without_stored(scores: Scores, plan: ReadingPlan, rows: Sequence[int], values: Sequence[str | None]) -> Scores:
    """The scores where nothing was stored of some rows: what reads the stored text has no label there."""
    if not rows:
        return scores
    labels = [bytearray(codes) for codes in scores.labels]
    for reading, codes in enumerate(labels):
        for row in rows:
            parser, _ = plan.place(reading, values[row] if values else None)
            if codes[row] == BLANK and plan.parsers[parser].part.column == "parsed_text":
                codes[row] = MISSING
    return replace(scores, labels=labels)
