"""What follows from the probe: whether the scorer behind the reference accepts what it should not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from auditfw.audits.answers import RULES, Argument, Reason, Statement, interval
from auditfw.audits.parsing.conclusions import by_value
from auditfw.audits.parsing.conclusions.origin import labelled_in, missed_by
from auditfw.audits.parsing.engine.grid import BaselineRule, with_rules
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.settings import STORED_LABEL, ParsingSettings
from auditfw.core.digits import fixed
from auditfw.core.document import some
from auditfw.core.records import AnswerRule, AnswerStatus
from auditfw.formulas.clusters import ClusteredRate
from auditfw.formulas.probe_rates import ProbeRates
from auditfw.kinds.context import Sample

from .partners import TRUTHS
from .scorers import NEGATIVE, ProbeResults, probed

BROKEN = 50.0  # percent of accepted answers that are accepted either way
EITHER_WAY = RULES["either_way"]
LUCK = RULES["luck_above_most_frequent"]
NO_SKILL = RULES["no_skill"]
LOOK = "Read the drawn answers in report.html under Does the Scorer Tell Right From Wrong?"


UNKNOWN_SCORER = "no rule is known to reproduce the stored labels"

Probed = tuple[str | None, Sequence[ReadingPlan]]  # the rule of all stored labels, and a plan of it where it is none


def stored_rule(results: ParsingResults) -> Probed:
    """The rule that gives all stored labels, by name, and a plan of it where it is no reading; None: none is known."""
    settings, ruled = results.settings, results.of(by_value.ask)
    rule = None if results.search is None else results.search.rule
    if rule is not None:
        return rule.name, [] if rule.name in results.names else [_plan_of(results, rule.name, "", {"": rule.baseline})]
    if ruled is not None and ruled.replacements and settings.configured is not None:
        name, rules = f"{results.baseline} (corrected)", {**settings.configured.by_value, **ruled.replacements}
        return name, [_plan_of(results, name, ruled.column, rules)]
    own = results.reproduced
    if own is not None and own.paired and not own.to_true + own.to_false:
        return results.baseline, []
    if results.reference == STORED_LABEL and settings.labels == "rule" and all(labelled_in(results.table)):
        numbers = range(len(results.names))
        return next((results.names[n] for n in numbers if not missed_by(results.table, n)), None), []
    return None, []


def _plan_of(results: ParsingResults, name: str, column: str, rules: Mapping[str, BaselineRule]) -> ReadingPlan:
    """A plan of rules by value alone."""
    return with_rules(ReadingPlan((), (), results.settings.matcher, ()), name, column, rules)


def ask(results: ParsingResults) -> ProbeResults:
    """What the probe of the readings comes to; nothing where no trial is drawn."""
    audited = results.counts["audited"]
    if not results.settings.probe:
        return ProbeResults(audited=audited)
    plans = [results.plan, *results.of(stored_rule)[1]]
    draw, columns, undefined = results.whole.probe, results.evidence.columns, results.settings.undefined
    key = "probe", plans, draw, columns, undefined, audited
    return results.whole.shared.once(key, lambda: probed(plans, draw, columns, undefined, audited))


def scorer_of(results: ParsingResults) -> str | None:
    """The reading or rule that gives the labels of the reference; None where none is known."""
    return results.of(stored_rule)[0] if results.reference == STORED_LABEL else results.reference


def measured(results: ParsingResults, sample: Sample) -> dict[str, Any]:
    """What was seen of a reading's scorer, for the metrics: of stored labels that of their rule."""
    rates, name = results.of(ask).rates, sample.reading.name
    if not rates:
        return {"probe": ProbeRates()}
    scorer = results.of(stored_rule)[0] if name == STORED_LABEL else name
    unknown = ProbeRates(why=UNKNOWN_SCORER, why_luck=UNKNOWN_SCORER, why_either_way=UNKNOWN_SCORER)
    return {"probe": rates.get(scorer or "", unknown)}


