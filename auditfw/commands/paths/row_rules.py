"""Logs whose rows were scored by different rules: which of them are there, and how their values are typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auditfw.config.choices import parsed
from auditfw.kinds.capabilities import capability
from auditfw.kinds.evidence import Source

from .sources import LogRule


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


def several_rules(source: Source, column: str, known: Mapping[str, LogRule], where: str) -> SeveralRules:
    """The values of a column that have a shipped rule; of those that a condition names these."""
    named = [one for one in known if f"'{one}'" in where]
    rules = {one: rule for one, rule in known.items() if not rule.why and (not named or one in named) and _typed(one)}
    return SeveralRules(rules, column, tuple(capability(source, "by", ())))


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
