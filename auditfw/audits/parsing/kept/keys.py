"""The columns of trials.parquet by which rows are compared with each other: hashes of what stands in them.

All are of every row that was read, audited or not. Hashes are sent as whole numbers, 0 for none.
"""

from __future__ import annotations

import json
import re
import unicodedata
from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import compress
from math import isfinite, nan
from typing import Any, NamedTuple

from auditfw.audits.parsing.engine.reference import Truth
from auditfw.audits.parsing.trials import (
    ERROR,
    ITEM,
    QUESTION,
    REASONING,
    UNSCORED,
    UNSTORED,
    TrialBatch,
    as_text,
    as_texts,
    as_values,
)
from auditfw.core.imports import pl
from auditfw.core.tables import NO_CODE
from auditfw.formulas.texts.canonical import LONGEST, canonical, found_answer
from auditfw.formulas.texts.stands_in import SEVERAL, option_places, stands_in
from auditfw.formulas.texts.truth_kinds import Kind, kind_of

from .row_facts import FACTS

PROMPT, SCORE = "prompt", "score"
CHOICES = ("choices", "options")  # the column of the options of a question, the first of these that is read
RUNS = (  # what tells rows of one item apart, where the source has it
    "repeat", "epoch", "run", "attempt", "trial", "seed", "filter", "metric", "assertion", "scorer", "task", "split",
    "variant", "condition", "temperature",
)  # fmt: skip
COMPARED = (QUESTION, *CHOICES, PROMPT, SCORE, *RUNS)  # read where a source has them
OWN = frozenset(
    {"id", "raw_text", "parsed_text", "ground_truth", "stored", ITEM, ERROR, UNSTORED, REASONING, QUESTION, *CHOICES}
    | {PROMPT, SCORE, UNSCORED, *FACTS, "sample_id", "log", "date", "time", "timestamp"}
)
PLACES = ("option_letter", "option_text")
SHORT = 1_000  # characters of a text whose hash is cached
HASHES = ("question", "options", "truth", "prompt", "rest", "answer_key", "stored_key", "truth_key")
SOURCED: frozenset[Kind] = frozenset({"number", "letter", "yes_no"})
WORDS: frozenset[Kind] = frozenset({"text", "long", "code", "structured", "empty"})
CACHED = 1 << 15
_NUMBER = re.compile(r"[-+]?[0-9.]{1,300}(?:e[-+]?[0-9]{1,3})?")


def hashed(text: str) -> int:
    """The first 8 bytes of BLAKE2b, as a number that is not 0."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") or 1


def normalized(text: str) -> str:
    """A text without case, each run of white space one blank."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split())


def normalized_truth(text: str) -> str:
    """The same of a truth; a number as Python writes it, without thousands commas."""
    text = normalized(text)
    number = text.replace(",", "")
    try:
        value = float(number) if _NUMBER.fullmatch(number) else None
    except ValueError:
        return text
    return text if value is None or not isfinite(value) else repr(value)


def _key(text: str, kind: Kind) -> int:
    form = canonical(text, kind)
    return hashed(form) if form else 0


_short_key = lru_cache(CACHED)(_key)


def key_of(text: str, kind: Kind, truth: str) -> int:
    """The key of an answer whose truth is of a kind; of one much longer than the truth only its end may hold it."""
    if len(text) <= LONGEST:
        return _short_key(text, kind)
    if len(text) <= 2 * len(truth):
        return _key(text, kind)
    return 0 if kind in WORDS else _key(text[-LONGEST - 1 :].partition(" ")[2], kind)


class _TruthFacts(NamedTuple):
    kind: Kind
    first: str  # of several truths, but for empty ones
    hash: int
    key: int

    @classmethod
    def of(cls, truth: Truth | None) -> _TruthFacts:
        texts = truth if isinstance(truth, tuple) else (truth or "",)
        first = next(filter(None, texts), "")
        kind, text = kind_of(first), "\0".join(filter(None, map(normalized_truth, texts)))
        return cls(kind, first, hashed(text) if text else 0, key_of(first, kind, first))


_short_facts = lru_cache(CACHED)(_TruthFacts.of)


