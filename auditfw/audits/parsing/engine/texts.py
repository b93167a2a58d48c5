"""The distinct texts of a batch, by number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from auditfw.formulas.lowercase import lowered
from auditfw.kinds.capabilities import call_capability
from auditfw.kinds.text import Normalizer, Parser, Step


class Texts:
    """The distinct texts of a batch by number, and the lower-case form of any text asked for."""

    def __init__(self) -> None:
        self.of: list[str] = [""]
        self.number: dict[str, int] = {"": 0}
        self._beside: dict[str, int] = {}  # of texts with further columns: never the number of the plain text
        self._low: dict[str, str] = {}
        self._holding: dict[str, dict[int, bool]] = {}

    def add(self, text: str) -> int:
        """The number of a text, a new one if need be."""
        number = self.number if type(text) is str else self._beside
        known = number.get(text)
        if known is None:
            known = number[text] = len(self.of)
            self.of.append(text)
        return known

    def add_all(self, texts: Sequence[str]) -> list[int]:
        """The numbers of texts, in order."""
        if self._beside or not {str}.issuperset(map(type, texts)):
            return list(map(self.add, texts))
        number = self.number
        numbers = [number.setdefault(text, len(number)) for text in texts]
        self.of.extend(islice(number, len(self.of), None))
        return numbers

    def low(self, text: str) -> str:
        """A text in lower case, lowered once."""
        known = self._low.get(text)
        if known is None:
            known = self._low[text] = lowered(text)
        return known

    def inherit(self, text: str, part: str) -> None:
        """Takes the lower case of a text's beginning or end from the text's, where that is known letter by letter."""
        low = self._low.get(text)
        if low is None or part in self._low or len(low) != len(text) or not (low.isascii() or "Σ" not in text):
            return  # İ lowers to two characters, Σ by what follows it
        if text.startswith(part):
            self._low[part] = low[: len(part)]
        elif text.endswith(part):
            self._low[part] = low[len(text) - len(part) :]

    def holds(self, sign: str, number: int) -> bool:
        """Whether a text holds a lower-case sign, ignoring case."""
        known = self._holding.setdefault(sign, {})
        present = known.get(number)
        if present is None:
            low = self.low(self.of[number])
            present = known[number] = sign[0] in low and sign in low
        return present


# Steps as chains: what their prefixes share, and where a normalizer ends in steps that a needle allows for.


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
    blanks: str | None = call_capability(step, "blanks")
    return blanks


def _tidy(step: Step) -> str | None:
    tidy: str | None = call_capability(step, "tidy")
    return tidy


def steps_of(part: Parser | Normalizer) -> tuple[Step, ...]:
    """The steps that a part is made of; one that is not a list of steps is a single step itself."""
    steps: tuple[Step, ...] = part.steps if call_capability(part, "by_steps") else (part,)  # type: ignore[union-attr]
    return steps


class Link(NamedTuple):
    """One step of a chain, ready to call; `node` numbers its prefix where several chains share it."""

    node: int | None
    call: Callable[[str], str]
    cut: Callable[[str, str], str] | None
    lowers: bool


Chain = tuple[Link, ...]


def chains_of(lists: Sequence[Sequence[Step]]) -> list[Chain]:
    """Lists of steps as chains; equal prefixes get one number, whoever asks."""
    numbers: dict[tuple[int, object], int] = {}
    prefixes: list[list[int]] = []
    for steps in lists:
        node, prefix = -1, []
        for step in steps:
            node = numbers.setdefault((node, key_of(step)), len(numbers))
            prefix.append(node)
        prefixes.append(prefix)
    uses = Counter(node for prefix in prefixes for node in prefix)
    return [
        tuple(_link(step, node if uses[node] > 1 else None) for step, node in zip(steps, prefix, strict=True))
        for steps, prefix in zip(lists, prefixes, strict=True)
    ]


def key_of(step: Step) -> object:
    """What distinguishes a step from others: its settings, or itself where they cannot be compared."""
    try:
        hash(step)
    except TypeError:
        return id(step)
    return step


def _link(step: Step, node: int | None) -> Link:
    return Link(node, checked(step), call_capability(step, "cut"), bool(call_capability(step, "lowers")))


def checked(step: Step) -> Callable[[str], str]:
    """A shipped step's quicker form, or the step itself with its result checked."""
    return call_capability(step, "fast") or (lambda text: _text(step(text)))


def once_each(normalizers: Sequence[Normalizer], kept: int) -> list[Any]:
    """Normalizers, to be called on truths: of one that stands there several times so many values are kept."""
    uses = Counter(map(key_of, normalizers))
    shared = {key: lru_cache(kept)(one) for one in normalizers if uses[key := key_of(one)] > 1}
    return [shared.get(key_of(one), one) for one in normalizers]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a step must return text, not {type(value).__name__}")
    return value
