"""Groups of one component that take a list as well: `matcher=[a,b]` is one option, made of the options it names.

Hydra would lay the options of a list over each other at the group's one place. So a list is read as the name `a,b`, on
the command line and in defaults lists alike, and that option puts each at a place of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import hydra._internal.defaults_list as defaults_lists
from hydra import initialize_config_dir
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.config_repository import CachingConfigRepository
from hydra.core.config_loader import ConfigLoader
from hydra.core.default_element import InputDefault
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.types import Override
from omegaconf import OmegaConf

from auditfw.config.safe_yaml import defaults_of, load_yaml, text_of
from auditfw.config.schema import defaults, plain
from auditfw.config.variants import PARTS, SCORER, conf_folders, find, known_names, shipped_conf
from auditfw.core.errors import UsageError, nearest
from auditfw.kinds import KINDS
from auditfw.kinds.registry import component, names

COMMA = ","
MAP = "_create_interpolation_map"


def is_list(group: str, name: str) -> bool:
    """Whether a name stands for a list of a group that takes one or several."""
    return COMMA in name and takes_list(group)


def takes_list(group: str) -> bool:
    """Whether a group of one component takes a list as well."""
    return group in KINDS and KINDS[group].list_place is not None


def _joined(group: str, value: Any) -> Any:
    """What is chosen, a list of names as one name."""
    if not takes_list(group) or not isinstance(value, list) or not value:
        return value
    return COMMA.join(map(str, value))


def as_option(one: Override) -> Override:
    """An override with a list of names as one name; its line stays as it was written."""
    if one.package is not None or one.is_delete() or one.is_sweep_override():
        return one
    joined = _joined(one.key_or_group, one.value())
    return one if joined == one.value() else replace(one, _value=joined)


def as_entry(entry: Any) -> Any:
    """An entry of a file's defaults list, a list of names as one name."""
    if not isinstance(entry, dict):
        return entry
    return {key: _joined(str(key).split()[-1].removeprefix("/"), value) for key, value in entry.items()}


def option_of(group: str, name: str) -> tuple[str, dict[str, Any]]:
    """The package and content of the option that a list is. Raises UsageError for a name that it cannot hold.

    The first is at the group's own place too, with the settings that it has among the others.
    """
    names = name.split(COMMA)
    first = first_settings(group, names)
    listed = names[1:] if KINDS[group].of_values else names
    package, _, place = str(KINDS[group].place).rpartition(".")
    below = str(KINDS[group].list_place).removeprefix(f"{package}.")
    return package, {"defaults": [*(f"{one}@{below.format(name=one)}" for one in listed), "_self_"], place: first}


def first_settings(group: str, names: Sequence[str]) -> dict[str, Any]:
    """What stands at the group's own place for a list: the first, its settings those that it has in the list.

    Of values it is all there is of the first: only the others are in the list.
    Raises UsageError for a list that cannot be.
    """
    for one in names:
        if names.count(one) > 1:
            raise UsageError(f"{group}=[{COMMA.join(names)}]", f"names '{one}' more than once", None, "name each once")
        if one not in known_names(group):
            raise UsageError(f"{group}={one}", f"no {group} named '{one}'", None, nearest(one, known_names(group)))
    if KINDS[group].of_values:
        return dict(whole(group, names[0], group))
    there = str(KINDS[group].list_place).format(name=names[0])
    settings = whole(group, names[0], group)
    return {key: value if key == "use" else "${" + f"{there}.{key}" + "}" for key, value in settings.items()}


def whole(kind: str, name: str, where: str) -> Any:
    """What a name chooses: the settings it stands for, and the defaults of the others."""
    settings = find(kind, name, where)
    if KINDS[kind].of_values:
        return {**plain(KINDS[kind].protocol()), **settings}
    return whole_of(kind, settings, where)


def whole_of(kind: str, part: Any, where: str = "") -> Any:
    """The settings of a component, given by name or by some of them, over the defaults of the others."""
    settings = find(kind, part, where) if isinstance(part, str) else part
    if kind == SCORER:
        parts = {one: settings[one] for one in PARTS if settings.get(one) is not None}
        settings = {**settings, **{one: whole_of(one, inside) for one, inside in parts.items()}}
    if not isinstance(settings, Mapping) or not isinstance(settings.get("use"), str):
        return settings  # whoever builds it reports the error
    base = component(kind, settings["use"], where)
    return OmegaConf.merge(OmegaConf.create(defaults(base.cls, base.name)), settings)


def is_plain(kind: str, name: str) -> bool:
    """Whether Hydra makes of a name what `find` does: its file is of its own place, over others of its kind alone."""
    file = next((file for _, folder in conf_folders() if (file := folder / kind / f"{name}.yaml").is_file()), None)
    if file is None:
        return name in names(kind)
    entries = list(map(str, defaults_of(file, load_yaml(file) or {})))
    head = f"# @package {str(KINDS[kind].place).format(name=name)}"
    bases = [base.removesuffix("@_here_") for base in entries if base.endswith("@_here_")]
    return (
        text_of(file).partition("\n")[0] == head
        and entries in ([f"{base}@_here_" for base in bases], [*(f"{base}@_here_" for base in bases), "_self_"])
        and all(is_plain(kind, base) for base in bases)
    )


_whole_map = vars(defaults_lists).get(MAP)


def map_if_used(overrides: Any, entries: Sequence[InputDefault], self_added: bool) -> Any:
    """Spares Hydra the map of all that names in a defaults list may refer to, for each file in which none does."""
    assert _whole_map is not None
    return _whole_map(overrides, entries, self_added) if any(one.is_interpolation() for one in entries) else None


class ListLoader(ConfigLoaderImpl):
    """Hydra's loader, which reads a list of such a group as one name."""

    def _parse_overrides_and_create_caching_repo(
        self, config_name: str | None, overrides: list[str], *further: Any, **named: Any
    ) -> tuple[list[Override], CachingConfigRepository]:
        parsed, repository = super()._parse_overrides_and_create_caching_repo(config_name, overrides, *further, **named)
        return list(map(as_option, parsed)), repository


def taking_lists(loader: ConfigLoader) -> ConfigLoader:
    """A loader of Hydra's own as one that takes lists; any other as it is."""
    if type(loader) is ConfigLoaderImpl:
        taking = object.__new__(ListLoader)
        taking.__dict__.update(loader.__dict__)
        return taking
    return loader


@contextmanager
def initialized() -> Iterator[ConfigLoader]:
    """Hydra over the shipped conf/, for composing within a process; gives its loader."""
    outer = GlobalHydra.instance().hydra  # of the command whose job composes
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(shipped_conf()), version_base="1.3", job_name="auditfw"):
            hydra = GlobalHydra.instance().hydra
            assert hydra is not None
            hydra.config_loader = taking_lists(hydra.config_loader)
            yield hydra.config_loader
    finally:
        GlobalHydra.instance().hydra = outer