def key_columns(trials: TrialBatch, columns: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """The columns of the rows of a batch, as they are sent."""
    rows = trials.rows
    raw, parsed = (as_texts(columns.get(name), rows) for name in ("raw_text", "parsed_text"))
    truths = [
        _short_facts(truth) if truth is None or (type(truth) is str and len(truth) <= SHORT) else _facts_of(truth)
        for truth in trials.every_truth
    ]
    options = _options(columns, rows)
    stored = [
        key_of(text, kind, first) if text else 0 for text, (kind, first, _, _) in zip(parsed, truths, strict=True)
    ]
    answers, sourced, forms = array("Q", stored), bytearray([NO_CODE]) * rows, {}
    for i, (key, text, whole, (kind, _, _, _)) in enumerate(zip(stored, parsed, raw, truths, strict=True)):
        if not whole:
            continue
        if key and text and kind in SOURCED:
            sourced[i] = text == whole or stands_in(text, whole, kind, options[i])
        elif not key and (not text or text.isspace()):
            forms[i] = form = found_answer(whole, kind)
            answers[i] = hashed(form) if form else 0
    places = [bytearray([NO_CODE]) * rows for _ in PLACES]
    for i in compress(range(rows), options):
        text = parsed[i] or ""
        named = option_places(forms.get(i, text), raw[i] or "", text, options[i], truths[i].kind)
        for column, place in zip(places, named, strict=True):
            column[i] = place
    questions = [text or "" for text in as_texts(columns.get(QUESTION), rows)]
    prompts = None if PROMPT in trials.by else columns.get(PROMPT)
    made: dict[str, Any] = {
        "question": array(
            "Q", [_short_question(text) if len(text) <= SHORT else _question_hash(text) for text in questions]
        ),
        "options": _of_distinct(options, _set_hash),
        "truth": array("Q", [truth.hash for truth in truths]),
        "prompt": array("Q", [0 if text is None else hashed(text) for text in as_texts(prompts, rows)]),
        "rest": _rest(trials, columns),
        "answer_key": answers,
        "stored_key": array("Q", stored),
        "truth_key": array("Q", [truth.key for truth in truths]),
        "sourced": bytes(sourced),
        "score": array("d", map(_score, columns[SCORE]) if SCORE in columns else [nan] * rows),
        **dict(zip(PLACES, map(bytes, places), strict=True)),
    }
    return {f"row.{name}": column for name, column in made.items()}


def key_expressions() -> dict[str, pl.Expr]:
    """The same as they are written: null where there is nothing."""
    columns = {name: pl.col(f"row.{name}") for name in (*HASHES, *PLACES, "sourced", "score")}
    written: dict[str, pl.Expr] = {name: pl.when(columns[name] != 0).then(columns[name]) for name in HASHES}
    several = pl.lit(NO_CODE, pl.UInt8)
    written |= {name: pl.when(columns[name] == SEVERAL).then(several).otherwise(columns[name]) for name in PLACES}
    written |= {
        "sourced": columns["sourced"] == 1,
        "score": pl.when(columns["score"].is_not_nan()).then(columns["score"]),
    }
    return {f"row.{name}": column for name, column in written.items()}


def _facts_of(truth: Truth) -> _TruthFacts:
    """The facts of a truth that is long, or of several truths."""
    short = isinstance(truth, tuple) and sum(map(len, truth)) <= SHORT
    return _short_facts(truth) if short else _TruthFacts.of(truth)


def _of_distinct(values: Sequence[Any], number: Callable[[Any], int]) -> array[int]:
    """A number for each value; each distinct one is looked at once."""
    numbers = {value: number(value) for value in dict.fromkeys(values)}
    return array("Q", map(numbers.__getitem__, values))


def _question_hash(text: str) -> int:
    return hashed(normal) if (normal := normalized(text)) else 0


_short_question = lru_cache(CACHED)(_question_hash)


@lru_cache(CACHED >> 4)
def _set_hash(options: tuple[str, ...]) -> int:
    return hashed("\0".join(sorted(set(map(normalized, options))))) if options else 0


def _rest(trials: TrialBatch, columns: Mapping[str, Sequence[Any]]) -> array[int]:
    """A hash of what else was read of each row, by name."""
    names = sorted(name for name in columns if name in trials.by or not (name in OWN or name.startswith("#")))
    if not names:
        return array("Q", bytes(8 * trials.rows))
    values = zip(*(as_values(columns[name]) for name in names), strict=True)
    return _of_distinct(list(values), lambda row: hashed("\0".join(map(_field, names, row))))


def _field(name: str, value: Any) -> str:
    return f"{name}={value!r}"


def _options(columns: Mapping[str, Sequence[Any]], rows: int) -> Sequence[tuple[str, ...]]:
    """The options of each row's question, none where the source has none."""
    name = next((name for name in CHOICES if name in columns), None)
    return [()] * rows if name is None else list(map(_listed, columns[name]))


def _listed(value: Any) -> tuple[str, ...]:
    """Options as texts: of a list, of letters with their texts, of either as JSON."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            value = json.loads(value)
        except ValueError:
            return ()
    if isinstance(value, dict):
        texts = value.get("text")
        value = texts if isinstance(texts, list) else [value[key] for key in sorted(value)]
    return tuple(map(as_text, value)) if isinstance(value, list | tuple) else ()


def _score(value: Any) -> float:
    """A numeric score; NaN for none."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else nan
