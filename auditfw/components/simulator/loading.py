"""How what an import path names is to be called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from auditfw.core.errors import UsageError


def made(thing: Any, settings: Mapping[str, Any], where: str) -> Any:
    """The object to call: an instance where a class is named. Raises UsageError."""
    if not inspect.isclass(thing):
        if settings:
            raise UsageError("settings", "only a class takes settings", ", ".join(settings), f"name a class in {where}")
        return thing
    try:
        return thing(**settings)
    except (Exception, SystemExit) as error:
        message = f"{type(error).__name__}: {error}"
        raise UsageError("settings", f"{thing.__name__} cannot be made with them", message) from None


def seeded(function: Callable[..., Any]) -> bool:
    """Whether a function takes a keyword `seed`."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return "seed" in parameters and parameters["seed"].kind is not inspect.Parameter.VAR_KEYWORD
