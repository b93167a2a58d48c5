"""What can be chosen and set, known without importing more than the component asked for and the shipped plugin."""

from __future__ import annotations

import dataclasses
import os
import re
import sys
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from auditfw.config import variants
from auditfw.config.variants import user_plugins
from auditfw.core.errors import AuditError
from auditfw.kinds import KINDS
from auditfw.kinds.component_index import shipped
from auditfw.kinds.registry import component
from auditfw.kinds.registry import names as registered

REGISTERED = re.compile(r"""@(?:\w+\.)*register\(\s*["'](\w+)["']\s*,\s*["']([\w.-]+)["']""")
STORED = re.compile(r"""\bstore\(\s*group=["']([\w/]+)["'],\s*name=["']([\w.-]+)["']""")
HYDRA = "hydra/"
POINTS = "[auditfw.plugins]"
MOST_FILES, MOST_BYTES = 200, 200_000  # of plugins that are looked at
GROUPS = ("experiment", *(name for name, kind in KINDS.items() if kind.place))
BASE = re.compile(r"^defaults:\s*\[\s*(\w+)@_here_|^\s*-\s*(\w+)@_here_|^use:\s*(\w+)", re.MULTILINE)
DEFAULT = "answer_parsing"
DEEP = 5  # variants of variants


class OptionNames:
    """The names there are now."""

    def __init__(self) -> None:
        self._plugins: list[tuple[str, str]] = []
        for name, folder in _plugin_packages():
            if (folder / "conf").is_dir():
                variants.add_conf_folder(name, folder / "conf")
            if shipped(folder.name):
                import_module(folder.name)
            else:
                self._plugins += _registered(folder.rglob("*.py"))
        own = user_plugins()
        self._plugins += _registered(own.rglob("*.py")) if own is not None else []
        self.folders = [folder for _, folder in variants.conf_folders()]

    def of(self, group: str) -> list[str]:
        """The options of a group, or the names of a kind, sorted."""
        known = {name for kind, name in self._plugins if kind == group}
        return sorted({*registered(group), *known} | {file.removesuffix(".yaml") for file in self._files(group)})

    def of_hydra(self) -> dict[str, list[str]]:
        """The options of Hydra's own groups: of its files, of ours, of the user's, and of plugins for Hydra."""
        folders = [*self.folders, *(folder / "conf" for folder in _package("hydra"))]
        files = [file for folder in folders for file in folder.glob(f"{HYDRA}*/*.yaml")]
        options = {(f"{HYDRA}{file.parent.name}", file.stem) for file in files}
        options |= {(f"{HYDRA}{kind}", name) for kind in ("launcher", "sweeper") for name in ("auditfw", "basic")}
        plugins = (file for folder in _package("hydra_plugins") for file in folder.rglob("*.py"))
        options |= {(group, name) for group, name in _registered(plugins, STORED) if group.startswith(HYDRA)}
        return {group: sorted(name for of, name in options if of == group) for group, _ in sorted(options)}

    def variant(self, group: str, name: str) -> str | None:
        """The text of the file that makes a named variant; None where it is a component."""
        for folder in self.folders:
            file = folder / group / f"{name}.yaml"
            if file.is_file():
                return file.read_text("utf-8", "replace")[:MOST_BYTES]
        return None

    def tops(self) -> list[str]:
        """The keys that stand in the primary config."""
        text = (self.folders[-1] / "config.yaml").read_text("utf-8")
        return [key for key in re.findall(r"^(\w+):", text, re.MULTILINE) if key != "defaults"]

    def _files(self, group: str) -> Iterator[str]:
        for folder in self.folders:
            path = folder / group
            yield from (file for file in (os.listdir(path) if path.is_dir() else ()) if file.endswith(".yaml"))


