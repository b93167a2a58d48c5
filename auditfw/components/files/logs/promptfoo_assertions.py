"""What the assertions of promptfoo compare with: their values as truths, and the rules that can be tried again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_args

from auditfw.components.files.file_settings import Row
from auditfw.formulas.texts.javascript import UntranslatableError, translated
from auditfw.formulas.texts.promptfoo import NEGATION, SEVERAL, Assertion, UnquotedError, separated
from auditfw.kinds.evidence import ScorerRule

from .converted import an_object, objects

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
