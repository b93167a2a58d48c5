"""Signature → settings, and settings → component: the class is its own schema.

`defaults(cls, name)` is what a component looks like in a config; `Builder` makes objects from plain settings by
following the type hints, and collects every mistake with its path before it gives up.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar, Union

from omegaconf import OmegaConf

from auditfw.config.variants import first_of, place_of, with_variant
from auditfw.core.errors import TARGET, TARGET_ADVICE, AuditError, Findings, UsageError, brief, near, nearest
from auditfw.core.result_json import finite
from auditfw.kinds import KINDS
from auditfw.kinds.capabilities import Named, capability
from auditfw.kinds.registry import component, names

from .hints import KIND_OF, hints, kind_of, placed, setting
from .quoting import as_text, one_of, with_type
from .safe_yaml import NOT_NAMED, NULL_KEY
from .variants import find

T = TypeVar("T")

_MAPS = [kind.place.removesuffix(".{name}") for kind in KINDS.values() if kind.several and kind.place]
ANOTHER = "is a setting of another audit"
_WORDS: dict[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def defaults(cls: type, name: str) -> dict[str, Any]:
    """The settings of a component with their defaults, led by `use`; `???` where a value must be set.

    Fields whose components are elsewhere in the tree are left out; a map of components below it starts empty. Any
    other map is open: keys may be set that it has not yet.
    """
    settings: dict[str, Any] = {"use": name}
    kinds = hints(cls)
    for field in dataclasses.fields(cls):
        key = setting(field)
        place = None if capability(cls, "inside", False) else placed(kinds[key])
        if not field.init or (place and not (place.startswith("audit.") and place in _MAPS)):
            continue
        if field.default is not dataclasses.MISSING:
            settings[key] = plain(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            settings[key] = plain(field.default_factory())
        else:
            settings[key] = {} if typing.get_origin(kinds[key]) is dict else "???"
        if typing.get_origin(kinds[key]) is dict and not place:
            settings[key] = OmegaConf.create(settings[key], flags={"struct": False})
    return settings


def plain(value: Any) -> Any:
    """A default value as config data."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [plain(part) for part in (sorted(value) if isinstance(value, frozenset) else value)]
    return value


