"""What a sample of an Inspect log says of how its completion ended, and of its tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .decoding import choices_of, output_tokens_of, part_of, roles_of
from .scores import UNSCORED

# a sample and its rules are those of samples.py, which makes columns of these functions

REFUSAL = "refusal"


def _stop(one: Any) -> str | None:
    """How the completion ended: in an error, at a limit of the sample, else as the model's answer says."""
    output, limit = one.decoded.output, part_of(one.decoded.limit)
    if output and output.error:
        return "error"
    if isinstance(limit, dict) and limit.get("type"):
        return f"{limit['type']} limit"
    choices = choices_of(output.choices) if output else []
    return str(choices[0].stop_reason) if choices and choices[0].stop_reason is not None else None


def _tokens(one: Any, name: str) -> Any:
    """Tokens of the output; None where the sample called the model more than once, so that they are not of one text."""
    output = one.decoded.output
    if not output or not output.usage or roles_of(one.decoded.messages).count("assistant") != 1:
        return None
    return getattr(output_tokens_of(output.usage), name, None)


def _reason(one: Any) -> str | None:
    """Why there is no score, or that the model refused."""
    score = one.score()
    metadata = getattr(score, "metadata", None)
    reason = getattr(score, "reason", None) or (metadata.get("unscored_reason") if isinstance(metadata, dict) else None)
    if reason is not None:
        return str(reason)
    choices = choices_of(one.decoded.output.choices) if one.decoded.output else []
    details = choices[0].stop_details if choices else None
    return REFUSAL if isinstance(details, dict) and details.get("type") == REFUSAL else None


def _unscored(one: Any) -> bool:
    score = one.score()
    return score is not None and one.rules.scores.label(score.value, one.where, one.notes.__class__()) is UNSCORED


END_CONSTANTS: Mapping[str, Callable[[Any], Any]] = {
    "limit": lambda rules: rules.limit,
    "planned": lambda rules: rules.planned,
}
ENDINGS: Mapping[str, Callable[[Any], Any]] = {
    "stop": _stop,
    "tokens_in": lambda one: _tokens(one, "input_tokens"),
    "tokens_out": lambda one: _tokens(one, "output_tokens"),
    "reason": _reason,
    "unscored": _unscored,
}
