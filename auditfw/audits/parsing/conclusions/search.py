"""The search for the rule that made the stored labels.

Rules are tried on a seeded draw of the trials whose stored label differs from that of the configured rule, and of the
others: on a few first, then on more, those that fall behind being dropped. The best are checked on all trials.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from math import fsum
from typing import NamedTuple

from auditfw.audits.parsing.engine.shared_results import PartNumbers
from auditfw.core.digits import fixed
from auditfw.core.document import some, verb
from auditfw.formulas.label_counts import LabelCounts

from .rule_passes import (
    RIGHT,
    WRONG,
    Agreements,
    DrawnTrial,
    PickedAgreements,
    Stratum,
    TrialDraw,
    TrialReader,
    labels_of,
)
from .rules import ScoringRule, plan_of

MOST_DRAWN = (250, 1_000)  # of each stored label: trials that agree with the configured rule, and that differ
CHECKED, FEW_CHECKED = 100, 16  # rules that are checked on all trials: at most, and however many trials there are
LABELS_CHECKED = 2_000_000  # about how many labels that may take
SLOW_TRIALS = 10_000  # the most trials that slow rules are checked on
SHOWN = 5
RARE = 10  # labels are nearly all equal where one of so many differs, or fewer


@dataclass
class KnownLabels:
    """Labels of drawn trials, and whether a rule was late, by part of the draw and by rule."""

    numbers: PartNumbers = field(default_factory=PartNumbers)
    parts: dict[tuple[int, int], dict[tuple[int, ...], tuple[bytes, bool]]] = field(default_factory=dict)


class Stage(NamedTuple):
    """How many drawn trials of each stratum rules are tried on, and how many go on: of all, and of those that missed.

    In the end only a few of the latter are checked; one that is far from the best so far will not be among them.
    """

    trials: int
    rules: int
    missing: int


STAGES = (
    Stage(2, 10_000, 10_000),
    Stage(6, 3_000, 3_000),
    Stage(16, 300, 300),
    Stage(64, 150, 60),
    Stage(256, 150, 20),
    Stage(max(MOST_DRAWN), 150, 20),
)
SLOW_STAGES = (Stage(1, 12, 12), Stage(4, 4, 4), Stage(16, 2, 2), Stage(128, 1, 1))


@dataclass(frozen=True, eq=False)
class Tally:
    """What rules came to that labelled all trials alike so far: of each stratum the trials, and those they missed."""

    tried: Mapping[Stratum, int] = field(default_factory=dict)
    missed: Mapping[Stratum, int] = field(default_factory=dict)
    kinds: frozenset[int] = frozenset()

    def after(self, strata: Sequence[tuple[Stratum, int]], labels: bytes) -> Tally:
        """The same after further trials, so many of each stratum, with the labels that they give them."""
        tried, missed, start = dict(self.tried), dict(self.missed), 0
        for stratum, n in strata:
            agreed = labels.count(RIGHT if stratum.right else WRONG, start, start + n)
            tried[stratum] = tried.get(stratum, 0) + n
            missed[stratum] = missed.get(stratum, 0) + n - agreed
            start += n
        return Tally(tried, missed, self.kinds.union(labels))

    def estimate(self, draw: TrialDraw) -> float:
        """About how many stored labels they do not give."""
        return fsum(draw.sizes[one] * missed / self.tried[one] for one, missed in self.missed.items() if missed)

    @cached_property
    def constant(self) -> bool:
        """Whether they gave one label throughout."""
        return not {WRONG, RIGHT} <= self.kinds

    @cached_property
    def perfect(self) -> bool:
        """Whether they missed none."""
        return not any(self.missed.values())


class RankedRule(NamedTuple):
    """A rule with its place among all, its key, and what it came to so far."""

    rule: ScoringRule
    order: int
    key: tuple[int, ...]
    tally: Tally


@dataclass(frozen=True)
class CheckedRule:
    """A rule and on how many trials it gives the stored label, of all that have one."""

    rule: ScoringRule
    agreed: int


@dataclass(frozen=True)
class RuleSearch:
    """What a search for the rule of the labels came to.

    `tried` counts rules, `drawn` trials of the `labelled` ones, `differing` those of them whose label the configured
    rule does not give (None: none is configured). `best` are the best rules as checked on all trials, those of equal
    agreement in the order they are listed; `ties` how many give all labels, `more_ties` that there may be more of them.
    `counts` is the first one's agreement as labels. `left_out` counts the rules that ran out of time, and those that
    are too slow to be tried. `why` is the reason where no search can tell. `right`: how many of the labels are right,
    None where that is not known.
    """

    written: bool
    labelled: int
    tried: int = 0
    drawn: int = 0
    differing: int | None = None
    best: tuple[CheckedRule, ...] = ()
    ties: tuple[str, ...] = ()
    more_ties: bool = False
    counts: LabelCounts | None = None
    left_out: tuple[int, int] = (0, 0)
    why: str = ""
    right: int | None = None

    @property
    def rule(self) -> ScoringRule | None:
        """The rule that gives all labels; of several the first."""
        return self.best[0].rule if self.ties else None

    @property
    def missed(self) -> int | None:
        """How many stored labels the best rule does not give."""
        return self.labelled - self.best[0].agreed if self.best else None

    @property
    def constant(self) -> tuple[str, int] | None:
        """The label that most trials have, and how many labels it misses to give it to all."""
        if self.right is None:
            return None
        wrong = self.labelled - self.right
        return ("right", wrong) if self.right > wrong else ("wrong", self.right)

    @property
    def beaten(self) -> bool:
        """Whether the best rule misses no fewer labels than one label for all trials: then it explains nothing."""
        return self.missed is not None and self.constant is not None and self.missed >= self.constant[1]

    @property
    def lopsided(self) -> bool:
        """Whether that is so because nearly all labels are equal."""
        return self.beaten and self.constant is not None and RARE * self.constant[1] <= self.labelled

    @property
    def sentence(self) -> str:
        """What it came to, as the reason where no rule gives all labels."""
        if not self.best:
            return self.why or "every rule gives all trials the same label"
        text = f"best of {self.tried:,} rules tried, {self.best[0].agreed:,} of {self.labelled:,} labels"
        if self.beaten and self.constant is not None:
            label, missed = self.constant
            text += f"; calling all {label} gives {self.labelled - missed:,}"
        return text

    def with_rule(self, rule: ScoringRule) -> RuleSearch:
        """The search with a further rule, one that gives all labels."""
        best, counts = CheckedRule(rule, self.labelled), LabelCounts(self.labelled, 0, 0, 0, 0, 0, 0, 0)
        return replace(self, tried=self.tried + 1, best=(best, *self.best), ties=(rule.name,), counts=counts)

    @property
    def few(self) -> str:
        """How many trials have the rarer label, in words."""
        label, missed = self.constant or ("wrong", 0)
        other = "wrong" if label == "right" else "right"
        return f"{missed:,} of {some(self.labelled, 'answer')} {verb(missed, 'is', 'are')} stored as {other}"

    def missed_by(self, subject: str, ends: str) -> str:
        """How many labels the best rule misses, beside those that one label for all trials misses."""
        text = f"{subject} differs from the stored label on {self._percent(self.missed or 0)} % {ends}"
        if self.constant is None:
            return f"{text}."
        label, missed = self.constant
        return f"{text}; calling all {label} does on {self._percent(missed)} %."

    def _percent(self, labels: int) -> str:
        return fixed(100 * labels / self.labelled, 2 if 1_000 * labels < self.labelled else 1)


@dataclass
class Tries:
    """Rules tried stage by stage on drawn trials."""

    reader: TrialReader
    draw: TrialDraw
    late: int = 0
    known: KnownLabels = field(default_factory=KnownLabels)

    def quick(self, rules: Sequence[tuple[int, ScoringRule]]) -> tuple[list[RankedRule], bool]:
        """Those that are left of rules that are quick, the best first; whether one was dropped that had missed none."""
        left = self._ranked(rules)
        dropped, start = False, 0
        for stage in STAGES:
            left, cut = self._kept(self._after(left, start, stage.trials), stage)
            dropped, start = dropped or cut, stage.trials
        return [one for one in left if not one.tally.constant], dropped

    def slow(self, rules: Sequence[tuple[int, ScoringRule]]) -> list[RankedRule]:
        """Those that are left of slow rules: each is tried by itself, and one that runs out of time ends it for all."""
        left, start = self._ranked(rules), 0
        for stage in SLOW_STAGES:
            tried: list[RankedRule] = []
            for one in left:
                after = self._after([one], start, stage.trials)
                if not after:
                    self.late = max(self.late, len(rules))
                    return []
                tried += after
            left, _ = self._kept(tried, stage)
            start = stage.trials
        return [one for one in left if not one.tally.constant]

    def _after(self, candidates: list[RankedRule], start: int, end: int) -> list[RankedRule]:
        """The candidates after the trials from one place of each stratum to another, without those that were late."""
        strata, trials = self.draw.part(start, end)
        if not trials or not candidates:
            return candidates
        labels = self._labels(candidates, (start, end), trials)
        self.late += sum(late for _, late in labels)
        tallies: dict[tuple[Tally, bytes], Tally] = {}
        kept: list[RankedRule] = []
        for one, (codes, late) in zip(candidates, labels, strict=True):
            if not late:
                tally = tallies.get((one.tally, codes))
                if tally is None:
                    tally = tallies[one.tally, codes] = one.tally.after(strata, codes)
                kept.append(one._replace(tally=tally))
        return kept

    def _ranked(self, rules: Sequence[tuple[int, ScoringRule]]) -> list[RankedRule]:
        """Rules that nothing is known of yet."""
        untried = Tally()
        return [RankedRule(rule, number, rule.key(self.known.numbers), untried) for number, rule in rules]

    def _labels(
        self, rules: Sequence[RankedRule], part: tuple[int, int], trials: Sequence[DrawnTrial]
    ) -> list[tuple[bytes, bool]]:
        """The labels of a part of the drawn trials under each rule, and whether it was late; known ones as they are."""
        known = self.known.parts.setdefault(part, {})
        missing = {one.key: one.rule for one in rules if one.key not in known}
        if missing:
            labels, late = labels_of(self.reader, plan_of(list(missing.values())), trials)
            known |= zip(missing, zip(labels, late, strict=True), strict=True)
        return [known[one.key] for one in rules]

    def _kept(self, candidates: list[RankedRule], stage: Stage) -> tuple[list[RankedRule], bool]:
        """The best so many, those of one label throughout last; whether one was cut off that has missed none."""
        estimates = {tally: tally.estimate(self.draw) for tally in {one.tally for one in candidates}}
        ranked = sorted(candidates, key=lambda one: (one.tally.constant, estimates[one.tally], one.order))
        missing = islice((one for one in ranked if not one.tally.perfect), stage.missing, None)
        beyond = {one.order for one in missing}
        kept, left = ranked[: stage.rules], [one.tally for one in ranked[stage.rules :]]
        dropped = any(tally.perfect and not tally.constant for tally in left)
        return [one for one in kept if one.order not in beyond], dropped


def formulas_in(trials: Iterator[DrawnTrial]) -> bool:
    """Whether truths or texts hold LaTeX: without any a matcher of formulas is not needed."""
    for one in trials:
        truths = one.truth if isinstance(one.truth, tuple) else (one.truth,)
        if any("\\" in truth for truth in truths) or any("\\boxed" in text for text in (one.raw, one.parsed) if text):
            return True
    return False


class Finalists(NamedTuple):
    """The rules to check on all trials, in the order they are listed, and what became of the others.

    `more` says that further ones missed no drawn trial; `tried` counts all that were tried, `late` those that ran out
    of time, `slow` those that were not tried for they would take too long on so many trials.
    """

    rules: list[ScoringRule]
    more: bool
    tried: int
    late: int
    slow: int


def finalists(
    reader: TrialReader, draw: TrialDraw, rules: Sequence[ScoringRule], known: KnownLabels | None = None
) -> Finalists:
    """The rules to check; slow ones are tried only where no quick one missed nothing.

    `known` are labels of the same draw from an earlier search, and takes in those of this one.
    """
    quick, slow = ([pair for pair in enumerate(rules) if pair[1].slow is kind] for kind in (False, True))
    tries = Tries(reader, draw, known=known or KnownLabels())
    left, dropped = tries.quick(quick)
    trials = (trial for ranked in draw.rows.values() for _, trial in ranked)
    labelled, wanted = draw.sizes.total(), bool(slow) and not (left and left[0].tally.perfect)
    wanted = wanted and (slow[0][1].own or formulas_in(trials))
    affordable = wanted and labelled <= SLOW_TRIALS
    if affordable:
        bar = left[0].tally.estimate(draw) if left else float("inf")
        left = [*(one for one in tries.slow(slow) if one.tally.estimate(draw) < bar), *left]
    perfect = [one for one in left if one.tally.perfect]
    most = max(FEW_CHECKED, min(CHECKED, LABELS_CHECKED // max(1, labelled)))
    chosen = [*perfect[:most], *[one for one in left if not one.tally.perfect][:SHOWN]]
    ordered = [one.rule for one in sorted(chosen, key=lambda one: one.order)]
    tried = len(quick) + len(slow) * affordable
    return Finalists(
        ordered, dropped or len(perfect) > most, tried, tries.late, len(slow) * (wanted and not affordable)
    )


def result_of(checked: Agreements | PickedAgreements, rules: Sequence[ScoringRule], search: RuleSearch) -> RuleSearch:
    """The search with what checking its finalists came to; `more_ties` says whether there may be more of them."""
    ranked = [i for i in range(len(rules)) if not checked.constant(i)]
    ranked.sort(key=lambda i: (-checked.agreed[i], i))
    ties = tuple(rules[i].name for i in ranked if checked.agreed[i] == checked.labelled)
    return replace(
        search,
        best=tuple(CheckedRule(rules[i], checked.agreed[i]) for i in ranked[:SHOWN]),
        ties=ties,
        more_ties=bool(ties) and search.more_ties,
        counts=checked.counts(ranked[0]) if ranked else None,
    )
