"""What a component may say of itself beyond what its kind requires, and the name it goes by in a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Named(Generic[T]):
    """A component together with the name it goes by in this run."""

    name: str
    part: T


def said(part: object, name: str) -> Any:
    """What a component says of its call under this name, None where nothing.

    A class that defines its call anew says nothing by what it inherits: that was said of another call.
    """
    for cls in type(part).__mro__:
        if name in vars(cls):
            return getattr(part, name)
        if "__call__" in vars(cls):
            return None
    return None
