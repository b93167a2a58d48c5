"""Samples of an Inspect log, decoded: only what may be read of each, and what nobody reads is skipped over.

Where that fails the sample is read again strictly, which says what is wrong, or takes in what a log may have and JSON
has not: NaN, infinities, halves of characters.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from auditfw.components.files.formats.strict_json import Reader, RefusedError, mended
from auditfw.core.errors import DataError
from auditfw.core.notes import Remark

from .scores import NONFINITE, UNSCORED

MOST_TRIES = 32
_AT = re.compile(r"\(byte (\d+)\)")
_NUMBER = re.compile(rb"-?(?:NaN|Infinity)")
_INSTEAD = json.dumps(NONFINITE).encode()
_EVENTS, _USAGE = b',"events":[', b'],"model_usage":'
RAW_PARTS = (
    "input",
    "messages",
    "scores",
    "score",
    "metadata",
    "error",
    "attachments",
    "transcript",
    "invalidation",
    "model_usage",
    "limit",
)
SINGLE = ("id", "epoch", "choices", "target", "total_time", "working_time")


class Decoders(NamedTuple):
    """The decoders: of a sample, of an object or a list whose values stay as they are, of a score, of the usage.

    Of choices, of messages and of the usage of one output only what says how a completion ended is decoded.
    """

    sample: Any
    parts: Any
    listed: Any
    score: Any
    usage: Any
    choices: Any
    roles: Any
    tokens: Any


@cache
def _decoders() -> Decoders:
    import msgspec

    raw: Any = msgspec.Raw
    nothing = raw(b"")
    output = msgspec.defstruct(
        "Output",
        [("completion", object, None), ("error", object, None), *((n, raw, nothing) for n in ("choices", "usage"))],
    )
    fields: list[Any] = [(name, object, None) for name in SINGLE]
    fields += [("output", output | None, None), *((name, raw, nothing) for name in RAW_PARTS)]
    score = msgspec.defstruct(
        "Score", [(name, object, None) for name in ("value", "answer", "explanation", "reason", "metadata")]
    )
    make = msgspec.json.Decoder
    sample = msgspec.defstruct("Sample", fields)
    parts, listed = make(dict[str, msgspec.Raw] | None), make(list[msgspec.Raw] | None)
    usage: Any = msgspec.defstruct("Usage", [("total_tokens", object, None)])
    ended: Any = msgspec.defstruct("Choice", [(name, object, None) for name in ("stop_reason", "stop_details")])
    role: Any = msgspec.defstruct("Message", [("role", object, None)])
    tokens: Any = msgspec.defstruct("Tokens", [(name, object, None) for name in ("input_tokens", "output_tokens")])
    return Decoders(
        sample=make(sample),
        parts=parts,
        listed=listed,
        score=make(score | None),
        usage=make(dict[str, usage | None] | None),
        choices=make(list[ended] | None),
        roles=make(list[role] | None),
        tokens=make(tokens | None),
    )


@cache
def faults() -> tuple[type[Exception], ...]:
    """What decoding raises for a text that is not the JSON it should be."""
    import msgspec

    return (msgspec.MsgspecError, UnicodeError, RecursionError)


def sample_of(data: bytes) -> Any:
    """The sample of a JSON text, most of its parts still undecoded. Raises one of `faults`."""
    return _around_events(data) or _decoded(_decoders().sample, data)


def _around_events(data: bytes) -> Any:
    """The sample by what is before and behind its events, which are most of it; None where that is not certain.

    Inspect writes them between the store and the usage. Both parts must be objects once a brace is put to them, so the
    two places are at the top of the sample, and not within a value.
    """
    begin, end = data.find(_EVENTS), data.rfind(_USAGE)
    if not 0 < begin < end:
        return None
    decode = _decoders().sample.decode
    try:
        sample, rest = decode(data[:begin] + b"}"), decode(b"{" + data[end + 2 :])
    except faults():
        return None
    for name in sample.__struct_fields__:
        if value := getattr(rest, name):
            setattr(sample, name, value)
    return sample


def without_events(data: bytes) -> bytes:
    """The JSON text of a sample without its events, which nobody reads; as it is where their place is not certain."""
    begin, end = data.find(_EVENTS), data.rfind(_USAGE)
    if not 0 < begin < end or _around_events(data) is None:
        return data
    return data[:begin] + data[end + 1 :]


def document_of(data: bytes) -> dict[str, Any] | None:
    """The keys of a log that is one JSON text, their values undecoded; None for null. Raises one of `faults`."""
    document: dict[str, Any] | None = _decoded(_decoders().parts, data)
    return document


def list_of(raw: Any) -> list[bytes]:
    """The JSON texts of an undecoded list; none where it is null. Raises one of `faults`."""
    return [bytes(part) for part in _decoders().listed.decode(raw) or ()] if raw else []


def scores_of(raw: Any) -> dict[str, Any]:
    """The undecoded scores of a sample by scorer. Raises one of `faults`."""
    return _decoders().parts.decode(raw) or {} if raw else {}


def score_of(raw: Any) -> Any:
    """A score with value, answer and explanation; None where it is null. Raises one of `faults`."""
    return _decoders().score.decode(raw)


def usage_of(raw: Any) -> dict[str, Any]:
    """The undecoded usage of a sample by model, each with total_tokens, or None. Raises one of `faults`."""
    return _decoders().usage.decode(raw) or {} if raw else {}


def choices_of(raw: Any) -> list[Any]:
    """The undecoded choices of an output, each with stop_reason and stop_details. Raises one of `faults`."""
    return _decoders().choices.decode(raw) or [] if raw else []


def roles_of(raw: Any) -> list[Any]:
    """Who wrote the undecoded messages of a sample. Raises one of `faults`."""
    return [message.role for message in _decoders().roles.decode(raw) or []] if raw else []


def output_tokens_of(raw: Any) -> Any:
    """The undecoded usage of an output, with input_tokens and output_tokens; None where there is none."""
    return _decoders().tokens.decode(raw) if raw else None


def part_of(raw: Any) -> Any:
    """An undecoded part of a sample, decoded; None where there is none. Raises one of `faults`."""
    if not raw:
        return None
    import msgspec

    return msgspec.json.decode(raw)


def strictly(data: bytes, where: str, notes: Counter[str]) -> bytes:
    """The JSON text of a sample as the strict reader takes it, for `sample_of`. Raises DataError."""
    try:
        value = Reader().parse(data.decode("utf-8-sig", "surrogateescape"))
    except RefusedError as error:
        raise error.as_error(where) from None
    value, halves = mended(value)
    if halves:
        notes[Remark("bytes or escapes that are not characters, read as U+FFFD", place=where)] += halves
    return json.dumps(_marked(value)).encode()


def unfit(where: str, error: Exception) -> DataError:
    """The error for a sample that is sound JSON and not what a sample is."""
    detail = str(error).replace("`", "'")
    return DataError(where, "is not a sample of an Inspect log", detail, "update, or convert the log with inspect")


def _decoded(decoder: Any, data: bytes) -> Any:
    """What the decoder makes of a text, numbers that are not finite marked. Raises one of `faults`."""
    for _ in range(MOST_TRIES):
        try:
            return decoder.decode(data)
        except faults() as error:
            data = _without_nonfinite(data, error)
    return decoder.decode(data)


def _without_nonfinite(data: bytes, error: Exception) -> bytes:
    """The text with the number that is not finite, on which the decoder stopped, marked; else raises the error."""
    place = _AT.search(str(error))
    at = int(place[1]) if place else 0
    number = next((one for start in (at - 1, at) if (one := _NUMBER.match(data, max(0, start)))), None)
    if number is None:
        raise error
    return data[: number.start()] + _INSTEAD + data[number.end() :]


def _marked(value: Any) -> Any:
    """A value in which numbers that are not finite are marked."""
    if isinstance(value, float):
        return value if value - value == 0 else NONFINITE
    if isinstance(value, list):
        return [_marked(part) for part in value]
    if isinstance(value, dict):
        return {key: _marked(part) for key, part in value.items()}
    return value


# What a sample of an Inspect log says of how its completion ended, and of its tokens.

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
