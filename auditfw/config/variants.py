"""Named variants: the YAML files of conf/<kind>/, read as plain settings without Hydra.

A variant extends a component (or another variant) and sets some of its settings:

    # @package audit.parsers.answer_v2
    # One sentence that says what it does.
    defaults: [steps@_here_, _self_]
    steps: [strip]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditfw.errors import UsageError, nearest
from auditfw.registry import components

from .guard import load_yaml, text_of
from .places import shipped_conf, user_conf

_plugin_folders: dict[str, Path] = {}


@dataclass(frozen=True)
class Variant:
    """A named variant: the component it ends in, its settings (with `use`), its doc line, its file."""

    kind: str
    name: str
    doc: str
    settings: Mapping[str, Any]
    origin: str


def add_conf_folder(distribution: str, folder: Path) -> None:
    """Adds the conf/ folder of an installed plugin."""
    _plugin_folders[distribution] = folder


def conf_folders() -> list[tuple[str, Path]]:
    """All conf/ folders with where they come from, the one that wins first."""
    mine = user_conf()
    found = [("conf/", mine)] if mine is not None else []
    found += sorted(_plugin_folders.items())
    return [*found, ("auditfw", shipped_conf())]


def variants(kind: str) -> dict[str, Variant]:
    """All named variants of a kind by name, sorted."""
    names: dict[str, Variant] = {}
    for origin, folder in reversed(conf_folders()):
        for file in sorted((folder / kind).glob("*.yaml")):
            names[file.stem] = _read(kind, file, origin)
    return dict(sorted(names.items()))


def find(kind: str, name: str, where: str) -> dict[str, Any]:
    """The settings that a name stands for: a named variant, else a component with its defaults.

    Raises UsageError with the nearest name.
    """
    for origin, folder in conf_folders():
        file = folder / kind / f"{name}.yaml"
        if file.is_file():
            return dict(_read(kind, file, origin).settings)
    known = components(kind)
    if name in known:
        return {"use": name}
    listed = sorted({*known, *variants(kind)})
    raise UsageError(where, f"no {kind} named '{name}'", None, nearest(name, listed))


def _read(kind: str, file: Path, origin: str) -> Variant:
    given = load_yaml(file)
    if not isinstance(given, dict):
        raise UsageError(str(file), "a variant is a mapping of settings", type(given).__name__)
    settings: dict[str, Any] = {}
    for base in given.pop("defaults", []):
        name = base.split("@")[0] if isinstance(base, str) else ""
        if name == "_self_" or not name:
            continue
        if name == file.stem:
            raise UsageError(str(file), "a variant cannot extend itself", name)
        settings.update(find(kind, name, str(file)))
    settings.update(given)
    return Variant(kind, file.stem, doc_line(file), settings, origin)


def doc_line(file: Path) -> str:
    """The first comment of a YAML file that is not the package header."""
    for line in text_of(file).split("\n"):
        text = line.strip()
        if text.startswith("#") and not text.startswith("# @package"):
            return text.lstrip("# ").strip()
        if text and not text.startswith("#"):
            break
    return ""
