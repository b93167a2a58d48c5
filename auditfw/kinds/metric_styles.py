"""Metrics declared in a line; how they print, by the name in a run, or, where it keeps no styles, by the component."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypedDict, TypeVar, Unpack, dataclass_transform

from auditfw.core.errors import UsageError
from auditfw.core.records import MetricStyle, Notation, Range, Role, Side

from .capabilities import capability
from .registry import component, declare, names, registered_name

C = TypeVar("C")
PLAIN = MetricStyle()


class Declared(TypedDict, total=False):
    """What a metric may declare, as the protocol Metric says."""

    takes: type | tuple[type, ...]
    keeps: tuple[str, ...]
    better: Side
    range: Range
    cells_only: bool
    title: str
    unit: str
    digits: int
    notation: Notation


@dataclass_transform(frozen_default=True)
def metric(name: str, roles: frozenset[Role], **declared: Unpack[Declared]) -> Callable[[C], C]:
    """Registers a metric that declares these: a class with its settings, or, without any, a function of the sample."""

    def registered(of: Any) -> Any:
        cls = of
        if not isinstance(of, type):
            own = {part: getattr(of, part) for part in ("__doc__", "__module__", "__qualname__")}
            cls = type(of.__name__, (), {**own, "__call__": lambda self, sample: of(sample)})
        for part, value in {"roles": roles, **declared}.items():
            setattr(cls, part, value)
        return declare("metric", name)(cls)

    return registered


def with_measures(audit: Any, metrics: Mapping[str, Any]) -> dict[str, Any]:
    """The metrics of a run with those that its audit measures beside them, where they are not chosen."""
    own = {name: component("metric", name).cls() for name in capability(audit, "measures", ())}
    return {**metrics, **own, **metrics}


def styles_of(metrics: Mapping[str, Any], called: Mapping[str, str] = {}) -> dict[str, MetricStyle]:
    """How each metric of a run prints; `called` are the weights of those that have no word for them.

    Raises UsageError for what cannot be printed so.
    """
    weights = {name: weights_of(metric) or called.get(name, "") for name, metric in metrics.items()}
    return {name: replace(_style(type(metric), name), weights=weights[name]) for name, metric in metrics.items()}


def weights_of(metric: Any) -> str:
    """The word for the weights that a metric is set to, "" where it has none."""
    weights = capability(metric, "weights", "")
    return weights if isinstance(weights, str) else ""


def style_of(name: str, styles: Mapping[str, MetricStyle]) -> MetricStyle:
    """How a metric of a run prints; where the run does not say so, as the component of its name does."""
    if name in styles:
        return styles[name]
    return _style(component("metric", name).cls, name) if name in names("metric") else PLAIN


def _style(cls: type, name: str) -> MetricStyle:
    """What a class declares. Its title is that of its own name: in a run that calls it otherwise, that says more."""
    declared = {part: capability(cls, part, usual) for part, usual in vars(PLAIN).items() if part != "weights"}
    own = registered_name(cls) or name
    try:
        return MetricStyle(**{**declared, **({} if name == own else {"title": ""})})
    except UsageError as error:
        raise UsageError(f"metrics.{name}", f"{error.where} {error.what}", error.found, error.do) from None
