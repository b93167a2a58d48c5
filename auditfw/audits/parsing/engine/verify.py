"""Trials computed again by the definitions: a component must give the same value for the same text each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from auditfw.core.errors import IncompleteError, brief
from auditfw.core.memo import Distinct
from auditfw.kinds.capabilities import Named, capability
from auditfw.kinds.component_index import shipped

from .kernels import Column
from .plan import FALSE, ReadingPlan
from .reference import Truth, alternatives, compares_empty, evaluate, read

FEW, BATCHES = 2, 4  # trials of a batch, and batches of a process, that every run computes again


def spaced(start: int, rows: int) -> list[int]:
    """A few numbers of rows, evenly spaced from a drawn one on."""
    return sorted({(start + i * rows // FEW) % rows for i in range(FEW)}) if rows else []


def unsteady(text: str, truth: Truth, plan: ReadingPlan, reading: tuple[int, int]) -> str | None:
    """The setting of the first component of a reading that changes its value for the same text; None where all agree.

    Each component is called twice with the same arguments; one that fails in a second call changes its value, too.
    Raises TimeoutError where one reaches its deadline, which depends on the clock.
    """
    parser, normalizer, matcher = _parts(plan, reading)
    p, n = reading
    answers = twice(parser, text)
    if not same(answers):
        return f"audit.parsers.{plan.parsers[p].name}"
    truths = truth if isinstance(truth, tuple) else (truth,)
    normalised = [twice(normalizer, each) for each in (answers[0], *truths)]
    if not all(map(same, normalised)):
        return f"audit.normalizers.{plan.normalizers[n].name}"
    (answer, _), *wanted = normalised
    if answers[0] and not all(
        same(twice(matcher, answer, each)) for each, _ in wanted if each or compares_empty(matcher)
    ):
        return plan.matcher_place(n)
    return None


def twice(call: Callable[..., Any], *arguments: Any) -> tuple[Any, Any]:
    """What two equal calls give; the error, as text, of one that fails."""
    return _called(call, arguments), _called(call, arguments)


def _called(call: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    try:
        return call(*arguments)
    except TimeoutError:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def same(values: tuple[Any, Any]) -> bool:
    """Whether two values are of one type and equal, or print alike (not a number equals nothing)."""
    one, other = values
    return type(one) is type(other) and (bool(one == other) or repr(one) == repr(other))


def again(text: str, truth: Truth, plan: ReadingPlan, reading: tuple[int, int]) -> bool | str | None:
    """The label of a trial by the definitions; the error, as text, where they fail, but TimeoutError."""
    label: bool | str | None = _called(read, (text, truth, *_parts(plan, reading)))
    return label


def _parts(plan: ReadingPlan, reading: tuple[int, int]) -> tuple[Any, Any, Any]:
    p, n = reading
    return plan.parsers[p].part, plan.normalizers[n].part, plan.matcher_of(n)


def foreign_parts(plan: ReadingPlan, reading: tuple[int, int]) -> Iterator[str]:
    """The settings of those components of a reading that are not shipped: what differs is theirs."""
    p, n = reading
    parser, normalizer = f"audit.parsers.{plan.parsers[p].name}", f"audit.normalizers.{plan.normalizers[n].name}"
    places = parser, normalizer, plan.matcher_place(n)
    for place, part in zip(places, _parts(plan, reading), strict=True):
        if not all(shipped(type(one).__module__) for one in (part, *capability(part, "steps", ()))):
            yield place


def trial_of(place: str, name: object) -> str:
    """A component's setting and the trial it was found on, as one text."""
    return f"{place} on trial {brief(str(name), 60)}"


def changing(text: str) -> IncompleteError:
    """The error for a component that changes its value, from the text that `trial_of` made of it."""
    place, _, trial = text.partition(" on ")
    do = "make its value depend on its input alone"
    return IncompleteError(place, "gives different values for the same text", trial, do)


# Answers that are wrong by their $ alone: a reading keeps the sign of a number, and the truth has none.

SIGN = "$"


def sign_keepers(plan: ReadingPlan) -> list[int]:
    """The readings that find the number of a sentence and tell $7 from 7."""
    return [number for number in range(len(plan.readings)) if not plan.is_ruled(number) and _keeps_sign(plan, number)]


def _keeps_sign(plan: ReadingPlan, number: int) -> bool:
    p, n = plan.readings[number]
    parts = plan.parsers[p].part, plan.normalizers[n].part, plan.matcher_of(n)
    if capability(parts[0], "needs", ()):
        return False
    try:
        return [read(f"it costs {price}", "7", *parts) for price in ("7", f"{SIGN}7")] == [True, False]
    except Exception:
        return False  # it failed on a text of ours, which is no trial


def wrong_by_sign(
    plan: ReadingPlan,
    readings: Sequence[int],
    labels: Sequence[bytearray],
    columns: tuple[Column, Column],
    truths: Sequence[Truth],
) -> Counter[int]:
    """For each of these readings how many of its wrong answers would be right without their sign."""
    counted: Counter[int] = Counter()
    for number in readings:
        p, n = plan.readings[number]
        parser, normalizer, matcher = plan.parsers[p].part, plan.normalizers[n].part, plan.matcher_of(n)
        texts, codes = columns[parser.column != "raw_text"] or (), labels[number]
        for row, text in enumerate(texts):
            if codes[row] != FALSE or not text or SIGN not in text or any(SIGN in t for t in alternatives(truths[row])):
                continue
            answer = parser(text) or ""
            without = answer.replace(SIGN, "")
            counted[number] += answer != without and evaluate(without, truths[row], normalizer, matcher) is True
    return counted


# Several plans as one: each parser, each normalizer with its matcher, and each reading once.


class CommonPlan:
    """One plan for all of these, and the numbers that their parsers, normalizers and readings have in it.

    A plan that is the only one stays as it is; parts of several have numbers for names.
    """

    def __init__(self, plans: Sequence[ReadingPlan]) -> None:
        parsers, ends = Distinct[Any](), Distinct[tuple[Any, Any]]()
        readings: dict[tuple[int, int], int] = {}
        if len(plans) == 1:
            [self.plan] = plans
            self.parsers, self.ends = [[*range(len(self.plan.parsers))]], [[*range(len(self.plan.normalizers))]]
            self.readings = [[*range(len(self.plan.readings))]]
            return
        self.parsers = [[parsers.number(named.part) for named in plan.parsers] for plan in plans]
        self.ends = [[ends.number(end) for end in _ends(plan)] for plan in plans]
        self.readings = [
            [readings.setdefault((own[p], theirs[n]), len(readings)) for p, n in plan.readings]
            for plan, own, theirs in zip(plans, self.parsers, self.ends, strict=True)
        ]
        self.plan = _plan(parsers, ends, list(readings))


def _ends(plan: ReadingPlan) -> list[tuple[Any, Any]]:
    """What a plan compares by: each of its normalizers with its matcher."""
    return [(named.part, plan.matcher_of(n)) for n, named in enumerate(plan.normalizers)]


def _plan(parsers: Sequence[Any], ends: Sequence[tuple[Any, Any]], readings: Sequence[tuple[int, int]]) -> ReadingPlan:
    normalizers, matchers = zip(*ends, strict=True)
    named = [tuple(Named(str(i), part) for i, part in enumerate(parts)) for parts in (parsers, normalizers, matchers)]
    return ReadingPlan(named[0], named[1], matchers[0], tuple(readings), named[2])
