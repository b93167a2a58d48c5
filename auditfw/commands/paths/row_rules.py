"""Logs whose rows were scored by different rules: which of them are there, and how their values are typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from auditfw.config.choices import parsed
from auditfw.core.errors import AuditError
from auditfw.kinds.capabilities import capability
from auditfw.kinds.evidence import ScorerRule, Source

from .scorers import KnownRule
from .sound import sound

STORED = "stored"  # the parser that takes the text as it was stored
BATCHES = 1_000  # that are read for the values of a column


@dataclass(frozen=True)
class SeveralRules:
    """The shipped rules by the value of a `column`; `by` are the columns of the cells."""

    rules: Mapping[str, KnownRule]
    column: str
    by: Sequence[str]

    def words(
        self, rivals: Sequence[str], ends: tuple[str, str], kind: str, alike: bool, by_own_rule: bool = False
    ) -> list[str]:
        """The words for a rule for each value, and for their rivals; the cells are such that each has one rule.

        Rules that are `alike` read the same answers: they are rivals of each other. Where all have one matcher, it
        compares for the rivals, too, unless it would accept wrong answers of their kind; else a normalizer and a
        matcher for the kind of answer do, `ends`. Where rules say what a truth is, a text or a pattern, each row of a
        rival is compared by the matcher of its own rule (`by_own_rule`).
        """
        rules = list(self.rules.values())
        read = [one for one in rules if one.parser != STORED and not one.settings]
        normalizer, matcher = ends
        if len({one.matcher for one in rules}) == 1 and (alike or not any(one.settings for one in rules)):
            matcher = rules[0].matcher
            normalizer = read[0].normalizer if read else normalizer
            if not sound(kind, rivals, normalizer, matcher):
                normalizer, matcher = ends
        if by_own_rule:
            normalizer, matcher = "none", "of_rule"
        parsers = ",".join(dict.fromkeys([*([one.parser for one in read] if alike else []), *rivals]))
        listed = ", ".join(f"{key_of(one)}: {rule.inline()}" for one, rule in self.rules.items())
        words = [f"by=[{','.join([*self.by, self.column])}]"] if self.column not in self.by else []
        words += [f"parser=[{parsers}]", f"normalizer=[{normalizer}]", f"matcher={matcher}"]
        return [*words, f"audit.baseline={{by: {self.column}, rules: {{{listed}}}}}"]


def several_rules(
    source: Source, column: str, known: Mapping[str, KnownRule], where: str, *, exact: bool = False
) -> SeveralRules:
    """The values of a column that rows have and that have a shipped rule; of those that a condition names these.

    `exact` says that rows have all these values, so that none need be read.
    """
    named = [one for one in known if f"'{one}'" in where]
    wanted = {one: rule for one, rule in known.items() if not rule.why and (not named or one in named) and _typed(one)}
    there = set(wanted) if exact else _values(source, column) if len(wanted) > 1 else set()
    rules = {one: rule for one, rule in wanted.items() if one in there}
    return SeveralRules(rules, column, tuple(capability(source, "by", ())))


def undeclared(source: Source) -> dict[str, ScorerRule]:
    """The filters of lm-evaluation-harness as their records alone show them: by name, and whether they have texts."""
    rules: dict[str, ScorerRule] = {}
    try:
        for task in islice(source.open(["filter", "raw_text"], []).tasks, BATCHES):
            columns = task().columns
            for name, text in zip(columns["filter"], columns["raw_text"], strict=True):
                kind = "multiple_choice" if text is None else "generate_until"
                rules.setdefault(name, ScorerRule(name, {"output_type": kind, "declared": False}, ""))
    except AuditError:
        return {}
    return rules


def _values(source: Source, column: str) -> set[str]:
    """The values of a column, as texts."""
    try:
        evidence = source.open([column], [])
        return {str(one) for task in islice(evidence.tasks, BATCHES) for one in set(task().columns[column])}
    except AuditError:
        return set()


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
