"""The planned path: all parsers, normalizers and the matcher of a run as one graph over the distinct texts of a batch.

Each step prefix runs once on each distinct text, each truth is normalised once, each needle is made once. Where a
normalizer ends in "characters to blanks, runs of blanks to one, strip" and the matcher offers needles, the text is
never normalised: the needle allows for the blanks instead. Texts go by number within a batch; 0 is the empty text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from auditfw.kinds import Matcher, Named, Normalizer, Parser, Step
from auditfw.lowering import lowered

from .reference import Truth

FALSE, TRUE, UNDEFINED, MISSING, BLANK, ERROR, TIMEOUT = range(7)
NOTHING, FAILED, LATE = -1, -2, -3
INSTEAD = {0: BLANK, NOTHING: MISSING, FAILED: ERROR, LATE: TIMEOUT}
TRUTHS_KEPT = 100_000
PROBLEMS_KEPT = 3

Test = Callable[[str], bool | None]


@dataclass(frozen=True)
class Plan:
    """What is to be read: parsers, normalizers, one matcher, and readings as (parser, normalizer) numbers."""

    parsers: tuple[Named[Parser], ...]
    normalizers: tuple[Named[Normalizer], ...]
    matcher: Matcher
    readings: tuple[tuple[int, int], ...]

    def names(self) -> tuple[str, ...]:
        """The readings' names, `parser+normalizer`."""
        return tuple(f"{self.parsers[p].name}+{self.normalizers[n].name}" for p, n in self.readings)


def split_tail(steps: Sequence[Step]) -> tuple[tuple[Step, ...], frozenset[str] | None]:
    """Splits a normalizer into its head and the characters its tail turns into blanks.

    The tail is the longest end of steps that only turn characters into blanks or tidy white space. None instead of
    characters (and all steps as head) unless the tail collapses and strips after its last such step.
    """
    start = len(steps)
    while start > 0 and (_blanks(steps[start - 1]) is not None or _tidy(steps[start - 1]) is not None):
        start -= 1
    tail = steps[start:]
    last = max((i for i, step in enumerate(tail) if _blanks(step) is not None), default=-1)
    if {_tidy(step) for step in tail[last + 1 :]} < {"collapse", "strip"} or not tail:
        return tuple(steps), None
    return tuple(steps[:start]), frozenset("".join(_blanks(step) or "" for step in tail))


def _blanks(step: Step) -> str | None:
    return getattr(step, "blanks", None)


def _tidy(step: Step) -> str | None:
    return getattr(step, "tidy", None)


class Texts:
    """The distinct texts of a batch by number, with their lower-case forms on demand."""

    def __init__(self) -> None:
        self.of: list[str] = [""]
        self.number: dict[str, int] = {"": 0}
        self._low: dict[int, str] = {0: ""}
        self._holding: dict[str, dict[int, bool]] = {}

    def add(self, text: str) -> int:
        known = self.number.get(text)
        if known is None:
            known = self.number[text] = len(self.of)
            self.of.append(text)
        return known

    def numbers(self, texts: Iterable[str | None]) -> list[int]:
        add = self.add
        return [NOTHING if text is None else add(text) for text in texts]

    def low(self, number: int) -> str:
        known = self._low.get(number)
        if known is None:
            known = self._low[number] = lowered(self.of[number])
        return known

    def holds(self, sign: str, number: int) -> bool:
        """Whether a text holds a lower-case sign, ignoring case."""
        known = self._holding.setdefault(sign, {})
        found = known.get(number)
        if found is None:
            found = known[number] = sign in self.low(number)
        return found


