"""What the report says of the order of presentation: who prefers the first answer, and agreement in each order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from auditfw.audits.answers import RULES, Argument, Reason, Statement, estimated, interval, named, with_interval
from auditfw.audits.consistency.results import ConsistencyResults
from auditfw.core.digits import chance, fixed, p_text
from auditfw.core.document import Block, Note, Section, Table, some
from auditfw.core.imports import np, pl
from auditfw.core.records import AnswerRule, Estimate, Measurement, Value
from auditfw.formulas.agreement import Ratings
from auditfw.formulas.agreement.items import Preferences
from auditfw.formulas.agreement.settings import FEWEST_TO_TELL
from auditfw.kinds.context import Context

from .orders import Exchange, JudgeOrder, OrderFindings, Shown
from .scale import pair_kappas

TITLE = "Position Bias"


def order_section(findings: OrderFindings | None, alpha: float, called: Callable[[str], str] = str) -> Section:
    """The preferences of every judge, its agreement in each order, and what exchanging its labels would do."""
    section = Section(TITLE, console=True)
    if findings is None:
        return section
    judges = [replace(one, judge=called(one.judge)) for one in findings.judges]
    rows = [[one.judge, *_cells(one.preferences)] for one in judges]
    columns = ["rater", "first", "second", "prefers the first", "p (sign flips)"]
    caption = "A judge without position bias prefers the answer shown first half of the time."
    section.blocks.append(Table(columns, rows, "<>>>>", caption))
    section.blocks += [Note(text) for one in judges for text in _remarks(one, alpha)]
    agreement = _agreement(judges, alpha)
    section.blocks += [agreement] if agreement is not None else []
    if findings.without:
        section.blocks.append(Note(f"{some(findings.without, 'item')} without an order of presentation: left out."))
    return section


def preference_text(judge: str, bias: Preferences) -> str:
    """A judge's preferences in words: `gpt prefers the first answer 37 to 7 times (84.1 %, approximate …)`."""
    which, share, low, high = "first", bias.share or 0.0, bias.low or 0.0, bias.high or 0.0
    more, fewer = bias.first, bias.second
    if bias.second > bias.first:
        which, share, low, high, more, fewer = "second", 1 - share, 1 - high, 1 - low, fewer, more
    ends = interval(100 * low, 100 * high, 1)
    times = f"{more:,} to {fewer:,} times"
    tested = f"approximate interval {ends}; sign flips, {chance(bias.p)}"
    return f"{judge} prefers the {which} answer {times} ({fixed(100 * share, 1)} %, {tested})"


def exchange_text(judge: str, exchange: Exchange) -> str:
    """What exchanging two labels of a judge would do, in words."""
    one, other = exchange.labels
    rise = f"from {fixed(100 * exchange.before, 1)} to {fixed(100 * exchange.after, 1)} %"
    return f"swap {one} and {other} of {judge} {exchange.place}: agreement would rise {rise}"


def _remarks(one: JudgeOrder, alpha: float) -> list[str]:
    texts = []
    if one.judged_twice:
        share = f"{fixed(100 * one.alike / one.judged_twice, 1)} %"
        of = some(one.judged_twice, "item")
        texts.append(f"{one.judge}: the same label in both orders on {one.alike:,} of {of} ({share}).")
    for exchange in one.exchanges:
        if exchange.raises(alpha):
            why = f"{chance(exchange.p)}; its labels may name the position of an answer, not the answer"
            texts.append(f"Hint: {exchange_text(one.judge, exchange)} ({why}).")
    return texts


def _agreement(judges: Sequence[JudgeOrder], alpha: float) -> Block | None:
    rows = []
    for one in judges:
        parts = [part for part in (one.whole, *one.orders, one.undone) if part is not None]
        rows += [[one.judge, *_shown(part)] for part in parts]
        rows += [
            [one.judge, f"{e.where}, {e.labels[0]} and {e.labels[1]} swapped", "", fixed(e.after, 4), ""]
            for e in one.exchanges
            if e.raises(alpha)
        ]
    if not rows:
        return None
    return Table(["rater", "answer shown first", "n", "percent agreement", "kappa"], rows, "<<>>>")


def _shown(part: Shown) -> list[str]:
    return [part.name, f"{part.kappa.counted:,}", estimated(part.percent), estimated(part.kappa)]


