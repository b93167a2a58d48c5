"""The rules of every audit's answer in plain words: what each asks, when it fires, and what it then stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from auditfw.core.digits import change, fixed, p_text, short

Bounded = Literal["low_above", "high_above", "above", "below", "high_at_most"]
Test = Bounded | Literal["moved", "beyond", "holds", "skill", "missed", "tested", "always"]
Rule = Mapping[str, Any]  # as in result.json


@dataclass(frozen=True)
class RuleWords:
    """A rule: what it `asks`, the `number` it looks at, the `test` that makes it fire, the status it `decides`.

    `decides` is "" for a rule that is only reported; `setting` is the key of its bound.
    """

    asks: str
    number: str
    test: Test
    decides: str = ""
    setting: str = ""
    unit: str = ""


POINTS, PERCENT = " pp", " %"
SHIFT = "the shift of the error rate"
RULES: Mapping[str, RuleWords] = {
    # parsing
    "moves_whole": RuleWords(
        "Does a reading move the error rate?", SHIFT, "moved", "fragile", "audit.margin and audit.alpha", POINTS
    ),
    "moves_cell": RuleWords(
        "Does a reading move the error rate in a cell?",
        SHIFT,
        "moved",
        "fragile",
        "audit.margin and audit.alpha",
        POINTS,
    ),
    "churns": RuleWords(
        "Does a reading change labels in both directions?",
        "the share of labels that change, twice that of the rarer direction",
        "low_above",
        "fragile",
        "audit.churn",
        PERCENT,
    ),
    "precision": RuleWords(
        "Are there enough trials to know the shift?", SHIFT, "beyond", "unknown", "audit.precision", POINTS
    ),
    "other_labels": RuleWords(
        "Does the baseline reproduce the stored labels?",
        "the share of stored labels that it does not reproduce",
        "low_above",
        "unknown",
        "audit.mismatch",
        PERCENT,
    ),
    "no_rule": RuleWords(
        "Does any rule reproduce the stored labels?",
        "the share of stored labels that the best rule does not reproduce",
        "low_above",
        "broken",
        "audit.mismatch",
        PERCENT,
    ),
    "no_reading": RuleWords(
        "Is there a reading to compare with?",
        "the share of trials that the largest other reading applies to",
        "always",
        "unknown",
        "",
        PERCENT,
    ),
    "either_way": RuleWords(
        "Does the scorer accept a right answer for another truth as well?",
        "the share of accepted answers that are also accepted for another truth",
        "low_above",
        "fragile",
        "audit.either_way",
        PERCENT,
    ),
    "luck_above_most_frequent": RuleWords(
        "Does the scorer accept more answers for other truths than always naming the most frequent truth would give?",
        "the share of answers accepted for another truth",
        "low_above",
        "fragile",
        "",
        PERCENT,
    ),
    "no_skill": RuleWords(
        "Does the scorer tell right from wrong, where another reading does?",
        "how much more often an answer is accepted for its own truth than for another",
        "skill",
        "broken",
        "audit.margin",
        POINTS,
    ),
    "lossy": RuleWords(
        "Does a reading accept wrong answers of built-in pairs (then it does not decide)?",
        "how many it accepts",
        "above",
    ),
    "lossy_named": RuleWords(
        "Does a reading that audit.decides names accept wrong answers of built-in pairs?",
        "how many it accepts",
        "above",
    ),
    "published": RuleWords(
        "Do published figures equal the measured ones?", "the share of figures that differ", "above", "", "", PERCENT
    ),
    "claim_turned": RuleWords(
        "Does a reading reverse a claim?", "the quantity that the claim is about", "always", "fragile"
    ),
    "claim_fails": RuleWords(
        "Does a claim fail under the reference?", "the quantity that the claim is about", "always"
    ),
    "pair_turned": RuleWords(
        "Does a reading reverse who is better?", "the difference, or the number of reversed pairs", "always", "fragile"
    ),
    "incomplete": RuleWords(
        "Did components fail on too many trials?",
        "the share that failed",
        "always",
        "unknown",
        "audit.max_error_rate",
    ),
    # alignment
    "mostly_missed": RuleWords(
        "Do most scenarios miss a must?", "the share of such scenarios", "low_above", "broken", "audit.most_missed"
    ),
    "not_deterministic": RuleWords(
        "Does a scenario give the same when it runs again?",
        "how many outcomes of those run twice differ by more than half their tolerance (or are met in one run alone)",
        "above",
        "fragile",
    ),
    "must_missed": RuleWords("Is a must missed?", "how many scenarios miss one", "above", "fragile"),
    "few_scenarios": RuleWords(
        "Are there enough scenarios?", "how many there are", "below", "unknown", "audit.least_scenarios"
    ),
    "nothing_decides": RuleWords("Is there a must, or a trivial baseline, to compare with?", "", "always", "unknown"),
    "no_better_than_free": RuleWords(
        "Is the score better than that of the best trivial baseline?", "the difference", "high_at_most", "broken"
    ),
    "free_not_excluded": RuleWords(
        "Could the score be no better than that of the best trivial baseline?", "the difference", "holds", "unknown"
    ),
    "weights_turn": RuleWords(
        "Is the purpose met under other weights, too?", "the score under them", "always", "fragile", "audit.aligned"
    ),
    "free_turns": RuleWords(
        "Do other weights reverse the comparison with trivial baselines?", "the difference", "always"
    ),
    "direction_free": RuleWords(
        "Is the direction right by itself for some keys (nothing negative is intended)?",
        "the share of such keys",
        "above",
    ),
    "no_data": RuleWords("Did scenarios give no outcome?", "how many outcomes are missing", "above", "unknown"),
    # consistency
    "no_shared_label": RuleWords("Do the raters share a label?", "how many labels both use", "below", "broken"),
    "chance_agreement": RuleWords("Is agreement above chance?", "kappa", "high_at_most", "broken", "audit.chance"),
    "undefined": RuleWords("Can kappa be computed?", "kappa", "always", "unknown"),
    "missed": RuleWords("Is the bound missed?", "", "missed", "fragile"),
    "open": RuleWords("Is it undecided whether the bound is met?", "", "holds", "unknown"),
    "missed_in_cell": RuleWords("Is the bound missed in a cell?", "", "tested", "fragile"),
    "coverage": RuleWords(
        "Did each rater label enough items?",
        "the share of items that it labelled",
        "below",
        "unknown",
        "audit.coverage",
    ),
    "joined_differ": RuleWords(
        "Do the common columns of joined rows differ?", "the share of rows", "above", "unknown", "audit.joins"
    ),
    "renaming": RuleWords("Would other names for labels raise agreement?", "agreement with them", "always", "fragile"),
    "one_order": RuleWords(
        "Is the bound missed in one order of presentation only?", "the agreement there", "always", "fragile"
    ),
    "identical_files": RuleWords("Are files of two raters identical?", "", "always", "unknown"),
    "identical_labels": RuleWords("Are labels of two raters identical?", "equal labels", "always", "unknown"),
    "identical_reasons": RuleWords("Are reasons of two raters identical?", "equal reasons", "always", "unknown"),
    "first_preferred": RuleWords("Is the answer shown first preferred?", "the share", "always"),
    "exchange_raises": RuleWords("Does exchanging the order raise agreement?", "the increase", "always"),
    "winning_rate": RuleWords(
        "Is the judge as close to the annotators as they are to each other?", "its winning rate", "below"
    ),
    # self_audit
    "mostly_wrong": RuleWords(
        "Are most answers that solve training wrong on the tests?",
        "the share that is wrong",
        "low_above",
        "broken",
        "audit.wrong.broken",
    ),
    "wrong_on_tests": RuleWords(
        "Are answers that solve training wrong on the tests?",
        "the share that is wrong",
        "low_above",
        "fragile",
        "audit.wrong.fragile",
    ),
    "wrong_unsure": RuleWords(
        "Could many answers be wrong on the tests?",
        "the share that is wrong",
        "high_above",
        "unknown",
        "audit.wrong.unknown",
    ),
    "few_solved": RuleWords(
        "Are there enough answers with tests?", "how many there are", "below", "unknown", "audit.wrong.least"
    ),
    "tests_unknown": RuleWords("Are the tests known?", "how many answers have tests", "below", "unknown"),
}
OTHER = RuleWords("A rule that this version does not know.", "the number", "always")
BROKEN_EITHER_WAY = 50.0  # percent: from there on accepting either way is broken
ALPHA = 0.05
SIGN_FLIPS = ("moves_whole", "moves_cell", "first_preferred")


def words_of(rule: Rule) -> RuleWords:
    """The words of a rule by its name; those of `kappa_missed` are under `missed`."""
    name = str(rule["rule"])
    if name in RULES:
        return RULES[name]
    end = next((one for one in ("missed_in_cell", "missed", "open") if name.endswith(f"_{one}")), "")
    words, metric = RULES.get(end, OTHER), name.removesuffix(f"_{end}")
    return replace(words, asks=words.asks.replace("bound", f"bound on {metric}"), number=metric) if end else OTHER


def decides(rule: Rule) -> str:
    """The status that a rule stands for where it fires, "" where it is only reported."""
    if rule["rule"] == "either_way" and (rule.get("low") or 0.0) > BROKEN_EITHER_WAY:
        return "broken"
    return words_of(rule).decides


def asked(rule: Rule) -> str:
    """What a rule asks."""
    words = words_of(rule)
    return words.asks if words is not OTHER else f"{rule['rule']}?"


def number_text(rule: Rule) -> str:
    """The number that a rule looked at, with its interval and p."""
    value, low, high, p = (rule.get(name) for name in ("value", "low", "high", "p"))
    if value is None:
        return "undefined"
    unit = words_of(rule).unit
    in_unit = change if words_of(rule).number == SHIFT else fixed
    text = f"{in_unit(value, 2) if unit else short(value)}{unit}"
    by_signs = p is not None and rule["rule"] in SIGN_FLIPS  # a test that its interval is not of
    if low is not None and high is not None:
        text += ", approximate interval" if by_signs else ""
        text += f" [{', '.join(fixed(end, 2) if unit else short(end) for end in (low, high))}]"
    shown = p_text(p) if p is not None else ""
    if not shown:
        return text
    return f"{text}, p {shown if shown.startswith('<') else f'= {shown}'}{' by sign flips' if by_signs else ''}"


def needed(rule: Rule, alpha: float = ALPHA) -> str:
    """When the rule fires, as the end of a sentence."""
    words, bound = words_of(rule), rule.get("bound")
    if bound is None or words.test == "always":
        return ""
    limit = f"{short(bound)}{words.unit}"
    texts: Mapping[Test, str] = {
        "low_above": f"the lower end is above {limit}",
        "high_above": f"the upper end is above {limit}",
        "above": f"it is above {limit}",
        "below": f"it is below {limit}",
        "high_at_most": f"the upper end is at most {limit}",
        "moved": f"it is at least {limit} in size, and p at most {short(alpha)}",
        "beyond": f"its interval reaches beyond ±{limit}",
        "holds": f"its interval contains {limit}",
        "missed": f"its whole interval is beyond {limit}",
        "tested": f"it is beyond {limit}, and p at most {short(alpha)}",
        "skill": f"its interval reaches 0, and that of another reading is above {limit}",
    }
    return texts[words.test]


def otherwise(rule: Rule, alpha: float = ALPHA) -> str:
    """What would have had to be different for a rule that fired not to, or for one that did not to fire."""
    words, bound = words_of(rule), rule.get("bound")
    if bound is None or words.test == "always":
        return ""
    limit = f"{short(bound)}{words.unit}"
    if words.test == "moved":
        return _otherwise_moved(rule, limit, alpha)
    texts: Mapping[Test, tuple[str, str]] = {
        "low_above": (f"lower end at most {limit}", f"lower end above {limit}"),
        "high_above": (f"upper end at most {limit}", f"upper end above {limit}"),
        "above": (f"value at most {limit}", f"value above {limit}"),
        "below": (f"value at least {limit}", f"value below {limit}"),
        "high_at_most": (f"upper end above {limit}", f"upper end at most {limit}"),
        "beyond": (f"interval within ±{limit}", f"interval beyond ±{limit}"),
        "holds": (f"interval without {limit}", f"interval with {limit}"),
        "missed": (f"interval that reaches {limit}", f"whole interval beyond {limit}"),
        "tested": (f"p above {short(alpha)}", f"p at most {short(alpha)}"),
        "skill": ("interval above 0", f"interval that reaches 0, and a reading with one above {limit}"),
    }
    return texts[words.test][0 if rule["fired"] else 1]


def _otherwise_moved(rule: Rule, limit: str, alpha: float) -> str:
    if rule["fired"]:
        return f"less than {limit} in size, or p above {short(alpha)}"
    lacks = []
    if abs(rule.get("value") or 0.0) < rule["bound"]:
        lacks.append(f"at least {limit} in size")
    if rule.get("p") is not None and rule["p"] > alpha:
        lacks.append(f"p at most {short(alpha)}")
    return " and ".join(lacks)