class Nodes:
    """Numbers the step prefixes of a run: equal prefixes get one number, whoever asks."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Any], int] = {}

    def chain(self, steps: Sequence[Step]) -> tuple[tuple[int, Step], ...]:
        """The (node, step) pairs along a list of steps."""
        node, out = -1, []
        for step in steps:
            node = self._known.setdefault((node, _key(step)), len(self._known))
            out.append((node, step))
        return tuple(out)

    def __len__(self) -> int:
        return len(self._known)


def _key(step: Step) -> object:
    try:
        hash(step)
    except TypeError:
        return id(step)
    return step


class Scorer:
    """Computes the labels of batches by a plan, one process's worth of memory of truths kept between batches."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.problems: list[str] = []
        self._needle = getattr(plan.matcher, "needle", None)
        nodes = Nodes()
        self._parsers = {named.name: nodes.chain(named.part.steps) for named in plan.parsers}
        heads = [self._split(named.part) for named in plan.normalizers]
        chains = [nodes.chain(head) for head, _ in heads]
        shared = Counter(node for chain in chains for node, _ in chain)
        self._lowers = [bool(chain) and getattr(chain[0][1], "lowers", False) for chain in chains]
        self._chains = [
            tuple((node if shared[node] > 1 else None, _call_of(step)) for node, step in chain[lowers:])
            for chain, lowers in zip(chains, self._lowers, strict=True)
        ]
        self._blanks = [blanks for _, blanks in heads]
        self._nodes = len(nodes)
        self._tests: list[dict[Truth, tuple[Test, ...]]] = [{} for _ in plan.normalizers]
        self.begin()

    def _split(self, normalizer: Normalizer) -> tuple[tuple[Step, ...], frozenset[str] | None]:
        return split_tail(normalizer.steps) if self._needle is not None else (normalizer.steps, None)

    def path(self, normalizer: int) -> str:
        """How the texts of a normalizer are compared: through the needle, or normalised in full."""
        return "normalised" if self._blanks[normalizer] is None else "needle"

    def begin(self) -> None:
        """Starts a new batch: forgets its texts."""
        self.texts = Texts()
        self._parsed: list[dict[int, int]] = [
            {NOTHING: NOTHING, FAILED: FAILED, LATE: LATE} for _ in range(self._nodes)
        ]
        self._heads: list[dict[int, str]] = [{} for _ in range(self._nodes)]
        self._labels: list[dict[tuple[int, Truth], int]] = [{} for _ in self.plan.normalizers]

    def parse(self, parser: Named[Parser], numbers: Sequence[int]) -> list[int]:
        """The numbers of the answers a parser finds in the texts of these numbers."""
        found = list(numbers)
        if parser.part.only_with is not None:
            holds, sign = self.texts.holds, parser.part.only_with.lower()
            bare = {n for n in set(found) if n >= 0 and not holds(sign, n)}
            found = [NOTHING if n in bare else n for n in found]
        for node, step in self._parsers[parser.name]:
            found = self._advance(node, step, found, parser.name)
        return found

    def _advance(self, node: int, step: Step, numbers: list[int], name: str) -> list[int]:
        known, texts = self._parsed[node], self.texts
        cut, call = getattr(step, "cut", None), getattr(step, "fast", step)
        for n in dict.fromkeys(numbers):
            if n in known:
                continue
            text = texts.of[n]
            try:
                out = cut(text, texts.low(n)) if cut is not None else call(text)
                known[n] = n if out is text else texts.add(_text(out))
            except TimeoutError as error:
                known[n] = self._failed(LATE, name, error)
            except Exception as error:
                known[n] = self._failed(FAILED, name, error)
        return [known[n] for n in numbers]

    def _failed(self, code: int, name: str, error: Exception) -> int:
        if len(self.problems) < PROBLEMS_KEPT:
            self.problems.append(f"{name}: {type(error).__name__}: {error}")
        return code

    def label(self, normalizer: int, numbers: Sequence[int], truths: Sequence[Truth]) -> bytearray:
        """The label codes of one reading: for each answer's number and truth, one of FALSE, TRUE, ..."""
        known = self._labels[normalizer]
        codes = bytearray()
        for pair in zip(numbers, truths, strict=True):
            code = known.get(pair)
            if code is None:
                n, truth = pair
                code = known[pair] = INSTEAD[n] if n <= 0 else self._evaluate(normalizer, n, truth)
            codes.append(code)
        return codes

    def _evaluate(self, normalizer: int, number: int, truth: Truth) -> int:
        try:
            tests = self._tests[normalizer].get(truth)
            if tests is None:
                tests = self._make_tests(normalizer, truth)
            if not tests:
                return UNDEFINED
            text = self._head(normalizer, number)
            said = [test(text) for test in tests] if len(tests) > 1 else (tests[0](text),)
        except TimeoutError as error:
            return INSTEAD[self._failed(LATE, self.plan.normalizers[normalizer].name, error)]
        except Exception as error:
            return INSTEAD[self._failed(FAILED, self.plan.normalizers[normalizer].name, error)]
        if True in said:
            return TRUE
        return FALSE if False in said else UNDEFINED

    def _make_tests(self, normalizer: int, truth: Truth) -> tuple[Test, ...]:
        """One test a truth that normalises to something, on texts that went through the normalizer's head."""
        normalise, known = self.plan.normalizers[normalizer].part, self._tests[normalizer]
        truths = [normalise(each) for each in (truth if isinstance(truth, tuple) else (truth,))]
        if len(known) >= TRUTHS_KEPT:
            known.clear()
        known[truth] = tests = tuple(self._test(each, self._blanks[normalizer]) for each in truths if each)
        return tests

    def _test(self, truth: str, blanks: frozenset[str] | None) -> Test:
        if self._needle is not None:
            test: Test = self._needle(truth, blanks)
            return test
        return partial(_agrees, self.plan.matcher, truth)

    def _head(self, normalizer: int, number: int) -> str:
        """The text of a number after a normalizer's head; prefixes that several heads share are computed once."""
        text = self.texts.low(number) if self._lowers[normalizer] else self.texts.of[number]
        for node, call in self._chains[normalizer]:
            known = None if node is None else self._heads[node].get(number)
            if known is None:
                known = call(text)
                if node is not None:
                    self._heads[node][number] = known
            text = known
        return text


def _call_of(step: Step) -> Callable[[str], str]:
    """A shipped step's quicker form, or the step itself with its result checked."""
    fast: Callable[[str], str] | None = getattr(step, "fast", None)
    return fast if fast is not None else lambda text: _text(step(text))


def _agrees(matcher: Matcher, truth: str, answer: str) -> bool | None:
    return matcher(answer, truth)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a step must give text, not {type(value).__name__}")
    return value
