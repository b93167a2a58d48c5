"""Do the readings fit? Which of them find no answer, or another kind of thing, where others find answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from auditfw.audits.answers import RULES, Argument
from auditfw.audits.parsing.engine.default_readings import are_default
from auditfw.audits.parsing.engine.plan import FALSE, TRUE, UNDEFINED
from auditfw.audits.parsing.engine.reference import alternatives
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.table import CELL, STORED
from auditfw.audits.parsing.trials import MODELS
from auditfw.core.document import some
from auditfw.core.statistics import wilson
from auditfw.formulas.texts.truth_kinds import NAMES, kind_of
from auditfw.kinds.capabilities import capability
from auditfw.kinds.text import Parser

from .draw import ProbedTrial

LEAST, FEW = 20, 5  # texts that must be there, and right answers that show what can be right
NOTHING_FOUND, SHOWN, HALF, OTHER_KIND = 0.05, 0.05, 0.5, 0.9  # shares
FINDS = (FALSE, TRUE, UNDEFINED)  # label codes of a trial in which a parser finds something
NOTHING = "this text holds nothing"
UNFIT = "unfit"
NOT_FITTING = RULES["unfit"]


@dataclass(frozen=True)
class UnfitReading:
    """A reading that does not fit: how many answers it finds in how many texts, why, and whether the tool chose it."""

    reading: str
    answers: int
    texts: int
    why: str
    chosen: bool

    @property
    def sentence(self) -> str:
        return f"{self.reading} {self.why}: left out."


def is_selective(parser: Parser) -> bool:
    """Whether a parser finds nothing in a text that holds no answer; one that fails there does not say so."""
    try:
        return not parser(NOTHING)
    except Exception:
        return False


def ask(results: ParsingResults) -> Mapping[str, UnfitReading]:
    """The readings that do not fit, by name: not the reference, nor those that audit.decides names."""
    fit = _Fit(results)
    if fit.n < LEAST:
        return {}
    named = results.settings.decides or ()
    names = [name for name in results.candidates if name not in (*named, results.reference)]
    reasons = {name: reason for name in names if (reason := fit.reason(name)) is not None}
    return {name: UnfitReading(name, fit.count(name), fit.n, why, tool) for name, (why, tool) in reasons.items()}


def unfit_argument(unfit: Mapping[str, UnfitReading]) -> Argument:
    """The rules on readings that do not fit, and a line on those that the user chose."""
    rules = [NOT_FITTING(one.reading, float(one.answers), fired=True) for one in unfit.values()]
    return Argument(rules, scope=[one.sentence[:-1] for one in unfit.values() if not one.chosen])


class _Fit:
    """What the readings find and call right, by the patterns of label codes; those of a model are in its cells."""

    def __init__(self, results: ParsingResults) -> None:
        self.results = results
        self.plan = results.plan
        columns = [STORED, *range(len(results.names))]
        self._rows = results.table.times(CELL, *map(str, columns)) if results.table.trials else []
        self._places = {number: place for place, number in enumerate(columns, 1)}
        self.numbers = {name: number for number, name in enumerate(results.names)}
        self.selective = {name: self._is_selective(number) for name, number in self.numbers.items()}
        whole = [number for name, number in self.numbers.items() if not self.selective[name] and self._of_text(number)]
        self._rows = [row for row in self._rows if not whole or any(self._finds(row, number) for number in whole)]
        self.n = self._count(lambda row: True)

    def count(self, name: str) -> int:
        """In how many texts a reading finds an answer."""
        return self._count(lambda row: self._finds(row, self.numbers[name]))

    def reason(self, name: str) -> tuple[str, bool] | None:
        """Why a reading does not fit, and whether that is so only because the tool chose it; None where it fits."""
        number, answers = self.numbers[name], self.count(name)
        others = [other for other in (STORED, *self.numbers.values()) if other != number]
        seen = any(self._shows(other) for other in others)
        tool = self._by_tool(name)
        if wilson(answers, self.n)[1] < NOTHING_FOUND and (seen or self._others_find(name)):
            return f"finds no answer in {self.n - answers:,} of {some(self.n, 'text')}", tool
        if seen and not self._right(number) and (kinds := self._other_kind(number)):
            return f"calls no answer right: it finds {kinds[0]} where the truths are {kinds[1]}", tool
        if tool and (less := self._finds_less(name)):
            return f"finds an answer in {less[0]:,} of {some(less[1], 'text')} that hold one", tool
        return None

    def _count(self, test: Callable[[tuple[int, ...]], bool]) -> int:
        return sum(row[-1] for row in self._rows if test(row))

    def _finds(self, row: tuple[int, ...], number: int) -> bool:
        return row[self._places[number]] in FINDS

    def _right(self, number: int) -> int:
        return self._count(lambda row: row[self._places[number]] == TRUE)

    def _shows(self, number: int) -> bool:
        """Whether a reading, or the stored labels, call so many answers right that it is no chance."""
        right = self._right(number)
        return right >= FEW and wilson(right, self.n)[0] > SHOWN

    def _part(self, number: int) -> Parser:
        return self.plan.parsers[self.plan.readings[number][0]].part

    def _of_text(self, number: int) -> bool:
        return self._part(number).column == "raw_text"

    def _is_selective(self, number: int) -> bool:
        """Whether a reading finds nothing where there is no answer; a stored one, whether it is ever empty."""
        if self.plan.is_ruled(number) or not self._of_text(number):
            return self._count(lambda row: self._finds(row, number)) < sum(row[-1] for row in self._rows)
        return is_selective(self._part(number))

    def _others_find(self, name: str) -> bool:
        stored = (other for other, number in self.numbers.items() if self.selective[other] or not self._of_text(number))
        return any(self.count(other) >= HALF * self.n for other in stored if other != name)

    def _by_tool(self, name: str) -> bool:
        """Whether the tool chose a reading: the run has the parsers that it proposes, and no scorer has this name."""
        settings = self.results.settings
        return name not in settings.scorers and settings.decides is None and are_default(settings.parsers)

    def _finds_less(self, name: str) -> tuple[int, int] | None:
        """In how few texts that hold an answer a selective reading finds one; None where it is half of a model's."""
        if not self.selective[name]:
            return None
        others = [number for other, number in self.numbers.items() if self.selective[other] and other != name]
        reference = self.results.numbers[0]

        def holds(row: tuple[int, ...]) -> bool:
            return any(self._finds(row, other) for other in others) or row[self._places[reference]] == TRUE

        texts, holding, finding = Counter[Any](), Counter[Any](), Counter[Any]()
        for row in self._rows:
            model = self._models[row[0]]
            texts[model] += row[-1]
            holding[model] += row[-1] * holds(row)
            finding[model] += row[-1] * (holds(row) and self._finds(row, self.numbers[name]))
        large = [model for model, n in texts.items() if n >= LEAST]
        if not large:
            return (finding.total(), holding.total()) if finding.total() < HALF * holding.total() else None
        if all(finding[model] < HALF * holding[model] for model in large):
            return finding.total(), holding.total()
        return None

    @cached_property
    def _models(self) -> list[Any]:
        """The model of each cell; all are one where no column of the cells holds it."""
        by = list(self.results.context.by)
        place = next((by.index(name) for name in MODELS if name in by), None)
        return [None if place is None else cell[place] for cell in self.results.table.cells]

    def _other_kind(self, number: int) -> tuple[str, str] | None:
        """What a reading finds in drawn texts and what the truths are, where nearly all of it is of another kind."""
        if self.plan.is_ruled(number) or capability(self._part(number), "needs", ()):
            return None
        return other_kind(answers_of(self._part(number), self.results))


def answers_of(parser: Parser, results: ParsingResults) -> list[tuple[str, str]]:
    """What a parser finds in the drawn texts that hold something for it, beside the first truth of each."""
    drawn = results.whole.probe.trials()
    answers = [text_of(parser, trial) for trial in drawn]
    return [(answer, alternatives(trial.truth)[0]) for answer, trial in zip(answers, drawn, strict=True) if answer]


def text_of(parser: Parser, trial: ProbedTrial) -> str:
    """What a parser finds in a drawn trial; nothing where it fails, which the run says."""
    try:
        return parser(trial.raw if parser.column == "raw_text" else trial.parsed)
    except Exception:
        return ""


def other_kind(pairs: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """The commonest kinds of answers and truths, where nearly all are of two kinds; None where they are not."""
    kinds = [(kind_of(answer), kind_of(truth)) for answer, truth in pairs]
    if not kinds or sum(one != other for one, other in kinds) < OTHER_KIND * len(kinds):
        return None
    answer, truth = (Counter(side).most_common(1)[0][0] for side in zip(*kinds, strict=True))
    return NAMES[answer][1], NAMES[truth][1]