def _cells(bias: Preferences) -> list[str]:
    share = "–"
    if bias.share is not None and bias.low is not None and bias.high is not None:
        first = 100 * bias.share
        share = with_interval(f"{fixed(first, 1)} %", 100 * bias.low, 100 * bias.high, 1, first)
    return [f"{bias.first:,}", f"{bias.second:,}", share, p_text(bias.p)]


# Every coefficient in every cell, with its interval: the worst cells first.

TITLE_CELL_TABLES = "Agreement by Cell"
INTERVALS = "in brackets 95 % intervals, not adjusted for the number of cells."

Row = tuple[Mapping[str, Value], dict[str, Estimate]]


def cell_tables(
    measurements: Sequence[Measurement],
    readings: Mapping[str, str],
    coefficients: Mapping[str, str],
    most: int,
    first: str,
) -> Section:
    """A table for each reading: a row a cell, a column a coefficient; sorted by the `first`, else by the first of them.

    `readings` says of each what it is called, `coefficients` how it is headed.
    """
    section = Section(TITLE_CELL_TABLES)
    for reading, called in readings.items():
        rows = _rows(measurements, reading, coefficients)
        names = list(dict.fromkeys(name for _, estimates in rows for name in estimates))
        if not rows or not names:
            continue
        by = first if first in names else names[0]
        ordered = sorted(rows, key=lambda row: (_value(row[1].get(by)), named(row[0])))
        shown = [[named(cell), _size(each), *(estimated(each.get(n)) for n in names)] for cell, each in ordered[:most]]
        caption = f"{called}: the lowest {coefficients[by]} first; {INTERVALS}"
        align = "<" + ">" * (len(names) + 1)
        section.blocks.append(
            Table(
                ["cell", "n", *map(coefficients.__getitem__, names)],
                shown,
                align,
                caption,
                left_out=len(rows) - len(shown),
            )
        )
    return section


def _rows(measurements: Sequence[Measurement], reading: str, coefficients: Mapping[str, str]) -> list[Row]:
    cells: dict[tuple[tuple[str, Value], ...], Row] = {}
    for m in measurements:
        if m.cell and m.reading == reading and m.metric in coefficients:
            cells.setdefault(tuple(m.cell.items()), (m.cell, {}))[1][m.metric] = m.estimate
    return list(cells.values())


def _value(estimate: Estimate | None) -> float:
    """Undefined ones first."""
    return -2.0 if estimate is None or estimate.value is None else estimate.value


def _size(estimates: Mapping[str, Estimate]) -> str:
    return f"{max(estimate.counted for estimate in estimates.values()):,}"


# Are two raters one and the same: equal files, equal labels throughout, or equal reasons?

MOST_RATERS = 50  # with more of them only pairs that are identical are listed
FILES = RULES["identical_files"]
LABELS = RULES["identical_labels"]
REASONS = RULES["identical_reasons"]
FEWEST = 3  # reasons: fewer may be equal by chance
SOUND = 0.95  # the kappa that is expected of raters who agree very well
SUM_SHOWN = 12
NEXT = "Check where the labels come from; to read another file for a rater: 'source.paths={RATER: FILE, …}'"


def identity_argument(results: ConsistencyResults) -> Argument:
    """Whether raters are identical: full agreement then says nothing of two raters."""
    rules = _rules(results)
    fired = [rule for rule in rules if rule.fired]
    if not fired:
        return Argument(rules)
    names = " and ".join(dict.fromkeys(_called(rule, results) for rule in fired if rule.rule != FILES.name))
    headline = f"Identical raters: the agreement of {names or 'these files'} says nothing about two raters."
    words = Statement(headline, [], NEXT)
    notices = [Reason(_text(rule, results), [rule]) for rule in fired]
    return Argument(rules, {"unknown": words}, notices=notices)


def identical(results: ConsistencyResults) -> list[str]:
    """What is identical, a sentence each, that which says most first."""
    return [_text(rule, results) for rule in _rules(results) if rule.fired]


def _rules(results: ConsistencyResults) -> list[AnswerRule]:
    return [*_files(results), *_labels(results), *_reasons(results)]


def _text(rule: AnswerRule, results: ConsistencyResults) -> str:
    n = round(rule.value or 0.0)
    if rule.rule == FILES.name:
        files = rule.reading
        return f"The files {files} are identical (SHA-256 {_sum(results, files)}): these are not two raters."
    if rule.rule == LABELS.name:
        return f"{_called(rule, results)} are identical: the same label on all {some(n, 'item')} that both labelled."
    raters = _called(rule, results)
    return f"The reasons of {raters} are identical, word for word, on all {some(n, 'item')} where both give one."


