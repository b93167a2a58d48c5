"""What a component may declare beyond what its kind requires, and the name it goes by in a run.

Each kind names its optional attributes in `auditfw.kinds.KINDS`, the docstring of its protocol says what they mean, and
nothing looks for one in another way than by `capability`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from . import KINDS

T = TypeVar("T")

CAPABILITIES = frozenset(name for kind in KINDS.values() for name in kind.optional)


@dataclass(frozen=True)
class Named(Generic[T]):
    """A component together with the name it goes by in this run."""

    name: str
    part: T


def capability(part: object, name: str, default: Any = None) -> Any:
    """What a component, or its class, declares under this name; the default where it declares nothing.

    Raises LookupError for a name that no kind has among its optional attributes.
    """
    if name not in CAPABILITIES:
        raise LookupError(f"no kind of component may declare '{name}': see KINDS in auditfw.kinds")
    return getattr(part, name, default)


def call_capability(part: object, name: str) -> Any:
    """What a component declares of its call under this name, None where nothing.

    A class that defines its call anew declares nothing by what it inherits: that was declared of another call.
    """
    for cls in type(part).__mro__:
        if name in vars(cls):
            return capability(part, name)
        if "__call__" in vars(cls):
            return None
    return None


def files_read(part: object) -> list[str]:
    """The paths of the files that a component declares it reads."""
    reads = capability(part, "reads")
    return list(reads()) if callable(reads) else []
