"""What `${...}` may reach beyond the config itself: the environment, for settings that hold keys or paths."""

from __future__ import annotations

import os
import re
from typing import Any

from omegaconf import Node, OmegaConf

from auditfw.core.errors import UsageError
from auditfw.core.imports import safe_mode
from auditfw.core.masking import hide

# The last name of a setting that holds a path, an address or a key; `paths` and `hydra` hold only such.
_HOLDS = re.compile(
    r"(?:path|paths|file|folder|dir|url|address|metadata|solutions|baseline|api_key|token|secret|password)"
    r"|.+_(?:path|file|folder|dir|url|address|key|token|secret|password)"
)
_UNSET = object()


def limit_resolvers() -> None:
    """Lets `oc.env` be read by settings that hold keys or paths only, and by none in safe mode."""
    OmegaConf.register_new_resolver("oc.env", _environment, replace=True)


def _environment(name: str = "", default: Any = _UNSET, *, _node_: Node) -> Any:
    """The value of an environment variable, which is masked in all that is written. Raises UsageError."""
    where = f"${{oc.env:{name}}}"
    if safe_mode():
        raise UsageError(where, "switched off by AUDITFW_SAFE", None, "write the value itself")
    if not holds_key_or_path(str(_node_._get_full_key(None))):
        raise UsageError(where, "only settings that hold a path or a key may read it", None, "write the value itself")
    value = os.environ.get(name)
    if value is not None:
        hide(value)
        return value
    if default is _UNSET:
        raise UsageError(where, f"the environment variable {name} is not set", None, f"export {name}=...")
    return None if default is None else str(default)


def holds_key_or_path(key: str) -> bool:
    """Whether a setting, by its full key, holds a key or a path."""
    words = re.sub(r"\[\d+\]", "", key).split(".")
    if words[0] == "hydra" or words[-2:] == ["simulator", "model"]:
        return True
    return _HOLDS.fullmatch(words[-1]) is not None or words[-2:-1] == ["paths"]
