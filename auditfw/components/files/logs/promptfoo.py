"""The results of promptfoo: a row for each result and assertion, or for each result."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

from auditfw.components.files.batches import place
from auditfw.components.files.columns.contents import content
from auditfw.components.files.file_settings import Records, Row
from auditfw.components.files.files import File
from auditfw.core.errors import DataError, brief
from auditfw.formulas.texts.javascript import (
    NEGATION,
    SEVERAL,
    Assertion,
    UnquotedError,
    UntranslatableError,
    separated,
    translated,
)
from auditfw.formulas.texts.pattern_bounds import PatternError, check_bounds
from auditfw.formulas.texts.patterns import as_re
from auditfw.kinds.evidence import ScorerRule
from auditfw.kinds.judgements import LABEL, QID, RATER, REASON

from .converted import Where, an_object, converted, note, objects, other_record
from .lm_eval_parts import limit_in

# Patterns that a log brings along: text from strangers, looked at before anything compiles it.


def check_pattern(pattern: object, where: str) -> None:
    """Raises DataError for a pattern that is too large to be compiled; anything but text is none."""
    if isinstance(pattern, str):
        try:
            check_bounds(pattern)
            check_bounds(as_re(pattern), rewritten=True)
        except PatternError as error:
            raise too_large(error, pattern, where) from None


def too_large(error: PatternError, pattern: str, where: str) -> DataError:
    """The error for a pattern of a log that cannot be used."""
    return DataError(where, str(error), brief(pattern), "choose a rule of your own: source=… parser=… matcher=…")


# What the assertions of promptfoo compare with: their values as truths, and the rules that can be tried again.

KINDS: tuple[str, ...] = get_args(Assertion)
ANY = ("contains-any", "icontains-any")  # each value is a truth of its own; of the others of SEVERAL they are one
RULES: Mapping[str, ScorerRule] = {
    name: ScorerRule(name, {"assertion": name.removesuffix("-any") if name in ANY else name}, "")
    for name in (*KINDS, *(f"{NEGATION}{kind}" for kind in KINDS))
}
_VARIABLE = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")


COMPARING = frozenset(
    ("equals", "contains", "starts-with", "icontains", *ANY)
)  # whose values are answers that would be right


class NoRuleError(Exception):
    """Why an assertion cannot be applied again."""


class AssertionResult(NamedTuple):
    """What came of an assertion: its type, what it is called, whether it passed, and why."""

    kind: str
    name: str
    passed: Any
    reason: Any
    component: Row


def judged(result: Row) -> list[AssertionResult]:
    """What came of each assertion of a result; of several of one name the second is NAME1."""
    names: dict[str, int] = {}
    several = []
    for one in components(result):
        assertion = an_object(one.get("assertion"))
        kind = str(assertion.get("type") or "none")
        name = str(assertion.get("metric") or kind)
        number = names[name] = names.get(name, -1) + 1
        called = f"{name}{number}" if number else name
        several.append(AssertionResult(kind, called, one.get("pass"), one.get("reason"), one))
    return several


def components(result: Row) -> Iterator[Row]:
    """What came of each assertion; those of a set of assertions, which promptfoo writes again after it, once."""
    todo = objects(an_object(result.get("gradingResult")).get("componentResults"))
    while todo:
        one = todo.pop(0)
        inner = objects(one.get("componentResults"))
        if not inner:
            yield one
        elif todo[: len(inner)] != inner:
            todo = [*inner, *todo]


def truth_of(one: Row, result: Row) -> str | list[str]:
    """What an assertion compares with: a text, or several of which one is enough. Raises NoRuleError."""
    assertion = an_object(one.get("assertion"))
    kind, value = str(assertion.get("type") or "none"), assertion.get("value")
    value = an_object(one.get("metadata")).get("renderedAssertionValue", value)
    base = kind.removeprefix(NEGATION)
    if base not in KINDS:
        raise NoRuleError(f"assertions of type '{kind}' have no rule that can be applied again")
    if assertion.get("transform"):
        raise NoRuleError("assertions that read an output of their own (transform) cannot be applied again")
    if base in SEVERAL and value is not None:
        return _several(kind, value, result)
    if value is None or isinstance(value, list | dict):
        raise NoRuleError(f"assertions of type '{kind}' whose value is not a text cannot be applied again")
    text = _rendered(value, result)
    if base == "regex":
        try:
            translated(text)
        except UntranslatableError:
            what = "a regular expression that JavaScript refuses or reads differently"
            raise NoRuleError(f"assertions of {what} cannot be applied again") from None
    return text


def _several(kind: str, value: Any, result: Row) -> str | list[str]:
    """The texts that an assertion looks for: apart where one is enough, else as one JSON list."""
    try:
        parts = [_rendered(one, result) for one in value] if isinstance(value, list) else None
        texts = parts if parts is not None else separated(_rendered(value, result))
    except UnquotedError:
        texts = []
    if not texts or (kind in ANY and "" in texts):
        raise NoRuleError(f"assertions of type '{kind}' without a text to look for cannot be applied again")
    return texts if kind in ANY else json.dumps(texts, ensure_ascii=False)


def _rendered(value: Any, result: Row) -> str:
    """A value as text, with its variables put in. Raises NoRuleError where something else is to be filled in."""
    variables = an_object(result.get("vars")) or an_object(an_object(result.get("testCase")).get("vars"))
    text = _VARIABLE.sub(lambda match: as_text(variables.get(match[1], match[0])), as_text(value))
    if "{{" in text or "{%" in text or text.startswith("file://"):
        raise NoRuleError("assertions whose value is made by a template or a file cannot be applied again")
    return text


def as_text(value: Any) -> str:
    """A value as JavaScript writes it as a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


