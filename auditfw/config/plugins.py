"""Plugins: installed ones by entry point, a project's own from the `plugins/` folder beside its `conf/`."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
from pathlib import Path

from auditfw.config.variants import user_plugins
from auditfw.core.errors import AuditError, UsageError
from auditfw.core.imports import add_folders, safe_mode
from auditfw.kinds import KINDS
from auditfw.kinds.registry import names

from . import variants

ENTRY_POINTS = "auditfw.plugins"

_loaded: list[bool] = []


def load_plugins() -> None:
    """Imports installed plugins (entry points), then the `plugins/` folder of the current folder; once a process."""
    if _loaded:
        return
    _loaded.append(True)
    for point in sorted(importlib.metadata.entry_points(group=ENTRY_POINTS), key=lambda p: p.name):
        try:
            module = point.load()
        except AuditError:
            raise
        except (Exception, SystemExit) as error:
            raise UsageError(f"plugin {point.name}", "cannot be imported", f"{type(error).__name__}: {error}") from None
        conf = Path(module.__file__ or "").parent / "conf"
        if conf.is_dir():
            variants.add_conf_folder(point.name, conf)
    if not safe_mode():
        add_folders([os.getcwd()])
    folder = user_plugins()
    if folder is not None:
        _import_folder(folder)


def placed_names(kind: str) -> list[str]:
    """The names of a kind's components, plugins' among them; none of a kind that has no place in a config."""
    load_plugins()  # a launcher's process composes before anything else of ours has run
    return names(kind) if kind in KINDS and KINDS[kind].place else []


def _import_folder(folder: Path) -> None:
    """Imports each module of a plugins/ folder by its own name, so that worker processes find it too."""
    add_folders([str(folder.resolve())])
    for file in sorted([*folder.glob("*.py"), *folder.glob("*/__init__.py")]):
        name = file.parent.name if file.name == "__init__.py" else file.stem
        try:
            module = importlib.import_module(name)
        except AuditError:
            raise
        except (Exception, SystemExit) as error:
            raise UsageError(str(file), "a plugin cannot be imported", f"{type(error).__name__}: {error}") from None
        if Path(module.__file__ or "").resolve() != file.resolve():
            raise UsageError(str(file), f"the module name '{name}' is taken", module.__file__, "rename the file")
