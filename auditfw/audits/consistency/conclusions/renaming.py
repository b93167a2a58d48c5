"""Labels that two raters mean otherwise: how that is written, one spelling of several, what only one rater uses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from unicodedata import is_normalized, normalize

from auditfw.audits.answers import named
from auditfw.audits.consistency.results import ConsistencyResults
from auditfw.audits.consistency.settings import ConsistencySettings
from auditfw.core.digits import fixed
from auditfw.core.document import some
from auditfw.core.escaping import quoted, typed, visible
from auditfw.core.records import Value
from auditfw.formulas.agreement import Interval, Pair, scorer
from auditfw.formulas.judges.over_raters import POOR, adjusted, items_to_tell, power
from auditfw.formulas.rows.exact import tails
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Sample

from .bounds import Bound, BoundedNumber, ByError
from .coefficient import KAPPA

LEAST_GAIN = 0.05  # of the items
MOST_LABELS = 150


def _as_number(label: str) -> str:
    try:
        return repr(float(label))
    except ValueError:
        return label


ALIKE: Mapping[str, Callable[[str], str]] = {  # in what alone labels differ, and what takes that away
    "by how numbers are written": _as_number,
    "by Unicode form": partial(normalize, "NFC"),
    "by hidden characters": lambda label: "".join(c for c in label if visible(c) == c and c not in "\ufe0e\ufe0f"),
    "by blanks": lambda label: "".join(label.split()),
    "by case": str.casefold,
    "by case and blanks": lambda label: "".join(label.split()).casefold(),
}
MARK = '"'
_KEY = re.compile(r"(?!(?:null|true|false|nan|inf)\Z)[A-Za-z_][A-Za-z0-9_]*|0|-?[1-9][0-9]*", re.IGNORECASE | re.ASCII)
_BLANK = re.compile(r"[^\S \t\n\r]|[\ufe0e\ufe0f]")  # a blank that looks like the usual one, or how an emoji is drawn


@dataclass(frozen=True)
class Renaming:
    """Labels of a candidate, or of `raters`, that stand for others of the reference, of all items or of a cell.

    `before` is the share of items that agree as labels are, `after` the share once they are read so.
    """

    reading: str
    cell: Mapping[str, Value]
    moved: Mapping[str, str]
    n: int
    before: float
    after: float
    p: float
    raters: tuple[str, ...] = ()

    @property
    def gained(self) -> float:
        """How many items more agree."""
        return self.n * (self.after - self.before)

    @property
    def kind(self) -> str:
        """What the difference looks like."""
        for kind, plain in ALIKE.items():
            if all(plain(one) == plain(other) for one, other in self.moved.items()):
                return kind
        steps = _steps(self.moved)
        return f"by a shift of {steps.pop():+g}" if len(steps) == 1 else "by a renaming"

    @property
    def arrows(self) -> str:
        return ", ".join(f"{distinct(one)}→{distinct(other)}" for one, other in self.moved.items())

    @property
    def aliases(self) -> str:
        """What to type to have the labels read so; of names that nobody can type, what to put into a file."""
        moved, raters = self.moved.items(), self.raters or (self.reading,)
        if not all(map(_KEY.fullmatch, raters)) or any(visible(text) != text for pair in moved for text in pair):
            yaml = json.dumps({"aliases": {rater: dict(self.moved) for rater in raters}}, ensure_ascii=False)
            escaped = "".join(c if visible(c) == c else f"\\U{ord(c):08x}" for c in yaml)
            return f"in an experiment file, below `# @package _global_`: audit: {escaped}"
        if all(_KEY.fullmatch(one) for one, _ in moved):
            listed = "{" + ", ".join(f"{one}: {_value(other)}" for one, other in moved) + "}"
        else:
            listed = "[" + ", ".join(f"[{quoted(one, MARK)}, {quoted(other, MARK)}]" for one, other in moved) + "]"
        return typed("audit.aliases={" + ", ".join(f"{rater}: {listed}" for rater in raters) + "}")


def distinct(label: str) -> str:
    """A label as text in which blanks at its ends, and another Unicode form than the usual one, can be seen."""
    shown = _BLANK.sub(lambda blank: f"<U+{ord(blank[0]):04X}>", label)
    shown = f"'{shown}'" if shown != " ".join(shown.split()) else shown
    if is_normalized("NFC", label):
        return shown
    return f"{shown} ({'NFD' if is_normalized('NFD', label) else 'not NFC'})"


def spellings(settings: ConsistencySettings, results: ConsistencyResults) -> list[Renaming]:
    """One spelling in place of several that differ in nothing else, where that agrees more: of all items, or cells.

    A cell's is left out where all items have the same. The test: of the items that differ, how many differ in spelling
    alone, against how many would by chance, for as many pairs as there are.
    """
    pairs = [
        (s, pair) for s in results.samples if s.reading.role == "candidate" and (pair := s.data.pair()) is not None
    ]
    kept: list[Renaming] = []
    for sample, pair in pairs:
        one = _one_spelling(sample, pair, results)
        known = any(not k.cell and one and (k.reading, k.moved) == (one.reading, one.moved) for k in kept)
        if one is not None and one.p <= settings.alpha / len(pairs) and not known:
            kept.append(one)
    return kept


def to_rename(one: Renaming, settings: ConsistencySettings) -> str:
    """What to type to have labels read as a renaming reads them."""
    if not one.cell:
        return f"Map these labels: {one.aliases}"
    if capability(settings.source, "where", "") == "":
        return f"Fix the labels where {named(one.cell)}; to map them everywhere: {one.aliases}"
    condition = " AND ".join(f"{name} {_equal(value)}" for name, value in one.cell.items())
    alone = f"{typed(f'source.where={quoted(condition, MARK)}')} {one.aliases}"
    return f"Fix the labels where {named(one.cell)}; to see that cell alone: {alone}"


def in_words(one: Renaming, rater: str, reference: str) -> tuple[str, str]:
    """A renaming as a headline, and as a sentence with the number of items."""
    before, after = _percents(one)
    differ = f"Labels of {rater} and {reference} differ {one.kind}{_where(one)}"
    return f"{differ}: they agree on {before}, read as {one.arrows} on {after}.", (
        f"{differ}: read as {one.arrows}, agreement of {some(one.n, 'item')} rises from {before} to {after}."
    )


def _percents(one: Renaming) -> tuple[str, str]:
    return f"{fixed(100 * one.before, 1)} %", f"{fixed(100 * one.after, 1)} %"


def _where(one: Renaming) -> str:
    return f" where {named(one.cell)}" if one.cell else ""


def _one_spelling(sample: Sample, pair: Pair, results: ConsistencyResults) -> Renaming | None:
    """The most frequent spelling in place of labels that differ in nothing else; None where it gains little.

    The test: of the items that differ, how many differ in spelling alone, against how many would by chance.
    """
    if len(pair.labels) > MOST_LABELS:
        return None
    spelt = [one for plain in ALIKE.values() if (one := _spelt(sample, pair, results, plain)) is not None]
    return max(spelt, key=lambda one: one.after, default=None)


def _spelt(sample: Sample, pair: Pair, results: ConsistencyResults, plain: Callable[[str], str]) -> Renaming | None:
    """The same for one way in which spellings differ."""
    labels, rows, columns = pair.labels, pair.rows, pair.columns
    usual: dict[str, int] = {}
    for i in sorted(range(len(labels)), key=lambda i: -rows[i] - columns[i]):
        usual.setdefault(plain(labels[i]), i)
    if len(usual) == len(labels):
        return None
    to = {i: usual[plain(label)] for i, label in enumerate(labels)}
    alike = [(i, j) for i in to for j in to if i != j and to[i] == to[j]]
    gained = sum(pair.table[i][j] for i, j in alike)
    moved = {i: j for i, j in to.items() if i != j and rows[i] + columns[i]}
    if not gained or gained < LEAST_GAIN * pair.n or not _raises(pair, moved, both=True):
        return None
    by_chance = pair.n**2 - sum(r * c for r, c in zip(rows, columns, strict=True))
    share = sum(rows[i] * columns[j] for i, j in alike) / by_chance
    p = min(1.0, len(ALIKE) * tails(gained, pair.n - pair.agreed, share)[1])
    own = {sample.reading.name: rows, results.settings.reference: columns}
    raters = tuple(rater for rater, counts in own.items() if any(counts[i] for i in moved))
    names = {labels[i]: labels[j] for i, j in moved.items()}
    before, after = pair.agreed / pair.n, (pair.agreed + gained) / pair.n
    return Renaming(sample.reading.name, sample.cell, names, pair.n, before, after, p, raters)


def _raises(pair: Pair, moved: Mapping[int, int], both: bool = False) -> bool:
    """Whether kappa is higher with the labels of the rows, or of both raters, renamed."""
    table = [[0] * len(pair.labels) for _ in pair.labels]
    for i, row in enumerate(pair.table):
        for j, n in enumerate(row):
            table[moved.get(i, i)][moved.get(j, j) if both else j] += n
    before, after = scorer.kappa(pair.table), scorer.kappa(table)
    return after is not None and (before is None or after > before)


def _steps(moved: Mapping[str, str]) -> set[float]:
    """By how much each label is moved, where all are numbers; else nothing."""
    try:
        return {float(other) - float(one) for one, other in moved.items()}
    except ValueError:
        return set()


def one_sided(settings: ConsistencySettings, results: ConsistencyResults) -> list[str]:
    """Which labels one rater alone gives, where these are no abstentions and not rare."""
    parts, called = [], results.settings.called
    several = sum(not s.cell and s.reading.role == "candidate" for s in results.samples) > 1
    for sample in results.samples:
        pair = None if sample.cell or sample.reading.role != "candidate" else sample.data.pair()
        only = f"Of {called(sample.reading.name)} and {called(results.settings.reference)} only" if several else "Only"
        for rater, own, others in _sides(sample, pair, results.settings.reference) if pair is not None else ():
            rare = settings.rare * sum(own)
            mine = [
                f"'{label}' × {n:,}"
                for label, n, m in zip(pair.labels if pair else (), own, others, strict=True)
                if n and not m and n >= rare and label not in results.settings.abstain
            ]
            parts += [f"{only} {called(rater)} uses {', '.join(mine)}"] if mine else []
    return parts


def _sides(sample: Sample, pair: Pair, reference: str) -> Iterator[tuple[str, Sequence[int], Sequence[int]]]:
    yield sample.reading.name, pair.rows, pair.columns
    yield reference, pair.columns, pair.rows


def _value(label: str) -> str:
    plain = label.isidentifier() and label.casefold() not in ("true", "false", "null", "yes", "no")
    return label if plain and label.isascii() else quoted(label, MARK)


def _equal(value: Value) -> str:
    if value is None:
        return "IS NULL"
    if isinstance(value, bool | int | float):
        return f"= {str(value).lower()}"
    return "= '" + str(value).replace("'", "''") + "'"


# Many raters are held against one: what is missed once that is adjusted, and what few items cannot tell.

RATERS = ("candidate", "reference")


def over_raters(numbers: Sequence[BoundedNumber], alpha: float) -> list[BoundedNumber]:
    """The numbers of one bound: those of several raters with their p adjusted, those of too few items left out.

    Nothing is left out where all are of too few items.
    """
    raters = [n for n in numbers if n.sample.reading.role in RATERS]
    if len(raters) < 2:
        return list(numbers)
    enough = [n for n in raters if not n.few]
    others = [n for n in numbers if n.sample.reading.role not in RATERS]
    if len(enough) < 2:
        return [*(enough or raters), *others]
    chances = [_chances(number) for number in enough]
    values = adjusted([p for p, _ in chances], [least for _, least in chances], alpha)
    pairs = zip(enough, values, strict=True)
    return [*(replace(n, p=p, sure=p is not None and p <= alpha) for n, p in pairs), *others]


def by_chance(pairs: Sequence[tuple[Sample, Pair]], asked: Bound, alpha: float) -> dict[str, float | None]:
    """Of each rater of enough items how likely its kappa is so low if it is what is asked, adjusted over them."""
    tested = {sample.reading.name: asked.chances(sample) for sample, _ in pairs}
    known = {name: one for name, one in tested.items() if one is not None}
    values = adjusted([one.missed for one in known.values()], [one.least for one in known.values()], alpha)
    return dict(zip(known, values, strict=True))


def untold(pairs: Sequence[Pair], bound: Bound, alpha: float) -> str:
    """What so few items cannot tell of one of many raters, in a sentence; "" where there is but one, or none."""
    pairs = [pair for pair in pairs if pair.n]
    if len(pairs) < 2 or bound.kind != KAPPA or not POOR < bound.low <= 1.0:
        return ""
    n, chance = (sorted(values)[len(pairs) // 2] for values in ([p.n for p in pairs], [p.chance for p in pairs]))
    n = int(n)
    share, enough = power(n, len(pairs), bound.low, chance, alpha), items_to_tell(len(pairs), bound.low, chance)
    text = f"Adjusted for {some(len(pairs), 'rater')} (Holm): of a median of {some(n, 'item')}, one with a kappa of "
    text += f"{POOR:g} shows in about {fixed(100 * share, 0)} % of such tables"
    return text if enough is None or enough <= n else f"{text}, from about {some(enough, 'item')} on in 90 %"


def _chances(number: BoundedNumber) -> tuple[float, float]:
    """How likely a number misses its bound so far by chance, and how small that could be.

    Where there is no exact tail it is that of the large-sample error, as its interval has it.
    """
    tested = number.bound.chances(number.sample)
    if tested is not None:
        return tested.missed, tested.least
    low, high = number.size
    if number.estimate.value is None or low == -inf or high == inf:
        return 1.0, 1.0
    from auditfw.formulas.agreement.intervals import normal

    how = getattr(number.bound.metric, "interval", Interval())
    half = (high - number.estimate.value) if number.bound.side == "below" else (number.estimate.value - low)
    if half <= 0:
        return float(number.shortfall <= 0), 0.0
    by_error = ByError(number.estimate, normal(how.confidence) * number.shortfall / half)
    return by_error.missed, by_error.least
