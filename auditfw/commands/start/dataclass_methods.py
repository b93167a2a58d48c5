"""The methods of dataclasses as closures: Python 3.11 and 3.12 write each as text and compile it, at every start.

A command defines several hundred dataclasses, its own and Hydra's; a tenth of its start was spent on compiling these.
Only the command asks for it, and only what is the same for every class is replaced: `__init__` is made as before.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

VERSIONS = ((3, 11), (3, 12))  # later ones compile all methods of a class at once
KNOWN = {
    "_repr_fn": ["fields", "globals"],
    "_frozen_get_del_attr": ["cls", "fields", "globals"],
    "_hash_fn": ["fields", "globals"],
    "_cmp_fn": ["name", "op", "self_tuple", "other_tuple", "globals"],
}


def use_closures() -> bool:
    """Has dataclasses made from now on get closures; says whether it could, for they are made by private functions."""
    if sys.version_info[:2] not in VERSIONS or not _as_known():
        return False
    compiled_comparison: Callable[..., Any] = vars(dataclasses)["_cmp_fn"]

    def comparison(name: str, op: str, mine: str, others: str, globals: dict[str, Any]) -> Any:
        if op == "==" and mine.replace("self.", "other.") == others:
            return _equality([part.strip().removeprefix("self.") for part in mine.strip("()").split(",") if part])
        return compiled_comparison(name, op, mine, others, globals)

    made = {"_repr_fn": _representation, "_frozen_get_del_attr": _frozen, "_hash_fn": _hash, "_cmp_fn": comparison}
    vars(dataclasses).update(made)
    return True


def _as_known() -> bool:
    """Whether the private functions take what they took when this was written."""
    own = vars(dataclasses)
    return all(name in own and [*inspect.signature(own[name]).parameters] == words for name, words in KNOWN.items())


def _values(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of these fields as a tuple."""
    if len(names) > 1:
        several: Callable[[Any], tuple[Any, ...]] = attrgetter(*names)
        return several
    if names:
        single = attrgetter(names[0])
        return lambda thing: (single(thing),)
    return lambda _: ()


def _representation(fields: Sequence[Any], _: dict[str, Any]) -> Any:
    names = [field.name for field in fields]
    values = _values(names)

    def __repr__(self: Any) -> str:
        shown = (f"{name}={value!r}" for name, value in zip(names, values(self), strict=True))
        return f"{self.__class__.__qualname__}({', '.join(shown)})"

    return vars(dataclasses)["_recursive_repr"](__repr__)


def _frozen(cls: Any, fields: Sequence[Any], _: dict[str, Any]) -> tuple[Any, Any]:
    names = tuple(field.name for field in fields)

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return __setattr__, __delattr__


def _hash(fields: Sequence[Any], _: dict[str, Any]) -> Any:
    values = _values([field.name for field in fields])

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _equality(names: Sequence[str]) -> Any:
    values = _values(names)

    def __eq__(self: Any, other: Any) -> Any:
        if other.__class__ is self.__class__:
            return values(self) == values(other)
        return NotImplemented

    return __eq__
