"""Who gives more right answers, under the labels of the reference and under other readings: one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from auditfw.audits.answers import enumerated
from auditfw.audits.orders import RankedValues, ReadOrder, TurnedPair
from auditfw.audits.parsing.conclusions import claims
from auditfw.audits.parsing.conclusions.causes import drawn_of
from auditfw.audits.parsing.conclusions.movements import Movements
from auditfw.audits.parsing.conclusions.tracing import NO_STEP
from auditfw.audits.parsing.exhibits import Answers, answers_of, kept_at, title
from auditfw.audits.parsing.probe import lossy
from auditfw.audits.parsing.questions.label_rows import label_rows
from auditfw.audits.parsing.questions.near_facts import near_facts
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.settings import STORED_LABEL
from auditfw.audits.parsing.table import STORED, word_of
from auditfw.audits.parsing.trials import FlipCause, Trial
from auditfw.core.document import Note, Section, Table, estimated, kept_places, some, verb
from auditfw.core.records import NO_VALUE
from auditfw.core.results.excerpts import around, brief_line, quoted
from auditfw.formulas.clusters import ClusteredRate
from auditfw.formulas.label_counts import wrong_rate

BY = "model"  # the column of by that is shown where there is one of this name
MOST = 7  # rows
OTHERS = 2  # readings beside the reference
NAMED = 3  # further readings that turn a pair
NONE, UNCLEAR = "–", "not clear"
NEAR_MISSES = "near misses"  # how a column of their counts is headed


@dataclass(frozen=True)
class ShownReading:
    """A reading of the table: its name, what its column is called, and the order of the values under it, if any."""

    name: str
    title: str
    ranked: RankedValues | None = None


def who_is_right(results: ParsingResults) -> Section | None:
    """The share of right answers of each value of a column of `by`, the best first; without one of all trials."""
    order = shown_order(results)
    if order is None:
        return _all(results)
    shown = [
        ShownReading(name, title, order.readings.get(name)) for name, title in _readings(results, order.turned_readings)
    ]
    known = [rate for rate in order.reference.rates if rate is not None]
    title = f"Right answers by {order.statement.of}, % ({_sizes(known, results)})"
    places = order.best_first
    kept = kept_places(places, {i for pair in order.turned for i in (pair.better, pair.than)}, MOST)
    rows = [
        [str(order.values[i]), *(NONE if one.ranked is None else _right(one.ranked.rates[i]) for one in shown)]
        for i in kept
    ]
    last = ["better" if len(known) == 2 else "may be first", *(_first(order, one.ranked) for one in shown)]
    near = _near_misses(results, [order.values[i] for i in kept], results.context.by.index(order.statement.of))
    table = [[order.statement.of, *(one.title for one in shown)], *rows, last]
    columns, *rows = [[*row, *(column[i] for column in near)] for i, row in enumerate(table)]
    notes = [
        Note(text)
        for text in (_left_out(len(places) - len(kept)), _turned(order, shown, lossy.deciding(results)))
        if text
    ]
    return Section(title, [Table(columns, rows, "<" * len(columns)), *notes], screen="who")


def shown_order(results: ParsingResults) -> ReadOrder | None:
    """The order that is shown: by `report.who`, else of models, else of the column with most pairs that differ."""
    read = results.of(claims.ask)
    orders = [] if read is None else [one for one in read.orders.orders if one.statement.metric == claims.CLAIMED[0]]
    named = [one for one in orders if one.statement.of == (results.context.limits.who or BY)]
    return max(named or orders, key=lambda one: one.reference.ranked.count(), default=None)


def _readings(results: ParsingResults, turning: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The reference, then of those that decide on most trials the ones that turn a pair, the highest and the lowest."""
    yield results.reference, "your labels" if results.reference == STORED_LABEL else results.reference
    full = results.of(Movements).full
    by_moved = sorted(full, key=lambda one: (one.moved, one.name))
    ends = [one.name for one in (*by_moved[-1:], *by_moved[:1]) if one.shift.changed]
    wanted = [*(name for name in turning if any(one.name == name for one in full)), *ends]
    for name in list(dict.fromkeys(wanted))[:OTHERS]:
        yield name, _merged(results, name)


