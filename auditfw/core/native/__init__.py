"""The optional text kernel in C: which kernel a run takes, and where it is."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Literal

from auditfw.core.errors import UsageError

from .digest import digest

VARIABLE = "AUDITFW_KERNEL"
Name = Literal["native", "python"]


def kernel_name() -> Name:
    """The name of this process's kernel: the native one where it was built, unless AUDITFW_KERNEL says otherwise.

    Raises UsageError for a kernel that does not exist or was not built.
    """
    wanted = os.environ.get(VARIABLE) or None
    if wanted not in (None, "native", "python"):
        raise UsageError(VARIABLE, "no such kernel", wanted, "write native or python, or nothing")
    if wanted == "python":
        return "python"
    if compiled() is not None:
        return "native"
    if wanted == "native":
        do = "install auditfw where there is a C compiler, or leave the variable out"
        raise UsageError(VARIABLE, "the native kernel is not built here", None, do)
    return "python"


def native_kernel() -> ModuleType | None:
    """The compiled module, where it is this process's kernel; None where that is the one in Python."""
    return compiled() if kernel_name() == "native" else None


@lru_cache(maxsize=1)
def compiled() -> ModuleType | None:
    """The compiled module, or None where it was not built, or from other sources than those here."""
    try:
        module = import_module("auditfw.core.native._kernel")
    except ImportError:
        return None
    return module if digest(Path(__file__).parent) in ("", module.digest) else None
