"""Settings of kinds that take one component or a list: of a list the first also stands at the kind's own place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from auditfw.core.errors import AuditError, UsageError
from auditfw.kinds import KINDS

from .variants import merged


def listed(settings: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The settings of the components that a list of this kind named, by name; empty where one is chosen.

    Values are no components: the first of several is at the kind's own place alone.
    """
    if KINDS[kind].of_values:
        return {}
    node: Any = settings
    for word in (KINDS[kind].list_place or "").removesuffix(".{name}").split("."):
        node = node.get(word) if isinstance(node, Mapping) else None
    return dict(node) if isinstance(node, Mapping) else {}


def first_of(settings: Mapping[str, Any], kind: str, chosen: Any) -> tuple[str, Any]:
    """The place and settings of the first of several; where one is chosen, `chosen`, those at the kind's own place.

    Raises UsageError where a setting at that place is another than the first one's.
    """
    name, first = next(iter(listed(settings, kind).items()), ("", None))
    place = str(KINDS[kind].place)
    if not isinstance(first, Mapping) or "use" not in first:
        return place, chosen
    at = str(KINDS[kind].list_place).format(name=name)
    if isinstance(chosen, Mapping) and any(first.get(key) != value for key, value in chosen.items()):
        raise UsageError(place, f"differs from {at}, the first of several", None, f"set it there: {at}.KEY=...")
    return at, first


def place_of(kind: str, name: str) -> str:
    """Where the settings of one of several components of a kind are, by its name."""
    return (KINDS[kind].list_place or KINDS[kind].place or "").format(name=name)


def with_variant(
    look_up: Callable[[str, str, str], dict[str, Any]], kind: str, settings: Mapping[str, Any], path: str
) -> Mapping[str, Any]:
    """Settings over those of the variant that their `use` names; as they are where there is none of that name."""
    try:
        variant = look_up(kind, settings["use"], path)
    except AuditError:
        return settings  # whoever builds it reports the error
    return merged(variant, {key: value for key, value in settings.items() if key != "use"})


def following(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Settings after changes to them: one that has changed in a list is the same at the kind's own place."""
    changed = merged(settings, changes)
    for kind in filter(lambda kind: listed(changes, kind), KINDS):
        group, _, name = str(KINDS[kind].place).partition(".")
        if name not in changes[group]:
            changed[group] = {**changed[group], name: next(iter(listed(changed, kind).values()))}
    return changed
