"""The kinds of component: one protocol each, and the place of each kind in the config tree.

A component is a frozen dataclass that can be called; it knows neither the run nor another component.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .context import Audit, Engine
from .evidence import Source
from .judgements import Policy, Validator
from .ledger import Stop, StopRule
from .metrics import Gate, Metric
from .reports import Report
from .scenarios import ScenarioSet
from .simulation import Simulator
from .solving import Executor, Scoring, Solver
from .text import Matcher, Normalizer, Parser, Step


@dataclass(frozen=True)
class Kind:
    """A kind's protocol, its place in the config tree, and whether a run may go without one.

    A place with `{name}` is a group of which a run takes several.
    """

    protocol: Any
    place: str | None
    doc: str = field(default="")

    @property
    def several(self) -> bool:
        return self.place is not None and "{name}" in self.place


KINDS: Mapping[str, Kind] = {
    "audit": Kind(Audit, "audit", "what is compared with what"),
    "source": Kind(Source, "source", "where the trials come from"),
    "scenarios": Kind(ScenarioSet, "scenarios", "what is simulated, and what was meant to happen"),
    "simulator": Kind(Simulator, "simulator", "parameters to outcomes"),
    "solver": Kind(Solver, "solver", "problem and history to one attempt"),
    "executor": Kind(Executor, "executor", "runs candidate programs"),
    "stop": Kind(Stop, "stop", "when the live loop ends"),
    "engine": Kind(Engine, "engine", "where the work runs"),
    "parser": Kind(Parser, "audit.parsers.{name}", "finds the answer in a completion"),
    "normalizer": Kind(Normalizer, "audit.normalizers.{name}", "makes texts comparable"),
    "matcher": Kind(Matcher, "audit.matcher", "does an answer agree with the truth?"),
    "policy": Kind(Policy, "audit.policies.{name}", "decides one trial by rule"),
    "validator": Kind(Validator, "audit.validators.{name}", "what is wrong with a judged row"),
    "stop_rule": Kind(StopRule, "audit.stop_rules.{name}", "a stop rule replayed on stored attempts"),
    "scoring": Kind(Scoring, "audit.scoring", "how close an output is to the expected one"),
    "metric": Kind(Metric, "metrics.{name}", "a number made from readings"),
    "gate": Kind(Gate, "gates.{name}", "a bound on measurements"),
    "report": Kind(Report, "reports.{name}", "presents a result"),
    "step": Kind(Step, None, "text to text, in the lists of parsers and normalizers"),
}
