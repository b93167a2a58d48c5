"""From the rule that a harness says it scored by to the shipped one: its name, or why there is none."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from auditfw.core.escaping import quoted
from auditfw.kinds.evidence import ScorerRule

from .known_rule import KnownRule, of_one_name
from .lm_eval_rules import filter_rule

CHANGED = (0, 3, 221)  # of inspect-ai: match compares whole numbers, answer and choice read the last ANSWER
PROMPTFOO = {
    "equality": ("none", "exact"),
    "substring": ("none", "substring"),
    "prefix": ("none", "prefix"),
}


def known_rule(source: str, rule: ScorerRule) -> KnownRule:
    """The shipped rule for one that a log declares."""
    return DECLARING[source](rule)


def _inspect(rule: ScorerRule) -> KnownRule:
    options, old = rule.options, _version(rule.version) < CHANGED
    if rule.name == "match":
        return _match(options, old)
    if rule.name == "includes":
        folded = options.get("ignore_case", True)
        return of_one_name("inspect_includes", *([] if folded else ["audit.matcher.ignore_case=false"]))
    if rule.name == "answer" and options.get("pattern") in ("letter", "word", "line"):
        return of_one_name(f"inspect_answer_{options['pattern']}{'_2025' * old}")
    if rule.name == "choice":
        name, which = f"inspect_choice{'_2025' * old}", ", which: first" * old
        steps = f"audit.parsers.{name}.steps=[{{use: inspect_choice, several: true{which}}}]"
        return of_one_name(name, *([steps] if options.get("multiple_correct") else []))
    if rule.name == "pattern" and isinstance(options.get("pattern"), str):
        folded = options.get("ignore_case", True)
        words = [f"audit.parsers.inspect_pattern.pattern={quoted(options['pattern'])}"]
        words += (
            [] if folded else [f"audit.{part}.ignore_case=false" for part in ("parsers.inspect_pattern", "matcher")]
        )
        words += ["audit.matcher.match_all=true"] if options.get("match_all") else []
        return of_one_name("inspect_pattern", *words)
    judged = "model_graded" in rule.name
    return KnownRule(why=f"the scorer {rule.name} {'asks a model' if judged else 'has no shipped rule'}")


def _match(options: Mapping[str, Any], old: bool) -> KnownRule:
    """The rule of `match`: its usual settings have names of their own, and so has that of numbers as it was."""
    location, numeric = options.get("location", "end"), options.get("numeric", False)
    if numeric and old:
        set_to = {"location": (location, "end"), "ignore_case": (options.get("ignore_case", True), True)}
        words = [f"audit.matcher.{key}={str(one).lower()}" for key, (one, usual) in set_to.items() if one != usual]
        return of_one_name("inspect_match_numeric_2025", *words)
    if not options.get("ignore_case", True) or (numeric and location != "end"):
        words = [f"audit.matcher.location={location}", f"audit.matcher.numeric={str(bool(numeric)).lower()}"]
        words.append(f"audit.matcher.ignore_case={str(bool(options.get('ignore_case', True))).lower()}")
        return KnownRule("inspect_match", "inspect_match", "inspect_match", tuple(words))
    ending = "_numeric" if numeric else "" if location == "end" else f"_{location}"
    return of_one_name(f"inspect_match{ending}")


def _promptfoo(rule: ScorerRule) -> KnownRule:
    """The rule of an assertion, which reads the output behind a transform: the stored text."""
    if "assertion" in rule.options:
        return KnownRule("stored", "none", "promptfoo", (f"audit.matcher.assertion={rule.options['assertion']}",))
    parts = PROMPTFOO.get(str(rule.options.get("compare")))
    return KnownRule("stored", *parts) if parts else KnownRule(why=f"the assertion {rule.name} has no shipped rule")


DECLARING: Mapping[str, Callable[[ScorerRule], KnownRule]] = {  # sources whose logs say how they were scored
    "inspect": _inspect,
    "lm_eval": filter_rule,
    "promptfoo": _promptfoo,
}


def _version(text: str) -> tuple[int, ...]:
    """The numbers of a version; without any a late one."""
    return tuple(map(int, re.findall(r"\d+", text)[:3])) or (9,)
