"""Runs for the logs of harnesses: their source, the rule that scored them, and its rivals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from auditfw.audits.parsing.engine.default_readings import OF_LOGS
from auditfw.components.files.files import is_empty
from auditfw.components.files.looks.attempts import path_word
from auditfw.config.build import prepare
from auditfw.config.choices import parsed
from auditfw.config.schema import load
from auditfw.core.errors import AuditError
from auditfw.core.escaping import value
from auditfw.formulas.markers import run_on
from auditfw.kinds.capabilities import capability
from auditfw.kinds.evidence import ScorerRule, Source
from auditfw.kinds.registry import component

from .proposal import Own, Proposal, paths_for
from .sources import LogRule, declared, rule_of
from .truths import ENDS, Truths

# Logs whose rows were scored by different rules: which of them are there, and how their values are typed.


@dataclass(frozen=True)
class SeveralRules:
    """The shipped rules by the value of a `column`; `by` are the columns of the cells."""

    rules: Mapping[str, LogRule]
    column: str
    by: Sequence[str]

    def words(self, rivals: Sequence[str], ends: tuple[str, str], rivalry: str) -> list[str]:
        """The words for a rule for each value, and for their rivals; the cells are such that each has one rule.

        Rules that label the same answers are rivals of each other (`rivalry` "rules"). Where rules say what a truth is,
        a text or a pattern, each row of a rival is compared by the matcher of its own rule ("of_rule"); else by
        `ends`, a normalizer and a matcher for the kind of answer.
        """
        normalizer, matcher = ("none", "of_rule") if rivalry == "of_rule" else ends
        scorers = dict.fromkeys(one.name for one in self.rules.values() if not one.settings and one.reads_text)
        listed = ", ".join(f"{key_of(one)}: {rule.inline()}" for one, rule in self.rules.items())
        words = [f"by=[{','.join([*self.by, self.column])}]"] if self.column not in self.by else []
        words += [f"scorer=[{','.join(scorers)}]"] if rivalry == "rules" and scorers else []
        words += [f"parser=[{','.join(rivals)}]", f"normalizer=[{normalizer}]", f"matcher={matcher}"]
        return [*words, f"audit.baseline={{by: {self.column}, rules: {{{listed}}}}}"]


def key_of(value: str) -> str:
    """A text as the key of a mapping in an override."""
    escaped = re.sub(r"([\\\[\]{}():=,])", r"\\\1", value)
    return re.sub(r"^\s|\s$", lambda match: f"\\{match[0]}", escaped)


def _typed(value: str) -> bool:
    """Whether a text can be typed as a key: the grammar has no quotes there."""
    try:
        [one] = parsed([f"key={{{key_of(value)}: 1}}"])
        return [str(key) for key in one.value()] == [value]  # type: ignore[union-attr]
    except Exception:
        return False


MARKED: Mapping[str, re.Pattern[str]] = {  # parsers that fit only texts whose end says ANSWER:
    "inspect_answer_letter": re.compile(r"answer\s*:\s*[a-z]\b", re.IGNORECASE),
    "inspect_answer_line": re.compile(r"answer\s*:[^\n]+\Z", re.IGNORECASE),
}
LEAST = {"first_turn": 0.05}  # the share of texts that must have it, where that is not half of them
END = 1_000  # characters of a text in which the mark of an answer is looked for
LOOKED_AT, OPENED = 200, 4  # truths of a batch, and logs in which they are looked for
BATCHES = 16  # looked at where rows have rules of their own
SCORER = "scorer"


def of_harness(name: str, files: Sequence[str], roots: Sequence[str], own: Own) -> list[Proposal]:
    """The run for the logs of one harness; rows that were scored by different rules have a rule each.

    Logs that cannot be opened are a run all the same, with the error that it will meet.
    """
    prepare()
    what, named = (
        declared(name, "logs"),
        [f"source={name}", path_word("source.path", _naming(name, files, roots))],
    )
    try:
        return [Proposal(what, (*named, *_rules(name, files, own)), tuple(files))]
    except AuditError as error:
        return [Proposal(what, tuple(named), tuple(files), error)]


def _source(name: str, files: Sequence[str], own: Own) -> Any:
    """The source of a harness's logs, over these files."""
    settings: dict[str, Any] = {"path": tuple(files)}
    choosing = [key for key in declared(name, "chooses", ()) if f"source.{key}" in own]
    settings |= {key: own[f"source.{key}"].strip("'\"") for key in choosing}
    if own.get("source.max_decoded", "").isdecimal():
        settings["max_decoded"] = int(own["source.max_decoded"])
    return component("source", name, "").cls(**settings)


