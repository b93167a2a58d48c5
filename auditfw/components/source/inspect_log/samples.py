"""A sample of an Inspect log and its columns: a part is decoded when a column asks for it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

from auditfw.components.files.columns.contents import content
from auditfw.core.errors import DataError
from auditfw.core.notes import Remark
from auditfw.kinds.judgements import LABEL, QID, RATER, REASON

from .decoding import END_CONSTANTS, ENDINGS, part_of, score_of, scores_of, usage_of
from .scores import NONFINITE, ScoreRules, Unscored

# What a sample of an Inspect log says of itself as an attempt: its seconds and its tokens.

PROBLEM, ATTEMPT = "problem", "attempt"
TIMES = ("working_time", "total_time")  # the first is without what was waited for


def seconds_of(sample: Any) -> float | None:
    """The seconds that a sample took, without pauses where the log says so; None where it says nothing."""
    times = (getattr(sample, name) for name in TIMES)
    return next((float(time) for time in times if _is_amount(time)), None)


def tokens_of(usage: Mapping[str, Any]) -> int | None:
    """The tokens of all models that a sample used; None where the log counts none, as that of a failed request."""
    known = [int(one.total_tokens) for one in usage.values() if one is not None and _is_amount(one.total_tokens)]
    return sum(known) if known else None


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= sys.float_info.max


ATTACHMENT, OLD_ATTACHMENT = "attachment://", "tc://"
METADATA = "metadata"
UNREAD: Any = object()


class SampleText(NamedTuple):
    """A sample as it is in its log: its number there, from 1, where that is, and the name it goes by in the archive."""

    number: int
    where: str
    data: bytes
    name: str = ""


@dataclass(frozen=True)
class SampleRules:
    """What becomes of a log's samples: the scorer that counts, the names of samples among several logs.

    `rule` is the value of the column `scorer`; `parsed` says whether this one stores the text that it parsed. `joint`
    goes between the targets of a sample of which one is not enough: they are one truth. `raters` are the scorers that
    have a column each; with `epochs` each row is a judgement, by the epoch as rater, with `attempts` an attempt at the
    problem that the sample is. `log` is the path of the log, `limit` the most tokens of an answer, `planned` the number
    of samples of a whole run.
    """

    model: str
    task: str
    temperature: float | None
    scorer: str
    rule: str
    scores: ScoreRules
    parsed: bool = False
    joint: str | None = None
    id_prefix: str = ""
    item_prefix: str = ""
    raters: tuple[str, ...] = ()
    log: str = ""
    epochs: bool = False
    attempts: bool = False
    limit: Any = None
    planned: int | None = None

    def id_of(self, name: str) -> str | None:
        """The id of the sample that an archive has by this name; None where the name says nothing."""
        sample, mark, epoch = name.rpartition("_epoch_")
        return f"{self.id_prefix}{sample}#{epoch}" if mark else None


class LogSample:
    """One sample, its parts decoded when a column asks for them."""

    def __init__(self, rules: SampleRules, where: str, decoded: Any, notes: Counter[str]) -> None:
        self.rules, self.where, self.decoded, self.notes = rules, where, decoded, notes
        self._scores: Mapping[str, Any] | None = None
        self._score: Any = UNREAD

    def value(self, column: str) -> Any:
        """The value of a column, with what it names of the attachments. Raises DataError."""
        constant = CONSTANTS.get(column)
        if constant is not None:
            return constant(self.rules)
        if column in PLAIN and not (column == REASON and self.rules.epochs):
            return PLAIN[column](self)
        return self.resolved(column, TEXTS[column](self) if column in TEXTS else self.further[column]())

    @cached_property
    def further(self) -> Mapping[str, Callable[[], Any]]:
        """The columns that not every sample has: of raters, and of metadata, those of one value by their own names."""
        columns: dict[str, Callable[[], Any]] = {}
        for rater in self.rules.raters:
            columns |= {rater: partial(self.vote, rater), f"{rater}.{REASON}": partial(self.reason, rater)}
        if self.rules.epochs:
            key = self.rules.scorer
            columns |= {QID: self.sample_id, RATER: self.epoch_name, LABEL: partial(self.vote, key)}
            columns[REASON] = partial(self.reason, key)
        if self.rules.attempts:
            columns |= {PROBLEM: self.sample_id, ATTEMPT: self.attempt}
        taken = {*COLUMNS, *columns, METADATA}
        for name, value in self.metadata.items():
            if not isinstance(value, dict | list):
                columns[f"{METADATA}.{name}" if name in taken else name] = partial(_same, value)
        return columns | ({METADATA: lambda: self.metadata} if self.metadata else {})

    def sample_id(self) -> str:
        """The id of the sample, whichever epoch this is."""
        return f"{self.rules.id_prefix}{self.decoded.id}"

    def epoch_name(self) -> str:
        return epoch_name(self.decoded.epoch)

    def check(self, name: str) -> None:
        """Refuses a sample without id or epoch, and one that is another than its name says."""
        sample, epoch = self.decoded.id, self.decoded.epoch
        if isinstance(sample, bool) or not isinstance(sample, str | int) or type(epoch) is not int or sample == "":
            detail = f"id {sample!r}, epoch {epoch!r}"
            raise DataError(self.where, "the sample has no id and epoch", detail, "write the log again")
        if name and name != f"{sample}_epoch_{epoch}":
            detail = f"id {sample!r}, epoch {epoch}"
            raise DataError(self.where, "the sample does not match the name of its file", detail, "write the log again")
        if self.decoded.invalidation and part_of(self.decoded.invalidation):
            self.notes["samples that were marked invalid are read"] += 1

    def scores(self) -> Mapping[str, Any]:
        """The undecoded scores by scorer; those of old logs, which have one without a name, are the scorer's."""
        if self._scores is None:
            old = {self.rules.scorer: self.decoded.score} if self.decoded.score else {}
            self._scores = scores_of(self.decoded.scores) if self.decoded.scores else old
        return self._scores

    def score(self) -> Any:
        """The score that counts; None where there is none."""
        if self._score is UNREAD:
            self._score = self.score_by(self.rules.scorer)
        return self._score

    def score_by(self, scorer: str) -> Any:
        raw = self.scores().get(scorer)
        return None if raw is None else score_of(raw)

    @cached_property
    def metadata(self) -> Mapping[str, Any]:
        value = part_of(self.decoded.metadata)
        return value if isinstance(value, dict) else {}

    @cached_property
    def attachments(self) -> Mapping[str, Any]:
        """The long texts that a sample has apart; in old logs they are with its transcript."""
        value = part_of(self.decoded.attachments)
        if not value and self.decoded.transcript:
            transcript = part_of(self.decoded.transcript)
            value = transcript.get("content") if isinstance(transcript, dict) else None
        return value if isinstance(value, dict) else {}

    def resolved(self, column: str, value: Any) -> Any:
        """A value with the attachments that it names. Raises DataError for one that is not there."""
        if isinstance(value, str):
            if value == NONFINITE:
                self.notes[Remark("NaN or Infinity read as null", column)] += 1
                return None
            if not value.startswith((ATTACHMENT, OLD_ATTACHMENT)):
                return value
            key = value.partition("://")[2]
            if key not in self.attachments:
                do = "write the log again, or leave the sample out"
                raise DataError(self.where, f"an attachment of {column} is missing", value, do)
            return self.attachments[key]
        if isinstance(value, list):
            return [self.resolved(column, part) for part in value]
        if isinstance(value, dict):
            return {key: self.resolved(column, part) for key, part in value.items()}
        return value

    @cached_property
    def message(self) -> Any:
        """What the model answered, as content: of its first choice, else of the last message that is the model's."""
        choices = part_of(self.decoded.output.choices) if self.decoded.output else None
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            message = choices[0].get("message")
            return message.get("content") if isinstance(message, dict) else None
        messages = part_of(self.decoded.messages)
        chat = [one for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
        return next((one.get("content") for one in reversed(chat) if one.get("role") == "assistant"), None)

    def vote(self, rater: str) -> str | None:
        """The label that a scorer gave, as Inspect writes it."""
        score = self.score_by(rater)
        return None if score is None else self.rules.scores.text(score.value, self.where, self.notes)

    def attempt(self) -> dict[str, Any]:
        """The sample as an attempt, its score as the output: none where it was not scored, and why not."""
        score, error = self.score(), _error(self)
        value = None if score is None else self.rules.scores.share(score.value, self.where, self.notes)
        return {
            "output": value,
            "why": error or "not scored" if value is None else None,
            "seconds": seconds_of(self.decoded),
            "tokens": tokens_of(usage_of(self.decoded.model_usage)),
        }

    def reason(self, rater: str) -> Any:
        score = self.score_by(rater)
        return None if score is None else self.resolved(f"{rater}.reason", score.explanation)


def _question(one: LogSample) -> Any:
    """The input as text: as it is, or the texts of the user's messages in it."""
    value = part_of(one.decoded.input)
    if not isinstance(value, list):
        return value
    messages = [part for part in value if isinstance(part, dict)]
    asked = [part for part in messages if part.get("role") == "user"] or messages
    return "\n\n".join(_plain(one.resolved("question", part.get("content"))) for part in asked)


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    parts = content(value)
    return "" if parts is None else parts.text


def _target(one: LogSample) -> Any:
    """The target, or the list of those of which one is enough."""
    target, joint = one.decoded.target, one.rules.joint
    if joint is None or not isinstance(target, list):
        return target
    return joint.join(str(one.resolved("ground_truth", part)) for part in target)


def _raw_text(one: LogSample) -> Any:
    completion = one.decoded.output.completion if one.decoded.output else None
    return one.message if completion is None else completion


def _reasoning(one: LogSample) -> Any:
    value = one.message
    parts = content(value) if isinstance(value, list) else None
    return None if parts is None else parts.reasoning


def _parsed_text(one: LogSample) -> Any:
    """What the scorer parsed: "" where there was nothing, None where it stores something else or did not score."""
    score = one.score() if one.rules.parsed else None
    if score is None:
        return None
    return "" if score.answer is None else score.answer


def _stored(one: LogSample) -> bool | str | Unscored | None:
    """The label; None where the scorer has no score of the sample."""
    score = one.score()
    return None if score is None else one.rules.scores.label(score.value, one.where, one.notes)


def _error(one: LogSample) -> str | None:
    """The message of the error that the sample ended in."""
    value = part_of(one.decoded.error)
    if isinstance(value, dict):
        return str(value.get("message") or "error")
    return None if value is None else str(value)


def _explanation(one: LogSample) -> Any:
    score = one.score()
    return None if score is None else score.explanation


CONSTANTS: Mapping[str, Callable[[SampleRules], Any]] = {
    "scorer": lambda rules: rules.rule,
    "model": lambda rules: rules.model,
    "task": lambda rules: rules.task,
    "temperature": lambda rules: rules.temperature,
    "log": lambda rules: rules.log,
    **END_CONSTANTS,
}
PLAIN: Mapping[str, Callable[[LogSample], Any]] = {
    "id": lambda one: f"{one.sample_id()}#{one.decoded.epoch}",
    "item": lambda one: f"{one.rules.item_prefix}{one.decoded.id}",
    "sample_id": lambda one: one.decoded.id,
    "epoch": lambda one: one.decoded.epoch,
    "stored": _stored,
    "error": _error,
    **ENDINGS,
}
TEXTS: Mapping[str, Callable[[LogSample], Any]] = {  # what may be an attachment, or have some within
    "question": _question,
    "choices": lambda one: one.decoded.choices,
    "ground_truth": _target,
    "raw_text": _raw_text,
    "parsed_text": _parsed_text,
    "explanation": _explanation,
    "reasoning": _reasoning,
}
COLUMNS = (*PLAIN, *TEXTS, *CONSTANTS)


def epoch_name(epoch: int | str) -> str:
    """What an epoch is called as a rater."""
    return f"epoch{epoch}"


def _same(value: Any) -> Any:
    return value
