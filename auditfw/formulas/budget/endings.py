"""How a completion ended, as logs word it: the kinds of endings, their codes, and the words of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
