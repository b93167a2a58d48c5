"""The rules that are tried: whose they are, in which order, and what one types to have one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import pytest

from auditfw.audits.parsing.conclusions.rules import ScoringRule, plan_of, rules_of
from auditfw.audits.parsing.engine.grid import ScorerOf
from auditfw.audits.parsing.settings import Baseline, ParsingSettings
from auditfw.components.matcher.harness import PromptfooAssertion
from auditfw.components.matcher.inspect_match import InspectMatch
from auditfw.components.matcher.numeric import Numeric
from auditfw.components.matcher.texts import Exact
from auditfw.components.normalizer.steps import NormalizerSteps as Normalizer
from auditfw.components.parser.steps import ParserSteps as Parser
from auditfw.components.source.formats import JsonLinesSource as Jsonl
from auditfw.components.source.inspect import Inspect
from auditfw.components.source.promptfoo import Promptfoo
from auditfw.components.step.characters import Lower, Strip
from auditfw.components.step.cuts import FirstLine, LastLine
from auditfw.config import build
from auditfw.kinds.capabilities import Named

RAW, STORED = Parser(), Parser(column="parsed_text")
FIRST, LAST = Parser(steps=(FirstLine(),)), Parser(steps=(LastLine(),))
PLAIN, LOWER, STRIP = Normalizer(), Normalizer((Lower(),)), Normalizer((Strip(),))


@dataclass(frozen=True)
class Math:
    """Stands for a slow matcher."""

    slow: ClassVar[bool] = True

    def __call__(self, answer: str, truth: str) -> bool:
        return answer == truth


def settings(**more: Any) -> ParsingSettings:
    none: Any = None
    return ParsingSettings(none, Exact(), {"mine": FIRST}, {"low": LOWER}, **more)


SHIPPED = {
    "parser": {"first_line": FIRST, "last_line": LAST, "mine": RAW, "stored": STORED},
    "normalizer": {"none": PLAIN, "lower": LOWER, "strip": STRIP},
    "matcher": {"exact": Exact(), "math": Math()},
}


def names(rules: list[ScoringRule]) -> list[str]:
    return [rule.name for rule in rules]


def test_the_run_s_own_come_first_and_equal_parts_count_once() -> None:
    """The shipped `mine` has another meaning here, `first_line` and `lower` are the run's own under other names."""
    rules = rules_of(settings(), ["raw_text"], SHIPPED)
    quick = [rule for rule in rules if not rule.slow]
    assert names(quick) == [f"{p}+{n}" for p in ("mine", "last_line") for n in ("low", "none", "strip")]
    assert {rule.matcher.name for rule in quick} == {"exact"}
    slow = [rule.name for rule in rules if rule.slow]
    assert slow == [f"{p}+{n}+math" for p in ("mine", "last_line") for n in ("low", "none")]


def test_the_configured_rule_is_the_first() -> None:
    baseline = Baseline(Named("last_line", LAST), Named("strip", STRIP))
    rules = rules_of(settings(baseline=baseline), ["raw_text", "parsed_text"], SHIPPED)
    assert rules[0].name == "last_line+strip"
    assert "stored+none" in names(rules)
    assert len(set(names(rules))) == len(rules)


def test_the_run_s_readings_come_before_other_rules_of_its_parts() -> None:
    own: Any = {"mine": FIRST, "last": LAST}
    rules = rules_of(ParsingSettings(cast("Any", None), Exact(), own, {"low": LOWER}), ["raw_text"], SHIPPED)
    assert names(rules)[:3] == ["mine+low", "last+low", "mine+low+math"]


def test_a_reading_has_its_name_though_its_normalizer_is_equal_to_another() -> None:
    several: dict[str, Any] = {"exact": Exact(), "numeric": Numeric()}
    own: dict[str, Any] = {"low": LOWER, "also_low": LOWER}
    picked = {"readings": ("mine+low+exact", "mine+also_low+numeric"), "matchers": several}
    rules = rules_of(ParsingSettings(cast("Any", None), Exact(), {"mine": FIRST}, own, **picked), ["raw_text"], SHIPPED)
    assert names(rules)[:3] == ["mine+low+exact", "mine+also_low+numeric", "mine+low+math"]


