"""Code of a user's own, named as `pkg.module:name`, and safe mode, which switches it off."""

from __future__ import annotations

import importlib
import os
import re
from typing import Any

from .errors import AuditError, UsageError, nearest


def safe_mode() -> bool:
    """Whether `AUDITFW_SAFE` switches off the current folder's conf/, plugins/ and importable code."""
    return os.environ.get("AUDITFW_SAFE", "") not in ("", "0")


def refuse_if_safe(what: str) -> None:
    """Raises UsageError in safe mode; `what` says what would run, as in "the simulator 'python' runs your code"."""
    if safe_mode():
        raise UsageError("", f"switched off by AUDITFW_SAFE: {what}", None, "unset AUDITFW_SAFE where you trust it")


_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def check_path(path: str, where: str) -> None:
    """Raises UsageError unless the text has the form of an import path."""
    if not _PATH.fullmatch(path):
        raise UsageError(where, "is not an import path", path, "write pkg.module:name")


def find(path: str, where: str) -> Any:
    """What `pkg.module:name` names. Raises UsageError, also for a module that fails while it is imported."""
    check_path(path, where)
    home, _, name = path.partition(":")
    try:
        target: Any = importlib.import_module(home)
    except AuditError:
        raise
    except ModuleNotFoundError as error:
        do = "modules are looked for in the current folder and where Python has its packages"
        raise UsageError(where, f"no module '{error.name}'", path, do) from None
    except (Exception, SystemExit) as error:
        raise UsageError(where, f"the module '{home}' cannot be imported", f"{type(error).__name__}: {error}") from None
    for word in name.split("."):
        if not hasattr(target, word):
            known = [n for n in vars(target) if not n.startswith("_")] if hasattr(target, "__dict__") else []
            raise UsageError(where, f"no '{word}' in {home}", path, nearest(word, known))
        target = getattr(target, word)
    return target
