"""Pairs of an answer and a truth that it is not, put to every reading: one that accepts such an answer is lossy.

No trial is looked at: the kind of the truths alone says which pairs are put.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.audits.answers import enumerated
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.engine.reference import evaluate
from auditfw.core.document import some, verb
from auditfw.core.errors import UsageError
from auditfw.formulas.texts.truth_kinds import common_kind
from auditfw.kinds.capabilities import Named, capability
from auditfw.kinds.registry import component
from auditfw.kinds.text import Matcher, Normalizer, Parser

Pair = tuple[str, str]

NUMBER, LETTER = "number", "letter"
WRONG: Mapping[str, tuple[Pair, ...]] = {
    NUMBER: (
        ("2.97", "2.7"), ("1850", "18"), ("18.5", "18"), ("-5", "5"), ("0.5", "5"), ("3/4", "3"), ("1.8", "18"),
        ("1,234", "1"), ("250", "25"), ("12", "1.2"),
    ),
    LETTER: tuple(
        (answer, "A")
        for answer in ("B", "AB", "ABC", "Banana", "Because A is wrong, C", "The answer is B. A would be wrong.")
    ),
}  # fmt: skip
ANNOUNCED = ("Answer: {}", "A: {}", "<answer>{}</answer>", "\\boxed{{{}}}")  # for a parser that needs it
SOUND = {  # two readings of each kind that accept none of these: one stays to compare where the other made the labels
    NUMBER: "'parser=[last_number,answer_v2]' 'normalizer=[none]' matcher=numeric",
    LETTER: "'parser=[choice_letter,mmlu_pro_three_step]' 'normalizer=[casefold]' matcher=exact",
}
OTHER_SOUND = "'parser=[stored,answer_v2]' 'normalizer=[v1,v2]'"  # of other kinds
LOST = {".": "the decimal point", "-": "the minus sign"}


@dataclass(frozen=True)
class LossyReading:
    """A reading that accepts wrong answers: the first of them with its truth, and how many it accepts.

    `part` is the one of its parts that does so, `does` the verb in its plural and what it does, `write` what to write
    instead.
    """

    reading: str
    answer: str
    truth: str
    accepted: int
    part: str
    does: tuple[str, str]
    write: str

    @property
    def why(self) -> str:
        """Which part does so, and how."""
        return made_so([self.part], self.does)


def made_so(parts: Sequence[str], does: tuple[str, str]) -> str:
    """Parts with what they do: `v1 takes the decimal point away`, `v1, v2 take …`."""
    does_so, what = does
    return f"{enumerated(parts)} {verb(len(parts), f'{does_so}s', does_so)} {what}"


def sound_choices(kinds: Mapping[str, int]) -> str:
    """Readings for truths of these kinds that accept no wrong answer, as they are typed."""
    return SOUND.get(common_kind(kinds), OTHER_SOUND)


def accepted_pair(one: LossyReading) -> str:
    """`2.97 for 2.7`."""
    answer = f"'{one.answer}'" if " " in one.answer else one.answer
    return f"{answer} for {one.truth}"


def refusal(lossy: Mapping[str, LossyReading]) -> UsageError:
    """The error for lossy readings under audit.lossy=refuse."""
    first = next(iter(lossy.values()))
    also = f", and {some(len(lossy) - 1, 'more reading')} a wrong answer" if len(lossy) > 1 else ""
    what = f"{first.reading} accepts {accepted_pair(first)}{also}"
    return UsageError("audit.lossy", what, first.why, f"use {first.write}, or write audit.lossy=flag")


def readings_asked(plan: ReadingPlan, kind: str) -> list[str]:
    """The readings of a plan that have an answer to pairs of a kind; none where there are no such pairs.

    Rules of single rows have no name, and a parser that reads further columns finds none in a pair.
    """
    places = enumerate(zip(plan.names(), plan.readings, strict=True)) if kind in WRONG else ()
    return [
        name
        for number, (name, (p, _)) in places
        if not plan.is_ruled(number) and not capability(plan.parsers[p].part, "needs", ())
    ]


def lossy_readings(plan: ReadingPlan, asked: Sequence[str], kind: str) -> dict[str, LossyReading]:
    """Those of the readings asked that accept a wrong answer of this kind, by name."""
    lossy: dict[str, LossyReading] = {}
    places = dict(zip(plan.names(), plan.readings, strict=True))
    for name in asked:
        p, n = places[name]
        matcher = Named(plan.matcher_name(n), plan.matcher_of(n))
        scorer = _Scorer(plan.parsers[p], plan.normalizers[n], matcher, kind)
        accepted = scorer.accepted()
        if accepted:
            (answer, truth), *_ = accepted
            lossy[name] = LossyReading(name, answer, truth, len(accepted), *scorer.cause(answer, truth))
    return lossy


@dataclass(frozen=True)
class _Scorer:
    """The parts of a reading, and the kind of the pairs that are put to it."""

    parser: Named[Parser]
    normalizer: Named[Normalizer]
    matcher: Named[Matcher]
    kind: str

    def accepted(self, **parts: Any) -> list[Pair]:
        """The wrong answers that it accepts, with other `parts` in place of its own."""
        own: dict[str, Any] = {
            "parser": self.parser.part,
            "normalizer": self.normalizer.part,
            "matcher": self.matcher.part,
        } | parts
        return [pair for pair in WRONG[self.kind] if self._accepts(pair, **own)]

    def _accepts(self, pair: Pair, parser: Parser, normalizer: Normalizer, matcher: Matcher) -> bool:
        """Whether an answer is accepted; by a part that fails none is: where it fails on trials the run says so."""
        answer, truth = pair
        try:
            return evaluate(self._found(parser, answer), truth, normalizer, matcher) is True
        except Exception:
            return False

    def _found(self, parser: Parser, answer: str) -> str:
        """What a parser finds where a completion is an answer alone; else the answer, where it finds announced ones.

        A parser of numbers may need what is no answer at all: then normalizer and matcher are asked without it.
        """
        found = parser(answer)
        if found or self.kind == NUMBER:
            return found or answer
        return answer if any(parser(form.format(answer)) == answer for form in ANNOUNCED) else ""

    def cause(self, answer: str, truth: str) -> tuple[str, tuple[str, str], str]:
        """Which part accepts an answer, what that does, and what to write instead."""
        letters = self.kind == LETTER
        if not self.accepted(parser=str):
            better = "choice_letter" if letters else "last_number"
            return self.parser.name, ("keep", f"'{self.parser.part(answer)}'"), f"parser=[{better}]"
        if not self.accepted(normalizer=str):
            return self.normalizer.name, self._lost(answer), "normalizer=[none]"
        inside = truth.casefold() in answer.casefold()
        does = ("look", "for the truth in the answer") if inside else ("take", "them for equal")
        if letters:
            return self.matcher.name, does, "parser=[choice_letter] matcher=exact"
        normalizer = [] if not self.accepted(matcher=component("matcher", "numeric").cls()) else ["normalizer=[none]"]
        return self.matcher.name, does, " ".join([*normalizer, "matcher=numeric"])

    def _lost(self, answer: str) -> tuple[str, str]:
        """What of an answer its normalizer takes away."""
        left = self.normalizer.part(answer)
        lost = next((words for sign, words in LOST.items() if sign in answer and sign not in left), "")
        return ("take", f"{lost} away") if lost else ("leave", f"'{left}'")
