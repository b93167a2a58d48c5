"""The shipped scorers for filters of lm-evaluation-harness, by the configuration of a task.

Source: lm_eval/filters/extraction.py, lm_eval/filters/transformation.py and
`exact_match_hf_evaluate` of lm_eval/api/metrics.py (github.com/EleutherAI/lm-evaluation-harness, commit 4e7e0d4).
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.core.escaping import quoted
from auditfw.formulas.texts.pattern_bounds import PatternError, compiled
from auditfw.formulas.texts.patterns import as_re
from auditfw.kinds.evidence import ScorerRule, ShippedScorer

PATTERN = "#### (\\-?[0-9\\.\\,]+)"  # of a filter `regex` that names none
INVALID = "[invalid]"  # its fallback
GSM8K_IGNORED = [",", "\\$", "(?s).*#### ", "\\.$"]
SHIPPED = {  # filters of GSM8K, by their pattern and the place of the match
    (PATTERN, 0): "lm_eval_strict_match",
    ("(-?[$0-9.,]{2,})|(-?[0-9]+)", -1): "lm_eval_flexible_extract",
}
NAMED = {"strict-match": "lm_eval_strict_match", "flexible-extract": "lm_eval_flexible_extract"}
NAME = "lm_eval_filter"  # a scorer whose steps are set by overrides
BY_NAME = {"remove_whitespace": "strip", "lowercase": "lower", "uppercase": "upper"}


def filter_scorer(rule: ScorerRule) -> ShippedScorer:
    """The scorer for a filter and exact_match as a task sets them; or why there is none.

    Of log-likelihoods the text is the likeliest choice. Where the task is not known, the name of the filter says it.
    """
    if rule.options.get("output_type") == "multiple_choice":
        return ShippedScorer("stored_exact")
    no_rule = f"the filter {rule.name} has no shipped rule"
    if not rule.options.get("declared", True):
        name = NAMED.get(rule.name)
        return ShippedScorer(name) if name else ShippedScorer(why=no_rule)
    metric = next((one for one in rule.options.get("metrics") or [] if one.get("metric") == "exact_match"), None)
    if metric is None:
        return ShippedScorer(why=f"{no_rule}: its metric is not exact_match")
    functions = [one for one in rule.options.get("steps") or [] if one.get("function") != "take_first"]
    shipped = _shipped(functions, metric)
    if shipped is not None:
        return ShippedScorer(shipped)
    steps = [_step(one) for one in functions]
    if None in steps:
        unknown = functions[steps.index(None)].get("function")
        return ShippedScorer(why=f"{no_rule}: nothing here does what {unknown} does")
    parser, normalizer = ", ".join(filter(None, steps)), ", ".join(_comparable(metric))
    return ShippedScorer(NAME, (f"parser.steps=[{parser}]", f"normalizer.steps=[{normalizer}]"))


def _shipped(functions: Sequence[Mapping[str, Any]], metric: Mapping[str, Any]) -> str | None:
    """The name of the shipped rule that is the same."""
    usual = metric.get("ignore_case") and not metric.get("ignore_punctuation") and not metric.get("ignore_numbers")
    if len(functions) != 1 or not usual or metric.get("regexes_to_ignore") != GSM8K_IGNORED:
        return None
    [one] = functions
    if one.get("function") != "regex" or one.get("fallback", INVALID) != INVALID:
        return None
    return SHIPPED.get((str(one.get("regex_pattern", PATTERN)), one.get("group_select", 0)))


def _step(function: Mapping[str, Any]) -> str | None:
    """The steps of the parser that do what a function of a filter does, as words of an override."""
    name = str(function.get("function"))
    if name in BY_NAME:
        return BY_NAME[name]
    if name != "regex":
        return None
    pattern = str(function.get("regex_pattern", PATTERN))
    try:
        groups = compiled(as_re(pattern), rewritten=True).groups
    except PatternError:
        return None
    group = "filled" if groups else 0
    which, fallback = int(function.get("group_select", 0)), quoted(str(function.get("fallback", INVALID)))
    what = f"pattern: {quoted(pattern)}, group: {group}, which: {which}, fallback: {fallback}"
    return f"{{use: capture, {what}, classes: re}}, strip"


def _comparable(metric: Mapping[str, Any]) -> list[str]:
    """The steps of the normalizer that do what the settings of exact_match ask for, in the order of the harness."""
    ignored = metric.get("regexes_to_ignore") or []
    steps = [f"{{use: substitute, pattern: {quoted(str(pattern))}, classes: re}}" for pattern in ignored]
    steps += ["lower"] if metric.get("ignore_case") else []
    steps += ["remove_characters"] if metric.get("ignore_punctuation") else []
    numbers = f"{{use: remove_characters, characters: '{string.digits}'}}"
    return [*steps, numbers] if metric.get("ignore_numbers") else steps