def unknown_rule(results: ParsingResults) -> str:
    """Why no scorer is known that gave the reference's labels."""
    if results.settings.labels == "judge":
        return "the reference's labels are those of a judge"
    sides = labelled_in(results.table)
    if any(sides) and not all(sides):
        return "the reference's labels are all equal, which tells nothing of their rule"
    return "no rule is known to reproduce the reference's labels"


def argument(results: ParsingResults) -> Argument:
    """The rules of the probe, and what they say of the reference's scorer."""
    probe = results.of(ask)
    if not probe.trials:
        return Argument(scope=["The scorer was not probed (audit.probe=0)"])
    scorer = scorer_of(results)
    rates = probe.rates.get(scorer or "")
    scope = [] if probe.whole else [f"{some(len(probe.trials), 'trial')} of {some(probe.items, 'item')}"]
    if scorer is None or rates is None:
        scope.append(f"{unknown_rule(results)}, so the probe does not affect the answer")
        return Argument(scope=[f"Probe of the scorer: {'; '.join(scope)}"])
    left = probe.negative.get(scorer, 0)
    if 0 < left < len(probe.trials):
        scope.append(f"without {some(left, 'trial')} whose rule is negative")
    scope += undefined(rates)
    return _Probed(results.settings, probe, scorer).argument(
        [f"Probe of the scorer: {'; '.join(scope)}"] if scope else []
    )


def undefined(rates: ProbeRates) -> list[str]:
    """What the probe could not tell of a reading, and why."""
    if rates.why == NEGATIVE:
        return [NEGATIVE]
    why = {"luck": (rates.luck, rates.why_luck), "either way": (rates.either_way, rates.why_either_way)}
    return [f"{name} is undefined: {reason}" for name, (rate, reason) in why.items() if rate is None]


def percent(rate: ClusteredRate, digits: int = 1) -> str:
    """A share in percent, with its interval."""
    return f"{fixed(100 * rate.share, digits)} % {interval(100 * rate.low, 100 * rate.high, digits)}"


