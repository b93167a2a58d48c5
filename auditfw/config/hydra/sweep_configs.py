"""The configs of a sweep's jobs: what the jobs' groups choose is composed once, and only values are set for each.

Hydra composes a job's config from the groups, and applies values after that; so jobs that choose the same groups
share all but the values.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.config_loader import ConfigLoader
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.types import Override
from omegaconf import DictConfig, OmegaConf, flag_override, open_dict, read_write

from auditfw.config.choices import parsed
from auditfw.config.variants import conf_folders
from auditfw.core.errors import UsageError
from auditfw.kinds import KINDS

from .arguments import SUBDIR
from .lists import first_settings, is_plain, whole
from .sources import PRIMARY

BASES_KEPT = 64
BY_NUMBER = "${hydra.job.num}"
OF_A_JOB = ("job", "overrides", "runtime")  # what of Hydra's own config differs from job to job


@dataclass(frozen=True)
class Composed:
    """One job of a sweep: its number, its own overrides, its task config, or why there is none."""

    number: int
    overrides: tuple[str, ...]
    config: DictConfig | None
    error: Exception | None = None
    named: str = ""

    @property
    def folder(self) -> str:
        """Its folder within that of the sweep."""
        return self.named or str(self.number)

    @cached_property
    def raw(self) -> Any:
        """The config as plain data, interpolations as they stand."""
        return OmegaConf.to_container(self.config, resolve=False) if self.config is not None else None

    @cached_property
    def plain(self) -> bool:
        """Whether no value of the config refers to another: then it is the settings as it stands."""
        return isinstance(self.raw, dict) and not _refers(self.raw)


def _refers(value: Any) -> bool:
    """Whether a text in plain data may hold an interpolation."""
    if isinstance(value, dict):
        return any(map(_refers, value.values()))
    return "${" in value if isinstance(value, str) else isinstance(value, list) and any(map(_refers, value))


@dataclass
class Composer:
    """Composes the jobs of one sweep."""

    loader: ConfigLoader
    master: DictConfig
    _bases: dict[tuple[str, ...], bytes] = field(default_factory=dict)
    _groups: dict[str, bool] = field(default_factory=dict)
    _words: dict[str, Override] = field(default_factory=dict)
    _without: dict[tuple[str, ...], bytes] = field(default_factory=dict)
    _agrees: dict[tuple[str, ...], bool] = field(default_factory=dict)
    _parts: dict[str, bytes] = field(default_factory=dict)

    def compose(self, number: int, words: Sequence[str]) -> Composed:
        """A job's config, as Hydra composes it; a mistake in it is the job's own."""
        own = tuple(word for word in words if not word.startswith("hydra."))
        try:
            overrides = self._read([word for word in words if not word.startswith(f"{SUBDIR}=")])
            config = pickle.loads(self._base([one for one in overrides if self._chooses(one)]))  # noqa: S301 - our own
            ConfigLoaderImpl._apply_overrides_to_config([one for one in overrides if not self._chooses(one)], config)
            return Composed(number, own, config, named=self._named(number, own, config))
        except Exception as error:
            return Composed(number, own, None, error)

    def _named(self, number: int, words: Sequence[str], config: DictConfig) -> str:
        """The folder that `hydra.sweep.subdir` names for a job; "" where that is its number."""
        hydra = cast(dict[str, Any], OmegaConf.to_container(self.master.hydra, resolve=False))
        if hydra["sweep"]["subdir"] in (None, BY_NUMBER):
            return ""
        hydra["job"] |= {"num": number, "id": str(number), "override_dirname": dirname_of(self.master, words)}
        hydra["overrides"]["task"] = list(words)
        whole = OmegaConf.create({**cast(dict[Any, Any], OmegaConf.to_container(config)), "hydra": hydra})
        OmegaConf.copy_cache(from_config=self.master, to_config=whole)
        before = HydraConfig.instance().cfg
        HydraConfig.instance().cfg = whole  # type: ignore[assignment]
        try:
            return str(whole.hydra.sweep.subdir)
        finally:
            HydraConfig.instance().cfg = before

    def _read(self, words: Sequence[str]) -> list[Override]:
        """The overrides of a job; words that it has in common with another one are parsed once."""
        new = [word for word in dict.fromkeys(words) if word not in self._words]
        self._words |= zip(new, parsed(new), strict=True)
        return [self._words[word] for word in words]

    def _chooses(self, override: Override) -> bool:
        """Whether an override is more than a value: a group's choice, or one of Hydra's own keys."""
        key = override.key_or_group
        if override.package is not None or override.is_hydra_override() or override.is_delete():
            return True
        if key not in self._groups:
            groups = self.loader.list_groups(key.rpartition("/")[0]) if "." not in key else []
            self._groups[key] = key.rpartition("/")[2] in groups
        return self._groups[key]

    def _base(self, choices: Sequence[Override]) -> bytes:
        words = tuple(str(one.input_line) for one in choices)
        if words not in self._bases:
            config = self._laid(choices) or self._by_hydra(words)
            if len(self._bases) >= BASES_KEPT:
                self._bases.clear()
            self._bases[words] = pickle.dumps(config)  # a third of the time of a deep copy
        return self._bases[words]

    def _laid(self, choices: Sequence[Override]) -> DictConfig | None:
        """What is chosen of the kinds, laid below what Hydra composes without it; None where Hydra has to make it all.

        Files of the user's may have settings below a choice: then the first of those that differ in names alone is
        composed by Hydra as well, and must be the same.
        """
        named = {one.key_or_group: one for one in choices if _names_parts(one)}
        rest = [str(one.input_line) for one in choices if one.key_or_group not in named]
        without = (*rest, *(f"{kind}=[]" if KINDS[kind].several else f"~{kind}" for kind in named))
        if not self._agrees.get(without, True):
            return None
        try:
            if without not in self._without:
                self._without[without] = pickle.dumps(self._by_hydra(without))
            config: DictConfig = pickle.loads(self._without[without])  # noqa: S301 - our own
            with flag_override(config, ["struct", "no_deepcopy_set_nodes"], [False, True]):
                for one in named.values():
                    _put(config, pickle.loads(self._part(one)), above=True)  # noqa: S301 - our own
            if without not in self._agrees:
                whole = [str(one.input_line) for one in choices]
                self._agrees[without] = self._is_shipped() or config == self._by_hydra(whole)
        except Exception:
            return None  # Hydra says what is wrong
        return config if self._agrees[without] else None

    def _is_shipped(self) -> bool:
        """Whether no file but the shipped ones may have settings that lie below what a group chooses."""
        hydra, further = self.master.hydra, [folder for _, folder in conf_folders()[:-1]]
        own = any((folder / f"{PRIMARY}.yaml").exists() or (folder / "audit").exists() for folder in further)
        return not own and hydra.job.config_name == PRIMARY and not hydra.searchpath

    def _part(self, one: Override) -> bytes:
        """What an override chooses, by place."""
        word = str(one.input_line)
        if word not in self._parts:
            self._parts[word] = pickle.dumps({at: part and OmegaConf.create(part) for at, part in _chosen(one).items()})
        return self._parts[word]

    def _by_hydra(self, words: Sequence[str]) -> DictConfig:
        config = self.loader.load_sweep_config(self.master, list(words))
        with read_write(config), open_dict(config):
            del config["hydra"]
        return config


def _names_parts(one: Override) -> bool:
    """Whether an override chooses parts by names of which Hydra makes what `find` does."""
    kind, value = one.key_or_group, one.value() if not one.is_sweep_override() else None
    names = value if isinstance(value, list) else [value]
    plain = one.package is None and not one.is_delete() and not one.is_add() and kind != "audit" and kind in KINDS
    if not plain or KINDS[kind].of_values:  # an audit's own values stand below what is chosen, an experiment's above
        return False
    return all(isinstance(name, str) and is_plain(kind, name) for name in names)


def _put(config: DictConfig, parts: Mapping[str, Any], above: bool = False) -> None:
    """Puts what is chosen in its place: instead of what is there, or below it."""
    for place, part in parts.items():
        within, _, key = place.rpartition(".")
        node = OmegaConf.select(config, within) if within else config
        there = node._get_node(key)
        over = there if above else None
        if part is not None:
            OmegaConf.update(config, place, part, merge=False)
            if isinstance(there, DictConfig) and isinstance(put := node._get_node(key), DictConfig):
                put._metadata.flags = there._metadata.flags  # what is open for new keys stays open
            if over:
                OmegaConf.update(config, place, over, merge=True)
        elif not over:
            node.pop(key, None)


@dataclass(frozen=True)
class SharedYaml:
    """A mapping under one key that is written as YAML many times: most of its parts are texts already."""

    key: str
    parts: Mapping[str, Any]
    texts: Mapping[str, str]

    @property
    def text(self) -> str:
        """What `as_yaml` would write of the whole."""
        heads = {name: self.texts.get(name) or part_text(self.key, name, part) for name, part in self.parts.items()}
        return f"{self.key}:\n{''.join(heads.values())}"


def part_text(key: str, name: str, part: Any) -> str:
    """The lines of one part of a mapping under a key."""
    return as_yaml({key: {name: part}}).partition("\n")[2]


class Site:
    """Hydra's own config for the job at hand: one for the whole sweep, of which a job changes what is its own."""

    def __init__(self, master: DictConfig) -> None:
        self._config = copy.deepcopy(master)
        self._hydra = cast(dict[str, Any], OmegaConf.to_container(master.hydra, resolve=False))
        same = {name: part for name, part in self._hydra.items() if name not in OF_A_JOB}
        self._texts = {name: part_text("hydra", name, part) for name, part in same.items()}
        OmegaConf.set_readonly(self._config.hydra, False)

    def enter(self, number: int, overrides: Sequence[str], folder: str) -> SharedYaml:
        """Makes `${hydra:...}` resolve to this job; returns the content of its hydra.yaml."""
        hydra = self._hydra
        joined = dirname_of(self._config, overrides)
        hydra["job"] |= {"num": number, "id": str(number), "override_dirname": joined}
        hydra["overrides"]["task"] = list(overrides)
        hydra["runtime"]["output_dir"] = folder
        own = self._config.hydra
        with open_dict(own):
            own.job.num, own.job.id, own.job.override_dirname = number, str(number), joined
            own.runtime.output_dir = folder
            own.overrides.task = list(overrides)
        HydraConfig.instance().cfg = self._config  # type: ignore[assignment]
        return SharedYaml("hydra", hydra, self._texts)


