"""Logs of harnesses at the start of a command: their source, the rule that scored them, and its rivals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

from auditfw.config.build import prepare
from auditfw.core.errors import AuditError
from auditfw.kinds.capabilities import capability
from auditfw.kinds.evidence import ScorerRule, Source
from auditfw.kinds.registry import component

from .columns import AnswerKind, answer_kind
from .first_look import FirstLook
from .known_rule import KnownRule
from .proposal import Own, Proposal, path_words
from .quoting import value
from .scorers import known_rule

INSPECT_MEMBERS = ("header.json", "_journal/start.json")
INSPECT_KEYS = {"version", "status", "eval"}
RIVALS: Mapping[AnswerKind, tuple[str, ...]] = {  # parsers that compete with the rule of a log
    "letter": ("choice_letter", "inspect_answer_letter"),
    "number": ("last_number", "inspect_answer_line"),
    "text": ("last_line", "inspect_answer_line"),
}
ENDS: Mapping[AnswerKind, tuple[str, str]] = {  # where no rule is known: normalizer and matcher
    "letter": ("casefold", "exact"),
    "number": ("none", "numeric"),
    "text": ("v1", "containment"),
}
DECLARING = ("inspect", "lm_eval", "promptfoo")  # harnesses whose logs say how they were scored
LOOKED_AT = 200  # truths


def _inspect(look: FirstLook) -> bool:
    if look.format == "zip":
        return any(name in look.names for name in INSPECT_MEMBERS)
    return look.format == "object" and set(look.names) >= INSPECT_KEYS


def _lm_eval(look: FirstLook) -> bool:
    if look.format == "object":
        return {"results", "configs", "versions"} <= set(look.names)
    return {"doc_id", "resps", "filtered_resps"} <= set(look.columns)


def _promptfoo(look: FirstLook) -> bool:
    if look.format == "object":
        return {"evalId", "results"} <= set(look.names)
    return {"gradingResult", "promptIdx"} <= set(look.columns)


def _lighteval(look: FirstLook) -> bool:
    return {"doc", "model_response", "metric"} <= set(look.columns) or {"__doc__", "__metric__"} <= set(look.columns)


def _every_eval_ever(look: FirstLook) -> bool:
    return {"schema_version", "evaluation_id", "input", "output"} <= set(look.columns)


def _helm(look: FirstLook) -> bool:
    return any(name.rsplit("/", 1)[-1] == "scenario_state.json" for name in look.names)


KNOWN: Mapping[str, tuple[str, Callable[[FirstLook], bool]]] = {
    "inspect": ("logs of Inspect AI", _inspect),
    "lm_eval": ("logs of lm-evaluation-harness", _lm_eval),
    "promptfoo": ("results of promptfoo", _promptfoo),
    "lighteval": ("details of lighteval", _lighteval),
    "helm": ("runs of HELM", _helm),
    "every_eval_ever": ("records of Every Eval Ever", _every_eval_ever),
}


def _recogniser(name: str) -> Callable[[Sequence[FirstLook], Own], Proposal | None]:
    """The function that recognises the logs of one harness."""
    what, known = KNOWN[name]

    def recognise(looks: Sequence[FirstLook], own: Own) -> Proposal | None:
        if not looks or not all(known(look) or any(map(known, look.inside())) for look in looks):
            return None
        return Proposal(what, tuple(_words(name, looks, own)))

    return recognise


FIELD_LOGS = tuple(map(_recogniser, KNOWN))


def _words(name: str, looks: Sequence[FirstLook], own: Own) -> list[str]:
    """The command for the logs of a harness."""
    prepare()
    paths = tuple(look.path for look in looks)
    settings: dict[str, Any] = {"path": paths if len(paths) > 1 else paths[0]}
    settings |= {"scorer": own["source.scorer"].strip("'\"")} if "source.scorer" in own else {}
    source: Source = component("source", name, "").cls(**settings)
    words = [f"source={name}", path_words("source.path", looks)]
    rules = dict(capability(source, "rules", dict)())
    column = capability(source, "ruled_by", "scorer")
    chosen = _chosen(rules, name, column, own)
    if chosen is not None and len(rules) > 1 and "source.where" not in own:
        words.append(_where(column, chosen[0]))
    rule = chosen[1] if chosen is not None else KnownRule(why="the log does not say how it was scored")
    return words + _readings(rule, answer_kind(_truths(source)))


def _where(column: str, chosen: str) -> str:
    """The override that keeps the rows of one rule."""
    text = chosen.replace("'", "''")
    return f"source.where={value(f'{column} = {chr(39)}{text}{chr(39)}')}"


def _chosen(rules: Mapping[str, ScorerRule], name: str, column: str, own: Own) -> tuple[str, KnownRule] | None:
    """The value of the column of rules that counts, with its shipped rule: the first that has one."""
    known = {one: known_rule(name, rule) for one, rule in rules.items()} if name in DECLARING else {}
    where = own.get("source.where", "")
    named = [one for one in known if f"'{one}'" in where]
    order = named or sorted(known, key=lambda one: bool(known[one].why))
    return (order[0], known[order[0]]) if order else None


def _truths(source: Source) -> list[Any]:
    """The truths of the first rows."""
    try:
        evidence = source.open(["ground_truth"], [])
        columns = (task().columns["ground_truth"] for task in islice(evidence.tasks, 1))
        return [truth for column in columns for truth in column[:LOOKED_AT]]
    except AuditError:
        return []


def _readings(rule: KnownRule, kind: AnswerKind) -> list[str]:
    """The words for the rule of a log, as the baseline, and for its rivals."""
    rivals = RIVALS[kind]
    if rule.why:
        normalizer, matcher = ENDS[kind]
        labels = ["audit.labels=judge"] if "asks a model" in rule.why else []
        words = [f"parser=[{','.join(rivals)}]", f"normalizer=[{normalizer}]", f"matcher={matcher}"]
        return [*words, "audit.baseline=null" if labels else "audit.baseline=search", *labels]
    parsers = [rule.parser, *(name for name in rivals if name != rule.parser)]
    words = [f"parser=[{','.join(parsers)}]", f"normalizer=[{rule.normalizer}]", f"matcher={rule.matcher}"]
    return [*words, f"audit.baseline={{parser: {rule.parser}, normalizer: {rule.normalizer}}}", *rule.settings]
