"""How the trials of a side ended, by what is recorded of them and by their texts alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auditfw.core.imports import np
from auditfw.formulas.budget.ended import (
    FINISHED,
    LEAST_CHARACTERS,
    LEAST_TOKENS,
    UNRECORDED,
    Sign,
    at_spike,
    breaks_off,
    habits,
    recorded_limit,
)
from auditfw.formulas.gaps.two_logs import CUT_OFF_OR_EMPTY, LOOP

from .items import LabelledSide
from .pairing import PairedSides

MOSTLY = 0.95  # of a side's trials, so that what is recorded of them says all
SIGNS, TEXT = "row.signs", "row.text"


def ends_of(side: LabelledSide) -> Any:
    """The end of each trial, as `TwoLogs` has them; None where neither texts nor finish reasons are stored."""
    ended = _whole(side, "row.ended", UNRECORDED).astype(np.uint8)
    if not side.has(SIGNS) and not (ended != UNRECORDED).any():
        return None
    signs = _whole(side, SIGNS, int(Sign.EMPTY) if side.has(SIGNS) else 0).astype(np.uint8)
    tokens, limits = _whole(side, "row.tokens_out", 0), _whole(side, "row.limit", 0)
    cut = recorded_limit(ended, tokens, limits)
    if not _mostly(ended):
        cut = cut | breaks_off(ended, signs & np.uint8(255 & ~int(habits(signs))))
        if side.has(TEXT):
            cut = cut | (_at_spike(side, tokens, signs) & (ended == UNRECORDED))
    ends = np.where(cut | (signs & Sign.EMPTY > 0), CUT_OFF_OR_EMPTY, 0)
    return np.where(signs & Sign.LOOP > 0, LOOP, ends).astype(np.int8)


def ends_recorded(side: LabelledSide) -> bool:
    """Whether the log says of nearly all trials how they ended; else their texts alone tell."""
    return _mostly(_whole(side, "row.ended", UNRECORDED))


def _mostly(ended: Any) -> bool:
    return bool((ended != UNRECORDED).mean() >= MOSTLY)


def _at_spike(side: LabelledSide, tokens: Any, signs: Any) -> Any:
    texts, asked = side.frame[TEXT].fill_null(0).to_numpy(), _whole(side, "row.tokens_in", 0)
    together = np.where((tokens > 0) & (asked > 0), tokens + asked, 0)
    kinds = (tokens, LEAST_TOKENS), (together, LEAST_TOKENS), (_whole(side, "row.chars", 0), LEAST_CHARACTERS)
    tied = (at_spike(lengths, texts, signs, least) for lengths, least in kinds)
    return next((one for one in tied if one.any()), np.zeros(len(tokens), bool))


def _whole(side: LabelledSide, name: str, otherwise: int) -> Any:
    if name not in side.frame.columns:
        return np.full(side.frame.height, otherwise, np.int64)
    return side.frame[name].cast(int).fill_null(otherwise).to_numpy()


def against_the_record(side: LabelledSide, rows: Any) -> int:
    """How many of these trials have as many tokens as the limit allows, though the log says that they finished."""
    ended = _whole(side, "row.ended", UNRECORDED)[rows]
    tokens, limits = (_whole(side, name, 0)[rows] for name in ("row.tokens_out", "row.limit"))
    return int(((ended == FINISHED) & recorded_limit(ended, tokens, limits)).sum())


def unfinished(both: PairedSides, ends: Sequence[Any]) -> tuple[float, float] | None:
    """The share of each side's trials of common items that did not finish; None where that is not known of both."""
    if any(one is None for one in ends):
        return None
    one, other = (float((ends[side][both.of_common(side)] > 0).mean()) for side in (0, 1))
    return one, other
