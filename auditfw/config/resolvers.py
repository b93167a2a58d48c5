"""What `${...}` may reach beyond the config itself."""

from __future__ import annotations

from typing import NoReturn

from omegaconf import OmegaConf

from auditfw.errors import UsageError

from .places import safe_mode


def limit_resolvers() -> None:
    """Switches `oc.env` off in safe mode: a config of unknown origin then cannot read secrets."""
    if safe_mode():
        OmegaConf.register_new_resolver("oc.env", _refuse, replace=True)


def _refuse(name: str = "", *_: object) -> NoReturn:
    raise UsageError(f"${{oc.env:{name}}}", "switched off by AUDITFW_SAFE", None, "write the value itself")
