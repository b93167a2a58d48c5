"""What a process keeps once for all that runs in it, down to the members of Hydra's singletons: for comparing."""

from __future__ import annotations

import decimal
import gc
import logging
import os
import random
import signal
import sys
import threading
import warnings
from types import ModuleType
from typing import Any

import hydra._internal.defaults_list
import hydra._internal.hydra
import numpy
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.plugins import Plugins
from hydra.core.singleton import Singleton
from omegaconf.basecontainer import BaseContainer

LIBRARIES = ("hydra", "omegaconf", "logging", "json", "multiprocessing")
SINGLETONS = (ConfigStore, GlobalHydra, HydraConfig, Plugins)
assert hydra._internal.hydra
assert hydra._internal.defaults_list


def _members(value: Any) -> Any:
    """A value with everything in the mappings and lists that it is made of, its leaves by identity."""
    if isinstance(value, dict):
        return {key: _members(part) for key, part in value.items()}
    return [_members(part) for part in value] if isinstance(value, list) else id(value)


def global_state() -> dict[str, Any]:
    root = logging.getLogger()
    names = [name for name, one in sys.modules.items() if isinstance(one, ModuleType)]
    functions = {name: vars(sys.modules[name]) for name in names if name.split(".")[0] in LIBRARIES}
    instances = Singleton._instances
    return {
        "singletons": {one.__name__: _members(vars(instances[one])) for one in SINGLETONS if one in instances},
        "others": {cls.__name__: id(one) for cls, one in instances.items()},
        "resolvers": dict(BaseContainer._resolvers),
        "functions": {
            f"{module}.{name}": id(value)
            for module, held in functions.items()
            for name, value in held.items()
            if callable(value)
        },
        "logging": (root.handlers[:], root.level, logging.raiseExceptions, root.manager.disable),
        "words": (sys.argv, sys.argv[:]),
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "imports": (sys.path[:], sys.meta_path[:], sys.path_hooks[:], sys.modules["__main__"]),
        "warnings": (warnings.filters[:], warnings.showwarning),
        "signals": {one: signal.getsignal(one) for one in signal.valid_signals()},
        "collector": (gc.get_threshold(), gc.isenabled()),
        "random": (random.getstate(), repr(numpy.random.get_state())),
        "decimals": repr(decimal.getcontext()),
        "hooks": (sys.excepthook, sys.unraisablehook, threading.excepthook, sys.stdout, sys.stderr, sys.stdin),
    }


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What is different, by name; functions of modules that were imported between are no change."""
    found = [name for name in before if name != "functions" and before[name] != after[name]]
    functions = before["functions"]
    return found + [name for name, value in functions.items() if after["functions"].get(name, value) != value]
