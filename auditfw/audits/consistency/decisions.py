"""Decisions: every policy on every row, by way of the few distinct patterns there are; and the rows to be listed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from auditfw.core.errors import nearest
from auditfw.kinds.capabilities import capability
from auditfw.kinds.judgements import FLAGS, NULL, Policy, Shown, Typing, derived_columns, is_column, weigh

from .rules import AUDITED, UNKNOWN, Labels, Pattern

Decision = tuple[str | None, str]
Case = tuple[Labels, Shown]

FINAL, WHY = "final", "why"
OPEN: Decision = (None, "")


@dataclass
class Decider:
    """Decides patterns, each once: `decide(pattern)` has one decision for each policy.

    With `which="disagreements"` only rows whose labels differ are decided, as the reference scorer does.
    """

    policies: Mapping[str, Policy]
    raters: tuple[str, ...]
    reference: str
    which: Literal["every", "disagreements"] = "every"
    _known: dict[Pattern, tuple[Decision, ...]] = field(default_factory=dict, repr=False)

    def learn(self, patterns: Iterable[Pattern]) -> None:
        """Decides the patterns not seen before, all at once."""
        new = [pattern for pattern in patterns if pattern not in self._known]
        settled = [p for p in new if p.status == AUDITED and (self.which == "every" or p.differs)]
        self._known.update(dict.fromkeys(new, (OPEN,) * len(self.policies)))
        decided = decisions(self.policies.values(), [(p.labels, p.shown) for p in settled], self.raters, self.reference)
        self._known.update(zip(settled, decided, strict=True))

    def decide(self, pattern: Pattern) -> tuple[Decision, ...]:
        """One decision a policy; null for rows that are not decided."""
        if pattern not in self._known:
            self.learn([pattern])
        return self._known[pattern]

    def listed(self, pattern: Pattern) -> bool:
        """Whether such rows go into the list of disagreements: labels that differ, or an agreement overruled."""
        if pattern.status == UNKNOWN:
            return self.which == "disagreements"
        if pattern.status != AUDITED:
            return False
        return pattern.differs or self.overruled(pattern)

    def overruled(self, pattern: Pattern) -> bool:
        """Whether all raters gave one label and the first policy another."""
        if self.which != "every" or not self.policies or pattern.agreed is None:
            return False
        final = self.decide(pattern)[0][0]
        return final is not None and final != pattern.agreed


def decisions(
    policies: Iterable[Policy], cases: Sequence[Case], raters: Sequence[str], reference: str
) -> list[tuple[Decision, ...]]:
    """For each case, labels and what the evidence shows, one decision a policy."""
    if not cases:
        return []
    rows: dict[str, list[Any]] = {rater: [case[0][j] for case in cases] for j, rater in enumerate(raters)}
    rows |= derived_columns(rows, reference if reference in rows else raters[-1])
    rows |= {flag: [case[1][j] for case in cases] for j, flag in enumerate(FLAGS)}
    by_policy = [policy(rows) for policy in policies]
    return list(zip(*by_policy, strict=True)) if by_policy else [()] * len(cases)


def arbitrate(
    row: Mapping[str, Any],
    policy: Policy,
    raters: Sequence[str] = ("scholar", "auditor"),
    hard_flags: Sequence[str] = ("provenance_violation", "constraints_mismatch"),
    typing: Typing = "loose",
) -> Decision:
    """The final label of one merged record and why: `(final, why)`; the last of `raters` is the reference.

    `row` maps each rater to `{"label": ...}` and may hold `answer_json` (with `citations`), `retrieved_ids` and
    `flags`. `loose` reads evidence as the reference scorer does. Raises KeyError for a missing side or label and
    judgements.FaultError for evidence of an unexpected type.
    """
    raw_labels = [row[rater]["label"] for rater in raters]
    labels = tuple(label if label is None or isinstance(label, str) else str(label) for label in raw_labels)
    flags = NULL if row.get("flags", {}) is None else row.get("flags")
    shown = weigh(flags, row.get("answer_json"), row.get("retrieved_ids"), hard_flags, typing)
    return decisions([policy], [(labels, shown)], raters, raters[-1])[0][0]


def flagged(pattern: Pattern, label: str) -> bool:
    """Whether such rows have a hard flag, and some rater gives them this label all the same."""
    return pattern.flagged and label in pattern.labels


def doubtful_finals(name: str, policy: Policy, labels: Sequence[str], acceptable: Sequence[str]) -> list[str]:
    """Warnings on the final labels of a policy: one that is nearly a label of the run, and none that could ship."""
    finals, known = capability(policy, "finals", ()), list(dict.fromkeys((*labels, *acceptable)))
    meant = {final: nearest(final, known) for final in finals if final not in known and not is_column(final)}
    warnings = [
        f"policy {name} returns '{final}', which is not a label of this run - {close}"
        for final, close in meant.items()
        if close.startswith("did you mean")
    ]
    if finals and not any(is_column(final) or final in acceptable for final in finals):
        warnings.append(
            f"policy {name} returns no acceptable label ({', '.join(acceptable)}): nothing counts as shipped"
        )
    return warnings


def finals_of(decisions: Counter[tuple[str, str]]) -> Counter[str]:
    """How many items get which final label."""
    finals: Counter[str] = Counter()
    for (final, _), n in decisions.items():
        finals[final] += n
    return finals
