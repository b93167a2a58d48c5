"""What a result shows of itself in Python and in a notebook; the code behind it is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pathlib import Path


FrameKind = Literal["polars", "pandas"]

_HOME = "auditfw.commands.notebook"


def _view(module: str) -> Any:
    """A module that shows results: they lie above this one, and a run without a reader imports none of them."""
    return importlib.import_module(f"{_HOME}.{module}")


class ResultViews:
    """What can be asked of a result besides its fields."""

    def __repr__(self) -> str:
        return str(_view("lines").short_text(self))

    def _repr_html_(self) -> str:
        return str(_view("lines").html(self))

    def frame(self, kind: FrameKind = "polars") -> Any:
        """The measurements as a table, a row each: a Polars data frame, or a pandas one with `kind="pandas"`.

        Columns `audit, reading`, the cell's, `metric, value, low, high, counted, missing, undefined`.
        """
        return _view("exhibits").measurements(self, kind)

    def exhibits(
        self,
        reading: str | None = None,
        direction: str | None = None,
        cell: Mapping[str, Any] | None = None,
        limit: int | None = None,
        kind: FrameKind = "polars",
    ) -> Any:
        """The trials that the reports show, with their texts, as a table: those of the page where it has some.

        `reading` keeps those whose label it changes, `direction` those that it changes to this label ("right", "wrong";
        between raters the label); `cell` keeps those with these values ({"temperature": 0.5}), `limit` the first ones.
        Raises UsageError for a reading, direction or column that there is not, with those that there are.
        """
        home = _view("exhibits")
        return home.shown_trials(self, home.Asked(reading, direction, cell or {}, limit), kind)

    def open(self) -> Path:
        """Opens the run's report.html in a browser and returns its path. Raises UsageError where there is no page."""
        path: Path = _view("lines").open_page(self)
        return path


# The numbers of gates as data: a bound with its side, and what a gate of several numbers looks at.

BoundSide = Literal["min", "max", "between"]
Bound = float | tuple[float, float] | None


@dataclass(frozen=True)
class GateTerm:
    """One of the numbers that a gate without a metric of its own looks at, with its bound where it has one.

    Of a gate on the answer it is a rule that decided: `metric` is the rule's name.
    """

    metric: str
    reading: str | None
    bound: Bound = None
    side: BoundSide | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None


def sided(low: float | None, high: float | None) -> tuple[Bound, BoundSide | None]:
    """A bound and its side, of the least and the largest number that is allowed."""
    low, high = (end if end is not None and isfinite(end) else None for end in (low, high))
    if low is not None and high is not None:
        return (low, high), "between"
    return (low, "min") if low is not None else (high, None if high is None else "max")
