"""Runs for the logs of harnesses: their source, the rule that scored them, and its rivals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from auditfw.components.files.files import is_empty
from auditfw.components.files.paths import parts
from auditfw.config.build import prepare
from auditfw.config.quoting import value
from auditfw.core.errors import AuditError
from auditfw.kinds.capabilities import capability
from auditfw.kinds.evidence import ScorerRule, Source
from auditfw.kinds.registry import component

from .columns import AnswerKind, answer_kind
from .harnesses import KNOWN
from .known_rule import KnownRule
from .naming import LISTED, path_word, paths_for
from .proposal import Own, Proposal
from .scorers import DECLARING, known_rule

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
LOOKED_AT, OPENED = 200, 4  # truths, and logs in which they are looked for
SCORER = "scorer"

Rules = Mapping[str, ScorerRule]


def of_harness(name: str, files: Sequence[str], roots: Sequence[str], own: Own) -> list[Proposal]:
    """The runs for the logs of one harness: one for all that have the same rules, in the order of their first files.

    Logs that cannot be opened are a run all the same, with the error that it will meet.
    """
    prepare()
    what = KNOWN[name][0]
    try:
        groups = _groups(name, _source(name, files, own), own)
        runs = [_run(name, rules, some, _named(name, files, some, rules, roots), own) for rules, some in groups]
    except AuditError as error:
        words = (f"source={name}", path_word("source.path", _naming(name, files, roots)))
        return [Proposal(what, words, tuple(files), error)]
    return [replace(run, what=f"{what}{f', {run.what}' if len(runs) > 1 and run.what else ''}") for run in runs]


def _source(name: str, files: Sequence[str], own: Own) -> Any:
    """The source of a harness's logs, over these files."""
    settings: dict[str, Any] = {"path": tuple(files)}
    if "source.scorer" in own and name == "inspect":
        settings[SCORER] = own["source.scorer"].strip("'\"")
    if own.get("source.max_decoded", "").isdecimal():
        settings["max_decoded"] = int(own["source.max_decoded"])
    return component("source", name, "").cls(**settings)


def _groups(name: str, source: Any, own: Own) -> list[tuple[Rules, tuple[str, ...]]]:
    """The files by the shipped rules for those that they declare; all in one where the user says which rows count."""
    declared = capability(source, "ruled_files")
    rules = dict(capability(source, "rules", dict)())
    if declared is None or any(f"'{rule}'" in own.get("source.where", "") for rule in rules):
        return [(rules, tuple(file.path for file in source.located()))]
    groups: dict[frozenset[Any], tuple[dict[str, ScorerRule], list[str]]] = {}
    for some, paths in declared():
        known = frozenset(known_rule(name, rule) for rule in some.values())
        group = groups.setdefault(known, ({}, []))
        group[0].update(some)
        group[1].extend(paths)
    return sorted(((some, tuple(sorted(paths, key=parts))) for some, paths in groups.values()), key=_first)


def _first(group: tuple[Rules, tuple[str, ...]]) -> list[str]:
    return parts(group[1][0])


def _column(source: Source) -> str:
    """The column whose values are the rules: of an Inspect log all rows have the same, so that no row is left out."""
    return str(capability(source, "ruled_by", SCORER))


def _naming(name: str, files: Sequence[str], roots: Sequence[str]) -> tuple[str, ...]:
    """The paths by which the source of a harness finds these files."""

    def reads(paths: tuple[str, ...]) -> list[str]:
        return [file.path for file in _source(name, paths, {}).located() if not is_empty(file.path)]

    return paths_for(files, roots, reads)


def _named(
    name: str, everything: Sequence[str], files: Sequence[str], rules: Rules, roots: Sequence[str]
) -> tuple[str, ...]:
    """The words that name the files of a run: where they are too many to be listed, all by their rules."""
    paths = _naming(name, files, roots)
    whole = _naming(name, everything, roots) if len(paths) > LISTED else ()
    if not 0 < len(whole) <= LISTED or not rules or name != "inspect":
        return (path_word("source.path", paths),)
    return path_word("source.path", whole), _where(SCORER, list(rules))


def _run(name: str, rules: Rules, files: Sequence[str], named: Sequence[str], own: Own) -> Proposal:
    """The run for logs that have the same rules; what it is says only what tells it from others."""
    source = _source(name, files[:OPENED], own)
    column, chosen = _column(source), _chosen(rules, name, own)
    words = [f"source={name}", *named]
    if chosen is not None and len(rules) > 1 and column != SCORER and "source.where" not in own:
        words.append(_where(column, [chosen[0]]))
    rule = chosen[1] if chosen is not None else KnownRule(why="the log does not say how it was scored")
    what = f"{column} {rules[chosen[0]].name}" if chosen is not None else ""
    return Proposal(what, tuple(words + _readings(rule, answer_kind(_truths(source)))), tuple(files))


def _where(column: str, chosen: Sequence[str]) -> str:
    """The override that keeps the rows of some rules."""
    texts = ["'" + one.replace("'", "''") + "'" for one in chosen]
    test = f"{column} = {texts[0]}" if len(texts) == 1 else f"{column} IN ({', '.join(texts)})"
    return f"source.where={value(test)}"


def _chosen(rules: Rules, name: str, own: Own) -> tuple[str, KnownRule] | None:
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
