"""How metrics print, as each declares it: by its name in a run, or, of a run that keeps no styles, by its component."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditfw.core.errors import UsageError
from auditfw.core.records import MetricStyle

from .capabilities import capability
from .registry import component, names, registered_name

PLAIN = MetricStyle()


def styles_of(metrics: Mapping[str, Any]) -> dict[str, MetricStyle]:
    """How each metric of a run prints. Raises UsageError for what cannot be printed so."""
    return {name: _style(type(metric), name) for name, metric in metrics.items()}


def style_of(name: str, styles: Mapping[str, MetricStyle]) -> MetricStyle:
    """How a metric of a run prints; where the run does not say so, as the component of its name does."""
    if name in styles:
        return styles[name]
    return _style(component("metric", name).cls, name) if name in names("metric") else PLAIN


def _style(cls: type, name: str) -> MetricStyle:
    """What a class declares. Its title is that of its own name: in a run that calls it otherwise, that says more."""
    declared = {part: capability(cls, part, usual) for part, usual in vars(PLAIN).items()}
    own = registered_name(cls) or name
    try:
        return MetricStyle(**{**declared, **({} if name == own else {"title": ""})})
    except UsageError as error:
        raise UsageError(f"metrics.{name}", f"{error.where} {error.what}", error.found, error.do) from None
