"""Which other truths an answer is held against, and which constant answers are tried: of a cell's items in their order.

Truths are the same where they are read alike: in any case, with any white space, as the same number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, islice

from auditfw.audits.parsing.engine.reference import Truth, alternatives
from auditfw.audits.parsing.trials import as_text
from auditfw.core.records import Value

from .draw import ProbedTrial

Cell = tuple[Value, ...]
MOST_OPTIONS = 26
REPEATED = 3  # items for each truth of a cell, at least, where its truths are options
ENOUGH = 5  # items, at least, before a truth is called frequent
JOINED = 100  # truths that are joined into one answer, at most
EMPTY, YES_NO, REFUSAL, QUESTION = "empty text", "yes no", "a refusal", "the question"
FREQUENT, OPTIONS, TRUTHS = "the most frequent truth", "all options", "all truths"
REFUSED = "I'm sorry, but I can't help with that."


@dataclass(frozen=True)
class CellItems:
    """A cell's items in the order of the draw, each with the truth of its first trial."""

    truths: Mapping[str, Truth]

    def partners(self) -> dict[str, tuple[Truth | None, Truth | None]]:
        """For each item the truth of the next one, and the next different one; the first follows the last."""
        names, truths = list(self.truths), list(self.truths.values())
        n = len(names)
        different: list[int | None] = [None] * n
        for i in range(2 * n - 1, -1, -1):  # twice around: what follows the last is known the second time
            own, following = i % n, (i + 1) % n
            different[own] = following if unlike(truths[own], truths[following]) else different[following]
        others = [None if at is None else truths[at] for at in different]
        return {
            # alternatives may overlap in a chain, and the last be like the first after all
            name: (truths[(i + 1) % n] if n > 1 else None, other if other and unlike(truths[i], other) else None)
            for i, (name, other) in enumerate(zip(names, others, strict=True))
        }

    def different(self, item: str, truth: Truth) -> Truth | None:
        """The next truth after an item's that differs from this one: for a trial whose truth is not its item's."""
        truths, after = self._listed, self._places[item] + 1
        following = chain(islice(truths, after, None), islice(truths, after))
        return next((other for other in following if unlike(truth, other)), None)

    @cached_property
    def _listed(self) -> list[Truth]:
        return list(self.truths.values())

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.truths)}

    @property
    def distinct(self) -> list[str]:
        """The distinct truths as texts, the alternatives of a truth each, in the order of the draw."""
        first: dict[str, str] = {}
        for truth in self.truths.values():
            for text in alternatives(truth):
                first.setdefault(form(text), text)
        return list(first.values())

    @cached_property
    def options(self) -> list[str]:
        """The truths, where they are few and come again and again: then they are options."""
        distinct = self.distinct
        repeated = len(distinct) <= MOST_OPTIONS and len(self.truths) >= REPEATED * len(distinct) > REPEATED
        return sorted(distinct) if repeated else []


@lru_cache(maxsize=65_536)
def form(text: str) -> str:
    """What equal truths have in common: the number they are, or their words."""
    plain = " ".join(text.casefold().split())
    try:
        return repr(float(plain.replace(",", "")))
    except ValueError:
        return plain


@lru_cache(maxsize=65_536)
def forms(truth: Truth) -> frozenset[str]:
    """The forms of all texts of a truth."""
    return frozenset(map(form, alternatives(truth)))


def unlike(one: Truth, other: Truth) -> bool:
    """Whether two truths have no text in common."""
    return one != other and forms(one).isdisjoint(forms(other))


def by_cell(trials: Sequence[ProbedTrial]) -> dict[Cell, CellItems]:
    """The items of each cell; trials come in the order of the draw."""
    truths: dict[Cell, dict[str, Truth]] = {}
    for trial in trials:
        truths.setdefault(trial.cell, {}).setdefault(trial.item, trial.truth)
    return {cell: CellItems(of) for cell, of in truths.items()}


def most_frequent(cells: Sequence[Hashable], truths: Sequence[Hashable]) -> float | None:
    """The largest share of trials that one truth a cell can have, of trials with these cells and forms of truths."""
    if not truths:
        return None
    most: dict[Hashable, int] = {}
    for (cell, _), n in Counter(zip(cells, truths, strict=True)).items():
        most[cell] = max(n, most.get(cell, 0))
    return sum(most.values()) / len(truths)


def constants(trials: Sequence[ProbedTrial], cells: Mapping[Cell, CellItems]) -> dict[str, list[str | None]]:
    """The constant answers by name: for each trial its text; None where there is none."""
    texts = {cell: _of_cell(items) for cell, items in cells.items()}
    answers: dict[str, list[str | None]] = {
        name: [text] * len(trials) for name, text in ((EMPTY, ""), (YES_NO, YES_NO), (REFUSAL, REFUSED))
    }
    answers[QUESTION] = [None if trial.asked[0] is None else as_text(trial.asked[0]) for trial in trials]
    answers[FREQUENT] = [frequent(trials)] * len(trials)
    answers[OPTIONS] = [_listed(trial.asked[1]) or texts[trial.cell][0] for trial in trials]
    answers[TRUTHS] = [texts[trial.cell][1].get(trial.item) for trial in trials]
    return {name: column for name, column in answers.items() if any(text is not None for text in column)}


def frequent(trials: Sequence[ProbedTrial]) -> str | None:
    """The truth that most of the trials have, of equally frequent ones the first; None of too few items."""
    if len({trial.key for trial in trials}) < ENOUGH:
        return None
    first = [alternatives(trial.truth)[0] for trial in trials]
    times = Counter(map(form, first))
    return max(first, key=lambda text: times[form(text)])


def _of_cell(items: CellItems) -> tuple[str | None, dict[str, str]]:
    """A cell's options joined, and for the items whose truths are among them some truths joined."""
    first = {name: alternatives(truth)[0] for name, truth in items.truths.items()}
    names = list(first)[:JOINED]
    joined = ", ".join(dict.fromkeys(first[name] for name in names))
    return ", ".join(items.options) or None, dict.fromkeys(names, joined)


def offered(trial: ProbedTrial, cells: Mapping[Cell, CellItems]) -> list[str]:
    """The options of a trial: its own, where the truth is one of them, else those of its cell."""
    options = trial.asked[1]
    own = [as_text(one) for one in options] if isinstance(options, list | tuple) else []
    return cells[trial.cell].options if set(own).isdisjoint(alternatives(trial.truth)) else own


def _listed(options: object) -> str | None:
    """The options of a question as one text, a line each."""
    if isinstance(options, dict):
        options = [f"{name}. {as_text(text)}" for name, text in options.items()]
    if isinstance(options, list | tuple):
        return "\n".join(map(as_text, options)) or None
    return None if options is None or options == "" else as_text(options)
