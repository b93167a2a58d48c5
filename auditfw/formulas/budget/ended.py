"""Where the points of a reading went: the class of each trial, by how its completion ended and what was read of it.

All columns are numpy arrays with a row a trial; `signs` are bits, as `Sign` names them. The spike at a run's longest
completions is exact for any density of lengths that does not rise towards the longest (a binomial tail).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import TYPE_CHECKING, Any, NamedTuple

from auditfw.core.statistics import wilson
from auditfw.formulas.rows.exact import tails

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Bytes = NDArray[np.uint8]


# How a completion ended, as logs word it: the kinds of endings, their codes, and the words of each.

FINISHED, LENGTH, FILTER, TOOLS, LIMIT, ERROR, OTHER = range(7)
UNRECORDED = 255
KINDS = {
    "finished": FINISHED,
    "length": LENGTH,
    "filter": FILTER,
    "tools": TOOLS,
    "limit": LIMIT,
    "error": ERROR,
    "other": OTHER,
    "unknown": UNRECORDED,
}
WORDS: Mapping[str, tuple[str, ...]] = {
    "length": (
        "length", "max_tokens", "max_output_tokens", "max_length", "model_length", "model_context_window_exceeded",
        "token_limit", "truncated", "incomplete",
    ),
    "finished": (
        "stop", "end_turn", "stop_sequence", "eos", "eos_token", "endoftext", "end_of_turn", "complete", "completed",
        "finished",
    ),
    "tools": ("tool_calls", "tool_use", "function_call"),
    "filter": (
        "content_filter", "content_filtered", "safety", "refusal", "recitation", "blocklist", "prohibited_content",
        "spii", "guardrail_intervened",
    ),
    "limit": (
        "token limit", "context limit", "time limit", "working limit", "message limit", "turn limit", "cost limit",
    ),
    "error": ("error", "abort", "aborted", "cancelled", "timeout", "failed", "malformed_function_call"),
    "other": ("operator limit", "custom limit"),
    "unknown": ("unknown", ""),
}  # fmt: skip


def ending_codes(further: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """The code of each word, case folded: of those above and of further ones by kind. Raises ValueError.

    The error says which word is of two kinds, and of which.
    """
    kinds: dict[str, str] = {}
    for kind, words in (*WORDS.items(), *further.items()):
        for word in words:
            before = kinds.setdefault(word.strip().casefold(), kind)
            if before != kind:
                raise ValueError(f"'{word}' is both {before} and {kind}")
    return {word: KINDS[kind] for word, kind in kinds.items()}


def is_ending(value: object) -> bool:
    """Whether a value is one of the words above."""
    return isinstance(value, str) and value.strip().casefold() in _SHIPPED


_SHIPPED = frozenset(ending_codes({})) - {""}


WRONG_CODE, RIGHT_CODE, NOTHING_FOUND, NO_LABEL, NO_TRUTH = range(5)  # label codes of trials.parquet
LEAST_TOKENS, LEAST_CHARACTERS = 50, 200  # of the longest completion, for a spike
WINDOW, SHARE, NEAR, LEAST_TIED, CHANCE = 24, 0.1, 3, 5, 0.001  # of the spike
LONGEST, LEAST_LONGEST, LEAST_BREAKS, LEAST_SHARE = 0.05, 40, 10, 0.15  # of about how many were cut


class Sign(IntFlag):
    """What a text shows of its end."""

    EMPTY = 1
    THINK = 2
    FENCE = 4
    JSON = 8
    LATEX = 16
    JOINED = 32
    LOOP = 64
    REFUSAL = 128


BREAKS = Sign.THINK | Sign.FENCE | Sign.JSON | Sign.LATEX | Sign.JOINED
HABITS = (Sign.THINK, Sign.FENCE, Sign.JSON, Sign.LATEX)  # what a stop sequence leaves open in many texts


class TrialClass(IntEnum):
    """Right, or why a point was lost, in the order in which they are shown."""

    RIGHT = 0
    RUN_ERROR = 1
    CUT_OFF = 2
    LOOP = 3
    EMPTY = 4
    REFUSAL = 5
    OTHER_FORMAT = 6
    UNPARSED = 7
    WRONG = 8
    UNLABELLED = 9  # no label where other trials have one

    @property
    def title(self) -> str:
        """Its name for people."""
        return "no label" if self is TrialClass.UNLABELLED else self.name.lower().replace("_", " ")


UNFINISHED = (TrialClass.RUN_ERROR, TrialClass.CUT_OFF, TrialClass.EMPTY, TrialClass.UNLABELLED)


@dataclass(frozen=True)
class Spike:
    """Lengths at the longest: `count` of those `below` it, within a `window`, are tied with it; how likely that is."""

    longest: int
    count: int
    below: int
    window: int
    p: float

    @property
    def stands_out(self) -> bool:
        return self.count >= LEAST_TIED and self.p <= CHANCE


def spike(lengths: Any, least: int = LEAST_TOKENS) -> Spike | None:
    """The spike of distinct texts' lengths at their longest; None where they are short or there is none."""
    if not len(lengths) or (longest := int(lengths.max())) < least:
        return None
    window = max(WINDOW, int(longest * SHARE))
    count, below = int((lengths >= longest - NEAR + 1).sum()), int((lengths > longest - window).sum())
    p = tails(count - 1, below - 1, NEAR / window)[1] if below > 1 else 1.0
    return Spike(longest, count, below, window, p)


