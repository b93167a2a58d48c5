"""The rules of logs, the scorers that they are, and the parsers that compete with them."""

from __future__ import annotations

import pytest
from sentences import commands as says

from auditfw.commands.paths.field_logs import _readings, rivals
from auditfw.commands.paths.sources import LogRule, rule_of
from auditfw.commands.paths.truths import ENDS
from auditfw.components.files.logs.promptfoo import RULES
from auditfw.kinds.evidence import ScorerRule


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        (ScorerRule("match", {"location": "begin"}, "0.3.285"), "inspect_match_begin"),
        (ScorerRule("match", {"numeric": True}, "0.3.285"), "inspect_match_numeric"),
        (ScorerRule("answer", {"pattern": "letter"}, "0.3.218"), "inspect_answer_letter_2025"),
        (ScorerRule("match", {"numeric": True}, "0.3.133"), "inspect_match_numeric_2025"),
        (ScorerRule("match", {"numeric": True}, "0.3.220"), "inspect_match_numeric_2025"),
        (ScorerRule("match", {"numeric": True}, "0.3.221"), "inspect_match_numeric_0_3_252"),
        (ScorerRule("match", {"numeric": True}, "0.3.260"), "inspect_match_numeric_0_3_260"),
        (ScorerRule("match", {"numeric": True}, "0.3.99"), "inspect_match_numeric_2025"),
        (ScorerRule("answer", {"pattern": "line"}, "0.3.160"), "inspect_answer_line"),
        (ScorerRule("answer", {"pattern": "word"}, "0.3.206"), "inspect_answer_word_0_3_220"),
        (ScorerRule("choice", {}, "0.3.221"), "inspect_choice_0_3_258"),
        (ScorerRule("match", {"numeric": True}, ""), "inspect_match_numeric"),
        (ScorerRule("match", {}, "0.3.133"), "inspect_match"),
        (ScorerRule("match", {"numeric": True, "location": "begin"}, "0.3.133"), "inspect_match_numeric_2025"),
        (ScorerRule("answer", {"pattern": "letter"}, "0.3.221"), "inspect_answer_letter"),
        (ScorerRule("answer", {"pattern": "letter"}, ""), "inspect_answer_letter"),
        (ScorerRule("choice", {}, "0.3.99"), "inspect_choice_2025"),
        (ScorerRule("f1", {}, "0.3.285"), "inspect_f1"),
        (ScorerRule("exact", {}, "0.3.252"), "inspect_exact_0_3_252"),
        (ScorerRule("f1", {"stop_words": ["of"]}, "0.3.285"), ""),
        (ScorerRule("math", {}, "0.3.285"), ""),
    ],
)
def test_rules_of_inspect(rule: ScorerRule, name: str) -> None:
    assert rule_of("inspect", rule).name == name


@pytest.mark.parametrize(
    ("kind", "texts", "parsers"),
    [
        ("number", ["so 7"], ["last_number"]),
        ("number", ["so\nANSWER: 7", None, ""], ["last_number", "announced_number", "inspect_answer_line"]),
        ("number", ["Answer : 7\n\n", "so 7"], ["last_number", "announced_number", "inspect_answer_line"]),
        ("number", ["ANSWER: 7", "so 7", "7"], ["last_number"]),
        ("number", ["ANSWER: 7\nI am sure."], ["last_number", "announced_number"]),
        ("number", ["ANSWER: 7" + " " * 2_000], ["last_number", "announced_number", "inspect_answer_line"]),
        ("number", ["7\n\nQuestion: and 8?", *["so 7"] * 19], ["last_number", "first_turn"]),
        ("number", ["7\n\nQuestion: and 8?", *["so 7"] * 20], ["last_number"]),
        ("number", ["Question: 7"], ["last_number"]),  # what a text begins with is its own
        ("text", ["the answer is: 7"], ["last_line"]),
        ("letter", ["Answer: (b)"], ["choice_letter", "first_letter"]),
        ("letter", ["ANSWER: b\nI am sure."], ["choice_letter", "first_letter", "inspect_answer_letter"]),
        ("letter", ["answer: both"], ["choice_letter", "first_letter"]),
        ("letter", [None], ["choice_letter", "first_letter", "inspect_answer_letter"]),
    ],
)
def test_a_rival_fits_the_texts(kind: str, texts: list[str | None], parsers: list[str]) -> None:
    """A parser that reads a marked line is no rival where fewer than half of the texts have one."""
    assert rivals(kind, texts) == parsers


