"""The results of promptfoo: a row for each result and assertion, or for each result."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

from auditfw.components.files.batches import place
from auditfw.components.files.file_settings import Records, Row
from auditfw.components.files.files import File
from auditfw.core.errors import DataError
from auditfw.kinds.evidence import ScorerRule

from .converted import Note, Where, an_object, converted, note, objects, other_record

RULES: Mapping[str, ScorerRule] = {
    kind: ScorerRule(kind, {"compare": compare, "case": case}, "")
    for kind, compare, case in (
        ("equals", "equality", True),
        ("contains", "substring", True),
        ("icontains", "substring", False),
        ("contains-any", "substring", True),
        ("icontains-any", "substring", False),
        ("starts-with", "prefix", True),
    )
}
SEVERAL = frozenset(("contains-any", "icontains-any"))
NO_RULE = "no_rule"
FAILED = 2  # failureReason of a result that ended in an error
LONGEST_ITEM, HEAD = 120, 60
JSON_COLUMNS = ("testCase", "prompt", "provider", "response", "gradingResult", "metadata")
_VARIABLE = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")

Unit = Literal["assertion", "result"]


class PromptfooRows:
    """Makes the rows of the results of one file, one after the other; repeats of a test get numbers."""

    def __init__(self, unit: Unit, prefix: str = "") -> None:
        self._unit, self._prefix = unit, prefix
        self._repeats: dict[tuple[Any, ...], list[Any]] = {}

    def __call__(self, got: Records, file: File) -> Records:
        """The rows of these results. Raises DataError for what is no result."""
        return converted(got, [self._of(got, file, i) for i in range(len(got.rows))])

    def _of(self, got: Records, file: File, i: int) -> list[Row]:
        where = partial(place, file, got, i)
        result = _decoded(got.rows[i], where)
        shared = self._shared(result, where)
        if shared["error"] is not None:
            return [{**shared, **_EMPTY}]
        if self._unit == "result":
            return [self._whole(result, shared)]
        return list(self._asserted(result, shared, got, partial(note, got, where)))

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
        prefix = f"{self._prefix}{result['evalId']}/" if result.get("evalId") else self._prefix
        return {
            **{name: value for name, value in result.items() if name not in ("error", "id")},
            "id": f"{prefix}{result.get('testIdx')}/{result.get('promptIdx')}",
            "item": _item(result),
            "repeat": self._repeat(result),
            "model": provider.get("label") or provider.get("id"),
            "prompt": an_object(result.get("prompt")).get("label"),
            "question": an_object(result.get("prompt")).get("raw"),
            "raw_text": raw if transformed else output,
            "parsed_text": output,
            "error": str(mistake or "failed") if failed else None,
        }

    def _repeat(self, result: Row) -> int:
        """Which repeat of its test a result is, in the order of the tests' numbers as they come."""
        key = (_item(result), str(an_object(result.get("testCase")).get("assert")), str(result.get("evalId")))
        numbers = self._repeats.setdefault(key, [])
        number = result.get("testIdx")
        if number not in numbers:
            numbers.append(number)
        return numbers.index(number)

    def _whole(self, result: Row, shared: Row) -> Row:
        values = [value for one in _components(result) if (value := _truth(one, result)) is not None]
        truths = [part for value in values for part in (value if isinstance(value, list) else [value])]
        row = {**shared, "ground_truth": truths or None, "stored": result.get("success"), "assertion": None}
        row.pop("parsed_text")
        return row

    def _asserted(self, result: Row, shared: Row, got: Records, remark: Note) -> Iterator[Row]:
        several = list(_components(result)) or [{}]
        for number, one in enumerate(several):
            assertion = an_object(one.get("assertion"))
            kind = str(assertion.get("type") or "none")
            truth = _truth(one, result)
            if truth is None:
                remark(f"assertions of type '{kind}' have no rule to try again, and are not audited")
                got.dropped[NO_RULE] += 1
                continue
            label = {"ground_truth": truth, "stored": one.get("pass")}
            which = {"id": f"{shared['id']}/{number}", "assertion": kind, "metric": assertion.get("metric")}
            yield {**shared, **label, **which}


_EMPTY = {"raw_text": None, "parsed_text": None, "ground_truth": "", "stored": None, "assertion": None, "metric": None}


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


def _components(result: Row) -> Iterator[Row]:
    """What came of each assertion; those of a set of assertions, which promptfoo writes again after it, once."""
    todo = objects(an_object(result.get("gradingResult")).get("componentResults"))
    while todo:
        one = todo.pop(0)
        inner = objects(one.get("componentResults"))
        if not inner:
            yield one
        elif todo[: len(inner)] != inner:
            todo = [*inner, *todo]


def _truth(one: Row, result: Row) -> Any:
    """What an assertion compares with, as a text or several; None where no rule of this kind can be tried again."""
    assertion = an_object(one.get("assertion"))
    kind, value = assertion.get("type"), assertion.get("value")
    value = an_object(one.get("metadata")).get("renderedAssertionValue", value)
    if not isinstance(kind, str) or kind not in RULES or value is None:
        return None
    if kind in SEVERAL:
        several = value if isinstance(value, list) else str(value).split(",")
        return [text for part in several if (text := _rendered(str(part).strip(), result))] or None
    return _rendered(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), result)


def _rendered(text: str, result: Row) -> str | None:
    """A value with its variables put in; None where something else than a variable is left to be filled in."""
    variables = an_object(result.get("vars")) or an_object(an_object(result.get("testCase")).get("vars"))
    text = _VARIABLE.sub(lambda match: str(variables.get(match[1], match[0])), text)
    return None if "{{" in text or "{%" in text or text.startswith("file://") else text


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
