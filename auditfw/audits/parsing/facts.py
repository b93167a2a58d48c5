"""The markers and phrases the audit looks for in completions."""

from __future__ import annotations

from auditfw.formulas.markers import MarkerScan

THINK_END = "</think>"
ROLE_MARKERS = ("user:", "assistant:", "system:", "\nuser", "\nassistant", "\nsystem")
BLOCK_MARKERS = ("passage:", "question:", "article:", "movie title:", "movie plot:")
REFUSALS = ("i can't", "i cannot", "sorry", "i'm unable", "i am unable", "as an ai")

_refusals = MarkerScan(REFUSALS)


def has_marker(text: object, markers: tuple[str, ...]) -> bool:
    """Whether a text holds any of the (lower-case) markers anywhere, ignoring case. Falsy: no."""
    return bool(text) and MarkerScan(markers).present(str(text).lower())


def has_think_end(text: object) -> bool:
    """Whether a text holds the think delimiter, ignoring case. Falsy: no."""
    return has_marker(text, (THINK_END,))


def is_refusal(text: object) -> bool:
    """Whether a completion holds one of six refusal phrases, ignoring case; straight apostrophes only."""
    return bool(text) and _refusals.present(str(text).lower())