def _called(rule: AnswerRule, results: ConsistencyResults) -> str:
    """The raters of a rule in words."""
    names = rule.reading.split(" and ")
    known = all(name in results.settings.raters for name in names)
    return " and ".join(map(results.settings.called, names)) if known else rule.reading


def _sum(results: ConsistencyResults, files: str) -> str:
    return next((one.sha256[:SUM_SHOWN] for one in results.inputs if files.startswith(f"{one.path} and ")), "")


def _files(results: ConsistencyResults) -> Iterator[AnswerRule]:
    """Files of several raters with the same checksum; a path that is read for two raters is one file."""
    known = [(one.path, one.sha256) for one in results.inputs if one.bytes and one.path not in results.truth_files]
    sums = dict.fromkeys(known if results.by_file else ())
    for (path, one), (other, another) in combinations(sums, 2):
        if one == another:
            yield FILES(f"{path} and {other}", 1.0, fired=True)


def _labels(results: ConsistencyResults) -> Iterator[AnswerRule]:
    """Each two raters of enough items: equal on all, where so much agreement is not expected.

    Expected is that of a kappa of SOUND, or of the highest that either has with a third rater. One label throughout is
    no copy.
    """

    from auditfw.formulas.agreement.with_others import pair_counts

    raters = results.settings.raters
    counts = pair_counts(results.overall["all"].everyone)
    enough = (counts.n >= FEWEST_TO_TELL) & (np.arange(len(raters))[:, None] < np.arange(len(raters)))
    equal = enough & (counts.same == counts.n) & ((counts.gave > 0).sum(0) > 1)
    thirds = np.where((counts.n >= FEWEST_TO_TELL) & (counts.same < counts.n), counts.kappa, SOUND)
    highest = np.maximum(np.where(np.isfinite(thirds), thirds, SOUND).max(0), SOUND)
    chosen = counts.chosen(enough if len(raters) <= MOST_RATERS else equal)
    one, other = np.array(chosen, np.intp).reshape(-1, 2).T
    products = (counts.gave[:, one, other] * counts.gave[:, other, one]).sum(0)  # whole numbers
    for (i, j), product in zip(chosen, products.tolist(), strict=True):
        n, same, p = int(counts.n[i, j]), float(counts.same[i, j]), 1.0
        if equal[i, j]:
            chance = product / n**2
            share = chance + max(highest[i], highest[j]) * (1 - chance)
            p = min(1.0, float(share**n) * float(enough.sum()))
        if len(raters) <= MOST_RATERS or p <= results.alpha:
            yield LABELS(f"{raters[i]} and {raters[j]}", same, bound=n, p=p, fired=p <= results.alpha)


def _reasons(results: ConsistencyResults) -> Iterator[AnswerRule]:
    n, same = results.whole.alike["reasons"], results.whole.alike["same"]
    if n:
        names = " and ".join(results.settings.raters)
        equal = n >= FEWEST and same == n
        yield REASONS(names, float(same), bound=n, fired=equal)


# The table `pairs` of a run of many raters: every two of them, which the report shows only the worst of.

TABLE = "pairs"


def pair_table(ratings: Ratings, context: Context, audit: Any) -> Mapping[str, Any]:
    """The table by its name, with quadratic kappa of labels that have an order; none where a report shows all."""
    from auditfw.formulas.agreement.with_others import pair_counts

    size = len(ratings.raters)
    if size < 3 or size * (size - 1) // 2 <= context.limits.max_rows:
        return {}
    counts = pair_counts(ratings)
    i, j = counts.places()
    names = pl.Series(ratings.raters)
    table = context.table(TABLE)
    numbers = {"percent_agreement": counts.percent, "kappa": counts.kappa}
    weighted = pair_kappas(ratings, audit)
    numbers |= {} if weighted is None else {"quadratic_kappa": weighted}
    columns = [names.gather(i).alias("rater"), names.gather(j).alias("other")]
    columns.append(pl.Series("n", counts.n[i, j].astype("i8")))
    columns += [_without_nan(pl.Series(name, each[i, j])) for name, each in numbers.items()]
    table.take(pl.DataFrame(columns))
    return {TABLE: table.close()}


def _without_nan(numbers: pl.Series) -> pl.Series:
    """A column with null for NaN, made by this thread alone."""
    return numbers.set(numbers.is_nan(), None)