NO_RULE, SAMPLE_ERROR = "no_rule", "sample_error"
PASSED, FAILED_LABEL = "pass", "fail"
FAILED = 2  # failureReason of a result that ended in an error
LONGEST_ITEM, HEAD = 120, 60
JSON_COLUMNS = ("testCase", "prompt", "provider", "response", "gradingResult", "metadata")

REFUSAL = "refusal"
Unit = Literal["assertion", "result", "judgement"]


class PromptfooRows:
    """Makes the rows of the results of one file, one after the other; repeats of a test get numbers.

    `limits` are the most tokens of an answer, by provider.
    """

    def __init__(self, unit: Unit, prefix: str = "", limits: Mapping[Any, int] | None = None) -> None:
        self._unit, self._prefix, self._limits = unit, prefix, limits or {}
        self._repeats: dict[tuple[Any, ...], list[Any]] = {}

    def __call__(self, got: Records, file: File) -> Records:
        """The rows of these results. Raises DataError for what is no result."""
        return converted(got, [self._of(got, file, i) for i in range(len(got.rows))])

    def _of(self, got: Records, file: File, i: int) -> list[Row]:
        where = partial(place, file, got, i)
        result = _decoded(got.rows[i], where)
        shared = self._shared(result, where)
        if shared["error"] is not None:
            if self._unit != "judgement":
                return [{**shared, **_EMPTY}]
            got.dropped[SAMPLE_ERROR] += 1
            return []
        if self._unit == "result":
            return [self._whole(result, shared)]
        if self._unit == "judgement":
            return list(self._judged(result, shared))
        return list(self._asserted(result, shared, got, where))

    def _shared(self, result: Row, where: Where) -> dict[str, Any]:
        """What all rows of a result have."""
        response, test = an_object(result.get("response")), an_object(result.get("testCase"))
        if "success" not in result or not (result.get("testCase") or result.get("vars")):
            raise other_record(where, "result of promptfoo", "'success' or no test", result)
        output, raw = response.get("output"), response.get("raw")
        transformed = isinstance(raw, str) and bool(an_object(test.get("options")).get("transform"))
        mistake = result.get("error") or response.get("error")
        failed = result.get("failureReason") == FAILED or (output is None and mistake)
        provider = an_object(result.get("provider"))
        usage = an_object(response.get("tokenUsage"))
        refused = response.get("isRefusal") is True or an_object(response.get("guardrails")).get("flagged") is True
        prefix = f"{self._prefix}{result['evalId']}/" if result.get("evalId") else self._prefix
        return {
            **{name: value for name, value in result.items() if name not in ("error", "id")},
            "id": f"{prefix}{result.get('testIdx')}/{result.get('promptIdx')}",
            "item": _item(result),
            "repeat": self._repeat(result),
            "model": provider.get("label") or provider.get("id"),
            "prompt": an_object(result.get("prompt")).get("label"),
            "question": an_object(result.get("prompt")).get("raw"),
            "raw_text": raw if transformed else _text(output),
            "parsed_text": _text(output),
            "error": str(mistake or "failed") if failed else None,
            "stop": response.get("finishReason"),
            "tokens_in": usage.get("prompt") or None,
            "tokens_out": usage.get("completion") or None,
            "limit": self._limit(provider, result),
            "reason": REFUSAL if refused else None,
        }

    def _limit(self, provider: Row, result: Row) -> Any:
        """The most tokens of an answer: by the result itself, else as the file sets up its provider."""
        own = limit_in(provider.get("config")) or limit_in(an_object(result.get("prompt")).get("config"))
        names = (provider.get("label"), provider.get("id"))
        return own or next(
            (self._limits[name] for name in names if isinstance(name, str) and name in self._limits), None
        )

    def _repeat(self, result: Row) -> int:
        """Which repeat of its test a result is, in the order of the tests' numbers as they come."""
        key = (_item(result), str(an_object(result.get("testCase")).get("assert")), str(result.get("evalId")))
        numbers = self._repeats.setdefault(key, [])
        number = result.get("testIdx")
        if number not in numbers:
            numbers.append(number)
        return numbers.index(number)

    def _whole(self, result: Row, shared: Row) -> Row:
        truths: list[str] = []
        for one in judged(result):
            if one.kind in COMPARING:
                with suppress(NoRuleError):
                    truth = truth_of(one.component, result)
                    truths += truth if isinstance(truth, list) else [truth]
        row = {**shared, "ground_truth": truths or None, "stored": result.get("success"), "assertion": None}
        row.pop("parsed_text")
        return row

    def _asserted(self, result: Row, shared: Row, got: Records, where: Where) -> Iterator[Row]:
        several = list(components(result)) or [{}]
        for number, one in enumerate(several):
            assertion = an_object(one.get("assertion"))
            try:
                label = {"ground_truth": truth_of(one, result), "stored": one.get("pass")}
            except PatternError as error:
                raise too_large(error, str(assertion.get("value")), f"{where()}: assertion {number + 1}") from None
            except NoRuleError as error:
                note(got, where, f"{error}, and are not audited")
                got.dropped[NO_RULE] += 1
                continue
            kind = str(assertion["type"])
            which = {"id": f"{shared['id']}/{number}", "assertion": kind, "metric": assertion.get("metric")}
            yield {**shared, **label, **which}

    def _judged(self, result: Row, shared: Row) -> Iterator[Row]:
        """A row for each assertion as a rater's judgement of the result."""
        for number, one in enumerate(judged(result)):
            label = None if one.passed is None else PASSED if one.passed else FAILED_LABEL
            which = {"id": f"{shared['id']}/{number}", QID: shared["id"], RATER: one.name, LABEL: label}
            yield {**shared, **which, REASON: one.reason, "assertion": one.kind}


