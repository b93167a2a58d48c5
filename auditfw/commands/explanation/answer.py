"""Why an answer came out as it did: the rules that decided and the others, and what would have changed them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from auditfw.audits.answers import named
from auditfw.audits.findings import TITLE, UNCHECKED
from auditfw.commands.stored_run import StoredRun, read_step
from auditfw.components.report.wording import rule_text
from auditfw.core.digits import chance, change, fixed, short
from auditfw.core.document import Note, Section, Table, capital, some, with_ends
from auditfw.core.records import ORDER, titled_answer
from auditfw.core.results.findings import KNOWN, Finding, NotChecked
from auditfw.core.results.latest import of_run

from .changed import readings_that_change
from .gate import filled

# The findings of a run in short lines: what each says, in how many points, in which cells, at which places.

CELLS = 3  # that are named of one finding


def listed_findings(findings: Sequence[Finding], not_checked: Sequence[NotChecked]) -> list[Section]:
    """The findings, and what could not be looked for; a section that is empty is left out."""
    texts = [text for one in findings for text in _lines(one)]
    lacking = [f"{one.kind}: {one.why}" for one in not_checked]
    return [Section(title, [Note(t) for t in own]) for title, own in ((TITLE, texts), (UNCHECKED, lacking)) if own]


def _lines(one: Finding) -> Iterator[str]:
    points = f", {fixed(one.points, 1)} points" if one.points else ""  # 0: it is about something else
    yield f"{one.kind} ({one.effect}{points}): {one.text}"
    cells = sorted(one.cells, key=lambda cell: -cell.value)
    if len(cells) > 1:
        most = ", ".join(f"{named(cell.cell)} {cell.value:,.10g}" for cell in cells[:CELLS])
        more = f"; {some(len(cells) - CELLS, 'more cell')}" if len(cells) > CELLS else ""
        yield f"- most where {most}{more}"
    if one.places:
        yield f"- first at {', '.join(_places(one.places))}"
    if one.explains:
        yield f"- explains {', '.join(one.explains)}"
    if one.known:
        yield f"- is known: {one.detail[KNOWN]}"


def _places(places: Sequence[str]) -> Iterator[str]:
    """Places with the file named once: `a.csv:3, 8, b.csv:2`."""
    for file, own in groupby(places, key=lambda place: place.rpartition(":")[0]):
        numbers = [place.rpartition(":")[2] for place in own]
        yield f"{file}:{', '.join(numbers)}" if file else ", ".join(numbers)


Rule = Mapping[str, Any]  # as in result.json
ALPHA = 0.05
BY_TEST = {  # when a rule fires; what would be different had one that fired not, and one that did not fired
    "low_above": ("the lower end is above {}", "lower end at most {}", "lower end above {}"),
    "high_above": ("the upper end is above {}", "upper end at most {}", "upper end above {}"),
    "above": ("it is above {}", "value at most {}", "value above {}"),
    "high_below": ("the upper end is below {}", "upper end at least {}", "upper end below {}"),
    "low_below": ("the lower end is below {}", "lower end at least {}", "lower end below {}"),
    "apart": (
        "it is at least {} in size, with an interval without 0",
        "less than {} in size, or an interval with 0",
        "",
    ),
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
FEW = 4  # rules of a name in a line
READ = 3  # readings whose changed labels can be asked for


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
    """The answer of a run, what to do, what its data shows, its rules and its gates, in sections."""
    answer, gates = run.result["answer"], _gates(run)
    if answer is None:
        return [Section("No Answer", [Note(_no_answer(run))]), *gates]
    alpha = alpha_of(run)
    texts = [answer["headline"], *answer["because"], answer.get("change", "")]
    title = titled_answer(answer["words"], answer["status"])
    do = of_run(read_step(run.folder, answer["next"]), run.folder)
    sections = [
        Section(f"Answer: {title}", [Note(text) for text in texts if text]),
        Section("What to Do", [Note(do), *map(Note, _to_read(run))]),
        *listed_findings(run.result["findings"], run.result["not_checked"]),
    ]
    rules = [{**rule, "reading": run.called(str(rule["reading"]))} for rule in answer["rules"]]
    answer = {**answer, "rules": rules}
    deciding, besides, quiet = parted(answer)
    sections += _rules("The Deciding Rules", deciding, alpha, fired=True)
    sections.append(Section("What Would Have Changed It", [Note(text) for text in _change(answer, deciding)]))
    sections += _rules("Other Rules That Fired", besides, alpha, fired=True)
    sections += _rules("Rules That Did Not Fire", quiet, alpha, fired=False)
    return [*sections, *gates, Section("What It Is Based On", [Note(answer["scope"])])]


def _to_read(run: StoredRun) -> Iterator[str]:
    """How to read the labels that readings change here, most first."""
    turned = {name: n for name in readings_that_change(run) if (n := run.numbers.get(f"flips@{name}"))}
    for name in sorted(turned, key=lambda one: -(turned[one] or 0))[:READ]:
        yield f"{some(int(turned[name] or 0), 'changed label')}: auditfw explain {run.folder} {name}"


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
        blocks += [*map(Note, _sentences(name, group, alpha)), _table(group, alpha, fired)]
    return [Section(title, list(blocks))] if blocks else []


def _sentences(name: str, group: Sequence[Rule], alpha: float) -> list[str]:
    """What a rule asks, what its number is, and when it fires: a line each."""
    first = group[0]
    lines = [f"{name}: {asked(first)}"]
    if not first["asks"]:
        return lines
    status = next((rule["status"] for rule in group if rule["status"]), "")
    when = needed(first, alpha) if len({rule["bound"] for rule in group}) == 1 else ""
    setting = f" ({first['setting']})" if first["setting"] else ""
    lines += [f"Its number is {first['number']}."] if first["number"] else []
    comes = f"the answer is then {status}" if status else "it is reported only, and decides nothing"
    return [*lines, f"It fires if {when}{setting}; {comes}." if when else f"{capital(comes)}."]


def _table(group: Sequence[Rule], alpha: float, fired: bool) -> Table:
    others = [otherwise(rule, alpha) for rule in group]
    others = [""] * len(group) if len({*others}) == 1 else others  # the sentence says it
    rows = [
        [str(rule["reading"]), named(rule["cell"]), number_text(rule), other]
        for rule, other in zip(group[:MOST], others, strict=False)
    ]
    heads = ["reading", "cell", "number", "would not fire with" if fired else "would fire with"]
    return filled(heads, rows, "<" * len(heads), max(0, len(group) - MOST))


def _change(answer: Mapping[str, Any], deciding: Sequence[Rule]) -> list[str]:
    """What would have made the answer another one, in lines."""
    if not deciding:
        if answer["status"] == "stable":
            return ["It is stable because no deciding rule fired."]
        older = answer["rules"] and not any(rule["asks"] for rule in answer["rules"])
        again = " An older run does not store which rules decide: auditfw rerun RUN runs it again." if older else ""
        return [f"No stored rule gives the reason.{again}"]
    rules: dict[str, list[str]] = {}
    for rule in deciding:
        rules.setdefault(rule["rule"], []).append(f"{rule['reading']}{_in_cell(rule)}")
    lines = [f"{name} of {'; '.join(of[:FEW])}{_further(len(of) - FEW)}" for name, of in rules.items()]
    few = len(lines) == len(deciding) == 1
    return [f"Without {'this rule' if few else 'all of these rules'} the answer would be {without(answer)}:", *lines]


def _further(n: int) -> str:
    return f"; {n:,} more" if n > 0 else ""


def _in_cell(rule: Rule) -> str:
    return f" in {named(rule['cell'])}" if rule["cell"] else ""
