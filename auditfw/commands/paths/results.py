"""Results of harnesses that shipped mappings read: OpenCompass, evalplus, openai/evals."""

from __future__ import annotations

from auditfw.components.files.columns.addresses import dig
from auditfw.kinds.first_look import FirstLook

EVENTS = {"run_id", "event_id", "type", "data"}
MATCH = "match"
STATUS = {"base_status", "plus_status"}


def is_opencompass(look: FirstLook) -> bool:
    """Whether a file holds results of OpenCompass with details."""
    return look.records_at == "details.*" and {"predictions", "references"} <= set(look.columns)


def is_opencompass_predictions(look: FirstLook) -> bool:
    """Whether a file holds predictions of OpenCompass, before they are scored."""
    return look.records_at == "*" and {"origin_prompt", "prediction"} <= set(look.columns)


def is_evalplus(look: FirstLook) -> bool:
    """Whether a file holds results of evalplus: what its two sets of tests say of each solution."""
    return look.records_at == "eval.*" and set(look.columns) >= STATUS


def is_openai_evals(look: FirstLook) -> bool:
    """Whether a file is the event log of a run of openai/evals that compares what was sampled with what is expected."""
    return look.format == "jsonl" and set(look.columns) >= EVENTS and any(map(_is_match, look.records))


def expected(look: FirstLook) -> list[object]:
    """The truths in an event log."""
    return [dig(row, ("data", "expected")) for row in look.records if _is_match(row)]


def _is_match(row: object) -> bool:
    return isinstance(row, dict) and row.get("type") == MATCH and isinstance(row.get("data"), dict)
