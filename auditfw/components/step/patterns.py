"""Steps that search by a pattern of the user's, under a deadline."""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar, Literal

from auditfw.core.errors import UsageError
from auditfw.formulas.texts.finders import FILLED, REPLACED, Find, KeptPart, finder, first_object, searcher
from auditfw.formulas.texts.pattern_bounds import compiled
from auditfw.formulas.texts.patterns import Classes, check_pattern, lint, replace, search, written
from auditfw.kinds.registry import declare

_NUMBERS = {"first": 0, "last": -1}


@declare("step", "capture")
class Capture:
    r"""Keeps what a regular expression captures: a group of one of its matches, or `fallback` if there is no match.

    `which`: the last match, the first, or a number as in a Python list (0 is the first, -2 the one before the last).
    `group` is the number of a group, 0 for the whole match, or "filled": the first group that is not empty. `flags` are
    letters of "aimsx", as in (?i). `classes` says whether \s, \w and \b are those of the package regex or those of
    Python's re, which differ on a few characters beyond ASCII.
    """

    family: ClassVar[str] = ""

    pattern: str
    group: int | Literal["filled"] = 1
    which: int | Literal["last", "first"] = "last"
    fallback: str = ""
    flags: str = ""
    classes: Classes = "regex"
    deadline: float = 1.0

    def __post_init__(self) -> None:
        check_pattern(self.pattern, self.deadline, flags=self.flags)
        groups = compiled(self._flagged, rewritten=True).groups
        if self.group == "filled" and not groups:
            raise UsageError("group", "the pattern has no group", self.group, "write group: 0 for the whole match")
        if self.group != "filled" and not 0 <= self.group <= groups:
            raise UsageError(
                "group", f"the pattern has {groups} groups", self.group, "write group: 0 for the whole match"
            )

    @property
    def _flagged(self) -> str:
        return written(self.pattern, self.flags, self.classes)

    @property
    def _number(self) -> int:
        return self.which if isinstance(self.which, int) else _NUMBERS[self.which]

    @property
    def fast(self) -> Find | None:
        """The same by the native kernel; None where the pattern is not for it."""
        group = FILLED if self.group == "filled" else self.group
        return finder(self._flagged, KeptPart(self._number, group, self.fallback), self)

    def __call__(self, text: str) -> str:
        match = search(self._flagged, text, self._number, self.deadline)
        if match is None:
            return self.fallback
        kept = next(filter(None, match.groups()), None) if self.group == "filled" else match[self.group]
        return kept or self.fallback

    def lint(self) -> str | None:
        """What may be slow about the pattern, or None."""
        return lint(self.pattern)


@declare("step", "substitute")
class Substitute:
    r"""Replaces every match of a regular expression, by default with nothing.

    In the replacement \1 or \g<1> stands for a group. `flags` are letters of "aimsx", as in (?i). `classes`
    is as in the step capture.
    """

    pattern: str
    replacement: str = ""
    flags: str = ""
    classes: Classes = "regex"
    deadline: float = 1.0

    def __post_init__(self) -> None:
        check_pattern(self.pattern, self.deadline, flags=self.flags, empty=True)
        pattern = compiled(self._flagged, rewritten=True)
        names = {number: f"?P<{name}>" for name, number in pattern.groupindex.items()}
        groups = "".join(f"({names.get(number, '')})" for number in range(1, pattern.groups + 1))
        try:
            compiled(groups, rewritten=True).sub(self.replacement, "")
        except Exception as error:
            raise UsageError(
                "replacement", f"cannot be used: {error}", self.replacement, "write \\\\ for a backslash"
            ) from None

    @property
    def _flagged(self) -> str:
        return written(self.pattern, self.flags, self.classes)

    @property
    def fast(self) -> Find | None:
        """The same by the native kernel; None where the pattern, or the replacement, is not for it."""
        if "\\" in self.replacement:
            return None
        return finder(self._flagged, KeptPart(0, REPLACED, self.replacement), self)

    def __call__(self, text: str) -> str:
        return replace(self._flagged, self.replacement, text, self.deadline)

    def lint(self) -> str | None:
        """What may be slow about the pattern, or None."""
        return lint(self.pattern)


@declare("step", "json_field")
class JsonField:
    """Keeps a field of the first complete JSON object, or the first capture of a fallback pattern.

    Line breaks inside JSON strings are accepted; an object nested deeper than 500 counts as not complete. `{field}` in
    the fallback pattern stands for the field's name.
    """

    family: ClassVar[str] = "json"

    field: str = "answer"
    fallback_pattern: str = r'"?\b{field}"?\s*:\s*(?:"([^"]*)"|([^",\s}]+))'
    deadline: float = 1.0

    def __post_init__(self) -> None:
        if not self.field:
            raise UsageError("field", "expected the name of a field", "''", "write for example answer")
        if self.fallback_pattern:
            check_pattern(self._fallback, self.deadline, "fallback_pattern")

    @property
    def _fallback(self) -> str:
        return self.fallback_pattern.replace("{field}", re.escape(self.field))

    def __call__(self, text: str) -> str:
        fields = first_object(text)
        if fields is not None and self.field in fields:
            return _shown(fields[self.field])
        if not self.fallback_pattern:
            return ""
        match = search(self._fallback, text, 0, self.deadline)
        if match is None:
            return ""
        groups: tuple[str | None, ...] = match.groups() or (match[0],)
        return next((group for group in groups if group), "")

    @property
    def fast(self) -> Find | None:
        """The same with the fallback by the native kernel; None where there is no fallback."""
        if not self.fallback_pattern:
            return None
        kept = KeptPart(0, FILLED if compiled(self._fallback).groups else 0)
        fallback = searcher(self._fallback, kept, deadline=self.deadline)

        def field_of(text: str) -> str:
            fields = first_object(text)
            return _shown(fields[self.field]) if fields is not None and self.field in fields else fallback(text)

        return field_of

    def lint(self) -> str | None:
        """What may be slow about the fallback pattern, or None."""
        return lint(self._fallback) if self.fallback_pattern else None


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
