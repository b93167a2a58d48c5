"""What a comparison shows of a pair of sides: tables for people, a document and a table of items for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from auditfw.core.digits import end_text, fixed, p_text, rounded_up
from auditfw.core.document import Table, some
from auditfw.core.imports import np
from auditfw.formulas.clusters import ClusteredRate
from auditfw.formulas.gaps.intervals import GapPart
from auditfw.formulas.gaps.paired import PairedLogs
from auditfw.formulas.gaps.parts import PARTS, contributions
from auditfw.formulas.gaps.verdict import by_size

from .ends import against_the_record, ends_recorded
from .gap_answer import advice, because, headline, plain_key
from .pair import ComparedPair, every_side, needed_for

NONE = "–"
LONG = 32  # characters of a path
SCHEMA = "auditfw.comparison/2"


def sides_table(pairs: Sequence[ComparedPair]) -> Table:
    """A row a side: what was typed, by which rule, how many trials and items, how many right."""
    rows = []
    of = every_side(pairs)
    called = short_names([pair.sides[side].called for pair, side in of])
    for at, (pair, side) in enumerate(of):
        one, right, rule = pair.sides[side], pair.right[side], pair.trials.rules[side]
        name = rule.name if rule is not None else "not known"
        rows.append([one.letter, called[at], name, f"{right.trials:,}", f"{right.items:,}", level(right)])
    return Table(["side", "of", "rule", "trials", "items", "right, %"], rows, "<<<>>>")


def short_names(paths: Sequence[str]) -> list[str]:
    """Paths by their last part, where that is enough to tell them by."""
    names = [Path(path).name for path in paths]
    apart = len(set(names)) == len(names)
    return names if apart and max(map(len, paths)) > LONG else list(paths)


def level(right: ClusteredRate) -> str:
    """A share right in percent, with its interval."""
    return f"{fixed(100 * right.share, 1)} [{fixed(100 * right.low, 1)}, {fixed(100 * right.high, 1)}]"


def gap_head(pair: ComparedPair) -> str:
    """The title of the table of parts."""
    gap = f"{fixed(100 * (pair.gap.gap.value or 0.0), 2, signed=True)} points"
    what = f"What the gap of {gap} between {pair.sides[0].letter} and {pair.sides[1].letter} is made of"
    return f"{what} ({some(pair.gap.common, 'common item')})"


def gap_table(pair: ComparedPair) -> Table:
    """A row a part, in points of A less B; parts that are not separated have no number."""
    rows = []
    for name in PARTS:
        part = pair.gap.parts[name]
        if name == "repeats" and part.why == "same":
            continue
        rows.append([pair.part_name(name), *_numbers(part), _what(pair, part)])
    rows.append(["all of it", *_numbers(pair.lead), _all(pair)])
    return Table(["part", "points", "95 %", "what"], rows, "<>><")


def _numbers(part: GapPart) -> list[str]:
    if part.value is None:
        return [NONE, NONE]
    if part.low is None or part.high is None or part.low == part.high:
        return [fixed(100 * part.value, 2, signed=True) if part.value else "0", NONE]
    ends = f"[{end_text(100 * part.low, 2, signed=True)}, {end_text(100 * part.high, 2, signed=True)}]"
    return [fixed(100 * part.value, 2, signed=True), ends]


def _what(pair: ComparedPair, part: GapPart) -> str:
    if part.why == "not separable":
        return f"not separated: {pair.trials.why.get(part.name, 'not recorded')}"
    text = _SAYS[part.name](pair, part)
    partly = pair.trials.why.get(part.name)
    return f"{text}; {partly}" if partly else text


def _items(pair: ComparedPair, part: GapPart) -> str:
    sets, letters = pair.sets, [side.letter for side in pair.sides]
    counts = [
        (sets["only_a"], f"only in {letters[0]}"),
        (sets["only_b"], f"only in {letters[1]}"),
        (sets["unscored_b"], f"without a score in {letters[1]}"),
        (sets["unscored_a"], f"without a score in {letters[0]}"),
    ]
    shown = [f"{some(n, 'question') if not at else f'{n:,}'} {what}" for at, (n, what) in enumerate(_some(counts))]
    return ", ".join(shown) or "the same items"


def _some(counts: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    return [one for one in counts if one[0]]


def _repeats(pair: ComparedPair, part: GapPart) -> str:
    return "items weigh differently by their repeats"


def _truths(pair: ComparedPair, part: GapPart) -> str:
    if part.why == "same":
        return "the same truths"
    return f"{pair.sets['other_truth']:,} of {pair.sets['common']:,} common items have another truth"


def _scoring(pair: ComparedPair, part: GapPart) -> str:
    rules = [rule.name if rule is not None else "" for rule in pair.trials.rules]
    if part.why == "same":
        return f"the same rule ({rules[0]})"
    known = pair.trials.logs.corners
    letters = [side.letter for side in pair.sides]
    where = [letter for side, letter in enumerate(letters) if known[1 - side, side, side]]
    if len(where) == 1:
        side = letters.index(where[0])
        more = "more" if (part.value or 0) * (1 if side == 0 else -1) > 0 else "fewer"
        how = f"call {more} right than" if part.value else "call as many right as"
        return f"the labels of {where[0]} {how} the rule of {letters[1 - side]} does on its texts"
    texts = "both sides' texts"
    if not part.value:
        return f"both rules call as many right on {texts}"
    return f"the rule of {letters[0 if part.value > 0 else 1]} calls more right on {texts}"


def _ended(pair: ComparedPair, part: GapPart) -> str:
    shares, letters = pair.trials.unfinished, [side.letter for side in pair.sides]
    if pair.trials.texts_same:
        return "the same texts"
    if shares is None:
        return ""
    one, other = (f"{fixed(100 * share, 1)} % of {letter}" for share, letter in zip(shares, letters, strict=True))
    recorded = all(ends_recorded(side.labels) for side in pair.sides)
    counted = [against_the_record(side, pair.both.of_common(at)) for at, side in enumerate(pair.both.sides)]
    shown = [f"{n:,} of {letter}" for n, letter in zip(counted, letters, strict=True) if n]
    note = f"; {', '.join(shown)} by tokens at the limit, not by the record" if shown else ""
    return f"{one}, {other} {'end' if recorded else 'look'} unfinished{note}"


def _rest(pair: ComparedPair, part: GapPart) -> str:
    if part.why == "same":
        return "the same texts"
    within = [pair.part_name(name) for name, one in pair.gap.parts.items() if one.why == "not separable"]
    return f"the rest, with {' and '.join(within)} in it" if within else "the rest"


_SAYS = {
    "items": _items,
    "repeats": _repeats,
    "truths": _truths,
    "scoring": _scoring,
    "ended": _ended,
    "rest": _rest,
}


def _all(pair: ComparedPair) -> str:
    one, other = (fixed(100 * right.share, 2) for right in pair.right)
    letters = [side.letter for side in pair.sides]
    return f"{one} % right in {letters[0]}, {other} % in {letters[1]}"


def paired_lines(pair: ComparedPair) -> list[str]:
    """The paired comparison on the common items, in words."""
    return paired_sentences(pair.paired, [side.letter for side in pair.sides], pair.settings.difference)


def paired_sentences(paired: PairedLogs, letters: Sequence[str], difference: float) -> list[str]:
    """The same of two sides; with how many items a difference in points needs."""
    rates = paired.rates
    number = fixed(100 * rates.difference, 2, signed=True)
    ends = ""
    if rates.low is not None and rates.high is not None:
        ends = f" [{end_text(100 * rates.low, 2, signed=True)}, {end_text(100 * rates.high, 2, signed=True)}]"
    p = f"p {p_text(rates.p)} by the test of this interval, " if rates.p is not None else "p "
    how = "exact" if paired.exact else "normal"
    flips = f"{p_text(paired.sign_flips_p)} where each item's sign is a coin toss ({how})"
    lines = [
        f"On the common items {letters[0]} less {letters[1]}: {number} points{ends}",
        f"{p}{flips}",
        f"{letters[0]} won {paired.won:,} of them, lost {paired.lost:,}, tied {paired.tied:,}",
    ]
    if paired.smallest is not None and paired.square:
        smallest = f"{fixed(100 * paired.smallest, 1)} points would have been seen four times in five"
        needed = needed_for(paired, difference / 100)
        more = f"; {difference:g} points need about {rounded_up(needed):,} items" if needed else ""
        lines.append(f"{smallest}{more}")
    return lines


# For programs: numbers in percentage points.


def pair_document(pair: ComparedPair) -> dict[str, Any]:
    """What compare.json holds of a pair of sides."""
    paired, shares = pair.paired, pair.other_truths
    return {
        "sides": [_side(pair, side) for side in (0, 1)],
        "key": plain_key(pair.both.matched.key),
        "sets": pair.sets,
        "conditions": [asdict(row) for row in pair.conditions],
        "paired": paired_document(paired, pair.items_needed(pair.settings.difference / 100)),
        "gap": _part(pair.gap.gap),
        "parts": [_part(pair.gap.parts[name]) for name in PARTS],
        "order": [part.name for part in by_size(pair.gap)],
        "other_truths": None if shares is None else {"share": _points(shares.share), "items": shares.items},
        "unknown": dict(pair.trials.why),
        "answer": {
            "status": pair.status,
            "words": pair.words,
            "headline": headline(pair),
            "because": because(pair),
            "next": advice(pair),
            "rules": [asdict(rule) for rule in pair.rules],
        },
    }


def paired_document(paired: PairedLogs, needed: int | None) -> dict[str, Any]:
    """A paired comparison, and how many items a difference that matters needs."""
    rates = paired.rates
    return {
        "difference": _points(rates.difference),
        "low": _points(rates.low),
        "high": _points(rates.high),
        "p": rates.p,
        "sign_flips": {"p": paired.sign_flips_p, "exact": paired.exact},
        "won": paired.won,
        "lost": paired.lost,
        "tied": paired.tied,
        "smallest": _points(paired.smallest),
        "items_needed": needed,
    }


def _side(pair: ComparedPair, side: int) -> dict[str, Any]:
    one, right, rule = pair.sides[side], pair.right[side], pair.trials.rules[side]
    return {
        "side": one.letter,
        "path": one.called,
        "folder": str(one.run.folder),
        "reading": one.labels.reading,
        "rule": None if rule is None else rule.name,
        "trials": right.trials,
        "items": right.items,
        "right": _points(right.share),
        "low": _points(right.low),
        "high": _points(right.high),
    }


def _part(part: GapPart) -> dict[str, Any]:
    ends = {"low": _points(part.low), "high": _points(part.high)}
    return {"part": part.name, "value": _points(part.value), **ends, "why": part.why, "items": part.items}


def _points(share: float | None) -> float | None:
    return None if share is None else 100 * share


def gap_columns(pair: ComparedPair) -> dict[str, Any]:
    """gap.parquet, an item a row: its key, trials and means of both sides, truths, what it adds to each part."""
    import polars as pl

    items = np.unique(pair.trials.logs.items)
    trials_a, right_a, trials_b, right_b = (column[items] for column in pair.both.sums)
    columns: dict[str, Any] = {
        "key": pair.both.matched.names.gather(items),
        "trials_a": pl.Series(trials_a, dtype=pl.UInt32),
        "trials_b": pl.Series(trials_b, dtype=pl.UInt32),
        "right_a": _means(right_a, trials_a),
        "right_b": _means(right_b, trials_b),
        "other_truth": pl.Series(pair.both.matched.other_truth[items] & (trials_a > 0) & (trials_b > 0)),
    }
    added = 100 * contributions(pair.trials.logs)
    for at, name in enumerate(PARTS):
        known = pair.gap.parts[name].value is not None
        columns[name] = pl.Series(added[at]) if known else pl.Series([None] * len(items), dtype=pl.Float64)
    return columns


def _means(right: Any, trials: Any) -> Any:
    import polars as pl

    return pl.Series(np.where(trials > 0, right / np.maximum(trials, 1), np.nan)).fill_nan(None)