def _merged(results: ParsingResults, name: str) -> str:
    """A reading, with how many others give the same labels throughout."""
    same = results.of(lossy.alike)
    others = [one for one in results.candidates if same[one] == same[name]]
    if len(others) < 2:
        return name
    heads, tails = zip(*(one.partition("+")[::2] for one in others), strict=True)
    return f"{heads[0]} ({', '.join(tails)})" if len({*heads}) == 1 and len(others) < 4 else f"{name} and equal ones"


def _left_out(n: int) -> str:
    return f"({n:,} more)" if n else ""


def _sizes(rates: Sequence[ClusteredRate], results: ParsingResults) -> str:
    """How many answers each value has, those that are audited where not all are, and to how many items."""
    trials, sizes = [rate.trials for rate in rates], [rate.items for rate in rates]
    text = _range(trials, "answer" if results.counts["audited"] == results.counts["read"] else "audited answer")
    return f"{text} each" if results.crossed is None else f"{text} to {_range(sizes, 'item')} each"


def _range(numbers: Sequence[int], noun: str) -> str:
    least, most = min(numbers), max(numbers)
    return some(most, noun) if least == most else f"{least:,} to {some(most, noun)}"


def _cell(read: RankedValues | None, i: int) -> str:
    return NONE if read is None else _right(read.rates[i])


def _right(rate: ClusteredRate | None) -> str:
    if rate is None:
        return NONE
    return estimated(100 * (1 - rate.share), 100 * (1 - rate.high), 100 * (1 - rate.low))


def _first(order: ReadOrder, read: RankedValues | None) -> str:
    """Which of two values is better, or how many of several may be the first, under a reading."""
    if read is None:
        return NONE
    present = [i for i, rate in enumerate(read.rates) if rate is not None]
    if len(present) == 2:
        better = [i for i in present if any(read.ranked.better[i])]
        return str(order.values[better[0]]) if better else UNCLEAR
    firsts = sum(rank is not None and rank[0] == 1 for rank in read.ranked.ranks)
    return f"{firsts} of {len(present)}"


def _turned(order: ReadOrder, shown: Sequence[ShownReading], deciding: Sequence[str]) -> str:
    """Who is ahead of two where that is not clear, and what the readings that decide and are not shown turn, too."""
    texts, names = [], {one.name for one in shown}
    unclear = [one for one in shown if len(order.values) == 2 and _first(order, one.ranked) == UNCLEAR]
    ahead = {pair.than for pair in order.turned if pair.reading in {one.name for one in unclear}}
    if ahead:
        turned = [one.name for one in unclear if order.turned_under(one.name)]
        under = "" if len(turned) == len(unclear) else f" under {enumerated(turned)}"
        texts.append(f"{UNCLEAR}: {order.values[ahead.pop()]} ahead{under}")
    further = [name for name in order.turned_readings if name in {*deciding} - names]
    if further:
        pairs = sum(len(order.turned_under(name)) for name in further)
        what = "the order" if len(order.values) == 2 else some(pairs, "pair")
        texts.append(f"{enumerated(further, NAMED)} {verb(len(further), 'reverses', 'reverse')} {what}, too")
    return "; ".join(texts)


def _all(results: ParsingResults) -> Section | None:
    """The share of right answers of all trials under each reading."""
    if not results.reference_labels.counted:
        return None
    known = {results.reference: results.reference_labels} | {n: s.data for n, s in results.overall.items()}
    shown = [(name, title) for name, title in _readings(results, ()) if known[name].counted]
    rates = [wrong_rate(known[name]) for name, _ in shown]
    if not rates:
        return None
    title = f"Right answers, % ({_sizes(rates[:1], results).removesuffix(' each')})"
    numbers = zip((title for _, title in shown), map(_right, rates), strict=True)
    head, row = zip(("answers", "all"), *numbers, *_near_misses(results), strict=True)
    return Section(title, [Table(head, [row], "<" * len(head))], screen="who")


