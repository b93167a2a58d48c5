"""Names of components: register, look up, load.

Registering is the only ceremony a plugin's component needs; importing its module registers it. Those that auditfw
ships are listed in auditfw.kinds.component_index as well, so that a run imports the modules it uses and no other.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, dataclass_transform

from auditfw.core.errors import Findings, UsageError, nearest

from . import KINDS
from .component_index import MODULES

C = TypeVar("C", bound=type)


@dataclass(frozen=True)
class Entry:
    """A registered component: its class, its first doc line and the module or distribution it came from."""

    kind: str
    name: str
    cls: type
    origin: str

    @property
    def doc(self) -> str:
        lines = (inspect.getdoc(self.cls) or "").splitlines()
        return lines[0].strip() if lines else ""


_entries: dict[tuple[str, str], Entry] = {}


def register(kind: str, name: str) -> Callable[[C], C]:
    """Registers the decorated class as component `name` of `kind`.

    Raises UsageError for an unknown kind, a missing doc line, an attribute that the kind does not know, or a name that
    another class holds already.
    """

    def decorate(cls: C) -> C:
        where = f"{cls.__module__}.{cls.__qualname__}"
        if kind not in KINDS:
            raise UsageError(where, f"there is no kind '{kind}'", None, nearest(kind, list(KINDS)))
        if not (cls.__dict__.get("__doc__") or "").strip():
            raise UsageError(where, "a component needs a doc line", None, "say in one sentence what it does")
        if not dataclasses.is_dataclass(cls):
            raise UsageError(where, "a component is a dataclass", None, "put @dataclass(frozen=True) below @register")
        missing = [name for name in _members(KINDS[kind].protocol) if not _has(cls, name)]
        if missing:
            raise UsageError(
                where, f"a {kind} needs {', '.join(missing)}", None, f"see {kind.title()} in auditfw.kinds"
            )
        _check_attributes(kind, cls, where)
        if cls.__module__ != MODULES.get((kind, name), cls.__module__):
            _load(kind, name)
        held = _entries.get((kind, name))
        if held is not None and held.cls is not cls:
            raise UsageError(
                where,
                f"the {kind} '{name}' is taken",
                f"{held.cls.__module__}.{held.cls.__qualname__}",
                "register it under another name",
            )
        _entries[kind, name] = Entry(kind, name, cls, cls.__module__)
        return cls

    return decorate


@dataclass_transform(frozen_default=True)
def declare(kind: str, name: str) -> Callable[[C], C]:
    """Makes a frozen dataclass of the decorated class, and registers it: for components of this package."""

    def decorate(cls: C) -> C:
        frozen: Any = dataclass(frozen=True)
        component_class: C = frozen(cls)
        return register(kind, name)(component_class)

    return decorate


def _members(protocol: Any) -> list[str]:
    """What a protocol asks of a class: its attributes and methods, and the call."""
    own = [name for name in vars(protocol) if not name.startswith("_") or name == "__call__"]
    return [*getattr(protocol, "__annotations__", {}), *own]


def _has(cls: type, name: str) -> bool:
    return any(name in vars(base) or name in vars(base).get("__annotations__", {}) for base in cls.__mro__[:-1])


def _check_attributes(kind: str, cls: type, where: str) -> None:
    """Refuses what nothing will ever look up: a capability misspelt, or a helper that reads like one.

    A public attribute is a setting, a member of the protocol, a capability of the kind, or known from a base of
    another package, whose own affair its public methods are.
    """
    declared = [*_members(KINDS[kind].protocol), *KINDS[kind].optional]
    mine = [base for base in cls.__mro__ if base is cls or _top(base) == _top(cls) != "auditfw"]
    theirs = {name for base in cls.__mro__ if base not in mine for name in _attributes(base)}
    fields = {field.name for field in dataclasses.fields(cls)}
    unknown = dict.fromkeys(name for base in mine for name in _attributes(base) if name[:1] != "_")
    errors = []
    for name in [name for name in unknown if not (name in fields or name in theirs or name in declared)]:
        if name in inspect.signature(cls).parameters:  # a setting that only __post_init__ sees
            continue
        near = nearest(name, [known for known in declared if known[:1] != "_"])
        helper = f"a helper begins with an underscore: _{name}"
        do = f"{near} ({helper})" if near.endswith("?") else f"{helper} ({near})"
        errors.append(UsageError(where, f"a {kind} has no '{name}'", None, do))
    if errors:
        raise errors[0] if len(errors) == 1 else Findings(errors)


def _attributes(cls: type) -> list[str]:
    return [*vars(cls), *vars(cls).get("__annotations__", {})]


def _top(cls: type) -> str:
    return cls.__module__.partition(".")[0]


def names(kind: str) -> list[str]:
    """The names of a kind's components, sorted; nothing is imported."""
    return sorted({name for k, name in (*MODULES, *_entries) if k == kind})


def components(kind: str) -> Mapping[str, Entry]:
    """All components of a kind by name, sorted. Imports those that are shipped."""
    return {name: component(kind, name) for name in names(kind)}


def in_order(kind: str, leave: Collection[str] = ()) -> list[Entry]:
    """All components of a kind: those that are shipped in the order of their index, then those of plugins by name.

    Those named in `leave` are left out, and not imported.
    """
    shipped = [name for k, name in MODULES if k == kind]
    ordered = [*shipped, *(name for name in names(kind) if name not in shipped)]
    return [component(kind, name) for name in ordered if name not in leave]


def component(kind: str, name: str, where: str = "") -> Entry:
    """One component. Raises UsageError with the nearest name when there is none."""
    _load(kind, name)
    if (kind, name) not in _entries:
        raise UsageError(where, f"no {kind} named '{name}'", None, nearest(name, names(kind)))
    return _entries[kind, name]


def registered() -> list[Entry]:
    """The components whose modules are imported."""
    return list(_entries.values())


def registered_name(cls: type) -> str | None:
    """The name that a class is registered under, None where it is not."""
    return next((entry.name for entry in registered() if entry.cls is cls), None)


def name_of(part: object) -> str:
    """The name that a component's class is registered under, else the name of its class."""
    return registered_name(type(part)) or type(part).__qualname__


def _load(kind: str, name: str) -> None:
    if (kind, name) in MODULES and (kind, name) not in _entries:
        importlib.import_module(MODULES[kind, name])