def at_spike(lengths: Any, texts: Any, signs: Bytes, least: int = LEAST_TOKENS) -> Flags:
    """The rows at the spike of their lengths (0: not known), each distinct text counted once; one must have a sign."""
    import numpy as np

    known = lengths > 0
    _, first = np.unique(texts[known], return_index=True)
    tied = spike(lengths[known][first], least)
    flags: Flags = known & (lengths >= (tied.longest - NEAR + 1 if tied is not None else 0))
    if tied is None or not tied.stands_out or not (signs[flags] & (BREAKS | Sign.LOOP)).any():
        return np.zeros(len(lengths), bool)
    return flags


def habits(signs: Bytes) -> Sign:
    """The signs that more than half of a cell's texts have: a stop sequence, and no cut."""
    dropped = Sign(0)
    for sign in HABITS:
        dropped |= sign if 2 * int((signs & sign > 0).sum()) > len(signs) else Sign(0)
    return dropped


def recorded_limit(ended: Bytes, tokens: Any, limits: Any) -> Flags:
    """The rows that a log says ended at a limit: in its word, or by their tokens (0: not known)."""
    flags: Flags = (ended == LENGTH) | (ended == LIMIT) | ((limits > 0) & (tokens >= limits))
    return flags


def breaks_off(ended: Bytes, signs: Bytes) -> Flags:
    """The rows of which nothing is recorded whose text breaks off."""
    flags: Flags = (ended == UNRECORDED) & (signs & BREAKS > 0)
    return flags


class Trials(NamedTuple):
    """What decides the class of each row: label codes, endings, signs, and flags.

    `cut` says that it ended at a limit, `failed` that the run failed on it, `other` that another reading is right or
    finds an answer.
    """

    codes: Bytes
    ended: Bytes
    signs: Bytes
    cut: Flags
    failed: Flags
    other: Flags


def classes(trials: Trials, marked: bool) -> Bytes:
    """The class of each row. `marked`: a parser that finds an answer only where one was announced, before what follows.

    The first that applies counts: run error, an answer of a marked parser, loop, cut off, empty, refusal, other format,
    unparsed, wrong.
    """
    import numpy as np

    codes, signs = trials.codes, trials.signs
    kinds = np.full(len(codes), TrialClass.WRONG, np.uint8)
    kinds[codes == NOTHING_FOUND] = TrialClass.UNPARSED
    kinds[trials.other] = TrialClass.OTHER_FORMAT
    kinds[(trials.ended == FILTER) | (signs & Sign.REFUSAL > 0)] = TrialClass.REFUSAL
    kinds[signs & Sign.EMPTY > 0] = TrialClass.EMPTY
    kinds[trials.cut] = TrialClass.CUT_OFF
    kinds[signs & Sign.LOOP > 0] = TrialClass.LOOP
    if marked:
        kinds[codes == WRONG_CODE] = TrialClass.WRONG
    kinds[codes == NO_LABEL] = TrialClass.UNLABELLED
    kinds[trials.failed | (trials.ended == ERROR)] = TrialClass.RUN_ERROR
    kinds[codes == RIGHT_CODE] = TrialClass.RIGHT
    return kinds


class AboutCut(NamedTuple):
    """About how many texts were cut off where nothing is recorded, with the ends of that number."""

    value: float
    low: float
    high: float


def about_cut(breaking: Flags, lengths: Any) -> AboutCut | None:
    """All that break, over the share of the longest texts that do; None where these hardly break more often."""
    import numpy as np

    n, broken = len(lengths), int(breaking.sum())
    longest = min(n, max(LEAST_LONGEST, math.ceil(LONGEST * n)))
    if broken < LEAST_BREAKS or not longest:
        return None
    order = np.argsort(-lengths.astype(np.int64), kind="stable")[:longest]
    there = int(breaking[order].sum())
    low, high = wilson(there, longest)
    if low < LEAST_SHARE:
        return None
    return AboutCut(*(min(float(n), broken / share) for share in (there / longest, high, low)))
