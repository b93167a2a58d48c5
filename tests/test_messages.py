"""Keys that messages name (`KEY=`): each can be set as it is written."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

from auditfw.commands.comparison.settings import SETTINGS as COMPARED
from auditfw.commands.paths.bare_words import TOPS
from auditfw.commands.planning.settings import SETTINGS as PLANNED
from auditfw.config import build as bridge
from auditfw.config.hints import hints
from auditfw.config.schema import defaults
from auditfw.kinds import KINDS
from auditfw.kinds.registry import Entry, components

PACKAGE = ROOT / "auditfw"
KEY = re.compile(r"(?<![\w.{}/<\[\-])([a-z_]+(?:\.(?:[A-Za-z_]\w*|\{\}))*)=(?=[\w\[{'\"<>]|$)")
ADVICE = re.compile(r"(?:\b(?:write|writes?|set|or|and|with|by|use|add|name|choose)|,|:) ([a-z_]+)=(?=[\w\[{'\"])")
NO_KEYS = {
    "install": "an action of Hydra's --shell-completion",
    "baseline": "a word of `auditfw accept`",
    "format": "a word of `auditfw export`",
    "from": "a word of `auditfw upgrade`",
    "frozen": "Python",
    "key": "stands for any",
    "name": "Python",
    "out": "a word of `auditfw export`",
    **dict.fromkeys(PLANNED, "a word of `auditfw plan`"),
    "to": "a word of `auditfw upgrade`",
}
PARTS = {  # of a scorer
    "parser": "audit.parsers.NAME",
    "normalizer": "audit.normalizers.NAME",
    "matcher": "audit.matcher",
}
PROGRAM = "\nimport "  # is in the text of a program, which is no message
SKIPPED = ("benchmarks", "page", "charts")  # what has no message for users, or is HTML


def texts(file: Path) -> Iterator[str]:
    """The texts of a module but its docstrings; what is put into one is `{}`."""
    tree = ast.parse(file.read_text("utf-8"))
    left = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            left |= {id(part) for part in node.values}
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left:
            yield "" if PROGRAM in node.value else node.value


def keys_in(text: str) -> set[str]:
    """The keys that a message names: dotted ones, and of one word those that it says to write."""
    return {key for key in KEY.findall(text) if "." in key} | ({*ADVICE.findall(text)} - NO_KEYS.keys())


@cache
def settings() -> Mapping[str, Any]:
    return bridge.compose([])


@cache
def is_there(key: str) -> bool:
    """Whether some run has this key; a part that is put in later is any name."""
    top, *below = key.split(".")
    if not below:
        return top in TOPS or top in settings()
    if top == "hydra":
        return True
    if top == "compare":
        return below[0] in COMPARED
    if top in PARTS:
        return is_there(".".join([PARTS[top], *below]))
    return _within(settings(), [top, *below]) or any(_of_component(key, kind) for kind in KINDS)


def _within(value: Any, parts: list[str]) -> bool:
    """Whether settings have a key; what is open (a mapping without keys, null) takes any."""
    if not parts or value is None or value == {}:
        return True
    if not isinstance(value, Mapping):
        return False
    if parts[0] in ("{}", "NAME"):
        return any(_within(one, parts[1:]) for one in value.values())
    return parts[0] in value and _within(value[parts[0]], parts[1:])


def _of_component(key: str, kind: str) -> bool:
    """Whether a component of this kind has the key at its place."""
    for place in filter(None, (KINDS[kind].place, KINDS[kind].list_place)):
        before, several, _ = place.partition("{name}")
        below = re.fullmatch(re.escape(before) + (r"(?:\w+|\{\})" if several else "") + r"\.(.+)", key)
        if below is not None:
            parts = below[1].split(".")
            return any(_has(entry, parts) for entry in _entries(kind))
    return False


@cache
def _entries(kind: str) -> Sequence[tuple[Entry, dict[str, Any]]]:
    """The components of a kind, each with its settings."""
    return [(entry, defaults(entry.cls, entry.name)) for entry in components(kind).values()]


def _has(component: tuple[Entry, dict[str, Any]], parts: list[str]) -> bool:
    entry, own = component
    return parts[0] == "{}" or (_within(own, parts) if parts[0] in own else parts[0] in hints(entry.cls))


def test_a_key_that_a_message_names_is_there() -> None:
    files = [file for file in sorted(PACKAGE.rglob("*.py")) if not {*file.relative_to(PACKAGE).parts} & {*SKIPPED}]
    named = {(str(file.relative_to(PACKAGE)), key) for file in files for text in texts(file) for key in keys_in(text)}
    assert len(named) > 100
    assert [(file, key) for file, key in sorted(named) if not is_there(key)] == []


@pytest.mark.parametrize("key", ["unknown_labels", "audit.unknown_label", "source.colums.id", "gates.NAME.maximum"])
def test_what_is_no_key(key: str) -> None:
    assert not is_there(key)
