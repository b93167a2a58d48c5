"""The definitions, row by row and plainly: what the planned path must equal. Never optimised."""

from __future__ import annotations

from typing import Any

from auditfw.core.records import Refusal
from auditfw.kinds.capabilities import call_capability
from auditfw.kinds.text import Matcher, Normalizer, Parser

Truth = str | tuple[str, ...]


def alternatives(truth: Truth) -> tuple[str, ...]:
    """The texts of a truth."""
    return truth if isinstance(truth, tuple) else (truth,)


def evaluate(answer: object, truth: object, normalizer: Normalizer, matcher: Matcher) -> bool | None:
    """Whether an answer is right: None without a truth, where it normalises to nothing, or the matcher cannot read it.

    An empty (or otherwise falsy) answer is wrong, unless the matcher refuses the truth, or compares with an empty truth
    too and accepts it. Several truths: any may match; undefined only if each is.
    Source: `evaluate_correctness` of `audit_answer_parsing.py` (github.com/Mahdi-s/vivarium).
    """
    if truth is None:
        return None
    truths = truth if isinstance(truth, tuple) else (truth,)
    if not answer:
        if compares_empty(matcher) and not all(map(normalizer, truths)) and matcher("", "") is True:
            return True
        offers = call_capability(matcher, "refuses") is not None
        return None if offers and refused(truth, normalizer, matcher) is not None else False
    labels = [_one(answer, each, normalizer, matcher) for each in truths]
    if any(labels):
        return True
    return None if all(label is None for label in labels) else False


def refused(truth: Any, normalizer: Normalizer, matcher: Matcher) -> Refusal | None:
    """Why a matcher cannot read a truth, of several not one; None where it can, or nothing is left of the truth.

    A matcher that does not offer `refuses` is taken to refuse: to be asked where it has said nothing.
    """
    truths = truth if isinstance(truth, tuple) else (truth,)
    refuses = call_capability(matcher, "refuses") or _unknown
    reasons = [refuses(normalised) for normalised in map(normalizer, truths) if normalised]
    return reasons[0] if reasons and None not in reasons else None


def _unknown(truth: str) -> Refusal:
    return Refusal()


def _one(answer: object, truth: object, normalizer: Normalizer, matcher: Matcher) -> bool | None:
    normalised = normalizer(truth)
    return matcher(normalizer(answer), normalised) if normalised or compares_empty(matcher) else None


def compares_empty(matcher: Matcher) -> bool:
    """Whether a truth that normalises to nothing is compared like any other."""
    return call_capability(matcher, "compares_empty") is True


def read(text: object, truth: Truth, parser: Parser, normalizer: Normalizer, matcher: Matcher) -> bool | None:
    """One reading of one trial: parse, then evaluate."""
    return evaluate(parser(text), truth, normalizer, matcher)
