"""What the type hint of a field asks for: a component of a kind, at its place in the config tree."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Union

from auditfw.kinds import KINDS
from auditfw.kinds.capabilities import Named

KIND_OF = {kind.protocol: name for name, kind in KINDS.items() if not kind.of_values}


def kind_of(hint: Any) -> str | None:
    """The kind whose protocol a type hint names (through Optional and Named), or None."""
    if isinstance(hint, type) and hint in KIND_OF:
        return KIND_OF[hint]
    inner = [kind_of(part) for part in typing.get_args(hint) if part is not type(None)]
    origin = typing.get_origin(hint)
    if origin in (Union, types.UnionType, Named) and len(inner) == 1:
        return inner[0]
    return None


def placed(hint: Any) -> str | None:
    """The fixed place in the config tree of a field: of its component, or of its map of components."""
    kind = kind_of(hint)
    if kind is None and typing.get_origin(hint) is dict:
        kind = kind_of(typing.get_args(hint)[1])
        place = (KINDS[kind].list_place or KINDS[kind].place) if kind else None
        return place.removesuffix(".{name}") if place and "{name}" in place else None
    place = KINDS[kind].place if kind else None
    return place if place and "{name}" not in place else None


@lru_cache(maxsize=1_000)
def hints(cls: type) -> Mapping[str, Any]:
    """The type hints of a dataclass's fields by their settings, resolved."""
    resolved = typing.get_type_hints(cls)
    return {setting(field): resolved[field.name] for field in dataclasses.fields(cls) if field.init}


def setting(field: dataclasses.Field[Any]) -> str:
    """What a field is called in a config: without the underscore behind a name that the class has for a method."""
    return field.name.rstrip("_")
