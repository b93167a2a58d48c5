"""From a filter and a metric of lm-evaluation-harness to the shipped scorer, or to one whose steps are set."""

from __future__ import annotations

from typing import Any

import pytest

from auditfw.components.files.logs.lm_eval_results import GSM8K_IGNORED, filter_scorer, rules, voting
from auditfw.kinds.evidence import ScorerRule

GSM8K = {"metric": "exact_match", "ignore_case": True, "ignore_punctuation": False, "regexes_to_ignore": GSM8K_IGNORED}
EXACT = {"metric": "exact_match"}
STRICT = {"function": "regex", "regex_pattern": "#### (\\-?[0-9\\.\\,]+)"}
LAST = {"function": "regex", "regex_pattern": "(-?[$0-9.,]{2,})|(-?[0-9]+)", "group_select": -1}
FIRST = {"function": "take_first"}


def rule_of(metric: dict[str, Any], *steps: dict[str, Any]) -> ScorerRule:
    return ScorerRule("mine", {"steps": [*steps], "metrics": [metric]}, "0.4.13")


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        (rule_of(GSM8K, STRICT, FIRST), "lm_eval_strict_match"),
        (rule_of(GSM8K, {"function": "regex"}, FIRST), "lm_eval_strict_match"),
        (rule_of(GSM8K, LAST, FIRST), "lm_eval_flexible_extract"),
        (rule_of(GSM8K, {**LAST, "group_select": 0}, FIRST), "lm_eval_filter"),
        (rule_of(GSM8K, {**STRICT, "fallback": "none"}, FIRST), "lm_eval_filter"),
        (rule_of({**GSM8K, "ignore_case": False}, STRICT, FIRST), "lm_eval_filter"),
        (rule_of({**GSM8K, "ignore_punctuation": True}, STRICT, FIRST), "lm_eval_filter"),
        (rule_of({**GSM8K, "ignore_numbers": True}, STRICT, FIRST), "lm_eval_filter"),
        (rule_of({**GSM8K, "regexes_to_ignore": None}, STRICT, FIRST), "lm_eval_filter"),
        (rule_of(GSM8K, {"function": "lowercase"}, FIRST), "lm_eval_filter"),
        (rule_of(EXACT), "lm_eval_filter"),
    ],
)
def test_the_rule_of_a_filter(rule: ScorerRule, name: str) -> None:
    known = filter_scorer(rule)
    assert (known.name, known.why) == (name, "")


@pytest.mark.parametrize(
    ("task", "own", "name"),
    [
        ("hendrycks_math_algebra", "def process_results(doc, results): ...", "hendrycks_math"),
        ("hendrycks_math500", "def process_results(doc, results): ...", "hendrycks_math"),
        ("hendrycks_math_algebra", None, "lm_eval_filter"),
        ("mymath", "def process_results(doc, results): ...", "lm_eval_filter"),
    ],
)
def test_a_task_that_scores_itself(task: str, own: str | None, name: str) -> None:
    config = {"output_type": "generate_until", "metric_list": [EXACT], "process_results": own}
    [rule] = rules({"configs": {task: config}, "lm_eval_version": "0.4.13"}, task).values()
    assert filter_scorer(rule).name == name


@pytest.mark.parametrize(
    ("whole", "version", "task_version"),
    [
        ({"lm_eval_version": "0.4.7", "git_hash": "v0.4.2", "versions": {"t": 3.0}}, "0.4.7", ""),
        ({"git_hash": "v0.4.2-9-g1a2b3c4", "versions": {"t": 3.0}}, "0.4.2", ""),
        ({"git_hash": "v0.4.1"}, "0.4.1", ""),
        ({"git_hash": "1a2b3c4", "versions": {"t": 3}}, "", "3.0"),
        ({"git_hash": "v2.0.1-4-g1a2b3c4", "versions": {"t": 2.1}}, "", "2.1"),
        ({"git_hash": None, "versions": {"t": "Yaml"}}, "", ""),
        ({"versions": {"other": 3.0}}, "", ""),
    ],
)
def test_the_version_of_a_log(whole: dict[str, Any], version: str, task_version: str) -> None:
    """As it is named, else as git describes the commit, if that is a release of the harness; else of the task."""
    [rule] = rules({**whole, "configs": {"t": {"metric_list": [EXACT]}}}, "t").values()
    assert (rule.version, rule.task_version) == (version, task_version)


CUT = "{use: capture, pattern: 'a(b)', group: filled, which: -1, fallback: '?', classes: re}, strip"
WHOLE = "{use: capture, pattern: 'a\\d', group: 0, which: 0, fallback: '[invalid]', classes: re}, strip"


@pytest.mark.parametrize(
    ("metric", "steps", "parser", "normalizer"),
    [
        (EXACT, [], "", ""),
        (EXACT, [{"function": "remove_whitespace"}, FIRST, {"function": "uppercase"}], "strip, upper", ""),
        (
            {**EXACT, "ignore_case": True, "ignore_punctuation": True, "regexes_to_ignore": ["'", ","]},
            [{"function": "regex", "regex_pattern": "a(b)", "group_select": -1, "fallback": "?"}],
            CUT,
            "{use: substitute, pattern: '\\'', classes: re}, {use: substitute, pattern: ',', classes: re}, "
            "lower, remove_characters",
        ),
        (
            {**EXACT, "ignore_numbers": True},
            [{"function": "regex", "regex_pattern": r"a\d"}],
            WHOLE,
            "{use: remove_characters, characters: '0123456789'}",
        ),
    ],
)
def test_the_steps_of_a_filter(metric: dict[str, Any], steps: list[Any], parser: str, normalizer: str) -> None:
    assert filter_scorer(rule_of(metric, *steps)).settings == (
        f"parser.steps=[{parser}]",
        f"normalizer.steps=[{normalizer}]",
    )


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (rule_of({"metric": "acc"}, FIRST), "the filter mine has no shipped rule: its metric is not exact_match"),
        (rule_of(EXACT, {"function": "map"}), "the filter mine has no shipped rule: nothing here does what map does"),
        (
            rule_of(EXACT, {"function": "regex", "regex_pattern": "(("}, FIRST),
            "the filter mine has no shipped rule: nothing here does what regex does",
        ),
    ],
)
def test_a_filter_without_a_rule(rule: ScorerRule, why: str) -> None:
    assert filter_scorer(rule).why == why


def test_filters_that_let_repeats_vote() -> None:
    vote = {"function": "majority_vote"}
    listed = [{"name": "maj@8", "filter": [STRICT, vote, FIRST]}, {"name": "first", "filter": [STRICT, FIRST]}]
    assert voting({"filter_list": listed}) == {"maj@8"}
    assert voting({"filter_list": [*listed, {"name": "none"}, "x"]}) == {"maj@8"}
    assert voting({}) == frozenset()