def log_rules(name: str, files: Sequence[str], own: Own) -> Mapping[str, ScorerRule]:
    """The rules by which a harness's logs were scored, as far as they declare them; those of chosen rows alone."""
    where = own.get("source.where", "")
    rules: Mapping[str, ScorerRule] = capability(_source(name, files, own), "rules", dict)()
    return {one: rule for one, rule in rules.items() if f"'{one}'" in where} or rules


def _naming(name: str, files: Sequence[str], roots: Sequence[str]) -> tuple[str, ...]:
    """The paths by which the source of a harness finds these files."""

    def reads(paths: tuple[str, ...]) -> list[str]:
        return [file.path for file in _source(name, paths, {}).located() if not is_empty(file.path)]

    return paths_for(files, roots, reads)


def _rules(name: str, files: Sequence[str], own: Own) -> list[str]:
    """The words for the rules that scored the logs, and for their rivals."""
    source, some = _source(name, files, own), _source(name, files[:OPENED], own)
    column, where = str(capability(source, "ruled_by", SCORER)), own.get("source.where", "")
    known = {value: rule_of(name, rule) for value, rule in capability(source, "rules", dict)().items()}
    named = [one for one in known if f"'{one}'" in where]
    rules = {one: rule for one, rule in known.items() if not rule.why and (not named or one in named) and _typed(one)}
    several = SeveralRules(rules, column, tuple(capability(source, "by", ())))
    rivalry = str(capability(source, "rivals", ""))
    if len(several.rules) > 1 or (several.rules and rivalry == "of_rule"):
        truths, texts = _first_rows(source, BATCHES)
        ends = truths.ends(ENDS[truths.kind_of_log])
        return [*several.words(rivals(truths.kind_of_log, texts), ends, rivalry), *truths.truth_words]
    chosen = _chosen(known, where)
    words = [_where(column, chosen[0])] if chosen is not None and len(known) > 1 and not where else []
    rule = chosen[1] if chosen is not None else LogRule(why="the log does not say how it was scored")
    truths, texts = _first_rows(some)
    words += truths.truth_words
    return words + _readings(rule, rivals(truths.kind_of_log, texts), truths.ends(ENDS[truths.kind_of_log]))


def rivals(kind: str, texts: Sequence[object]) -> list[str]:
    """The parsers that compete for a kind of answer; of those that need a mark, the ones that half of the texts have.

    A parser that cannot fit the texts would make every log look fragile.
    """
    there = [str(text) for text in texts if text]
    ends = [text.rstrip()[-END:] for text in there]
    marked = {name: sum(mark.search(end) is not None for end in ends) for name, mark in MARKED.items()}
    marked["announced_number"] = sum(map(bool, map(load("parser", "announced_number"), there)))
    marked["first_turn"] = sum(run_on(text) is not None for text in there)
    return [name for name in OF_LOGS[kind] if marked.get(name, len(there)) >= LEAST.get(name, 0.5) * len(there)]


def _where(column: str, chosen: str) -> str:
    """The override that keeps the rows of one rule."""
    text = chosen.replace("'", "''")
    return f"source.where={value(f'{column} = {chr(39)}{text}{chr(39)}')}"


def _chosen(known: Mapping[str, LogRule], where: str) -> tuple[str, LogRule] | None:
    """The value of the column of rules that counts, with its shipped rule: the first that has one."""
    named = [one for one in known if f"'{one}'" in where]
    order = named or sorted(known, key=lambda one: bool(known[one].why))
    return (order[0], known[order[0]]) if order else None


def _first_rows(source: Source, batches: int = 1) -> tuple[Truths, list[Any]]:
    """The truths and the texts of the first rows, of so many batches at most."""
    truths: list[Any] = []
    texts: list[Any] = []
    try:
        for task in islice(source.open(["ground_truth", "raw_text"], []).tasks, batches):
            columns = task().columns
            truths += columns["ground_truth"][:LOOKED_AT]
            texts += columns["raw_text"][:LOOKED_AT]
    except AuditError:
        pass  # a run says which row it is
    return Truths(truths, texts), texts


def _readings(rule: LogRule, rivals: Sequence[str], ends: tuple[str, str]) -> list[str]:
    """The words for the rule of a log, as the baseline, and for its rivals with their normalizer and matcher."""
    compared = [f"normalizer=[{ends[0]}]", f"matcher={ends[1]}"]
    if rule.why:
        judged = ["audit.baseline=null", "audit.labels=judge"]
        return [f"parser=[{','.join(rivals)}]", *compared, *(judged if rule.judged else ["audit.baseline=search"])]
    others = ",".join(name for name in rivals if name != rule.name)
    return [f"scorer=[{rule.name}]", f"parser=[{others}]", *compared, f"audit.baseline={rule.name}", *rule.words()]
