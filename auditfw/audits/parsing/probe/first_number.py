"""Readings that compare the first of several numbers in an answer, where the last is the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass, replace
from typing import Any

from auditfw.audits.answers import RULES, Argument
from auditfw.audits.parsing.engine.reference import evaluate
from auditfw.audits.parsing.results import ParsingResults
from auditfw.core.document import some, verb
from auditfw.core.statistics import wilson
from auditfw.formulas.markers import last_number
from auditfw.kinds.capabilities import capability
from auditfw.kinds.text import Matcher, Normalizer

from .fit import text_of

MOST = 2_000  # drawn trials that are looked at
SEVERAL, FIRST, LAST = "It is 7, then 9.", "7", "9"
TAKES_FIRST = RULES["first_number"]


@dataclass(frozen=True)
class FirstOfSeveral:
    """A reading that does so: in how many of the drawn trials, and what to write instead."""

    reading: str
    answers: int
    drawn: int
    write: str

    @property
    def sentence(self) -> str:
        are = f"{some(self.answers, 'answer')} of {self.drawn:,} drawn {verb(self.answers, 'is', 'are')}"
        says = "compares the first of several numbers in an answer"
        return f"{self.reading} {says}: {are} right by the last - write {self.write}"


def ask(results: ParsingResults) -> Mapping[str, FirstOfSeveral]:
    """Those of the candidates of which this moves the error rate by more than `audit.margin`, by name."""
    plan = results.plan
    places = dict(zip(results.names, plan.readings, strict=True))
    taking = {}
    for name in results.candidates:
        p, n = places[name]
        parser, normalizer, matcher = plan.parsers[p].part, plan.normalizers[n].part, plan.matcher_of(n)
        if plan.is_ruled(results.names.index(name)) or capability(parser, "needs", ()):
            continue
        if not _takes_first(normalizer, matcher):
            continue
        drawn = results.whole.probe.trials()[:MOST]
        answers = [(text_of(parser, trial), trial.truth) for trial in drawn]
        right = sum(_by_last(answer, truth, normalizer, matcher) for answer, truth in answers)
        if drawn and 100 * wilson(right, len(drawn))[0] > results.settings.margin:
            taking[name] = FirstOfSeveral(name, right, len(drawn), _write(normalizer, matcher, plan.matcher_place(n)))
    return taking


def argument(taking: Mapping[str, FirstOfSeveral]) -> Argument:
    """The rules on them, which decide nothing; each names as its setting what to write instead."""
    return Argument(
        [replace(TAKES_FIRST, setting=one.write)(name, float(one.answers), fired=True) for name, one in taking.items()]
    )


def _takes_first(normalizer: Normalizer, matcher: Matcher) -> bool:
    return [_accepts(SEVERAL, truth, normalizer, matcher) for truth in (FIRST, LAST)] == [True, False]


def _by_last(answer: str, truth: Any, normalizer: Normalizer, matcher: Matcher) -> bool:
    """Whether an answer is wrong, and right by its last number."""
    last = last_number(answer)
    return (
        last not in ("", answer)
        and _accepts(last, truth, normalizer, matcher)
        and not _accepts(answer, truth, normalizer, matcher)
    )


def _accepts(answer: str, truth: Any, normalizer: Normalizer, matcher: Matcher) -> bool:
    """Whether an answer is right; by a part that fails none is: the run says so where it fails on trials."""
    try:
        return evaluate(answer, truth, normalizer, matcher) is True
    except Exception:
        return False


def _write(normalizer: Normalizer, matcher: Matcher, place: str) -> str:
    """What makes it compare the last number: a setting of its matcher where it has one, else another parser."""
    if is_dataclass(matcher) and hasattr(matcher, "which"):
        last: Any = replace(matcher, which="last")
        for part, words in (normalizer, ""), (str, "normalizer=[none] "):
            if _accepts(SEVERAL, LAST, part, last):
                return f"{words}{place}.which=last"
    return "parser=[last_number]"
