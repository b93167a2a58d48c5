"""The answer of a comparison in words: headline, reasons, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.core.digits import LEAST_P, chance, end_text, fixed, rounded_up
from auditfw.core.document import capital, some, verb
from auditfw.core.errors import brief
from auditfw.core.escaping import typed
from auditfw.formulas.gaps.intervals import GapPart
from auditfw.formulas.gaps.verdict import by_size, parts_cancel

from .condition_values import printed
from .conditions import CELL, ConditionRow
from .items import clash_note, numberings
from .pair import SHAPING, ComparedPair, condition, ends_separable, of_one_model, shaping

WORTH = 0.0005  # a part in a sentence
LONGEST = 140  # characters of a headline

# The answer in words: all numbers in percentage points, of a lead seen from the side that leads.


def points(value: float) -> str:
    return fixed(100 * value, 1)


def ends(low: float | None, high: float | None) -> str:
    """An interval in points, ` [low, high]`; nothing where there is none."""
    if low is None or high is None or low == high:  # without any spread an interval would be a pretence
        return ""
    return f" [{end_text(100 * low, 1)}, {end_text(100 * high, 1)}]"


def headline(pair: ComparedPair) -> str:
    """The answer in one sentence of at most 140 characters."""
    first = next((rule for rule in pair.rules if rule.fired), None)
    alone = _one_run(pair)
    if first is not None and first.name == "truths_differ":
        text = f"{_exam(pair)} {capital(lead(pair))}."
        return text if len(text) <= LONGEST else _exam(pair)
    if alone:
        return alone
    if first is not None and first.name == "rules_differ":
        share = f"{fixed(100 * (first.value or 0), 1)} % of the trials"
        text = f"Two rules: they label {share} differently. {capital(lead(pair))}."
    else:
        text = f"{capital(lead(pair))}{_of_it(pair)}."
    return text if len(text) <= LONGEST else f"{capital(lead(pair))}."


def _exam(pair: ComparedPair) -> str:
    sets, shares = pair.sets, pair.other_truths
    alone = [
        f"{some(sets[name], 'question')} only in {side.letter}"
        for side, name in zip(pair.sides, ("only_a", "only_b"), strict=True)
        if sets[name]
    ]
    share = f" ({fixed(100 * shares.share, 1)} %)" if shares is not None else ""
    truths = f"{sets['other_truth']:,} of {some(sets['common'], 'common item')} have another truth{share}"
    return f"Not one exam: {', '.join([*alone[:1], truths])}."


def _one_run(pair: ComparedPair) -> str:
    """That the texts are the same and all of the gap is the rule; "" where it is not so."""
    parts, scoring = pair.gap.parts, pair.gap.parts["scoring"].value
    others = [part.value for name, part in parts.items() if name != "scoring"]
    if not pair.trials.texts_same or pair.trials.same_rule or not scoring or any(others):
        return ""
    return f"One run, two scorings: all of the {points(abs(scoring))} points is the rule."


def lead(pair: ComparedPair) -> str:
    """Who leads by how much, with the interval."""
    return lead_text(pair.lead, [side.letter for side in pair.sides])


def lead_text(gap: GapPart, letters: Sequence[str]) -> str:
    """The same of a gap between two sides."""
    value = gap.value or 0.0
    low, high = (gap.low, gap.high) if value >= 0 else (_minus(gap.high), _minus(gap.low))
    leader, number = letters[0 if value > 0 else 1], points(abs(value))
    if not value:
        return f"{letters[0]} and {letters[1]} are level{ends(low, high)}"
    if gap.low is None:
        return f"{leader} is ahead by {number} points, on too few items for an interval"
    if gap.direction:
        return f"{leader} leads by {number} points{ends(low, high)}"
    return f"{leader} is ahead by {number} points{ends(low, high)}, not beyond chance"


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _of_it(pair: ComparedPair) -> str:
    """What the lead is made of, the largest parts first and the rest last."""
    value = pair.gap.gap.value or 0.0
    sign = 1 if value >= 0 else -1
    parts = [part for part in by_size(pair.gap) if part.name != "rest" and abs(part.value or 0.0) >= WORTH][:2]
    rest = pair.gap.parts["rest"]
    if not parts:
        return f" on {some(pair.gap.common, 'common item')}"
    shown = [_part(pair, part, sign) for part in (*parts, *([rest] if rest.value else []))]
    return f"; of it {', '.join(shown)}"


def _part(pair: ComparedPair, part: GapPart, sign: int) -> str:
    low, high = (part.low, part.high) if sign > 0 else (_minus(part.high), _minus(part.low))
    return f"{fixed(100 * sign * (part.value or 0.0), 1)}{ends(low, high)} {pair.part_in_words(part.name)}"


def because(pair: ComparedPair) -> list[str]:
    """The reasons, the strongest first."""
    lead_line = f"{capital(lead(pair))}{_of_it(pair)}."
    lines = [] if lead_line == headline(pair) or _one_run(pair) else [lead_line]
    if parts_cancel(pair.gap) and not _one_run(pair):
        shown = [
            f"{pair.part_in_words(part.name)} {fixed(100 * (part.value or 0), 1, signed=True)}"
            for part in by_size(pair.gap)
            if part.name != "rest" and abs(part.value or 0) >= WORTH
        ]
        if len(shown) > 1:
            gap = points(abs(pair.gap.gap.value or 0))
            lines.append(f"The parts cancel: {', '.join(shown[:3])}; the gap of {gap} tells little.")
    letters = [side.letter for side in pair.sides]
    lines += [line] if (line := shaping_line(pair.conditions, letters)) else []
    if not ends_separable(pair.conditions, pair.sides):
        lines.append("How answers ended is not recorded: what the shorter limit cut off is in the rest.")
    if pair.trials.texts_same and pair.trials.same_rule and not any(part.value for part in pair.gap.parts.values()):
        lines.append("All completions and labels are the same on both sides: this is one run, read twice.")
    if (by_rule := _by_each_rule(pair)) and not pair.trials.same_rule:
        lines.append(by_rule)
    prompts = condition(pair.conditions, "prompts")
    if prompts.status == "differs":
        lines.append(f"Prompts: {prompts.values[-1]}.")
    lines += [f"{every} of either side is right."] if (every := _all_alike(pair)) else []
    lines += _fired(pair)
    apart = [
        name
        for name, part in pair.gap.parts.items()
        if part.why == "not separable" and (name != "ended" or ends_separable(pair.conditions, pair.sides))
    ]
    lines += [
        f"Not separated from the rest: {pair.part_in_words(name)} ({pair.trials.why.get(name, '')})." for name in apart
    ]
    matched = pair.both.matched
    for note in (numberings(matched.refused), clash_note(matched)):
        if note:
            end = f"; matched by {plain_key(matched.key)}" if note == numberings(matched.refused) else ""
            lines.append(f"{capital(note)}{end}.".replace("Row.", ""))
    if pair.paired.tests_apart and max(pair.paired.rates.p or 0, pair.paired.sign_flips_p) >= LEAST_P:
        lines.append(
            f"Two tests differ on the common items: {chance(pair.paired.rates.p or 0)} by the interval, "
            f"{chance(pair.paired.sign_flips_p)} by sign flips."
        )
    return lines


def _all_alike(pair: ComparedPair) -> str:
    """Which answers are right where it is all or none; "" elsewhere."""
    shares = {right.share for right in pair.right}
    return "Every answer" if shares == {1.0} else "No answer" if shares == {0.0} else ""


def shaping_line(rows: Sequence[ConditionRow], letters: Sequence[str]) -> str:
    """That conditions differ, so that what is left of a gap need not be the model's; "" where only prompts may."""
    names = [name for name in shaping(rows) if name in SHAPING]
    if not names:
        return ""
    values = next(row.values for row in rows if row.name == names[0])
    pair = zip(letters, (brief(value, CELL // 2) for value in values), strict=False)
    which = f" ({', '.join(f'{letter} {value}' for letter, value in pair)})" if len(names) == 1 else ""
    names = list(map(printed, names))
    if of_one_model(rows):
        other = f"{', '.join(names)}{which}"
        return f"One model; not the same: {other}. What is left of the gap comes from that, or from chance."
    return f"Besides the model, not the same: {', '.join(names)}{which}. What is left of the gap may come from that."


def _by_each_rule(pair: ComparedPair) -> str:
    """The rates of both sides by each rule, on the common items; "" where a rule has not labelled both sides."""
    logs, letters = pair.trials.logs, [side.letter for side in pair.sides]
    if not all(logs.corners[rule, side, side] for rule in (0, 1) for side in (0, 1)):
        return ""
    rates = [[fixed(100 * logs.rate_by(rule, side), 1) for side in (0, 1)] for rule in (0, 1)]
    shown = [
        f"y {letters[rule]}'s rule {letters[0]} is {one}, {letters[1]} {other} % right"
        for rule, (one, other) in enumerate(rates)
    ]
    return f"B{'; b'.join(shown)}."


def _fired(pair: ComparedPair) -> list[str]:
    lines, moved = [], False
    sign = -1 if (pair.lead.value or 0.0) < 0 else 1
    for rule in pair.rules:
        if not rule.fired:
            continue
        if rule.name == "rules_differ":
            lines.append(
                f"The two rules label {fixed(100 * (rule.value or 0), 1)} %{ends(rule.low, rule.high)} of the trials "
                "differently: two things were measured."
            )
        elif rule.name in ("gap_turned", "gap_moved") and not moved and not _one_run(pair):
            moved = True
            names = [part.name for part in by_size(pair.gap) if part.name != "rest" and abs(part.value or 0) >= WORTH]
            number = points(sign * (rule.value or 0.0)) if len(names) > 1 else ""
            which = ", ".join(pair.part_in_words(name) for name in names)
            start = f"{number} points of it are not" if number else "Not"
            lines.append(f"{start} the model's: {which}.")
        elif rule.name == "not_recorded":
            if not pair.trials.texts_same and condition(pair.conditions, "prompts").status == "not_recorded":
                lines.append("The prompts are not stored on both sides: they may differ.")
        elif rule.name == "few_items":
            lines.append(f"Only {some(pair.gap.common, 'item')} {verb(pair.gap.common, 'is', 'are')} common.")
        elif rule.name == "rest_open" and rule.value is not None:
            low, high = (rule.low, rule.high) if sign > 0 else (_minus(rule.high), _minus(rule.low))
            rest = f"{fixed(100 * sign * rule.value, 1)}{ends(low, high)}"
            lines.append(f"The rest, {pair.part_in_words('rest')}, is {rest}: it may be 0.")
    return lines


def plain_key(key: str) -> str:
    """The key of items for people."""
    return {"id": "the ids of trials"}.get(key, key.removeprefix("row."))


def advice(pair: ComparedPair) -> str:
    """What to do next."""
    fired = next((rule.name for rule in pair.rules if rule.fired), "")
    largest = next((part.name for part in by_size(pair.gap) if part.name not in ("rest", "repeats")), "")
    if fired == "truths_differ":
        return "see which truths are right (gap.parquet: other_truth), and score both sides by them"
    if fired == "rules_differ" or (fired.startswith("gap_") and largest == "scoring"):
        return "choose one of the two rules, and report both sides by it"
    if fired.startswith("gap_"):
        return {
            "items": "compare on the common items: leave out the others with source.where",
            "truths": "see which truths are right (gap.parquet: other_truth), and score both sides by them",
            "ended": "run the side that was cut off again with a larger limit",
        }.get(largest, "see what differs above")
    if _all_alike(pair):
        return f"look at the rule first: auditfw report {typed(str(pair.sides[0].run.folder))}"
    if fired == "not_recorded":
        store = "store prompts and rules with the logs; until then the rest may be any of them"
        again = "run both sides again with the same token limit"
        return store if ends_separable(pair.conditions, pair.sides) else again
    if fired == "few_items":
        return "compare more items: fewer than 20 common ones say nothing of what a gap is made of"
    if fired:
        return more_items(pair)
    if names := list(map(printed, shaping(pair.conditions))):
        return f"make both under the same conditions ({', '.join(names)}), and compare again"
    return "report the difference with its interval and with what it is made of"


def more_items(pair: ComparedPair) -> str:
    """How many common items show a difference as large as the one here, and one of `compare.difference`.

    More than the logs hold are not to be had from them.
    """
    here, wanted = abs(pair.paired.rates.difference), pair.settings.difference / 100
    needed = [(size, pair.items_needed(size)) for size in dict.fromkeys((here, wanted))]
    known = [f"about {rounded_up(n):,} for {points(size)} points" for size, n in needed if n is not None]
    text, sets = f"{', '.join(known)} (seen four times in five)", pair.sets
    there = sets["common"] + sum(sets[name] for name in ("only_a", "only_b", "unscored_a", "unscored_b"))
    least = min((n for _, n in needed if n is not None), default=0)
    if least <= there:
        return f"compare more common items: {text}"
    again = "" if condition(pair.conditions, "temperature").values == ["0", "0"] else "ask each more often, or "
    return f"the logs hold {some(there, 'item')}, and it takes {text}: {again}take a larger set"