def dirname_of(master: DictConfig, words: Sequence[str]) -> str:
    """The overrides of a job in one text, as Hydra writes them for the name of a folder."""
    form = master.hydra.job.config.override_dirname
    named = sorted(word for word in words if word.partition("=")[0].lstrip("+~") not in form.exclude_keys)
    return str(form.item_sep).join(named).replace("=", form.kv_sep)


def as_yaml(value: Any) -> str:
    """Plain config data as YAML that OmegaConf reads as the same data."""
    import yaml

    if isinstance(value, SharedYaml):
        return value.text
    return str(yaml.dump(value, Dumper=_dumper(), default_flow_style=False, allow_unicode=True, sort_keys=False))


def _dumper() -> Any:
    """OmegaConf's own rules of quoting, on the parser in C where there is one."""
    import yaml
    from omegaconf._utils import get_omega_conf_dumper

    ours = get_omega_conf_dumper()
    quick = getattr(yaml, "CDumper", None)
    if quick is None:
        return ours
    dumper = type("Dumper", (quick,), {})
    dumper.add_representer(str, ours.str_representer)  # type: ignore[attr-defined]
    return dumper


def revised(raw: Mapping[str, Any], words: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A stored config with overrides applied, as it stands and resolved: values, and choices of groups by name.

    Raises UsageError, or what Hydra raises for a word that is no override.
    """
    config = OmegaConf.create(dict(raw))
    OmegaConf.set_struct(config, True)
    for place in (kind.place for kind in KINDS.values() if kind.place and kind.several):
        held = OmegaConf.select(config, place.removesuffix(".{name}"))
        if held is not None:
            OmegaConf.set_struct(held, False)
    for one in parsed(words):
        kind = KINDS.get(one.key_or_group)
        if kind is None or kind.place is None or isinstance(one.value(), dict):
            ConfigLoaderImpl._apply_overrides_to_config([one], config)
        else:
            with open_dict(config):
                _put(config, _chosen(one))
    as_written, resolved = (OmegaConf.to_container(config, resolve=resolve) for resolve in (False, True))
    return {str(k): v for k, v in as_written.items()}, {str(k): v for k, v in resolved.items()}  # type: ignore[union-attr,unused-ignore]


def _chosen(one: Override) -> dict[str, Any]:
    """What an override chooses, by the place where it belongs; None where nothing does. Raises UsageError."""
    group, value = one.key_or_group, one.value()
    kind = KINDS[group]
    names = [str(name) for name in value] if isinstance(value, list) else [str(value)]
    chosen = {name: whole(group, name, str(one.input_line)) for name in names}
    place = str(kind.place).removesuffix(".{name}")
    if kind.several:
        return {place: chosen}
    if not names:
        raise UsageError(group, "no name is chosen", str(one.input_line), f"write {group}=NAME")
    others = {name: chosen[name] for name in names[1:]} if kind.of_values else chosen
    listed = {str(kind.list_place).removesuffix(".{name}"): others if names[1:] else None} if kind.list_place else {}
    return {**listed, place: first_settings(group, names) if names[1:] else chosen[names[0]]}
