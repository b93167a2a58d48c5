"""The planned path: all parsers, normalizers and the matcher of a run as one graph over the distinct texts of a batch.

Each step prefix runs once on each distinct text, each truth is normalised once, each needle is made once. Where a
normalizer ends in "characters to blanks, runs of blanks to one, strip" and the matcher offers needles, the text is
never normalised: the needle allows for the blanks instead. Texts go by number within a batch; 0 is the empty text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain

from auditfw.core.records import Refusal
from auditfw.kinds.capabilities import Named, call_capability, capability
from auditfw.kinds.registry import name_of
from auditfw.kinds.text import Matcher, Normalizer, Parser, Step

from .reference import Truth, alternatives, compares_empty, refused
from .texts import Chain, Texts, chains_of, once_each, split_tail, steps_of

FALSE, TRUE, BLANK, MISSING, UNDEFINED, ERROR, TIMEOUT, UNREAD = range(8)
NOTHING, FAILED, LATE = -1, -2, -3
INSTEAD = {0: BLANK, NOTHING: MISSING, FAILED: ERROR, LATE: TIMEOUT}
TRUTHS_KEPT = 100_000
PROBLEMS_KEPT = 3

Test = Callable[[str], bool | None]
Family = tuple[str, str]
MakeTest = Callable[[str, int], Test]


@dataclass(frozen=True)
class RowRules:
    """A rule for each value of a `column`, by which a row is labelled that has the value: the reading `name`.

    `places` are numbers of parser and normalizer in the plan; `rivals` are the places by value of other readings that
    compare by the rule of the row, too.
    """

    name: str
    column: str
    places: Mapping[str, tuple[int, int]]
    rivals: Mapping[tuple[int, int], Mapping[str, tuple[int, int]]] = field(default_factory=dict)


@dataclass(frozen=True)
class ReadingPlan:
    """What is to be read: parsers, normalizers, one matcher, and readings as (parser, normalizer) numbers.

    `matchers` says for each normalizer its own, where there are several: a normalizer is listed once for each of them;
    `own` those of normalizers that belong to a scorer or to a rule of rows, `scorers` the readings that bear a
    scorer's name. Where rows have rules of their own, `ruled`, the last reading is theirs; its numbers are those of the
    first rule.
    """

    parsers: tuple[Named[Parser], ...]
    normalizers: tuple[Named[Normalizer], ...]
    matcher: Matcher
    readings: tuple[tuple[int, int], ...]
    matchers: tuple[Named[Matcher], ...] = ()
    ruled: RowRules | None = None
    own: Mapping[int, Named[Matcher]] = field(default_factory=dict)
    scorers: Mapping[tuple[int, int], str] = field(default_factory=dict)

    @cached_property
    def scored(self) -> ReadingPlan:
        """The plan as it is computed: each reading and each rule once, on all rows."""
        if self.ruled is None:
            return self
        every = [(self.places(r) or {"": place}).values() for r, place in enumerate(self.readings)]
        readings = dict.fromkeys(chain(*every))
        matchers = tuple(Named(str(n), self.matcher_of(n)) for n in range(len(self.normalizers)))
        return ReadingPlan(self.parsers, self.normalizers, self.matcher, tuple(readings), matchers)

    def under(self, value: str | None) -> ReadingPlan:
        """The plan whose last reading is the rule of a value, where rows have rules of their own."""
        if self.ruled is None or value is None:
            return self
        return replace(self, readings=tuple(self.place(r, value) for r in range(len(self.readings))))

    def is_ruled(self, reading: int) -> bool:
        """Whether rows have rules of their own under a reading."""
        return self.ruled is not None and reading == len(self.readings) - 1

    def place(self, reading: int, value: str | None) -> tuple[int, int]:
        """The parser and the normalizer of a reading, on rows of a value, by their numbers."""
        places = self.places(reading)
        return self.readings[reading] if places is None or value is None else places[value]

    def places(self, reading: int) -> Mapping[str, tuple[int, int]] | None:
        """Parser and normalizer of a reading by the row's value; None where they are the same for all rows."""
        if self.ruled is None:
            return None
        return self.ruled.places if self.is_ruled(reading) else self.ruled.rivals.get(self.readings[reading])

    @property
    def needs(self) -> tuple[str, ...]:
        """The further columns that the parsers read."""
        return needs_of([named.part for named in self.parsers])

    def matcher_of(self, normalizer: int) -> Matcher:
        """The matcher of the readings under a normalizer."""
        if normalizer in self.own:
            return self.own[normalizer].part
        return self.matchers[normalizer].part if self.matchers else self.matcher

    @property
    def slow(self) -> bool:
        """Whether a matcher says that it takes milliseconds a pair."""
        return any(capability(self.matcher_of(n), "slow", False) for n in range(len(self.normalizers)))

    def matcher_name(self, normalizer: int) -> str:
        """The name of that matcher: as it was chosen, of the only one its class's."""
        if normalizer in self.own:
            return self.own[normalizer].name
        return self.matchers[normalizer].name if self.matchers else name_of(self.matcher)

    def matcher_place(self, normalizer: int) -> str:
        """Where the matcher of the readings under a normalizer has its settings."""
        if normalizer in self.own:
            scorer = next((name for (_, n), name in self.scorers.items() if n == normalizer), None)
            if scorer is not None:
                return f"audit.scorers.{scorer}.matcher"
            places = {} if self.ruled is None else self.ruled.places
            value = next((value for value, (_, n) in places.items() if n == normalizer), "VALUE")
            return f"audit.baseline.rules.{value}.matcher"
        return f"audit.matchers.{self.matchers[normalizer].name}" if self.matchers else "audit.matcher"

    def family(self, parser: int, normalizer: int) -> tuple[str, str]:
        """How a reading finds and compares: its parser's family and its matcher's; its parts where they have none."""
        return family_of(self.parsers[parser], Named(self.matcher_name(normalizer), self.matcher_of(normalizer)))

    def names(self) -> tuple[str, ...]:
        """The readings' names: a scorer's, else `parser+normalizer`, where there are several matchers `+matcher`."""
        ends = [f"+{named.name}" for named in self.matchers] or [""] * len(self.normalizers)
        names = [
            self.scorers.get((p, n)) or f"{self.parsers[p].name}+{self.normalizers[n].name}{ends[n]}"
            for p, n in self.readings
        ]
        return tuple(names) if self.ruled is None else (*names[:-1], self.ruled.name)


