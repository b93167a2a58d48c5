"""The rule by which a side was scored, and under which name the other side has the same one among its readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.audits.parsing.settings import ParsingSettings
from auditfw.core.digits import fixed
from auditfw.core.imports import np
from auditfw.kinds.capabilities import capability
from auditfw.kinds.text import Matcher, Normalizer, Parser

from .items import STORED, LabelledSide, labels_of

REPRODUCES = 0.99  # of a side's labels, so that a rule is what they were made by


@dataclass(frozen=True)
class SideRule:
    """A reading by its name on a side, and what it is made of: equal parts are one rule, whatever they are called."""

    name: str
    parser: Parser
    normalizer: Normalizer
    matcher: Matcher

    @property
    def parts(self) -> tuple[Any, Any, Any]:
        return self.parser, self.normalizer, self.matcher


@dataclass(frozen=True)
class SideRules:
    """The readings that give a side's labels, the best first and of equal ones in their order; else `why` none does."""

    rules: Sequence[SideRule]
    why: str = ""


def readings_of(audit: ParsingSettings) -> list[SideRule]:
    """All readings of an audit but rules that differ from row to row."""
    single = None if audit.configured is None else audit.configured.single
    names = audit.chosen()
    if single is not None and audit.baseline_name not in names:
        names = [*names, str(audit.baseline_name)]
    plan = audit.grid.plan(names, audit.matcher, single)
    return [
        SideRule(name, plan.parsers[p].part, plan.normalizers[n].part, plan.matcher_of(n))
        for name, (p, n) in zip(plan.names(), plan.readings, strict=True)
    ]


def rules_of(audit: ParsingSettings, side: LabelledSide) -> SideRules:
    """The rules by which the labels of a side may have been made.

    Of stored labels those that give 99 % of them: the baseline if it does, else the readings that give the most. Labels
    of a reading are made by it.
    """
    if audit.labels == "judge":
        return SideRules((), "a judge gave the labels")
    every = (rule for rule in readings_of(audit) if not capability(rule.matcher, "by_rule", False))
    known = [rule for rule in every if rule.name in side.frame.columns]
    if side.reading != STORED:
        own = [rule for rule in known if rule.name == side.reading]
        return SideRules(own, "" if own else "each value of a column has its own rule")
    gives = {rule.name: reproduced(side, rule.name) for rule in known}
    baseline = [rule for rule in known if rule.name == audit.baseline_name and gives[rule.name] >= REPRODUCES]
    if baseline:
        return SideRules(baseline)
    most = max(gives.values(), default=0.0)
    if most < REPRODUCES:
        if audit.ruled_by is not None:
            return SideRules((), f"each {audit.ruled_by} has its own rule")
        gave = f"no rule that was tried gives them (at most {fixed(100 * most, 1)} %)" if known else "no rule is known"
        return SideRules((), gave)
    return SideRules([rule for rule in known if gives[rule.name] == most])


def reproduced(side: LabelledSide, reading: str) -> float:
    """The share of a side's labels that a reading gives, too; 0 where it has none."""
    labels, theirs = side.labels, labels_of(side.frame, reading)
    both = (labels >= 0) & (theirs >= 0)
    return float(np.mean(labels[both] == theirs[both])) if both.any() else 0.0


def chosen_rules(one: SideRules, other: SideRules) -> tuple[SideRule | None, SideRule | None]:
    """The rules of two sides: one that gives the labels of both if there is such a one, else the first of each."""
    for ours in one.rules:
        for theirs in other.rules:
            if ours.parts == theirs.parts:
                return ours, theirs
    return next(iter(one.rules), None), next(iter(other.rules), None)


def name_on(audit: ParsingSettings | None, side: LabelledSide, rule: SideRule | None) -> str | None:
    """Under which name a side has labels by a rule; None where it has not, or they are not there for all trials."""
    if audit is None or rule is None:
        return None
    for reading in readings_of(audit):
        if reading.parts == rule.parts and reading.name in side.frame.columns:
            there = labels_of(side.frame, reading.name) >= 0
            counted = side.labels >= 0
            return reading.name if there[counted].mean() >= REPRODUCES else None
    return None


def scorer_config(rule_settings: Mapping[str, Any], name: str) -> Any:
    """The rule of a baseline in the settings of an audit, as they are written for a scorer; None where there is none.

    `name` is the baseline's name among the readings.
    """
    baseline = rule_settings.get("baseline")
    scorers = rule_settings.get("scorers") or {}
    if name in scorers:
        return scorers[name]
    if isinstance(baseline, str):
        return {"use": baseline} if baseline not in ("search", "") else None
    if not isinstance(baseline, Mapping) or baseline.get("rules"):
        return None
    if baseline.get("parser") is not None and baseline.get("use") is None:
        parts = {part: baseline[part] for part in ("parser", "normalizer")}
        return {"use": "parts", **parts, "matcher": rule_settings.get("matcher")}
    return dict(baseline) if baseline.get("use") else None
