"""Why an answer came out as it did: the rules that decided and the others, and what would have changed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.audits.answers import named
from auditfw.audits.findings import sections as finding_sections
from auditfw.commands.stored_run import StoredRun
from auditfw.components.report.wording import rule_text
from auditfw.core.digits import chance, change, fixed, short
from auditfw.core.document import Note, Section, Table, some, with_ends
from auditfw.core.records import ORDER, titled_answer

from .gate import filled

Rule = Mapping[str, Any]  # as in result.json
ALPHA = 0.05
BY_TEST = {  # when a rule fires; what would be different had one that fired not, and one that did not fired
    "low_above": ("the lower end is above {}", "lower end at most {}", "lower end above {}"),
    "high_above": ("the upper end is above {}", "upper end at most {}", "upper end above {}"),
    "above": ("it is above {}", "value at most {}", "value above {}"),
    "below": ("it is below {}", "value at least {}", "value below {}"),
    "high_at_most": ("the upper end is at most {}", "upper end above {}", "upper end at most {}"),
    "moved": ("it is at least {} in size, and p at most {alpha}", "less than {} in size, or p above {alpha}", ""),
    "beyond": ("its interval reaches beyond ±{}", "interval within ±{}", "interval beyond ±{}"),
    "holds": ("its interval contains {}", "interval without {}", "interval with {}"),
    "missed": ("its whole interval is beyond {}", "interval that reaches {}", "whole interval beyond {}"),
    "tested": ("it is beyond {}, and p at most {alpha}", "p above {alpha}", "p at most {alpha}"),
    "skill": (
        "its interval reaches 0, and that of another reading is above {}",
        "interval above 0",
        "interval that reaches 0, and a reading with one above {}",
    ),
}
OLDER = ("", "", "")  # a run that does not say how its numbers are compared
MOST = 12  # rows of one table


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
    return f"{text}, {chance(p)}{' by sign flips' if by_signs else ''}"


def needed(rule: Rule, alpha: float = ALPHA) -> str:
    """When the rule fires, as the end of a sentence."""
    return _of_bound(rule, BY_TEST.get(rule["test"], OLDER)[0], alpha)


def otherwise(rule: Rule, alpha: float = ALPHA) -> str:
    """What would have had to be different for a rule that fired not to, or for one that did not to fire."""
    if rule["test"] != "moved" or rule["fired"]:
        return _of_bound(rule, BY_TEST.get(rule["test"], OLDER)[1 if rule["fired"] else 2], alpha)
    lacks = ["at least {} in size"] if abs(rule["value"] or 0.0) < (rule["bound"] or 0.0) else []
    lacks += ["p at most {alpha}"] if rule["p"] is not None and rule["p"] > alpha else []
    return _of_bound(rule, " and ".join(lacks), alpha)


def _of_bound(rule: Rule, text: str, alpha: float) -> str:
    return "" if rule["bound"] is None else text.format(f"{short(rule['bound'])}{rule['unit']}", alpha=short(alpha))


def answer_sections(run: StoredRun) -> list[Section]:
    """The answer of a run with its rules, its gates, and what to do, in sections."""
    answer, gates = run.result["answer"], _gates(run)
    if answer is None:
        return [Section("No Answer", [Note(_no_answer(run))]), *gates]
    alpha = alpha_of(run)
    because = [Note(sentence) for sentence in answer["because"]]
    title = titled_answer(answer["words"], answer["status"])
    sections = [Section(f"Answer: {title}", [Note(answer["headline"]), *because])]
    sections += finding_sections(run.result["findings"], run.result["not_checked"], MOST)
    rules = [{**rule, "reading": run.called(str(rule["reading"]))} for rule in answer["rules"]]
    answer = {**answer, "rules": rules}
    deciding, besides, quiet = parted(answer)
    sections += _rules("The Deciding Rules", deciding, alpha, fired=True)
    sections.append(Section("What Would Have Changed It", [Note(_change(answer, deciding, alpha))]))
    sections += _rules("Other Rules That Fired", besides, alpha, fired=True)
    sections += _rules("Rules That Did Not Fire", quiet, alpha, fired=False)
    last = Section("What to Do", [Note(f"Scope: {answer['scope']}"), Note(f"Next: {answer['next']}")])
    return [*sections, *gates, last]


def _gates(run: StoredRun) -> list[Section]:
    """The gates of a run, each of which may be explained."""
    rows = [
        [gate.name, rule_text(gate, run.styles), run.called(gate.reading or ""), gate.status]
        for gate in run.result["gates"]
    ]
    more = Note(f"To explain a gate: auditfw explain {run.folder} GATE")
    return [Section("Gates", [Table(["gate", "rule", "reading", "status"], rows, "<<<<"), more])] if rows else []


def alpha_of(run: StoredRun) -> float:
    """The level below which a p-value counts."""
    audit = run.config.get("audit")
    alpha = audit.get("alpha") if isinstance(audit, Mapping) else None
    return float(alpha) if isinstance(alpha, int | float) else ALPHA


def parted(answer: Mapping[str, Any]) -> tuple[list[Rule], list[Rule], list[Rule]]:
    """The rules that decided, those that fired besides, those that did not fire."""
    fired = [rule for rule in answer["rules"] if rule["fired"]]
    deciding = [rule for rule in fired if rule["status"] == answer["status"]]
    return deciding, [rule for rule in fired if rule not in deciding], [r for r in answer["rules"] if not r["fired"]]


def without(answer: Mapping[str, Any]) -> str:
    """The status if the rules that decided had not fired."""
    left = {rule["status"] for rule in parted(answer)[1]}
    return next((status for status in ORDER if status in left), "stable")


def described(rule: Rule, alpha: float) -> dict[str, Any]:
    """A rule with its words, for JSON."""
    words = {"asks": asked(rule), "decides": rule["status"], "fires_if": needed(rule, alpha) or None}
    return {**rule, **words, "otherwise": otherwise(rule, alpha) or None}


def _no_answer(run: StoredRun) -> str:
    if run.result["schema"].endswith("/1"):
        return "This run is older than the answers of audits. auditfw rerun RUN runs it again, with an answer."
    return f"The {run.result['audit']} audit drew no answer here: only its gates can be explained."


def _rules(title: str, rules: Sequence[Rule], alpha: float, fired: bool) -> list[Section]:
    """A section with a table for each rule."""
    groups: dict[str, list[Rule]] = {}
    for rule in rules:
        groups.setdefault(rule["rule"], []).append(rule)
    blocks: list[Note | Table] = []
    for name, group in groups.items():
        blocks += [Note(f"{name}: {_sentence(group, alpha)}"), _table(group, alpha, fired)]
    return [Section(title, list(blocks))] if blocks else []


def _sentence(group: Sequence[Rule], alpha: float) -> str:
    first = group[0]
    if not first["asks"]:
        return asked(first)
    status = next((rule["status"] for rule in group if rule["status"]), "")
    parts = [asked(first)]
    parts += [f"The number is {first['number']}."] if first["number"] else []
    bounds = {rule["bound"] for rule in group}
    when = needed(first, alpha) if len(bounds) == 1 else ""
    setting = f" (set by {first['setting']})" if first["setting"] else ""
    if when:
        parts.append(f"The rule fires if {when}{setting}{f'; the answer is then {status}' if status else ''}.")
    elif status:
        parts.append(f"If the rule fires, the answer is {status}.")
    return " ".join(parts) if status else f"{' '.join(parts)} It is reported only, and decides nothing."


def _table(group: Sequence[Rule], alpha: float, fired: bool) -> Table:
    rows = [
        [str(rule["reading"]), named(rule["cell"]), number_text(rule), otherwise(rule, alpha)] for rule in group[:MOST]
    ]
    heads = ["reading", "cell", "number", "would not fire with" if fired else "would fire with"]
    return filled(heads, rows, "<" * len(heads), max(0, len(group) - MOST))


def _change(answer: Mapping[str, Any], deciding: Sequence[Rule], alpha: float) -> str:
    """What would have made the answer another one."""
    if not deciding:
        if answer["status"] == "stable":
            return "It is stable because no deciding rule fired."
        older = answer["rules"] and not any(rule["asks"] for rule in answer["rules"])
        again = " An older run does not store which rules decide: auditfw rerun RUN runs it again." if older else ""
        return f"No stored rule gives the reason.{again}"
    texts = [f"{rule['rule']} of {rule['reading']}{_less(rule, alpha)}" for rule in deciding[:MOST]]
    if len(deciding) > MOST:
        texts.append(some(len(deciding) - MOST, "more rule"))
    return f"Without {'; '.join(texts)} the answer would be {without(answer)}."


def _less(rule: Rule, alpha: float) -> str:
    """Where it fired, and with what it would not have."""
    place, text = f" in {named(rule['cell'])}" if rule["cell"] else "", otherwise(rule, alpha)
    article = "" if rule["test"] in ("moved", "tested") else "an " if text[:1] in ("u", "i") else "a "
    return f"{place} (it would not have fired with {article}{text})" if text else place