@pytest.mark.parametrize(
    ("rule", "kind", "words"),
    [
        (
            LogRule("a", ("matcher.x=1",)),
            "number",
            "scorer=[a] parser=[last_number] normalizer=[none] matcher=numeric audit.baseline=a "
            "audit.scorers.a.matcher.x=1",
        ),
        (LogRule("last_number"), "text", "scorer=[last_number] parser=[] normalizer=[v1] matcher=containment"),
        (LogRule(why="no"), "letter", "parser=[last_number] normalizer=[casefold] matcher=exact audit.baseline=search"),
        (LogRule(why="no", judged=True), "text", "parser=[last_number] normalizer=[v1] matcher=containment audit.ba"),
    ],
)
def test_the_rule_of_a_log_and_its_rivals(rule: LogRule, kind: str, words: str) -> None:
    assert " ".join(_readings(rule, ["last_number"], ENDS[kind])).startswith(words)


@pytest.mark.parametrize(
    ("source", "rule", "inline"),
    [
        ("inspect", ScorerRule("match", {"location": "any"}, ""), "inspect_match_any"),
        ("inspect", ScorerRule("match", {"numeric": True}, "0.3.221.dev4+g1"), "inspect_match_numeric_0_3_252"),
        ("inspect", ScorerRule("match", {"numeric": True}, "0.3.220.dev4+g1"), "inspect_match_numeric_2025"),
        (
            "inspect",
            ScorerRule("match", {"numeric": True, "location": "begin", "ignore_case": False}, "0.3.133"),
            "{use: inspect_match_numeric_2025, matcher: {location: begin, ignore_case: false}}",
        ),
        (
            "inspect",
            ScorerRule("pattern", {"pattern": r"a'\d${x}=", "ignore_case": False}, ""),
            r"{use: inspect_pattern, parser: {pattern: 'a\'\d\${x}=', ignore_case: false}, "
            "matcher: {ignore_case: false}}",
        ),
        ("inspect", ScorerRule("choice", {}, "x"), "inspect_choice"),
        (
            "inspect",
            ScorerRule("choice", {"multiple_correct": True}, "0.3.130"),
            "{use: inspect_choice_2025, parser: {steps: [{use: inspect_choice, several: true, which: first}]}}",
        ),
        (
            "inspect",
            ScorerRule("pattern", {"pattern": "(a)", "match_all": True}, ""),
            "{use: inspect_pattern, parser: {pattern: '(a)'}, matcher: {match_all: true}}",
        ),
        ("promptfoo", RULES["icontains-any"], "{use: promptfoo, matcher: {assertion: icontains}}"),
        ("promptfoo", RULES["not-contains-any"], "{use: promptfoo, matcher: {assertion: not-contains-any}}"),
        ("helm", ScorerRule("exact_match", {"method": "generation"}, ""), "helm_exact"),
    ],
)
def test_the_scorer_of_a_rule(source: str, rule: ScorerRule, inline: str) -> None:
    assert rule_of(source, rule).inline() == inline


@pytest.mark.parametrize(
    ("source", "rule", "why"),
    [
        ("inspect", ScorerRule("model_graded_qa", {}, ""), says.THE_SCORER_MODEL_GRADED_QA),
        ("inspect", ScorerRule("mine", {}, ""), says.THE_SCORER_MINE_HAS_NO),
        ("helm", ScorerRule("exact_match", {"method": "multiple_choice_joint"}, ""), "exact_match reads the choice of"),
        ("helm", ScorerRule("f1_score", {}, ""), says.THE_METRIC_SCORE_HAS_NO),
        ("lighteval", ScorerRule("x", {}, ""), says.THE_LOG_DOES_NOT_SAY),
    ],
)
def test_a_rule_without_a_scorer(source: str, rule: ScorerRule, why: str) -> None:
    known = rule_of(source, rule)
    assert known.why.startswith(why)
    assert known.judged == ("asks a model" in why)
