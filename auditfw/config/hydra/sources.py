"""What Hydra may choose from: folders of YAML files, each read through the guard, and the registered components."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hydra._internal.core_plugins.file_config_source import FileConfigSource
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.object_type import ObjectType
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigResult, ConfigSource
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import OmegaConf

from auditfw.config import variants
from auditfw.config.plugins import placed_names
from auditfw.config.safe_yaml import defaults_of, load_yaml, unchecked
from auditfw.config.schema import defaults, unchosen
from auditfw.core.errors import UsageError
from auditfw.kinds import KINDS
from auditfw.kinds.registry import component

from .lists import as_entry, is_list, option_of, whole_of

SCHEME = "auditfw"
COMPONENTS = "components"
YAML = ".yaml"
PRIMARY = "config"


class GuardedSource(FileConfigSource):
    """A folder of YAML files, each checked before it is loaded."""

    @staticmethod
    def scheme() -> str:
        return SCHEME

    def is_config(self, config_path: str) -> bool:
        file = Path(self.path) / self._normalize_file_name(config_path)
        own = self.provider == "main" or config_path != PRIMARY
        return super().is_config(config_path) and (own or not is_foreign(file))

    def load_config(self, config_path: str) -> ConfigResult:
        file = Path(self.path) / self._normalize_file_name(config_path)
        content = load_yaml(file)
        if content is not None and not isinstance(content, dict):
            raise UsageError(str(file), "a config must be a mapping", type(content).__name__)
        entries = defaults_of(file, content or {})
        if content and entries:
            content["defaults"] = list(map(as_entry, entries))
        if config_path.partition("/")[0] == "experiment" or "/" not in config_path:
            _check_whole(file, content or {})
        with file.open(encoding="utf-8-sig") as text:
            header = ConfigSource._get_header_dict(text.read(512))
        config = OmegaConf.create(_completed(config_path.rpartition("/")[0], content or {}))
        return ConfigResult(config=config, path=f"{SCHEME}://{self.path}", provider=self.provider, header=header)


def is_foreign(file: Path) -> bool:
    """Whether a primary config is another program's, whose folder this is: it chooses no audit, and has none."""
    try:
        content = unchecked(file)
    except UsageError:
        return False  # its mistake is reported where it is loaded
    if not isinstance(content, dict):
        return False
    entries = content.get("defaults")
    chosen = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    groups = {re.split("[ /@]", str(key))[-1] for one in [content, *chosen] for key, value in one.items() if value}
    return groups.isdisjoint(("audit", "experiment"))


def _completed(kind: str, settings: dict[str, Any]) -> Any:
    """The settings of a variant that names its component by `use` alone, with the component's defaults below them.

    So all of them can be set on the command line, as those of a variant that extends the component.
    """
    bases = [base for base in settings.get("defaults") or [] if base != "_self_"]
    known = kind == variants.SCORER or (not bases and settings.get("use") in placed_names(kind))
    return whole_of(kind, settings) if known else settings


def _check_whole(file: Path, settings: Mapping[str, Any]) -> None:
    """Refuses names under a group's own key in the file of a whole run. Raises UsageError."""
    for key, value in settings.items():
        choice = unchosen(str(key), value)
        if choice is not None:
            raise UsageError(f"{file}: {key}", *choice)


class ComponentSource(ConfigSource):
    """Each component with its settings, as an option of its kind's group. One that is not chosen is not imported."""

    @staticmethod
    def scheme() -> str:
        return COMPONENTS

    def available(self) -> bool:
        return True

    def is_group(self, config_path: str) -> bool:
        group = config_path.rstrip("/")
        return not group or bool(placed_names(group))

    def is_config(self, config_path: str) -> bool:
        group, _, name = config_path.removesuffix(YAML).rpartition("/")
        return name in placed_names(group) or is_list(group, name) or variants.part_of_scorer(group, name) is not None

    def list(self, config_path: str, results_filter: ObjectType | None) -> list[str]:
        group = config_path.rstrip("/")
        options = placed_names(group) if group else [kind for kind in KINDS if placed_names(kind)]
        return options if results_filter in (None, ObjectType.CONFIG if group else ObjectType.GROUP) else []

    def load_config(self, config_path: str) -> ConfigResult:
        kind, _, name = config_path.removesuffix(YAML).rpartition("/")
        if is_list(kind, name):
            package, content = option_of(kind, name)
            config, provider = OmegaConf.create(content), SCHEME
        elif name not in placed_names(kind) and (part := variants.part_of_scorer(kind, name)) is not None:
            config, provider = OmegaConf.create(whole_of(kind, part)), SCHEME
            package = (KINDS[kind].place or "").format(name=name)
        else:
            entry = component(kind, name)
            config, provider = OmegaConf.create(defaults(entry.cls, name)), entry.origin
            package = (KINDS[kind].place or "").format(name=name)
        return ConfigResult(config=config, path=self.full_path(), provider=provider, header={"package": package})


class SearchPath(SearchPathPlugin):
    """Puts --config-dir, the user's conf/ and the plugins' before the shipped one, and the components behind it."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        for element in search_path.get_path():
            if element.provider == "main":
                element.path = f"{SCHEME}://{element.path}"
        for origin, folder in reversed(variants.conf_folders()[:-1]):
            search_path.prepend(origin, f"{SCHEME}://{folder.resolve()}", anchor=None)
        search_path.append(SCHEME, f"{COMPONENTS}://")


def is_registered() -> bool:
    """Whether Hydra, in its state at hand, has these."""
    return GuardedSource in Plugins.instance().discover(ConfigSource)


def register_sources() -> None:
    """Registers these with Hydra."""
    for plugin in (GuardedSource, ComponentSource, SearchPath):
        Plugins.instance().register(plugin)
