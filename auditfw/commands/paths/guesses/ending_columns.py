"""Which columns of a table are likely to say how completions ended, by their names and their values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from auditfw.components.files.looks.column_names import values_at
from auditfw.core.errors import AuditError
from auditfw.formulas.budget.endings import is_ending

KNOWN = 0.95  # the least share of values that are known endings: `status: failed` may be a test's
WITHIN = ("", "choices[0].", "response.body.choices[0].", "output[0].", "candidates[0].")
REASONS = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason")
ENDS = (
    *(f"{place}{name}" for name in REASONS for place in WITHIN),
    "incomplete_details.reason",
    *(f"{place}status" for place in WITHIN),
)
TOKENS_OUT = ("usage.completion_tokens", "usage.output_tokens", "output_tokens", "eval_count")
LIMITS = ("max_tokens", "max_new_tokens", "max_completion_tokens", "num_predict")


def ending_columns(
    columns: Sequence[str], records: Sequence[Mapping[str, Any]], taken: Collection[str]
) -> dict[str, str]:
    """The columns stop, tokens_out and limit with the addresses of theirs, as far as one is likely."""
    mapped: dict[str, str] = {}
    for ours, addresses, fits in (
        ("stop", ENDS, _endings),
        ("tokens_out", TOKENS_OUT, _whole),
        ("limit", LIMITS, _some),
    ):
        if ours in columns:
            continue
        for at in addresses:
            if at not in taken and fits(_values(columns, records, at)):
                mapped[ours] = at
                break
    return mapped


def _values(columns: Sequence[str], records: Sequence[Mapping[str, Any]], at: str) -> list[Any]:
    try:
        return [value for value in values_at(records, columns, at) if value is not None]
    except AuditError:
        return []


def _endings(values: Sequence[Any]) -> bool:
    return bool(values) and sum(map(is_ending, values)) >= KNOWN * len(values)


def _whole(values: Sequence[Any]) -> bool:
    return bool(values) and all(type(value) is int and value >= 0 for value in values)


def _some(values: Sequence[Any]) -> bool:
    return _whole(values) and min(values) > 0
