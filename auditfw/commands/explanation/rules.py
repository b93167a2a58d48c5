"""The rules of an answer in words: their number, when they fire, what would have had to be different."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditfw.core.digits import change, fixed, p_text, short
from auditfw.core.document import with_ends

Rule = Mapping[str, Any]  # as in result.json
ALPHA = 0.05
FIRES = {
    "low_above": "the lower end is above {}",
    "high_above": "the upper end is above {}",
    "above": "it is above {}",
    "below": "it is below {}",
    "high_at_most": "the upper end is at most {}",
    "moved": "it is at least {} in size, and p at most {alpha}",
    "beyond": "its interval reaches beyond ±{}",
    "holds": "its interval contains {}",
    "missed": "its whole interval is beyond {}",
    "tested": "it is beyond {}, and p at most {alpha}",
    "skill": "its interval reaches 0, and that of another reading is above {}",
}
OTHERWISE = {  # of a rule that fired, and of one that did not
    "low_above": ("lower end at most {}", "lower end above {}"),
    "high_above": ("upper end at most {}", "upper end above {}"),
    "above": ("value at most {}", "value above {}"),
    "below": ("value at least {}", "value below {}"),
    "high_at_most": ("upper end above {}", "upper end at most {}"),
    "moved": ("less than {} in size, or p above {alpha}", ""),
    "beyond": ("interval within ±{}", "interval beyond ±{}"),
    "holds": ("interval without {}", "interval with {}"),
    "missed": ("interval that reaches {}", "whole interval beyond {}"),
    "tested": ("p above {alpha}", "p at most {alpha}"),
    "skill": ("interval above 0", "interval that reaches 0, and a reading with one above {}"),
}


def asked(rule: Rule) -> str:
    """What a rule asks; its name where an older run does not say so."""
    return rule["asks"] or f"{rule['rule']}?"


def number_text(rule: Rule) -> str:
    """The number that a rule looked at, with its interval and p."""
    value, low, high, p, unit = (rule[name] for name in ("value", "low", "high", "p", "unit"))
    if value is None:
        return "undefined"
    in_unit = change if rule["test"] in ("moved", "beyond") else fixed
    text = f"{in_unit(value, 2) if unit else short(value)}{unit}"
    by_signs = p is not None and rule["test"] in ("moved", "sign_flips")  # a test that its interval is not of
    text += ", approximate interval" if by_signs and low is not None and high is not None else ""
    text = with_ends(text, value, low, high, lambda end: fixed(end, 2) if unit else short(end))
    if p is None:
        return text
    shown = p_text(p)
    return f"{text}, p {shown if shown.startswith('<') else f'= {shown}'}{' by sign flips' if by_signs else ''}"


def needed(rule: Rule, alpha: float = ALPHA) -> str:
    """When the rule fires, as the end of a sentence."""
    return _of_bound(rule, FIRES.get(rule["test"], ""), alpha)


def otherwise(rule: Rule, alpha: float = ALPHA) -> str:
    """What would have had to be different for a rule that fired not to, or for one that did not to fire."""
    if rule["test"] != "moved" or rule["fired"]:
        return _of_bound(rule, OTHERWISE.get(rule["test"], ("", ""))[not rule["fired"]], alpha)
    lacks = ["at least {} in size"] if abs(rule["value"] or 0.0) < (rule["bound"] or 0.0) else []
    lacks += ["p at most {alpha}"] if rule["p"] is not None and rule["p"] > alpha else []
    return _of_bound(rule, " and ".join(lacks), alpha)


def _of_bound(rule: Rule, text: str, alpha: float) -> str:
    return "" if rule["bound"] is None else text.format(f"{short(rule['bound'])}{rule['unit']}", alpha=short(alpha))