def _package(name: str) -> list[Path]:
    """The folders of a package, which is not imported."""
    spec = find_spec(name)
    return [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec is not None else []


def _plugin_packages() -> Iterator[tuple[str, Path]]:
    """The folders of installed plugins, by the names of their entry points."""
    for folder in filter(os.path.isdir, dict.fromkeys(sys.path)):
        for name in os.listdir(folder):
            points = Path(folder, name, "entry_points.txt")
            if not name.endswith(".dist-info") or not points.is_file():
                continue
            _, here, text = points.read_text("utf-8", "replace").partition(POINTS)
            for line in text.partition("\n[")[0].splitlines() if here else ():
                key, _, module = line.partition("=")
                if module and (place := _folder_of(module.strip())) is not None:
                    yield key.strip(), place


def _folder_of(module: str) -> Path | None:
    """The folder that a module is in; nothing is imported but what finds it."""
    top, *rest = module.partition(":")[0].split(".")
    spec = find_spec(top)
    if spec is None or spec.origin is None:
        return None
    inside = Path(spec.origin).parent.joinpath(*rest)
    return inside if inside.is_dir() else inside.parent if rest else inside


def _registered(files: Iterable[Path], pattern: re.Pattern[str] = REGISTERED) -> list[tuple[str, str]]:
    """The kinds and names that the text of these files registers, or the groups and names that it stores."""
    entries: list[tuple[str, str]] = []
    for number, file in enumerate(files):
        if number == MOST_FILES:
            break
        with open(file, encoding="utf-8", errors="replace") as text:
            entries += pattern.findall(text.read(MOST_BYTES))
    return entries


def base_of(names: OptionNames, kind: str, name: str) -> str | None:
    """The component that a name ends in, None where that cannot be seen."""
    for _ in range(DEEP):
        if name in registered(kind):
            return name
        match = BASE.search(names.variant(kind, name) or "")
        if match is None:
            return None
        name = next(filter(None, match.groups()))
    return None


def settings_of(names: OptionNames, kind: str, name: str) -> Mapping[str, Any]:
    """The settings of what a name stands for with the types they take; {} where that cannot be seen."""
    base = base_of(names, kind, name)
    if base is None:
        return {}
    try:
        cls = component(kind, base).cls
        types = typing.get_type_hints(cls)
    except (AuditError, NameError, ImportError):
        return {}
    return {field.name: types[field.name] for field in dataclasses.fields(cls) if field.init}


def chosen(names: OptionNames, group: str, words: Sequence[str]) -> str | None:
    """What a group that takes one is set to, by the words typed so far, else by the experiment."""
    typed = [word.partition("=")[2] for word in words if word.lstrip("+").startswith(f"{group}=")]
    if typed:
        return typed[-1].strip("[]").partition(",")[0]
    experiments = [word.partition("=")[2] for word in words if word.startswith("experiment=")]
    text = names.variant("experiment", experiments[-1] if experiments else DEFAULT) or ""
    match = re.search(rf"^\s*-\s*(?:override\s+)?/{group}:\s*\[?\s*(\w+)", text, re.MULTILINE)
    return match[1] if match else None


def keys_below(names: OptionNames, path: str, words: Sequence[str]) -> dict[str, Any]:
    """What may follow a path and a dot: a setting with its type, or a further path, whose type is None."""
    below: dict[str, Any] = {}
    for kind, one in KINDS.items():
        for place in filter(None, (one.place, one.list_place)):
            head, several, _ = place.partition(".{name}")
            if head.startswith(f"{path}."):
                below.setdefault(head[len(path) + 1 :].partition(".")[0], None)
            elif several and head == path:
                below |= dict.fromkeys(names.of(kind))
            elif several and path.rpartition(".")[0] == head:
                below |= settings_of(names, kind, path.rpartition(".")[2])
            elif not several and place == path and (name := chosen(names, kind, words)):
                below |= settings_of(names, kind, name)
    return below


def values_of(hint: Any) -> list[str]:
    """The words that a setting takes, where they can be listed."""
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return [str(part) for part in parts]
    if hint is bool:
        return ["false", "true"]
    return (
        [value for part in parts for value in (["null"] if part is type(None) else values_of(part))]
        if (type(None) in parts)
        else []
    )