class Builder:
    """Makes objects from the settings of one run.

    `look_up(kind, name, where)` gives the settings a name stands for outside this run.
    """

    def __init__(self, root: Mapping[str, Any], look_up: Callable[[str, str, str], dict[str, Any]] = find) -> None:
        self.root, self.look_up = root, look_up
        self.errors: list[AuditError] = []
        self.mistakes = 0  # those reported before are counted too
        self.used: set[str] = set()

    def make(self, cls: type[T], settings: Mapping[str, Any], path: str = "") -> T:
        """Builds an object of a dataclass. Raises UsageError, or Findings with every mistake found."""
        instance = self._object(cls, settings, path)
        if self.errors:
            raise _whole(self.errors)
        return typing.cast(T, instance)

    def _object(self, cls: type, settings: Mapping[str, Any], path: str, inner: bool = False) -> Any:
        """An object of a dataclass. Components that it needs are at their kind's place in the tree.

        Those of one that is `inner`, a setting of another component, are where it is itself, as are those of a
        component within one of its own kind.
        """
        known, inner = hints(cls), inner or capability(cls, "inside", False)
        arguments: dict[str, Any] = {}
        before = self.mistakes
        for key in settings:
            if key not in known and key != "use" and not (path == "" and key in KINDS and KINDS[key].place == key):
                self._wrong(_join(path, key), *_unknown(str(key), settings[key], path, list(known)))
        for field in dataclasses.fields(cls):
            if not field.init:
                continue
            key = setting(field)
            hint, own = known[key], _join(path, key)
            place = None if inner else placed(hint)
            if place is not None and f"{path}.".startswith(f"{place}."):
                place = None
            where = place or own
            if place not in (None, own) and key in settings:
                self._wrong(own, "settings in the wrong place", settings[key], f"they belong at {place}")
                continue
            value = settings.get(key, dataclasses.MISSING)
            if place:
                where, value = self._chosen(place, hint)
            if value is dataclasses.MISSING or _unset(value) or (value is None and place):
                needed = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
                if needed or _unset(value):
                    kind = kind_of(hint) if place else None
                    self._wrong(where, "not set", None, f"choose one: {kind}=NAME" if kind else f"write {where}=...")
                continue
            arguments[field.name] = self._value(hint, value, where)
        if self.mistakes > before:
            return None
        try:
            return cls(**arguments)
        except AuditError as error:
            where = f"{path}.{error.where}" if path and error.where else (error.where or path)
            self._wrong(where, error.what, error.found, error.do)
            return None

    def _chosen(self, place: str, hint: Any) -> tuple[str, Any]:
        """A place and its settings; of a component that may be one of several those of the first."""
        kind, value = kind_of(hint), self._at(place)
        try:
            return first_of(self.root, kind, value) if kind else (place, value)
        except AuditError as error:
            self._note(error)
            return place, value

    def _at(self, place: str) -> Any:
        node: Any = self.root
        for word in place.split("."):
            if not isinstance(node, Mapping) or word not in node:
                return dataclasses.MISSING
            node = node[word]
        self.used.add(place.split(".", maxsplit=1)[0])
        return node

    def _value(self, hint: Any, value: Any, path: str) -> Any:
        origin, parts = typing.get_origin(hint), typing.get_args(hint)
        if origin is Literal and value not in parts:
            return self._expected(one_of(parts), value, path, near(str(value), list(map(str, parts))))
        if hint is Any or origin is Literal:
            return value
        if origin in (Union, types.UnionType):
            return self._union(parts, value, path)
        if origin is Named:
            return self._named(parts[0], value, path)
        if hint in KIND_OF:
            return self._component(KIND_OF[hint], value, path)
        container = origin or hint
        if container in (tuple, list):
            return self._sequence(parts[0] if parts else Any, value, path)
        if isinstance(container, type) and issubclass(container, Mapping):
            return self._mapping(parts[1] if parts else Any, value, path)
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            return (
                self._object(hint, value, path, inner=True)
                if isinstance(value, Mapping)
                else self._expected("a mapping", value, path)
            )
        return self._scalar(hint, value, path)

    def _union(self, parts: tuple[Any, ...], value: Any, path: str) -> Any:
        if value is None and type(None) in parts:
            return None
        choices = [part for part in parts if part is not type(None)]
        if len(choices) == 1:
            return self._value(choices[0], value, path)
        mistakes: list[list[AuditError]] = []
        for part in choices:
            trial = Builder(self.root, self.look_up)
            instance = trial._value(part, value, path)
            if not trial.errors:
                return instance
            if not any(error.where == path and error.what.startswith("expected ") for error in trial.errors):
                mistakes.append(trial.errors)
        words = [one for part in choices if typing.get_origin(part) is Literal for one in typing.get_args(part)]
        meant = near(str(value), words)
        if len(mistakes) == 1 and not meant:  # one of the choices is meant: it says more than that none fits
            for error in mistakes[0]:
                self._note(error)
            return None
        return self._expected(" or ".join(_word(part) for part in choices), value, path, meant)

    def _sequence(self, part: Any, value: Any, path: str) -> Any:
        if not isinstance(value, list | tuple):
            one = isinstance(value, str | int | float) and not isinstance(value, bool)
            return self._expected("a list", value, path, f"write {path}=[{brief(value)}]" if one else "")
        return tuple(self._value(part, one, f"{path}[{i}]") for i, one in enumerate(value))

    def _mapping(self, part: Any, value: Any, path: str) -> Any:
        if not isinstance(value, Mapping):
            return self._expected("a mapping", value, path)
        if None in value:
            return self._wrong(path, NULL_KEY, f"null: {brief(value[None])}", f"{NOT_NAMED}; leave it out")
        for key in filter(lambda key: _unset(value[key]), value):
            self._wrong(_join(path, str(key)), "not set", None, f"write {_join(path, str(key))}=...")
        return {str(key): self._value(part, one, _join(path, str(key))) for key, one in value.items()}

    def _named(self, part: Any, name: Any, path: str) -> Any:
        if isinstance(name, Mapping) and isinstance(name.get("use"), str):
            return Named(name["use"], self._value(part, with_variant(self.look_up, KIND_OF[part], name, path), path))
        if not isinstance(name, str):
            return self._expected("a name", name, path)
        chosen = self._at(place_of(KIND_OF[part], name))
        return Named(name, self._value(part, name if chosen is dataclasses.MISSING else chosen, path))

    def _component(self, kind: str, settings: Any, path: str) -> Any:
        if isinstance(settings, str):
            try:
                settings = self.look_up(kind, settings, path)
            except AuditError as error:
                return self._note(error)
        if not isinstance(settings, Mapping):
            return self._expected(f"a {kind}: a name, or a mapping with 'use'", settings, path)
        if KINDS[kind].of_values:
            return self._object(KINDS[kind].protocol, settings, path)
        name = settings.get("use")
        if not isinstance(name, str):
            return self._wrong(
                _join(path, "use"), f"no {kind} is named", name, f"write use: NAME (see auditfw list {kind})"
            )
        try:
            entry = component(kind, name, path)
        except AuditError as error:
            return self._note(error)
        return self._object(entry.cls, settings, path)

    def _scalar(self, hint: Any, value: Any, path: str) -> Any:
        if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
            number = finite(value)
            return number if number is not None else self._wrong(path, "expected a finite number", value)
        if hint is int and isinstance(value, int) and not isinstance(value, bool):
            return value
        if hint in (str, bool) and isinstance(value, hint):
            return value
        return self._expected(_word(hint), value, path)

    def _expected(self, what: str, value: Any, path: str, do: str = "") -> None:
        quote = "text" in what.split(" or ") and isinstance(value, bool | int | float | list)
        self._note(UsageError(path, f"expected {what}", with_type(value), as_text(path, value) if quote else do))

    def _wrong(self, path: str, what: str, found: object = None, do: str = "") -> None:
        self._note(UsageError(path, what, found, do))

    def _note(self, error: AuditError) -> None:
        self.mistakes += 1
        if str(error) not in map(str, self.errors):  # a part may be built for the run and for its audit
            self.errors.append(error)