class _Probed:
    """The scorer of the reference, beside those of the other readings."""

    def __init__(self, settings: ParsingSettings, probe: ProbeResults, scorer: str) -> None:
        self.settings, self.scorer = settings, scorer
        self.readings = {name: rates for name, rates in probe.rates.items() if name not in probe.further}
        self.rates, self.shares = probe.rates[scorer], probe.constants.get(scorer, {})

    def argument(self, scope: list[str]) -> Argument:
        """The rules, the words for each status that one of them stands for, a constant that matters."""
        rules = [*self._either_way(), *self._luck(), *self._no_skill()]
        remarks = [Reason(text) for text in self.constants()]
        argument = Argument(rules, scope=scope, remarks=remarks)
        return replace(argument, words={status: self._words(rules, status) for status in argument.fired()})

    # The rules

    def _either_way(self) -> list[AnswerRule]:
        rate = self.rates.either_way
        if rate is None:
            return []
        value, low, high = 100 * rate.share, 100 * rate.low, 100 * rate.high
        broken = low > BROKEN
        kind, bound = (
            (replace(EITHER_WAY, status="broken"), BROKEN) if broken else (EITHER_WAY, self.settings.either_way)
        )
        return [kind(self.scorer, value, low, high, bound=bound, fired=low > bound)]

    def _luck(self) -> list[AnswerRule]:
        rate, share = self.rates.luck, self.rates.most_frequent
        if rate is None or share is None:
            return []
        value, low, high, bound = 100 * rate.share, 100 * rate.low, 100 * rate.high, 100 * share
        return [LUCK(self.scorer, value, low, high, bound=bound, fired=low > bound)]

    def _no_skill(self) -> list[AnswerRule]:
        """Fires where the skill of the reference's scorer holds 0, and another reading's is surely above that."""
        skill = self.rates.skill
        if skill is None:
            return []
        fired = skill.low <= 0 and self._skilled() is not None
        value, low, high = 100 * skill.shift, 100 * skill.low, 100 * skill.high
        return [NO_SKILL(self.scorer, value, low, high, bound=self.settings.margin, fired=fired)]

    def _skilled(self) -> str | None:
        """The reading of most skill, above the margin and above the reference's, on at least half of its trials."""
        mine = self.rates.skill
        sure = {
            name: rates.skill.low
            for name, rates in self.readings.items()
            if mine is not None
            and rates.skill is not None
            and 2 * rates.skill.trials >= mine.trials
            and rates.skill.low > max(self.settings.margin / 100, mine.shift)
        }
        return max(sure, key=lambda name: sure[name], default=None)

    # The words

    def _words(self, rules: Sequence[AnswerRule], status: AnswerStatus) -> Statement:
        texts = {
            EITHER_WAY.name: self._either_way_words, NO_SKILL.name: self._no_skill_words, LUCK.name: self._luck_words,
        }  # fmt: skip
        fired = [rule for name in texts for rule in rules if rule.rule == name and rule.fired]
        chosen = [rule for rule in fired if rule.status == status]
        chosen += [rule for rule in fired if rule.status != status] if status == "broken" else []
        because = [Reason(texts[rule.rule]()[1], [rule]) for rule in chosen]
        return Statement(texts[chosen[0].rule]()[0], because, self._next())

    def _either_way_words(self) -> tuple[str, str]:
        rate = self.rates.either_way
        if rate is None:
            raise ValueError("a rule that fired has a rate")
        share = fixed(100 * rate.share, 1)
        headline = (
            f"{share} % of the answers that scorer {self.scorer} accepts are also accepted for a different truth."
        )
        n = round(rate.share * rate.trials)
        of = f"{n:,} of {some(rate.trials, 'accepted answer')}"
        return headline, f"Either way: {of} would also be right for a different truth of their cell: {percent(rate)}."

    def _luck_words(self) -> tuple[str, str]:
        rate, most = self.rates.luck, self.rates.most_frequent
        if rate is None or most is None:
            raise ValueError("a rule that fired has a rate")
        share, bound = fixed(100 * rate.share, 1), fixed(100 * most, 1)
        headline = (
            f"The scorer {self.scorer} accepts {share} % of answers by luck; always answering the same gets {bound} %."
        )
        why = f"Compared with the truth of the next item, {percent(rate)} of the answers are accepted"
        return headline, f"{why}; the most frequent truth is right for {bound} %."

    def _no_skill_words(self) -> tuple[str, str]:
        mine, name = self.rates.skill, self._skilled() or ""
        other = self.readings[name].skill
        if mine is None or other is None:
            raise ValueError("a rule that fired has a skill")
        points = [f"{fixed(100 * s.shift, 1)} {interval(100 * s.low, 100 * s.high, 1)}" for s in (mine, other)]
        headline = f"The scorer {self.scorer} does not tell right from wrong, but {name} does."
        return headline, f"Accepted above luck: {points[0]} pp; with {name} {points[1]}."

    def _next(self) -> str:
        """A reading of the same texts that is sounder, to compare with."""
        sound = [
            name
            for name, rates in self.readings.items()
            if name != self.scorer
            and rates.skill is not None
            and rates.skill.low > 0
            and (rates.either_way is None or 100 * rates.either_way.low <= self.settings.either_way)
        ]
        if sound:
            return f"{LOOK}; to compare with a better reading: audit.reference={sound[0]}"
        return f"{LOOK}; to try a stricter scorer: matcher=exact, or a parser that finds the answer alone"

    def constants(self) -> list[str]:
        """Says so where answers that know nothing do at least as well as the answers."""
        own = self.rates.own
        wins = [name for name, rate in self.shares.items() if name != TRUTHS and own and rate.share >= own.share]
        if own is None or not wins:
            return []
        ranked = sorted(wins, key=lambda name: -self.shares[name].share)
        listed = ", ".join(f"{name} {percent(self.shares[name])}" for name in ranked)
        share = fixed(100 * own.share, 1)
        return [f"Constant answers do at least as well as the real answers ({share} % accepted): {listed}."]
