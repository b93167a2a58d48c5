"""The kinds of component: one protocol each, and the place of each kind in the config tree.

A component is a frozen dataclass that can be called; it knows neither the run nor another component.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass
from typing import Any

from .context import Audit, Claim, Engine
from .evidence import Source
from .judgements import Policy, Validator
from .ledger import Stop, StopRule
from .metrics import Gate, Metric, Report
from .questions import Question
from .scenarios import ScenarioSet, Weights
from .simulation import Simulator
from .solving import Executor, Scoring, Solver
from .text import Form, Matcher, Normalizer, Parser, Scorer, Step


@dataclass(frozen=True)
class Kind:
    """A kind's protocol, its place in the config tree, and what a component of it may declare beyond the protocol.

    A place with `{name}` is a group of which a run takes several. One with a `list_place` takes one, or a list whose
    components go there. A kind of values has a dataclass for its protocol, and no component: only named variants, which
    set its fields; of a list of those the first is at `place`, and only the others at `list_place`. `optional` names
    every attribute that anything looks up by `capability`; the docstring of the protocol says what each means.
    """

    protocol: Any
    place: str | None
    doc: str = field(default="")
    optional: tuple[str, ...] = ()
    list_place: str | None = None

    @property
    def several(self) -> bool:
        return self.place is not None and "{name}" in self.place

    @property
    def of_values(self) -> bool:
        return is_dataclass(self.protocol)


SIMULATOR = (
    "starts",
    "reads",
    "recorded",
    "optional",
    "intended",
    "remarks",
    "isolation",
    "open",
    "record_labels",
    "proposes",
    "lacks",
    "fresh",
)
SOURCE = (
    "by",
    "raters",
    "rules",
    "ruled_by",
    "recognises",
    "proposes",
    "lacks",
    "logs",
    "beside_logs",
    "scorers_of",
    "chooses",
    "conditions",
    "unfinished",
    "assumed_limit",
    "limit",
    "rivals",
    "scanned",
    "summed",
    "where",
    "columns",
    "common",
    "duplicates",
    "malformed",
    "missing_qid",
    "titles",
)
METRIC = (
    "takes", "range", "cells_only", "across", "each", "at_once", "keeps", "better", "title", "unit", "digits",
    "notation", "weights",
)  # fmt: skip
QUESTION = ("audits", "argument", "sections", "document", "measured", "tables")
GATE = ("span", "cells", "optional", "judge_outcome")
REPORT = ("prints", "alone", "announce", "browses", "keeps", "reading", "sends", "starts", "begin")
ENGINE = ("starts", "prepare", "reached", "map_beside", "parts", "most_joined")
PARSER = ("by_steps", "steps", "needs", "fast", "lint", "family", "fitted")
SCORER = ("inside", "holds")
STEP = ("fast", "cut", "blanks", "tidy", "lowers", "native", "lint", "family")
AUDIT = (
    "look",
    "resumes",
    "reguessed",
    "measures",
    "claimed",
    "acceptable",
    "keeps",
    "named_readings",
    "source",
    "scenarios",
    "share_work",
    "work_key",
    "work",
)

KINDS: Mapping[str, Kind] = {
    "audit": Kind(Audit, "audit", "what is compared with what", AUDIT),
    "source": Kind(Source, "source", "where the trials come from", SOURCE),
    "scenarios": Kind(ScenarioSet, "scenarios", "what is simulated, and which outcomes are intended", ("by",)),
    "simulator": Kind(Simulator, "simulator", "turns parameters into outcomes", SIMULATOR),
    "solver": Kind(
        Solver,
        "solver",
        "makes one attempt at a problem, from the earlier ones",
        ("starts", "reads", "programs", "own_code", "place", "place_of", "facts", "recorded", "outputs", "light"),
    ),
    "executor": Kind(Executor, "executor", "runs candidate programs", ("starts", "reads")),
    "stop": Kind(Stop, "stop", "when the live loop ends", ("max_tokens",)),
    "engine": Kind(Engine, "engine", "where the work runs", ENGINE),
    "parser": Kind(Parser, "audit.parsers.{name}", "finds the answer in a completion", PARSER),
    "normalizer": Kind(Normalizer, "audit.normalizers.{name}", "makes texts comparable", ("by_steps", "steps", "lint")),
    "matcher": Kind(
        Matcher,
        "audit.matcher",
        "decides whether an answer matches the truth",
        ("refuses", "compares_empty", "needle", "shape", "slow", "negative", "by_rule", "ours", "family"),
        "audit.matchers.{name}",
    ),
    "form": Kind(
        Form, "audit.forms.{name}", "another way to write the truth, under which an answer is right", ("same",)
    ),
    "scorer": Kind(Scorer, "audit.scorers.{name}", "a named rule: one parser, normalizer and matcher", SCORER),
    "policy": Kind(
        Policy,
        "audit.policies.{name}",
        "decides the final label of a trial from the raters' labels",
        ("labels", "finals", "names"),
    ),
    "validator": Kind(Validator, "audit.validators.{name}", "reports what is wrong with a judged row", ("label",)),
    "stop_rule": Kind(StopRule, "audit.stop_rules.{name}", "a stop rule replayed on stored attempts", ("pick", "ties")),
    "scoring": Kind(
        Scoring,
        "audit.scoring",
        "how close an output is to the expected one",
        ("read", "refusal", "remark", "unreadable", "on_scale", "full_marks", "recorded"),
    ),
    "weights": Kind(
        Weights,
        "audit.weights",
        "how much direction and magnitude count in the score of an outcome",
        (),
        "audit.other_weights.{name}",
    ),
    "question": Kind(Question, None, "what is asked of the table of labels", QUESTION),
    "metric": Kind(
        Metric,
        "metrics.{name}",
        "a number computed from readings (scoring variants, raters, outcomes, stop rules)",
        METRIC,
    ),
    "claim": Kind(Claim, "claims.{name}", "a statement that should hold under every reading (scoring variant)"),
    "gate": Kind(Gate, "gates.{name}", "a bound on measurements", GATE),
    "report": Kind(Report, "reports.{name}", "presents a result", REPORT),
    "step": Kind(Step, None, "changes a text; parsers and normalizers are lists of steps", STEP),
}
