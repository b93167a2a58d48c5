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

from auditfw.core.errors import TARGET, TARGET_ADVICE, AuditError, Findings, UsageError, brief, nearest
from auditfw.core.result_json import finite
from auditfw.kinds import KINDS
from auditfw.kinds.capabilities import Named
from auditfw.kinds.registry import component

from .safe_yaml import NOT_NAMED, NULL_KEY
from .variants import find

T = TypeVar("T")

_KIND_OF = {kind.protocol: name for name, kind in KINDS.items()}
_WORDS: dict[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def kind_of(hint: Any) -> str | None:
    """The kind whose protocol a type hint names (through Optional and Named), or None."""
    if isinstance(hint, type) and hint in _KIND_OF:
        return _KIND_OF[hint]
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
        place = KINDS[kind].place if kind else None
        return place.removesuffix(".{name}") if place and "{name}" in place else None
    place = KINDS[kind].place if kind else None
    return place if place and "{name}" not in place else None


def hints(cls: type) -> dict[str, Any]:
    """The type hints of a dataclass's fields, resolved."""
    resolved = typing.get_type_hints(cls)
    return {field.name: resolved[field.name] for field in dataclasses.fields(cls) if field.init}


def defaults(cls: type, name: str) -> dict[str, Any]:
    """The settings of a component with their defaults, led by `use`; `???` where a value must be given.

    Fields whose components lie elsewhere in the tree are left out; a map of components below it starts empty. Any
    other map is open: keys may be set that it has not yet.
    """
    settings: dict[str, Any] = {"use": name}
    kinds = hints(cls)
    for field in dataclasses.fields(cls):
        place = placed(kinds[field.name])
        if not field.init or (
            place and not (place.startswith("audit.") and typing.get_origin(kinds[field.name]) is dict)
        ):
            continue
        if field.default is not dataclasses.MISSING:
            settings[field.name] = plain(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            settings[field.name] = plain(field.default_factory())
        else:
            settings[field.name] = {} if typing.get_origin(kinds[field.name]) is dict else "???"
        if typing.get_origin(kinds[field.name]) is dict and not place:
            settings[field.name] = OmegaConf.create(settings[field.name], flags={"struct": False})
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
        self.mistakes = 0  # those told before are counted too
        self.used: set[str] = set()

    def make(self, cls: type[T], settings: Mapping[str, Any], path: str = "") -> T:
        """Builds an object of a dataclass. Raises UsageError, or Findings with every mistake found."""
        made = self._object(cls, settings, path)
        if self.errors:
            raise self.errors[0] if len(self.errors) == 1 else Findings(self.errors)
        return typing.cast(T, made)

    def _object(self, cls: type, settings: Mapping[str, Any], path: str, inner: bool = False) -> Any:
        """An object of a dataclass. Components that it needs are at their kind's place in the tree.

        Those of one that is `inner`, a setting of another component, are where it is itself, as are those of a
        component within one of its own kind.
        """
        known = hints(cls)
        made: dict[str, Any] = {}
        before = self.mistakes
        for key in settings:
            if key not in known and key != "use" and not (path == "" and _is_place(key)):
                self._wrong(_join(path, key), *_unknown(str(key), settings[key], path, list(known)))
        for field in dataclasses.fields(cls):
            if not field.init:
                continue
            hint = known[field.name]
            own = _join(path, field.name)
            place = None if inner else placed(hint)
            if place is not None and f"{path}.".startswith(f"{place}."):
                place = None
            where = place or own
            if place not in (None, own) and field.name in settings:
                self._wrong(own, "settings in the wrong place", settings[field.name], f"they lie at {place}")
                continue
            given = self._at(where) if place else settings.get(field.name, dataclasses.MISSING)
            if given is dataclasses.MISSING or _unset(given) or (given is None and place):
                if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
                    self._wrong(where, "not given", None, f"set {where}=...")
                continue
            made[field.name] = self._value(hint, given, where)
        if self.mistakes > before:
            return None
        try:
            return cls(**made)
        except AuditError as error:
            where = f"{path}.{error.where}" if path and error.where else (error.where or path)
            self._wrong(where, error.what, error.found, error.do)
            return None

    def _at(self, place: str) -> Any:
        node: Any = self.root
        for word in place.split("."):
            if not isinstance(node, Mapping) or word not in node:
                return dataclasses.MISSING
            node = node[word]
        self.used.add(place.split(".", maxsplit=1)[0])
        return node

    def _value(self, hint: Any, given: Any, path: str) -> Any:
        origin, parts = typing.get_origin(hint), typing.get_args(hint)
        if hint is Any:
            return given
        if origin in (Union, types.UnionType):
            return self._union(parts, given, path)
        if origin is Literal:
            return (
                given
                if given in parts
                else self._wrong(path, "not one of the choices", given, nearest(str(given), [str(p) for p in parts]))
            )
        if origin is Named:
            return self._named(parts[0], given, path)
        if hint in _KIND_OF:
            return self._component(_KIND_OF[hint], given, path)
        container = origin or hint
        if container in (tuple, list):
            return self._sequence(parts[0] if parts else Any, given, path)
        if isinstance(container, type) and issubclass(container, Mapping):
            return self._mapping(parts[1] if parts else Any, given, path)
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            return (
                self._object(hint, given, path, inner=True)
                if isinstance(given, Mapping)
                else self._expected("a mapping", given, path)
            )
        return self._scalar(hint, given, path)

    def _union(self, parts: tuple[Any, ...], given: Any, path: str) -> Any:
        if given is None and type(None) in parts:
            return None
        choices = [part for part in parts if part is not type(None)]
        if len(choices) == 1:
            return self._value(choices[0], given, path)
        said: list[list[AuditError]] = []
        for part in choices:
            trial = Builder(self.root, self.look_up)
            made = trial._value(part, given, path)
            if not trial.errors:
                return made
            if not any(error.where == path and error.what.startswith("expected ") for error in trial.errors):
                said.append(trial.errors)
        if len(said) == 1:  # one of the choices is meant: it says more than that none fits
            for error in said[0]:
                self._note(error)
            return None
        return self._expected(" or ".join(_word(part) for part in choices), given, path)

    def _sequence(self, part: Any, given: Any, path: str) -> Any:
        if not isinstance(given, list | tuple):
            return self._expected("a list", given, path)
        return tuple(self._value(part, value, f"{path}[{i}]") for i, value in enumerate(given))

    def _mapping(self, part: Any, given: Any, path: str) -> Any:
        if not isinstance(given, Mapping):
            return self._expected("a mapping", given, path)
        if None in given:
            return self._wrong(path, NULL_KEY, f"null: {brief(given[None])}", f"{NOT_NAMED}; leave it out")
        return {str(key): self._value(part, value, _join(path, str(key))) for key, value in given.items()}

    def _named(self, part: Any, given: Any, path: str) -> Any:
        if not isinstance(given, str):
            return self._expected("a name", given, path)
        kind = KINDS[_KIND_OF[part]]
        chosen = self._at(kind.place.format(name=given)) if kind.place else dataclasses.MISSING
        settings = given if chosen is dataclasses.MISSING else chosen
        return Named(given, self._value(part, settings, path))

    def _component(self, kind: str, given: Any, path: str) -> Any:
        if isinstance(given, str):
            try:
                given = self.look_up(kind, given, path)
            except AuditError as error:
                return self._note(error)
        if not isinstance(given, Mapping):
            return self._expected(f"a {kind}: a name, or a mapping with 'use'", given, path)
        name = given.get("use")
        if not isinstance(name, str):
            return self._wrong(
                _join(path, "use"), f"no {kind} is named", name, f"write use: NAME (see auditfw list {kind})"
            )
        try:
            entry = component(kind, name, path)
        except AuditError as error:
            return self._note(error)
        return self._object(entry.cls, given, path)

    def _scalar(self, hint: Any, given: Any, path: str) -> Any:
        if hint is float and isinstance(given, int | float) and not isinstance(given, bool):
            number = finite(given)
            return number if number is not None else self._wrong(path, "must be finite", given)
        if hint is int and isinstance(given, int) and not isinstance(given, bool):
            return given
        if hint in (str, bool) and isinstance(given, hint):
            return given
        return self._expected(_word(hint), given, path)

    def _expected(self, what: str, given: Any, path: str) -> None:
        found = "nothing" if given is None else f"{brief(given)}, {type(given).__name__}"
        quote = "text" in what.split(" or ") and isinstance(given, bool | int | float | list)
        self._note(UsageError(path, f"expected {what}", f"found {found}", "quote it" if quote else ""))

    def _wrong(self, path: str, what: str, found: object = None, do: str = "") -> None:
        self._note(UsageError(path, what, found, do))

    def _note(self, error: AuditError) -> None:
        self.mistakes += 1
        if str(error) not in map(str, self.errors):  # a part may be built for the run and for its audit
            self.errors.append(error)


def load(kind: str, given: str | Mapping[str, Any], where: str = "") -> Any:
    """A component, ready to call, by the name of a variant or component or by its settings. Raises UsageError."""
    builder = Builder({})
    made = builder._component(kind, given, where or kind)
    if builder.errors:
        raise builder.errors[0] if len(builder.errors) == 1 else Findings(builder.errors)
    return made


def unchosen(key: str, given: Any) -> tuple[str, Any, str] | None:
    """What to say of a file that has, among its settings, names under a group's own key; None where it has not."""
    kind = KINDS.get(key)
    names = given if isinstance(given, list | tuple) else [] if given is None else [given]
    several = kind is not None and kind.several
    if kind is None or kind.place is None or not all(isinstance(name, str) for name in names):
        return None
    if kind.place == key and not isinstance(given, list | tuple):
        return None  # a single component may be named at its place
    shown = f"[{', '.join(names)}]" if several else names[0] if names else "null"
    return "is chosen in the defaults list", shown, brief(f"write override /{key}: {shown} there")


def _unset(given: Any) -> bool:
    return isinstance(given, str) and given == "???"


def _is_place(key: str) -> bool:
    return key in KINDS and KINDS[key].place == key


def _unknown(key: str, given: Any, path: str, known: list[str]) -> tuple[str, Any, str]:
    """What to say of a key that is no setting: a group's name at the top comes from a file without its header."""
    if path == "" and (choice := unchosen(key, given)) is not None:
        return choice
    if path == "" and (key == "experiment" or (key in KINDS and KINDS[key].place)):
        place = "_global_" if key == "experiment" else (KINDS[key].place or "").format(name="NAME")
        return "settings in the wrong place", given, f"begin the file in conf/{key}/ with '# @package {place}'"
    if key == "_target_":
        return TARGET, given, TARGET_ADVICE
    return "unknown setting", given, nearest(key, known if path else list({*known, *KINDS, "experiment"}))


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else str(key)


def _word(hint: Any) -> str:
    return _WORDS.get(hint, getattr(hint, "__name__", str(hint)))
