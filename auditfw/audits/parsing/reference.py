"""The definitions, row by row and plainly: what the planned path must equal. Never optimised."""

from __future__ import annotations

from auditfw.kinds import Matcher, Normalizer, Parser

Truth = str | tuple[str, ...]


def evaluate(answer: object, truth: object, normalizer: Normalizer, matcher: Matcher) -> bool | None:
    """Whether an answer is right: None without a truth, or where the truth normalises to nothing.

    An empty (or otherwise falsy) answer is wrong, whatever the truth. Several truths: any may match; undefined only
    if each is. Source: `evaluate_correctness` of `audit_answer_parsing.py` (github.com/Mahdi-s/vivarium).
    """
    if truth is None:
        return None
    if not answer:
        return False
    truths = truth if isinstance(truth, tuple) else (truth,)
    labels = [_one(answer, each, normalizer, matcher) for each in truths]
    if any(labels):
        return True
    return None if all(label is None for label in labels) else False


def _one(answer: object, truth: object, normalizer: Normalizer, matcher: Matcher) -> bool | None:
    normalised = normalizer(truth)
    return matcher(normalizer(answer), normalised) if normalised else None


def read(text: object, truth: Truth, parser: Parser, normalizer: Normalizer, matcher: Matcher) -> bool | None:
    """One reading of one trial: parse, then evaluate."""
    return evaluate(parser(text), truth, normalizer, matcher)
