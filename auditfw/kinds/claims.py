"""Claims: what is to hold of an audit's rates under every reading, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class SideStatement:
    """A metric is better where one condition holds than where the other does, by more than `by` in its unit."""

    metric: str
    better: str
    than: str
    by: float = 0.0


@dataclass(frozen=True)
class BoundStatement:
    """A metric is at most `value`, or with `at_most` false at least, where a condition holds (None: everywhere)."""

    metric: str
    where: str | None
    value: float
    at_most: bool = True


@dataclass(frozen=True)
class OrderStatement:
    """The values of a column of `by` are in some order by a metric: all pairs of them are compared."""

    metric: str
    of: str


ClaimStatement = SideStatement | BoundStatement | OrderStatement


class Claim(Protocol):
    """A claim: called, it states what is to hold.

    A statement's conditions are SQL over the columns of `by`; an audit reads it against each of its readings. Its
    metric is one of those that the audit's `claimed` names.
    """

    def __call__(self) -> ClaimStatement: ...
