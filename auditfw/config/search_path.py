"""Where configuration and plugins are, and what safe mode switches off."""

from __future__ import annotations

from pathlib import Path

from auditfw.core.imports import safe_mode

__all__ = ["safe_mode", "shipped_conf", "user_conf", "user_plugins"]

PACKAGE = Path(__file__).resolve().parent.parent


def shipped_conf() -> Path:
    """The shipped conf/ folder: inside the package as installed, beside it in a checkout."""
    inside = PACKAGE / "conf"
    return inside if inside.is_dir() else PACKAGE.parent / "conf"


def user_conf() -> Path | None:
    """The `conf/` of the current folder, unless it is the shipped one or safe mode is on."""
    return _user_folder("conf", shipped_conf())


def user_plugins() -> Path | None:
    """The `plugins/` of the current folder, unless it is this project's own or safe mode is on."""
    return _user_folder("plugins", shipped_conf().parent / "plugins")


def _user_folder(name: str, ours: Path) -> Path | None:
    folder = Path.cwd() / name
    if safe_mode() or not folder.is_dir() or folder.resolve() == ours.resolve():
        return None
    return folder