HARNESSES: dict[str, dict[str, Any]] = {
    "parser": {"inspect_match": RAW, "helm_exact": LAST, "json_answer": Parser(steps=(FirstLine(), LastLine()))},
    "normalizer": {"none": PLAIN, "inspect_match": PLAIN, "helm_exact": STRIP},
    "matcher": {
        "exact": Exact(), "inspect_match": InspectMatch(), "helm_exact": Exact(), "promptfoo": PromptfooAssertion()
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("source", "parsers", "matchers"),
    [
        (Inspect("x"), {"mine", "json_answer", "inspect_match"}, {"exact", "inspect_match"}),
        (Promptfoo("x"), {"mine", "json_answer"}, {"exact", "promptfoo"}),
        (Jsonl("x"), {"mine", "json_answer", "inspect_match", "helm_exact"}, {"exact", "inspect_match"}),
    ],
)
def test_a_log_was_not_scored_by_another_harness(source: Any, parsers: set[str], matchers: set[str]) -> None:
    """A matcher alone, without a parser of its name, needs facts of its harness' logs, and fits no table either."""
    settings = ParsingSettings(source, Exact(), {"mine": FIRST}, {"low": LOWER})
    rules = rules_of(settings, ["raw_text"], HARNESSES)
    assert {rule.matcher.name for rule in rules} == matchers
    assert {rule.parser.name for rule in rules} == parsers


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("inspect_match", "inspect"),
        ("inspect_attempts_last", "inspect_attempts"),  # a source whose name begins with another's
        ("lm_eval", "lm_eval"),
        ("helmet", None),
        ("exact", None),
    ],
)
def test_the_harness_of_a_rule_is_in_the_one_name_of_its_parts(name: str, source: str | None) -> None:
    rule = ScoringRule(Named(name, RAW), Named(name, PLAIN), Named(name, Exact()), own=False)
    assert rule.harness == source
    assert replace(rule, normalizer=Named("none", PLAIN)).harness is None


def test_a_rule_of_the_log_s_harness_has_its_name_and_comes_first() -> None:
    settings = ParsingSettings(cast("Any", Inspect("x")), Exact(), {"mine": RAW}, {"low": LOWER})
    rules = rules_of(settings, ["raw_text"], HARNESSES)
    assert names(rules)[:2] == ["mine+low", "inspect_match"]
    taken = replace(settings, parsers={"inspect_match": FIRST, "mine": RAW})
    assert "inspect_match" not in names(rules_of(taken, ["raw_text"], HARNESSES))


def test_what_to_type() -> None:
    own, other = rules_of(settings(), ["raw_text"], SHIPPED)[:2]
    assert own.overrides() == "'audit.baseline={parser: mine, normalizer: low}'"
    assert (other.name, other.overrides()) == ("mine+low+math", f"{own.overrides()} matcher=math")


def test_what_to_type_keeps_the_several_matchers_of_a_run() -> None:
    """The baseline uses the first: readings that are picked by name need the others."""
    several: dict[str, Any] = {"exact": Exact(), "numeric": Numeric()}
    rules = {rule.name: rule.overrides() for rule in rules_of(settings(matchers=several), ["raw_text"], SHIPPED)}
    typed = "'audit.baseline={parser: mine, normalizer: low}'"
    assert rules["mine+low+exact"] == typed
    assert rules["mine+low+numeric"] == f"{typed} 'matcher=[numeric,exact]'"
    assert rules["mine+low+math"] == f"{typed} 'matcher=[math,exact,numeric]'"


def test_a_plan_has_a_reading_for_each_rule() -> None:
    rules = rules_of(settings(), ["raw_text"], SHIPPED)[1:6]
    plan = plan_of(rules)
    read = [
        (plan.parsers[p].name, plan.normalizers[n].name, type(plan.matcher_of(n)).__name__) for p, n in plan.readings
    ]
    assert read == [(r.parser.name, r.normalizer.name, type(r.matcher.part).__name__) for r in rules]


def test_what_is_shipped_is_built_without_settings() -> None:
    build.prepare()
    parts = build.shipped_texts()
    assert {"raw", "last_line", "answer_v2"} <= parts["parser"].keys()
    assert {"none", "v1", "squad"} <= parts["normalizer"].keys()
    assert {"exact", "containment", "numeric", "choice", "prefix"} <= parts["matcher"].keys()


def test_the_parts_of_a_scorer_are_tried_with_no_others() -> None:
    """They cannot be chosen by its name where it has settings of its own, or is a class."""
    mine = ScorerOf(FIRST, LOWER, Exact())
    chosen = replace(settings(), scorers={"s": mine}, baseline=Named("b", ScorerOf(FIRST, PLAIN, Numeric())))
    tried = rules_of(chosen, ["raw_text"], SHIPPED)
    assert [(rule.name, rule.overrides()) for rule in tried if rule.scorer] == [
        ("s", "audit.baseline=s"),
        ("b", "audit.baseline=b"),
    ]
    assert not [rule for rule in tried if rule.scorer is None and {rule.parser.name, rule.normalizer.name} & {"s", "b"}]
    same = rules_of(replace(chosen, scorers={"s": mine, "t": mine}), ["raw_text"], SHIPPED)
    assert len(same) == len(tried)