_EMPTY = {"raw_text": None, "parsed_text": None, "ground_truth": "", "stored": None, "assertion": None, "metric": None}


def provider_limits(config: Any) -> dict[Any, int]:
    """The most tokens of an answer of each provider, as the configuration of a file sets them up."""
    limits: dict[Any, int] = {}
    listed = an_object(config).get("providers")
    for one in objects(listed if isinstance(listed, list) else [listed]):
        names, inner = (one.get("label"), one.get("id")), limit_in(one.get("config"))
        limits |= {name: inner for name in names if inner is not None and isinstance(name, str)}
    return limits


def _decoded(result: Row, where: Where) -> Row:
    """A result whose objects are no texts: in a database they are."""
    row = dict(result)
    for name in JSON_COLUMNS:
        value = row.get(name)
        if isinstance(value, str) and value[:1] in ("{", "[") and "eval_id" in row:
            try:
                row[name] = json.loads(value)
            except (ValueError, RecursionError):
                raise DataError(where(), f"the column '{name}' is not JSON", value) from None
    if "eval_id" in row:
        row["evalId"] = row.pop("eval_id")
    return row


def _text(output: Any) -> Any:
    """An output as the assertions read it: an object as its JSON; content parts are left to whoever reads texts."""
    parts = content(output) if isinstance(output, list) else None
    return output if output is None or parts is not None else as_text(output)


def _item(result: Row) -> str:
    """What a test is about: its variables, shortened where they are long."""
    test = an_object(result.get("testCase"))
    variables = an_object(test.get("vars")) or an_object(result.get("vars"))
    if not variables:
        return str(test.get("description") or result.get("testIdx"))
    text = json.dumps(variables, ensure_ascii=False, sort_keys=True)
    if len(text) <= LONGEST_ITEM:
        return text
    return f"{text[:HEAD]}… {hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"
