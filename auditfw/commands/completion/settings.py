"""The settings of what is chosen, and what they take: of the one component that is asked for, which is imported."""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.core.errors import AuditError
from auditfw.kinds import KINDS
from auditfw.kinds.registry import component
from auditfw.kinds.registry import names as registered_names

from .names import OptionNames

BASE = re.compile(r"^defaults:\s*\[\s*(\w+)@_here_|^\s*-\s*(\w+)@_here_|^use:\s*(\w+)", re.MULTILINE)
DEFAULT = "answer_parsing"
DEEP = 5  # variants of variants


def base_of(names: OptionNames, kind: str, name: str) -> str | None:
    """The component that a name ends in, None where that cannot be seen."""
    for _ in range(DEEP):
        if name in registered_names(kind):
            return name
        match = BASE.search(names.variant(kind, name) or "")
        if match is None:
            return None
        name = next(filter(None, match.groups()))
    return None


def settings_of(names: OptionNames, kind: str, name: str) -> Mapping[str, Any]:
    """The settings of what a name stands for with the types they take; {} where that cannot be seen."""
    base = base_of(names, kind, name)
    if base is None:
        return {}
    try:
        cls = component(kind, base).cls
        types = typing.get_type_hints(cls)
    except (AuditError, NameError, ImportError):
        return {}
    return {field.name: types[field.name] for field in dataclasses.fields(cls) if field.init}


def chosen(names: OptionNames, group: str, words: Sequence[str]) -> str | None:
    """What a group that takes one is set to, by the words typed so far, else by the experiment."""
    typed = [word.partition("=")[2] for word in words if word.lstrip("+").startswith(f"{group}=")]
    if typed:
        return typed[-1].strip("[]").partition(",")[0]
    experiments = [word.partition("=")[2] for word in words if word.startswith("experiment=")]
    text = names.variant("experiment", experiments[-1] if experiments else DEFAULT) or ""
    match = re.search(rf"^\s*-\s*(?:override\s+)?/{group}:\s*\[?\s*(\w+)", text, re.MULTILINE)
    return match[1] if match else None


def keys_below(names: OptionNames, path: str, words: Sequence[str]) -> dict[str, Any]:
    """What may follow a path and a dot: a setting with its type, or a further path, whose type is None."""
    below: dict[str, Any] = {}
    for kind, one in KINDS.items():
        for place in filter(None, (one.place, one.list_place)):
            head, several, _ = place.partition(".{name}")
            if head.startswith(f"{path}."):
                below.setdefault(head[len(path) + 1 :].partition(".")[0], None)
            elif several and head == path:
                below |= dict.fromkeys(names.of(kind))
            elif several and path.rpartition(".")[0] == head:
                below |= settings_of(names, kind, path.rpartition(".")[2])
            elif not several and place == path and (name := chosen(names, kind, words)):
                below |= settings_of(names, kind, name)
    return below


def values_of(hint: Any) -> list[str]:
    """The words that a setting takes, where they can be listed."""
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return [str(part) for part in parts]
    if hint is bool:
        return ["false", "true"]
    return (
        [value for part in parts for value in (["null"] if part is type(None) else values_of(part))]
        if (type(None) in parts)
        else []
    )
