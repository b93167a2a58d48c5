"""Results computed from an object, remembered as long as the object exists; equal things, once each."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def remembered(make: Callable[[T], R]) -> Callable[[T], R]:
    """Lets a function be called once for each object; which object it is counts, not what it is equal to.

    It is for functions of nothing but an object that nobody changes any more.
    """
    known: dict[int, tuple[weakref.ref[T], R]] = {}

    @wraps(make)
    def of(thing: T) -> R:
        number = id(thing)
        if number not in known:
            known[number] = weakref.ref(thing, lambda _: known.pop(number, None)), make(thing)
        return known[number][1]

    return of


class Distinct(list[T]):
    """Things that are equal, once each; they need no hash."""

    def number(self, thing: T) -> int:
        """The place of a thing, of a new one at the end."""
        if thing not in self:
            self.append(thing)
        return self.index(thing)