def load(kind: str, settings: str | Mapping[str, Any], where: str = "") -> Any:
    """A component, ready to call, by the name of a variant or component or by its settings. Raises UsageError."""
    builder = Builder({})
    instance = builder._component(kind, settings, where or kind)
    if builder.errors:
        raise _whole(builder.errors)
    return instance


def unchosen(key: str, value: Any) -> tuple[str, Any, str] | None:
    """What is wrong in a file that has, among its settings, names under a group's own key; None where it has not."""
    kind = KINDS.get(key)
    names = value if isinstance(value, list | tuple) else [] if value is None else [value]
    several = kind is not None and kind.several
    if kind is None or kind.place is None or not all(isinstance(name, str) for name in names):
        return None
    if kind.place == key and not isinstance(value, list | tuple):
        return None  # a single component may be named at its place
    shown = f"[{', '.join(names)}]" if several else names[0] if names else "null"
    return "is chosen in the defaults list", shown, brief(f"write override /{key}: {shown} there")


def _whole(errors: list[AuditError]) -> AuditError:
    """One error for all; a setting of another audit explains the others."""
    another = next((one for one in errors if one.what == ANOTHER), None)
    return another or (errors[0] if len(errors) == 1 else Findings(errors))


def _unset(value: Any) -> bool:
    return isinstance(value, str) and value == "???"


def _unknown(key: str, value: Any, path: str, known: list[str]) -> tuple[str, Any, str]:
    """What to report of an unknown key: a group's name at the top comes from a file without its header."""
    if path == "" and (choice := unchosen(key, value)) is not None:
        return choice
    if path == "" and (key == "experiment" or (key in KINDS and KINDS[key].place)):
        place = "_global_" if key == "experiment" else (KINDS[key].place or "").format(name="NAME")
        return "settings in the wrong place", value, f"begin the file in conf/{key}/ with '# @package {place}'"
    if key == "_target_":
        return TARGET, value, TARGET_ADVICE
    if path == "audit" and any(key in hints(component("audit", name).cls) for name in names("audit")):
        return ANOTHER, None, "to change the audit choose an experiment: auditfw list experiment"
    return "unknown setting", value, nearest(key, known if path else list({*known, *KINDS, "experiment"}))


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else str(key)


def _word(hint: Any) -> str:
    origin = typing.get_origin(hint)
    if origin in (Literal, Named):
        return one_of(typing.get_args(hint)) if origin is Literal else f"the name of a {kind_of(hint)}"
    if origin in (tuple, list):
        return "a list"
    return "a mapping" if dataclasses.is_dataclass(hint) else _WORDS.get(hint, getattr(hint, "__name__", str(hint)))
