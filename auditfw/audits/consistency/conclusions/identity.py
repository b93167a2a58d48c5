"""Are two raters one and the same: equal files, equal labels throughout, or equal reasons?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from auditfw.audits.answers import Argument, Reason, RuleKind, Statement
from auditfw.audits.consistency.results import ConsistencyResults
from auditfw.core.document import some
from auditfw.core.records import AnswerRule
from auditfw.formulas.agreement.settings import FEWEST_TO_TELL

MOST_RATERS = 50  # with more of them only pairs that are identical are listed
FILES = RuleKind("identical_files", "Are files of two raters identical?", status="unknown")
LABELS = RuleKind("identical_labels", "Are labels of two raters identical?", "equal labels", status="unknown")
REASONS = RuleKind("identical_reasons", "Are reasons of two raters identical?", "equal reasons", status="unknown")
FEWEST = 3  # reasons: fewer may be equal by chance
SOUND = 0.95  # the kappa that is expected of raters who agree very well
SUM_SHOWN = 12
NEXT = "Check where the labels come from; to read another file for a rater: 'source.paths={RATER: FILE, …}'"


def identity_argument(results: ConsistencyResults) -> Argument:
    """Whether raters are identical: full agreement then says nothing of two raters."""
    rules = _rules(results)
    fired = [rule for rule in rules if rule.fired]
    if not fired:
        return Argument(rules)
    names = " and ".join(dict.fromkeys(_called(rule, results) for rule in fired if rule.rule != FILES.name))
    headline = f"Identical raters: the agreement of {names or 'these files'} says nothing about two raters."
    words = Statement(headline, [], NEXT)
    notices = [Reason(_text(rule, results), [rule]) for rule in fired]
    return Argument(rules, {"unknown": words}, notices=notices)


def identical(results: ConsistencyResults) -> list[str]:
    """What is identical, a sentence each, that which says most first."""
    return [_text(rule, results) for rule in _rules(results) if rule.fired]


def _rules(results: ConsistencyResults) -> list[AnswerRule]:
    return [*_files(results), *_labels(results), *_reasons(results)]


def _text(rule: AnswerRule, results: ConsistencyResults) -> str:
    n = round(rule.value or 0.0)
    if rule.rule == FILES.name:
        files = rule.reading
        return f"The files {files} are identical (SHA-256 {_sum(results, files)}): these are not two raters."
    if rule.rule == LABELS.name:
        return f"{_called(rule, results)} are identical: the same label on all {some(n, 'item')} that both labelled."
    raters = _called(rule, results)
    return f"The reasons of {raters} are identical, word for word, on all {some(n, 'item')} where both give one."


def _called(rule: AnswerRule, results: ConsistencyResults) -> str:
    """The raters of a rule in words."""
    names = rule.reading.split(" and ")
    known = all(name in results.settings.raters for name in names)
    return " and ".join(map(results.settings.called, names)) if known else rule.reading


def _sum(results: ConsistencyResults, files: str) -> str:
    return next((one.sha256[:SUM_SHOWN] for one in results.inputs if files.startswith(f"{one.path} and ")), "")


def _files(results: ConsistencyResults) -> Iterator[AnswerRule]:
    """Files of several raters with the same checksum; a path that is read for two raters is one file."""
    sums = dict.fromkeys((one.path, one.sha256) for one in results.inputs if one.bytes) if results.by_file else {}
    for (path, one), (other, another) in combinations(sums, 2):
        if one == another:
            yield FILES(f"{path} and {other}", 1.0, fired=True)


def _labels(results: ConsistencyResults) -> Iterator[AnswerRule]:
    """Each two raters of enough items: equal on all, where so much agreement is not expected.

    Expected is that of a kappa of SOUND, or of the highest that either has with a third rater. One label throughout is
    no copy.
    """
    import numpy as np

    from auditfw.formulas.agreement.all_pairs import pair_counts

    raters = results.settings.raters
    counts = pair_counts(results.overall["all"].everyone)
    enough = (counts.n >= FEWEST_TO_TELL) & (np.arange(len(raters))[:, None] < np.arange(len(raters)))
    equal = enough & (counts.same == counts.n) & ((counts.gave > 0).sum(0) > 1)
    thirds = np.where((counts.n >= FEWEST_TO_TELL) & (counts.same < counts.n), counts.kappa, SOUND)
    highest = np.maximum(np.where(np.isfinite(thirds), thirds, SOUND).max(0), SOUND)
    chosen = counts.chosen(enough if len(raters) <= MOST_RATERS else equal)
    one, other = np.array(chosen, np.intp).reshape(-1, 2).T
    products = (counts.gave[:, one, other] * counts.gave[:, other, one]).sum(0)  # whole numbers
    for (i, j), product in zip(chosen, products.tolist(), strict=True):
        n, same, p = int(counts.n[i, j]), float(counts.same[i, j]), 1.0
        if equal[i, j]:
            chance = product / n**2
            share = chance + max(highest[i], highest[j]) * (1 - chance)
            p = min(1.0, float(share**n) * float(enough.sum()))
        if len(raters) <= MOST_RATERS or p <= results.alpha:
            yield LABELS(f"{raters[i]} and {raters[j]}", same, bound=n, p=p, fired=p <= results.alpha)


def _reasons(results: ConsistencyResults) -> Iterator[AnswerRule]:
    n, same = results.whole.alike["reasons"], results.whole.alike["same"]
    if n:
        names = " and ".join(results.settings.raters)
        equal = n >= FEWEST and same == n
        yield REASONS(names, float(same), bound=n, fired=equal)
