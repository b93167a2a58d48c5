"""A job's config from Hydra's own list of defaults, its layers merged as plain data.

Hydra decides which files a config is made of, and in which order; each of them is read once for a whole sweep. What
plain data cannot stand for (typed nodes, an interpolation under a mapping) is left to Hydra: `Unsure`.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.config_repository import CachingConfigRepository
from hydra._internal.defaults_list import Overrides, _create_defaults_list
from hydra.core.default_element import InputDefault, ResultDefault
from hydra.core.override_parser.types import Override
from hydra.plugins.config_source import ConfigResult
from omegaconf import DictConfig, ListConfig, OmegaConf

from auditfw.config.variants import merged

from .lists import as_option

MISSING = "???"
OPEN = "\0open"  # a key of mappings of which the config says that they take new keys; no YAML has it
Layer = dict[Any, Any]


class Unsure(Exception):
    """Hydra has to compose this config itself."""


class Kept(CachingConfigRepository):
    """A repository that looks for each group once, and whose lists of defaults are copied quickly."""

    def __init__(self, repository: CachingConfigRepository) -> None:
        self.delegate, self.cache = repository.delegate, {}
        self._groups: dict[str, bool] = {}

    def load_config(self, config_path: str) -> ConfigResult | None:
        result = super().load_config(config_path)
        if result is not None and type(result.defaults_list) is list:
            if any("${" in repr(vars(one)) for one in result.defaults_list):
                raise Unsure
            result.defaults_list = Copied(result.defaults_list)
        return result

    def group_exists(self, config_path: str) -> bool:
        if config_path not in self._groups:
            self._groups[config_path] = super().group_exists(config_path)
        return self._groups[config_path]


class Copied(list[InputDefault]):
    """A list of defaults of which Hydra makes a deep copy each time: their fields are texts, and never changed."""

    def __deepcopy__(self, memo: object) -> list[InputDefault]:
        return [_copy(one) for one in self]


def _copy(default: InputDefault) -> InputDefault:
    copied = object.__new__(type(default))
    copied.__dict__.update(default.__dict__)
    return copied


class Choices(Overrides):
    """The choices of a job. Hydra makes a config of those known at each node, for defaults that interpolate them."""

    def __init__(self, repository: Kept, overrides: Sequence[Override]) -> None:
        super().__init__(repository, list(map(as_option, overrides)))
        self._all = self.known_choices

    def set_known_choice(self, default: InputDefault) -> None:
        self.known_choices = self._all
        super().set_known_choice(default)
        self.known_choices = {}


@dataclass
class Layers:
    """The layers of the configs that one master config's jobs are made of."""

    loader: ConfigLoaderImpl
    master: DictConfig
    _layers: dict[tuple[str | None, str | None, bool], Layer] = field(default_factory=dict)
    _parts: dict[str, bytes] = field(default_factory=dict)
    _kept: Kept | None = None

    def composed(self, choices: Sequence[Override]) -> DictConfig:
        """The config of these choices, without Hydra's own node. Raises Unsure, or what Hydra raises."""
        if any(one.is_hydra_override() or "${" in str(one.input_line) for one in choices):
            raise Unsure
        name = self.master.hydra.job.config_name
        overrides = Choices(self._repository(name), choices)
        defaults, _ = _create_defaults_list(
            self._repository(name), name, overrides, prepend_hydra=False, skip_missing=False
        )
        self._leave_hydra_out(overrides)
        overrides.ensure_overrides_used()
        overrides.ensure_deletions_used()
        whole: Layer = {}
        for default in defaults:
            whole = merged(whole, self._layer(default, name), _replaces)
        whole.pop("hydra", None)
        whole.pop(OPEN, None)
        config = _config(whole, self._parts)
        ConfigLoaderImpl._apply_overrides_to_config(overrides.config_overrides, config)
        OmegaConf.copy_cache(from_config=self.master, to_config=config)
        return config

    def _repository(self, name: str) -> Kept:
        if self._kept is None:
            words = [str(word) for word in OmegaConf.to_container(self.master.hydra.overrides.hydra) or ()]
            self._kept = Kept(self.loader._parse_overrides_and_create_caching_repo(name, words)[1])
        return self._kept

    def _leave_hydra_out(self, overrides: Choices) -> None:
        """Choices of Hydra's own groups are made for the whole sweep."""
        known = self.master.hydra.runtime.choices
        for key, metadata in overrides.override_metadata.items():
            if key.startswith("hydra/"):
                if key not in known:
                    raise Unsure
                metadata.used = True

    def _layer(self, default: ResultDefault, name: str) -> Layer:
        key = (default.config_path, default.package, bool(default.primary))
        if key not in self._layers:
            config = self.loader._load_single_config(default=default, repo=self._repository(name)).config
            layer = _as_plain(config)
            if not isinstance(layer, dict):
                raise Unsure
            self._layers[key] = layer
        return self._layers[key]


def _replaces(old: Any, new: Any) -> bool:
    """Whether a value stands instead of another, all but mappings. Raises Unsure where OmegaConf does more."""
    if isinstance(old, str) and "${" in old and isinstance(new, dict | list):
        raise Unsure  # OmegaConf looks up what the interpolation refers to
    if isinstance(new, str) and new == MISSING:
        raise Unsure
    return not (isinstance(old, dict) and isinstance(new, dict))


def _as_plain(node: Any) -> Any:
    """A config as plain data, interpolations as they stand. Raises Unsure where plain data cannot say it all."""
    if not isinstance(node, DictConfig | ListConfig):
        return node._value()
    flags = node._metadata.flags or {}
    if node._metadata.object_type not in (dict, list, None) or flags not in ({}, {"struct": False}):
        raise Unsure
    if node._is_none() or node._is_missing() or node._is_interpolation():
        return node._value()
    if isinstance(node, ListConfig):
        return [_as_plain(node._get_node(i)) for i in range(len(node))]
    return {key: _as_plain(node._get_node(key)) for key in node} | ({OPEN: True} if flags else {})


def _config(whole: Layer, known: dict[str, bytes]) -> DictConfig:
    """Plain data as a config; what is open stays so. Parts that were made before are taken from `known`."""
    config = OmegaConf.create(flags={"no_deepcopy_set_nodes": True})
    for key, value in whole.items():
        if not isinstance(value, dict):
            config[key] = value
            continue
        text = repr(value)
        if text not in known:
            known[text] = pickle.dumps(_part(value))
        config[key] = pickle.loads(known[text])  # noqa: S301 - our own
    OmegaConf.set_struct(config, True)
    config._set_flag("no_deepcopy_set_nodes", None)
    return config


def _part(value: Layer) -> DictConfig:
    config: DictConfig = OmegaConf.create(_bare(value))
    for path in _open(value, ()):
        node: Any = config
        for key in path:
            node = node._get_node(key)
        OmegaConf.set_struct(node, False)
    return config


def _bare(value: Any) -> Any:
    if isinstance(value, list):
        return [_bare(part) for part in value]
    return {key: _bare(part) for key, part in value.items() if key != OPEN} if isinstance(value, dict) else value


def _open(value: Layer, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if OPEN in value:
        yield path
    for key, part in value.items():
        if isinstance(part, dict):
            yield from _open(part, (*path, key))
