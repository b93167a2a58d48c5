"""Steps that search by a pattern of the user's, under a deadline, and the lint of such patterns."""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

from auditfw.core.errors import UsageError
from auditfw.kinds.registry import register

_NUMBERS = {"first": 0, "last": -1}


@register("step", "capture")
@dataclass(frozen=True)
class Capture:
    """Keeps what a regular expression captures: a group of one of its matches, `fallback` where there is none.

    `which` match: the last, the first, or a number as in a list (0 is the first one, -2 the last but one). `group` is
    the number of a group, 0 for the whole match, or "filled": the first group that is not empty. `flags` are letters of
    "aimsx", as in (?i).
    """

    pattern: str
    group: int | Literal["filled"] = 1
    which: int | Literal["last", "first"] = "last"
    fallback: str = ""
    flags: str = ""
    deadline: float = 1.0

    def __post_init__(self) -> None:
        check_pattern(self.pattern, self.deadline, flags=self.flags)
        groups = _compiled(self._flagged).groups
        if self.group == "filled" and not groups:
            raise UsageError("group", "the pattern has no group", self.group, "write group: 0 for the whole match")
        if self.group != "filled" and not 0 <= self.group <= groups:
            raise UsageError(
                "group", f"the pattern has {groups} groups", self.group, "write group: 0 for the whole match"
            )

    @property
    def _flagged(self) -> str:
        return flagged(self.pattern, self.flags)

    def __call__(self, text: str) -> str:
        which = self.which if isinstance(self.which, int) else _NUMBERS[self.which]
        match = search(self._flagged, text, which, self.deadline)
        if match is None:
            return self.fallback
        kept = next(filter(None, match.groups()), None) if self.group == "filled" else match[self.group]
        return kept or self.fallback

    def lint(self) -> str | None:
        """What may be slow about the pattern, or None."""
        return lint(self.pattern)


@register("step", "substitute")
@dataclass(frozen=True)
class Substitute:
    r"""Replaces every match of a regular expression, by default with nothing.

    In the replacement \1 or \g<1> stands for a group. `flags` are letters of "aimsx", as in (?i).
    """

    pattern: str
    replacement: str = ""
    flags: str = ""
    deadline: float = 1.0

    def __post_init__(self) -> None:
        import regex

        check_pattern(self.pattern, self.deadline, flags=self.flags, empty=True)
        compiled = _compiled(self._flagged)
        names = {number: f"?P<{name}>" for name, number in compiled.groupindex.items()}
        groups = "".join(f"({names.get(number, '')})" for number in range(1, compiled.groups + 1))
        try:
            regex.sub(groups, self.replacement, "")
        except (regex.error, IndexError) as error:
            raise UsageError(
                "replacement", f"cannot be used: {error}", self.replacement, "write \\\\ for a backslash"
            ) from None

    @property
    def _flagged(self) -> str:
        return flagged(self.pattern, self.flags)

    def __call__(self, text: str) -> str:
        try:
            replaced: str = _compiled(self._flagged).sub(self.replacement, text, timeout=self.deadline)
        except TimeoutError:
            raise _late(self._flagged, self.deadline) from None
        return replaced

    def lint(self) -> str | None:
        """What may be slow about the pattern, or None."""
        return lint(self.pattern)


@register("step", "json_field")
@dataclass(frozen=True)
class JsonField:
    """Keeps a field of the first complete JSON object, else what a fallback pattern captures first.

    Line breaks inside JSON strings are forgiven. `{field}` in the fallback pattern stands for the field's name.
    """

    field: str = "answer"
    fallback_pattern: str = r'"?\b{field}"?\s*:\s*(?:"([^"]*)"|([^",\s}]+))'
    deadline: float = 1.0

    def __post_init__(self) -> None:
        if not self.field:
            raise UsageError("field", "must not be empty", None, "write the name of a field, such as answer")
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

    def lint(self) -> str | None:
        """What may be slow about the fallback pattern, or None."""
        return lint(self._fallback) if self.fallback_pattern else None


# Numbers keep the spelling they have in the text.
_JSON = json.JSONDecoder(strict=False, parse_int=str, parse_float=str, parse_constant=str)


def first_object(text: str) -> dict[str, Any] | None:
    """The first complete JSON object in a text."""
    at = text.find("{")
    while at >= 0:
        try:
            value, _ = _JSON.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        return value if isinstance(value, dict) else None
    return None


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    import regex

    return regex.compile(pattern)


def flagged(pattern: str, flags: str) -> str:
    """A pattern with its flags in front."""
    return f"(?{flags}){pattern}" if flags else pattern


def search(pattern: str, text: str, which: int, deadline: float) -> Any:
    """One of the matches of a pattern by its number, or None. Raises TimeoutError, naming the pattern."""
    compiled = _compiled(pattern)
    try:
        if which == 0:
            return compiled.search(text, timeout=deadline)
        matches = compiled.finditer(text, timeout=deadline)
        if which > 0:
            return next(islice(matches, which, None), None)
        last = deque(matches, maxlen=-which)
        return last[0] if len(last) == -which else None
    except TimeoutError:
        raise _late(pattern, deadline) from None


def _late(pattern: str, deadline: float) -> TimeoutError:
    return TimeoutError(f"the pattern {pattern!r} took longer than {deadline:g} s")


def check_pattern(
    pattern: str, deadline: float, setting: str = "pattern", *, flags: str = "", empty: bool = False
) -> None:
    """Raises UsageError for a pattern that cannot be meant so; unless `empty`, for one that matches empty text."""
    import regex

    if any(c in pattern for c in map(chr, (*range(9), 11, 12, *range(14, 32), 127))):
        raise UsageError(setting, "control character in a regular expression", pattern, "use single quotes")
    if not set(flags) <= set("aimsx"):
        raise UsageError("flags", "not flags of a regular expression", flags, "write letters of aimsx, such as i")
    try:
        compiled = _compiled(flagged(pattern, flags))
    except regex.error as error:
        raise UsageError(setting, f"not a regular expression: {error}", pattern, "use single quotes") from None
    if deadline <= 0:
        raise UsageError("deadline", "must be above 0", deadline, "write seconds")
    if not pattern or (not empty and compiled.search("") is not None):
        raise UsageError(setting, "the pattern matches empty text", pattern, "write + for *, or anchor it to a word")


_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[*+]|\{\d*,\d*\}|[()]|.", re.DOTALL)


def lint(pattern: str) -> str | None:
    """Says where an endless repeat holds another endless repeat, as in (a+)+, which may take exponential time."""
    opened: list[int] = []
    repeats: list[int] = []  # where endless repeats are
    closed: tuple[int, int] | None = None  # the group that has just been closed
    for token in _TOKEN.finditer(pattern):
        text, at = token[0], token.start()
        if text == "(":
            opened.append(at)
        endless = text in ("*", "+") or (text.startswith("{") and text.endswith(",}"))
        possessive = endless and pattern[token.end() : token.end() + 1] == "+"
        if endless and not possessive:
            if closed and any(closed[0] < inner < closed[1] for inner in repeats):
                group = pattern[closed[0] : token.end()]
                return f"{group} repeats a repeat: it may take exponential time - write it with one repeat"
            if pattern[at - 1 : at] not in ("*", "+", "}") or pattern[at - 2 : at - 1] == "\\":
                repeats.append(at)
        closed = (opened.pop(), at) if text == ")" and opened else None
    return None