def _near_misses(results: ParsingResults, values: Sequence[object] = (), at: int | None = None) -> list[list[str]]:
    """A column of how many near misses each of these values of a column of `by` has, of all trials without a place.

    It is a title and a cell for each row; there is no column where the run has none.
    """
    misses = results.of(label_rows).of(near_facts).misses
    if not misses:
        return []
    if at is None:
        return [[NEAR_MISSES, f"{len(misses):,}"]]
    times = Counter(NO_VALUE if (value := one.trial.cell[at]) is None else str(value) for one in misses)
    return [[NEAR_MISSES, *(f"{times[str(value)]:,}" for value in values), ""]]


# The reading that the answer is about, its changed labels by their main cause, and what holds without the largest.

Flip = tuple[Trial, FlipCause]


@dataclass(frozen=True)
class LedReading:
    """A reading that decides, how many labels it changes, those that were drawn, and the largest group of one cause.

    `turned` is the pair that it turns first, in the order of a column of `by`; None where it turns none.
    """

    name: str
    changed: int
    drawn: Sequence[Flip]
    cause: str
    group: Sequence[Flip]
    turned: tuple[ReadOrder, TurnedPair] | None = None

    @property
    def whole(self) -> bool:
        """Whether all of its changed labels were drawn."""
        return len(self.drawn) == self.changed


def leading(results: ParsingResults) -> LedReading | None:
    """The reading that turns a pair, else the one that moves the error rate most surely, else most labels."""
    turned = _turned_by_cause(results)
    movements = results.of(Movements)
    moving = [one for one, _ in movements.moving()]
    most = sorted(movements.full or movements.whole, key=lambda one: (-one.shift.changed, one.name))
    name = turned[1].reading if turned else next((one.name for one in (*moving, *most)), None)
    if name is None:
        return None
    labels, drawn = results.overall[name].data, drawn_of(results, name)
    cause, group = _largest(drawn)
    return LedReading(name, labels.to_true + labels.to_false, drawn, cause, group, turned)


def _turned_by_cause(results: ParsingResults) -> tuple[ReadOrder, TurnedPair] | None:
    """The first pair that a reading turns which decides."""
    read, deciding = results.of(claims.ask), lossy.deciding(results)
    orders = [] if read is None else read.orders.orders
    return next(((one, pair) for one in orders for name in deciding for pair in one.turned_under(name)), None)


def _largest(drawn: Sequence[Flip]) -> tuple[str, Sequence[Flip]]:
    """The cause of most changed labels: a step, or where the reference reads another text what stands in it."""
    counts: Counter[str] = Counter(name for _, cause in drawn for name in _names(cause))
    if not counts:
        return "", []
    name = min(counts, key=lambda one: (-counts[one], one))
    return name, [(trial, cause) for trial, cause in drawn if name in _names(cause)]


def _names(cause: FlipCause) -> Sequence[str]:
    return cause.signs if cause.step == NO_STEP else [f"step {cause.step}"]


def what_would_change(results: ParsingResults) -> str:
    """What the answer would be without the largest group of changed labels; "" where that is no other."""
    led = results.of(leading)
    if led is None or not led.whole or not 0 < len(led.group) < led.changed:
        return ""
    without = f"Without {some(len(led.group), 'label')} by {led.cause}"
    if led.turned is not None:
        order, pair = led.turned
        better, than = order.values[pair.better], order.values[pair.than]
        lead = _lead_without(order, pair, led, results)
        return f"{without} {better} would stay ahead of {than}." if lead > 0 else ""
    moved = [rule for one, rule in results.of(Movements).moves if one.name == led.name and rule.fired]
    labels = results.overall[led.name].data
    back = sum(1 if cause.right else -1 for _, cause in led.group)
    points = 100 * (labels.to_false - labels.to_true + back) / labels.paired
    holds = bool(moved) and abs(points) < results.settings.margin
    return f"{without} the error rate would move by less than {results.settings.margin:g} pp." if holds else ""


