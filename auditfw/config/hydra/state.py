"""What Hydra and OmegaConf keep for a whole process, as auditfw needs it: beside that of other programs, not in it.

Groups, sources of configs, plugins, resolvers and the Hydra at hand are kept once a process. A program that has its
own, such as one within `hydra.main`, must find them as they were, and must not find ours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import hydra._internal.defaults_list as defaults_lists
from hydra.conf import HydraConf
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.plugins import Plugins
from hydra.core.singleton import Singleton
from omegaconf import OmegaConf
from omegaconf.basecontainer import BaseContainer

from auditfw.core.locks import between_threads

from .lists import MAP, map_if_used

HYDRA = "hydra"
PLUGIN_HOMES = ("hydra_plugins.", "hydra._internal.core_plugins.")  # of plugins that are installed
OF_A_COMMAND = (GlobalHydra, HydraConfig)
State = dict[Any, Any]

_lock = between_threads()
_ours: list[tuple[State, State]] = []  # Hydra's singletons and OmegaConf's resolvers


@contextmanager
def own_state() -> Iterator[None]:
    """Within, Hydra and OmegaConf have auditfw's state; afterwards they have the one from before."""
    if _ours and Singleton._instances is _ours[0][0]:
        yield
        return
    before = Singleton._instances, BaseContainer._resolvers, vars(defaults_lists).get(MAP)
    try:
        if not _ours:
            _ours.append(_made())
        Singleton._instances, BaseContainer._resolvers = _ours[0]
        if MAP in vars(defaults_lists):
            vars(defaults_lists)[MAP] = map_if_used
        yield
    finally:
        for instances, _ in _ours:
            for cls in OF_A_COMMAND:
                instances.pop(cls, None)
        Singleton._instances, BaseContainer._resolvers, vars(defaults_lists)[MAP] = before


@contextmanager
def composing_state() -> Iterator[None]:
    """As `own_state`, for a moment and in one thread at a time."""
    with _lock, own_state():
        yield


def _made() -> tuple[State, State]:
    """Hydra as it is installed: without what the program at hand has added, with what installed plugins have."""
    theirs, resolvers = Singleton._instances, BaseContainer._resolvers
    try:
        Singleton._instances = {}
        OmegaConf.clear_resolvers()
        store = ConfigStore.instance()
        store.repo[HYDRA] = _copied(vars(theirs[ConfigStore])["repo"].get(HYDRA, {})) if ConfigStore in theirs else {}
        store.store(group=HYDRA, name="config", node=HydraConf, provider=HYDRA)
        if Plugins in theirs:  # a second scan would make the plugins' classes again
            _adopt(vars(theirs[Plugins]))
        else:
            Plugins.instance()
        return Singleton._instances, BaseContainer._resolvers
    finally:
        Singleton._instances, BaseContainer._resolvers = theirs, resolvers


def _copied(group: State) -> State:
    return {name: _copied(one) if isinstance(one, dict) else one for name, one in group.items()}


def _adopt(theirs: Mapping[str, Any]) -> None:
    ours = object.__new__(Plugins)
    ours.__dict__.update(theirs)
    ours.plugin_type_to_subclass_list = defaultdict(list)
    ours.class_name_to_class = {}
    Singleton._instances.update({Plugins: ours})  # type: ignore[dict-item]
    for name, cls in theirs["class_name_to_class"].items():
        if name.startswith(PLUGIN_HOMES):
            ours.register(cls)