def family_of(parser: Named[Parser], matcher: Named[Matcher]) -> Family:
    """How a parser finds and a matcher compares; their names where they say nothing of it."""
    return capability(parser.part, "family") or parser.name, capability(matcher.part, "family") or matcher.name


def needs_of(parsers: Iterable[Parser]) -> tuple[str, ...]:
    """The columns that parsers read beside their texts."""
    return tuple(dict.fromkeys(name for parser in parsers for name in capability(parser, "needs", ())))


class Labeller:
    """Computes the labels of batches by a plan, one process's worth of memory of truths kept between batches."""

    def __init__(self, plan: ReadingPlan) -> None:
        self.plan = plan
        self.problems: list[str] = []
        self._normalise = once_each([named.part for named in plan.normalizers], TRUTHS_KEPT)
        self._compares_empty = [compares_empty(plan.matcher_of(n)) for n in range(len(plan.normalizers))]
        self._needles = [call_capability(plan.matcher_of(n), "needle") for n in range(len(plan.normalizers))]
        splits = [self._split(n, named.part) for n, named in enumerate(plan.normalizers)]
        self.heads = [head for head, _ in splits]
        chains = chains_of([*(steps_of(named.part) for named in plan.parsers), *self.heads])
        self._parsers = dict(zip((named.name for named in plan.parsers), chains, strict=False))
        self._heads = chains[len(plan.parsers) :]
        self.blanks = [blanks for _, blanks in splits]
        self._tests: list[dict[Truth, tuple[Test, ...]]] = [{} for _ in plan.normalizers]
        self._refusals: list[dict[Truth, Refusal | None]] = [{} for _ in plan.normalizers]
        self.begin()

    def _split(self, number: int, normalizer: Normalizer) -> tuple[tuple[Step, ...], frozenset[str] | None]:
        steps = steps_of(normalizer)
        return split_tail(steps) if self._needles[number] is not None else (steps, None)

    def path(self, normalizer: int) -> str:
        """How the texts of a normalizer are compared: through the needle, or normalised in full."""
        return "normalised" if self.blanks[normalizer] is None else "needle"

    def begin(self) -> None:
        """Starts a new batch: forgets its texts."""
        self.texts = Texts()
        self._known: dict[tuple[int, int], str] = {}
        self._labels: list[dict[tuple[int, Truth], int]] = [{} for _ in self.plan.normalizers]

    def parse(self, parser: Named[Parser], numbers: Sequence[int]) -> list[int]:
        """The numbers of the answers a parser finds in the texts of these numbers."""
        chain, texts = self._parsers[parser.name], self.texts
        sign = parser.part.only_with.lower() if parser.part.only_with is not None else None
        if not chain and sign is None:
            return list(numbers)
        known = {NOTHING: NOTHING}
        for n in dict.fromkeys(numbers):
            if n == NOTHING:
                continue
            if sign is not None and not texts.holds(sign, n):
                known[n] = NOTHING
                continue
            if n == 0 and call_capability(parser.part, "by_steps"):
                known[n] = 0  # steps are not taken on an empty text
                continue
            try:
                out = self._through(chain, n)
                known[n] = n if out is texts.of[n] else texts.add(out)
            except TimeoutError as error:
                known[n] = self._failed(LATE, parser.name, error)
            except Exception as error:
                known[n] = self._failed(FAILED, parser.name, error)
        return list(map(known.__getitem__, numbers))

    def _through(self, chain: Chain, number: int) -> str:
        """The text of a number after a chain of steps; prefixes that several chains share are computed once."""
        text, low_of = self.texts.of[number], self.texts.low
        for node, call, cut, lowers in chain:
            if node is not None and (number, node) in self._known:
                text = self._known[number, node]
                continue
            out = low_of(text) if lowers else call(text) if cut is None else cut(text, low_of(text))
            if cut is not None and out is not text:
                self.texts.inherit(text, out)
            text = out
            if node is not None:
                self._known[number, node] = text
        return text

    def _failed(self, code: int, name: str, error: Exception) -> int:
        if len(self.problems) < PROBLEMS_KEPT:
            self.problems.append(f"{name}: {type(error).__name__}: {error}")
        return code

    def label(self, normalizer: int, numbers: Sequence[int], truths: Sequence[Truth]) -> bytearray:
        """The label codes of one reading: for each answer's number and truth, one of FALSE, TRUE, ..."""
        known = self._labels[normalizer]
        pairs = list(zip(numbers, truths, strict=True))
        for pair in pairs:
            if pair not in known:
                n, truth = pair
                known[pair] = INSTEAD[n] if n <= 0 else self._evaluate(normalizer, n, truth)
        return bytearray(map(known.__getitem__, pairs))

    def _evaluate(self, normalizer: int, number: int, truth: Truth) -> int:
        try:
            tests = self._tests[normalizer].get(truth)
            if tests is None:
                tests = self._keep_tests(normalizer, truth)
            if not tests:
                return UNDEFINED
            text = self._through(self._heads[normalizer], number)
            label = tests[0](text) if len(tests) == 1 else _any([test(text) for test in tests])
            if label is not True and label is not False and label is not None:
                raise TypeError(f"a matcher must return true, false or None, not {type(label).__name__}")
        except TimeoutError as error:
            return INSTEAD[self._failed(LATE, self.plan.normalizers[normalizer].name, error)]
        except Exception as error:
            return INSTEAD[self._failed(FAILED, self.plan.normalizers[normalizer].name, error)]
        return UNDEFINED if label is None else TRUE if label else FALSE

    def unread(self, normalizer: int, codes: bytearray, truths: Sequence[Truth]) -> dict[int, Refusal]:
        """Gives the code UNREAD to the rows whose truth the matcher cannot read; for each of them the reason.

        An empty answer is right where the truth is empty, too, and the matcher says so.
        """
        if self._compares_empty[normalizer] and self.plan.matcher_of(normalizer)("", "") is True:
            row = codes.find(BLANK)
            while row >= 0:
                if not all(map(self._normalise[normalizer], alternatives(truths[row]))):
                    codes[row] = TRUE
                row = codes.find(BLANK, row + 1)
        refusals: dict[int, Refusal] = {}
        offers = call_capability(self.plan.matcher_of(normalizer), "refuses") is not None
        for code in (UNDEFINED, BLANK) if offers else (UNDEFINED,):
            row = codes.find(code)
            while row >= 0:
                refusal = self._refusal(normalizer, truths[row], code)
                if refusal is not None:
                    codes[row], refusals[row] = UNREAD, refusal
                row = codes.find(code, row + 1)
        return refusals

    def _refusal(self, normalizer: int, truth: Truth, code: int) -> Refusal | None:
        known, normalise = self._refusals[normalizer], self._normalise[normalizer]
        if truth not in known:
            if len(known) >= TRUTHS_KEPT:
                known.clear()
            try:
                known[truth] = refused(truth, normalise, self.plan.matcher_of(normalizer))
            except Exception:
                known[truth] = None  # what fails here fails, and is reported, where an answer is compared
        if known[truth] is None and code == UNDEFINED:
            return Refusal() if any(map(normalise, truth if isinstance(truth, tuple) else (truth,))) else None
        return known[truth]

    def _keep_tests(self, normalizer: int, truth: Truth) -> tuple[Test, ...]:
        known = self._tests[normalizer]
        if len(known) >= TRUTHS_KEPT:
            known.clear()
        known[truth] = tests = self.tests(normalizer, truth, self.test)
        return tests

    def tests(self, normalizer: int, truth: Truth, make: MakeTest) -> tuple[Test, ...]:
        """One test a truth that normalises to something, on texts that went through the normalizer's head."""
        normalise = self._normalise[normalizer]
        truths = [normalise(each) for each in (truth if isinstance(truth, tuple) else (truth,))]
        compared = self._compares_empty[normalizer]
        return tuple(make(each, normalizer) for each in truths if each or compared)

    def test(self, truth: str, normalizer: int) -> Test:
        """The matcher's test for a normalised truth."""
        needle = self._needles[normalizer]
        if needle is not None:
            test: Test = needle(truth, self.blanks[normalizer])
            return test
        return partial(_agrees, self.plan.matcher_of(normalizer), truth)


def _any(labels: Sequence[bool | None]) -> bool | None:
    """True if any says so; None if none says anything."""
    return True if True in labels else False if False in labels else None


def _agrees(matcher: Matcher, truth: str, answer: str) -> bool | None:
    return matcher(answer, truth)