def _lead_without(order: ReadOrder, pair: TurnedPair, led: LedReading, results: ParsingResults) -> float:
    """By how much the first of a pair would be ahead under its reading, as a share, without the group."""
    at, rates = results.context.by.index(order.statement.of), order.readings[pair.reading].rates
    wrong: list[float] = []
    for value in (pair.better, pair.than):
        rate, name = rates[value], order.values[value]
        if rate is None:
            return 0.0
        back = sum(1 if cause.right else -1 for trial, cause in led.group if str(trial.cell[at]) == str(name))
        wrong.append(rate.share + back / rate.trials)
    return wrong[1] - wrong[0]


# One changed label of the reading that the answer is about, verbatim, with what each side compared.

LONG = 300  # characters of a text that is shown rather than a longer one
ID = 12  # characters of an id that says something to people


def example(results: ParsingResults) -> Section | None:
    """A changed label of the main cause, the first drawn whose text is short; None where no label changes."""
    led = results.of(leading)
    if led is None or not led.drawn or not results.context.limits.max_examples:
        return None
    drawn = [trial for trial, _ in led.group or led.drawn]
    trial = next((one for one in drawn if one.size <= LONG), min(drawn, key=lambda one: one.size))
    head = f"One of {led.changed:,} changed labels of {led.name}" if led.changed > 1 else f"What {led.name} changes"
    if led.cause and len(led.group) > 1:
        of = "them" if led.whole else f"{len(led.drawn):,} drawn"
        head += f", like {len(led.group):,} of {of}: {led.cause}"
    return Section(head, [Note(text) for text in _lines(results, led, trial)], screen="example")


def _lines(results: ParsingResults, led: LedReading, trial: Trial) -> list[str]:
    plan, [answers] = results.plan, answers_of(results.plan, results.settings.signs, [trial])
    number = results.names.index(led.name)
    parser, _ = plan.place(number, trial.value)
    kept = answers[parser]
    text = trial.raw if trial.raw is not None else trial.parsed or ""
    at = kept_at(plan.parsers[parser].part, text, kept) if kept else -1
    name = f"{trial.id}: " if trial.item and len(trial.id) <= ID else ""
    return [
        f"{name}{title(trial)}, expected: {brief_line(' | '.join(trial.truths))}",
        around(text, at, len(kept or "")),
        _sides(results, led.name, trial, answers),
    ]


def _sides(results: ParsingResults, name: str, trial: Trial, answers: Answers) -> str:
    """The label of each side with the text that it compared; of stored labels without a known rule the stored text."""
    number, reproduced = results.names.index(name), results.reproduced
    own, rule = results.reference, results.numbers[0]
    if own == STORED_LABEL:
        known = reproduced is not None and not reproduced.to_true + reproduced.to_false
        own, rule = "your label", results.numbers[1] if known and results.numbers[1] is not None else STORED
    before, after = (word_of(trial.codes[place + 1]) for place in (results.numbers[0], number))
    theirs = _compared(results, number, trial, answers)
    first = trial.parsed and quoted(trial.parsed) if rule == STORED else _compared(results, rule, trial, answers)
    if first == theirs:
        return f"{own}: {before}; {name}: {after}; both compare {theirs}"
    return f"{own}: {before}{'' if first is None else f', it compares {first}'}; {name}: {after}, {theirs}"


def _compared(results: ParsingResults, number: int, trial: Trial, answers: Answers) -> str:
    """What a reading compares with the truth: what its parser kept, as its normalizer writes it."""
    parser, normalizer = results.plan.place(number, trial.value)
    return quoted(results.plan.normalizers[normalizer].part(answers[parser] or ""))
