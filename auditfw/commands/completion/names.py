"""What can be chosen, known without importing a component, or a plugin but the shipped one: a shell waits for it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path

from auditfw.config import variants
from auditfw.config.search_path import user_plugins
from auditfw.kinds import KINDS
from auditfw.kinds.component_index import shipped
from auditfw.kinds.registry import names

REGISTERED = re.compile(r"""@(?:\w+\.)*register\(\s*["'](\w+)["']\s*,\s*["']([\w.-]+)["']""")
STORED = re.compile(r"""\bstore\(\s*group=["']([\w/]+)["'],\s*name=["']([\w.-]+)["']""")
HYDRA = "hydra/"
POINTS = "[auditfw.plugins]"
MOST_FILES, MOST_BYTES = 200, 200_000  # of plugins that are looked at
GROUPS = ("experiment", *(name for name, kind in KINDS.items() if kind.place))


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
        return sorted({*names(group), *known} | {file.removesuffix(".yaml") for file in self._files(group)})

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
    spec = PathFinder.find_spec(name)
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
    spec = PathFinder.find_spec(top)
    if spec is None or spec.origin is None:
        spec = next((s for f in sys.meta_path[1:] if (s := f.find_spec(top, None)) is not None), None)
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
