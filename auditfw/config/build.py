"""Components → Hydra groups, plugins and conf/ folders; composed settings → a run."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import re
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from omegaconf import DictConfig, ListConfig, Node, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from auditfw.audits.spine import Run
from auditfw.config import variants
from auditfw.config.hydra.lists import initialized
from auditfw.config.hydra.sources import PRIMARY, is_foreign, is_registered, register_sources
from auditfw.config.hydra.state import composing_state
from auditfw.config.hydra.sweeper import register_plugins
from auditfw.core.errors import AuditError, UsageError, brief
from auditfw.core.imports import safe_mode
from auditfw.core.masking import hide
from auditfw.core.remote.addresses import check_addresses
from auditfw.kinds import KINDS
from auditfw.kinds.component_index import MODULES
from auditfw.kinds.registry import components, registered

from .choices import parsed
from .guessed import fitted
from .plugins import load_plugins
from .schema import Builder, defaults, load, plain
from .variants import part_of_scorer, user_plugins

T = TypeVar("T")

KEPT = 32  # composed configs
INDECISIVE = ("engine", "reports", "objective", "resume", "sweep", "on_error", "max_jobs", "max_cells", "guessed")
_LIMIT = re.compile(r'"max_remote": (?:null|\d+), ')  # of what is fetched: it decides nothing, and other keys follow


def prepare() -> None:
    """Loads plugins, and registers with Hydra, in its state at hand, what can be chosen."""
    if not is_registered():
        limit_resolvers()
        load_plugins()
        register_sources()
        register_plugins()


def compose(overrides: Sequence[str], name: str = "config") -> dict[str, Any]:
    """Composes settings as the command line would, without running anything.

    The same words are composed once in a process, for as long as what can be chosen stays the same.
    """
    with composing_state():
        return _settings(overrides, name)


def _settings(overrides: Sequence[str], name: str) -> dict[str, Any]:
    prepare()
    parsed(overrides)
    folders = [folder for _, folder in variants.conf_folders()]
    if any("hydra" in word for word in overrides) or any((one / f"{name}.yaml").exists() for one in folders[:-1]):
        return settings_of(_composed.__wrapped__(tuple(overrides), name, ()))  # it may look in other folders
    files = (file for folder in folders for file in sorted(folder.rglob("*.yaml")) if file.is_file())
    own = frozenset((one.kind, one.name) for one in registered()).difference(MODULES)
    return settings_of(_composed(tuple(overrides), name, (own, *((str(file), _digest(file)) for file in files))))


@lru_cache(maxsize=KEPT)
def _composed(overrides: tuple[str, ...], name: str, fingerprint: tuple[object, ...]) -> DictConfig:
    from hydra import compose as hydra_compose

    with initialized():
        return hydra_compose(name, list(overrides))


def _digest(file: Path) -> bytes:
    try:
        return hashlib.sha256(file.read_bytes()).digest()
    except OSError:
        return b""  # choosing it reports the error


def settings_of(config: Any) -> dict[str, Any]:
    """A composed config as plain data, every interpolation resolved. Raises UsageError naming the key."""
    try:
        settings = OmegaConf.to_container(config, resolve=True, throw_on_missing=False)
    except OmegaConfBaseException as error:
        from auditfw.config.hydra.errors import unresolved

        raise unresolved(error) from None
    if not isinstance(settings, dict):
        raise UsageError("config", "is not a mapping")
    check_addresses(settings)
    return {str(key): value for key, value in settings.items() if key != "hydra"}


def foreign_configs() -> list[Path]:
    """The primary configs beside ours that are other programs': a folder named conf/ may be one of theirs."""
    files = [folder / f"{PRIMARY}.yaml" for _, folder in variants.conf_folders()[:-1]]
    return [file for file in files if file.is_file() and is_foreign(file)]


def as_plain(what: Any) -> Any:
    """A config that was composed elsewhere as plain data, without Hydra's own node; anything else as it is.

    Its interpolations are resolved by the resolvers that there are. Raises UsageError naming the key.
    """
    if isinstance(what, DictConfig):
        return settings_of(what)
    return OmegaConf.to_container(what, resolve=True) if isinstance(what, ListConfig) else what


def build(settings: Mapping[str, Any]) -> tuple[Run, list[str]]:
    """A run from plain settings, and warnings about parts that it does not use. Raises UsageError or Findings."""
    builder = Builder(settings)
    run = fitted(builder.make(Run, settings))
    idle = [
        f"{kind} is set, but the {run.audit.name} audit does not use it"
        for kind in KINDS
        if settings.get(kind) is not None and kind not in builder.used and "." not in (KINDS[kind].place or ".")
    ]
    return run, [*idle, *_split_scorers(settings)]


def _split_scorers(settings: Mapping[str, Any]) -> list[str]:
    """What to write for scorers of which parser and normalizer are chosen by their name."""
    audit = settings["audit"]
    both = {*(audit.get("parsers") or ())} & {*(audit.get("normalizers") or ())}
    return [
        f"parser={name} normalizer={name} is a scorer by its parts: write scorer=[{name}], audit.baseline={name}"
        for name in sorted(both)
        if part_of_scorer("normalizer", name) is not None
    ]


def build_part(cls: type[T], settings: Mapping[str, Any], path: str) -> T:
    """An object of a dataclass from plain settings at `path`. Raises UsageError or Findings."""
    return Builder(settings).make(cls, settings, path)


def shipped_texts() -> dict[str, dict[str, Any]]:
    """The shipped parsers, normalizers and matchers by kind and name, with the settings that they are shipped with.

    Left out are those that need a setting, or a package that is not installed.
    """
    parts: dict[str, dict[str, Any]] = {}
    for kind, shipped in variants.shipped_parts().items():
        parts[kind] = {}
        for name, settings in shipped.items():
            with suppress(AuditError):
                parts[kind][name] = load(kind, settings)
    return parts


def plugin_files() -> list[Path]:
    """The files of the current folder's plugins, sorted."""
    folder = user_plugins()
    return sorted(folder.rglob("*.py")) if folder is not None else []


def config_hash(settings: Mapping[str, Any]) -> str:
    """SHA-256 over what decides the numbers: all settings but where the work runs and how it is reported."""
    decisive = {key: value for key, value in settings.items() if key not in INDECISIVE}
    return hashlib.sha256(_LIMIT.sub("", _in_order(decisive)).encode()).hexdigest()


def _in_order(decisive: Any) -> str:
    """Plain data as JSON with sorted keys; where numbers and texts are keys of one mapping, all are texts."""
    try:
        return _dumped(decisive)
    except TypeError:
        return _dumped(_by_text(decisive))


def _dumped(decisive: Any) -> str:
    return json.dumps(decisive, sort_keys=True, default=lambda o: type(o).__name__)


def _by_text(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _by_text(one) for key, one in value.items()}
    return list(map(_by_text, value)) if isinstance(value, list | tuple) else value


def versions() -> dict[str, str]:
    """The versions a number may depend on: of auditfw, Python, its Unicode data, and polars."""
    return {
        "auditfw": _installed("auditfw"),
        "python": platform.python_version(),
        "unicode": unicodedata.unidata_version,
        "polars": _installed("polars"),
    }


@lru_cache(maxsize=8)
def _installed(package: str) -> str:
    return importlib.metadata.version(package)


def override(key: str, value: object) -> str:
    """An override of the command line that chooses `value` for a group."""
    if isinstance(value, str):
        return f"{key}={value}"
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return f"{key}=[{','.join(value)}]"
    raise UsageError(key, "expected a name or a list of names", brief(value))


class Listed(NamedTuple):
    """What can be chosen of a kind: a component, a variant or an experiment, with its sentence and where it is from."""

    kind: str
    name: str
    what: str
    doc: str
    settings: dict[str, Any]
    origin: str


def described(kind: str) -> list[Listed]:
    """Components and named variants of a kind, for `auditfw list`."""
    rows = []
    for name, entry in components(kind).items():
        settings = {key: plain(value) for key, value in defaults(entry.cls, name).items() if key != "use"}
        rows.append(Listed(kind, name, "component", entry.doc, settings, entry.origin))
    for name, variant in variants.variants(kind).items():
        rows.append(Listed(kind, name, "variant", variant.doc, dict(variant.settings), variant.origin))
    return sorted(rows, key=lambda row: (row.name, row.what))


# What `${...}` may reach beyond the config itself: the environment, for settings that hold keys or paths.

# The last name of a setting that holds a path, an address or a key; `paths` and `hydra` hold only such.
_HOLDS = re.compile(
    r"(?:path|paths|file|folder|dir|url|address|metadata|solutions|baseline|api_key|token|secret|password)"
    r"|.+_(?:path|file|folder|dir|url|address|key|token|secret|password)"
)
_UNSET = object()


def limit_resolvers() -> None:
    """Lets `oc.env` be read by settings that hold keys or paths only, and by none in safe mode."""
    OmegaConf.register_new_resolver("oc.env", _environment, replace=True)


def _environment(name: str = "", default: Any = _UNSET, *, _node_: Node) -> Any:
    """The value of an environment variable, which is masked in all that is written. Raises UsageError."""
    where = f"${{oc.env:{name}}}"
    if safe_mode():
        raise UsageError(where, "switched off by AUDITFW_SAFE", None, "write the value itself")
    if not holds_key_or_path(str(_node_._get_full_key(None))):
        raise UsageError(where, "only settings that hold a path or a key may read it", None, "write the value itself")
    value = os.environ.get(name)
    if value is not None:
        hide(value)
        return value
    if default is _UNSET:
        raise UsageError(where, f"the environment variable {name} is not set", None, f"export {name}=...")
    return None if default is None else str(default)


def holds_key_or_path(key: str) -> bool:
    """Whether a setting, by its full key, holds a key or a path."""
    words = re.sub(r"\[\d+\]", "", key).split(".")
    if words[0] == "hydra" or words[-2:] == ["simulator", "model"]:
        return True
    return _HOLDS.fullmatch(words[-1]) is not None or words[-2:-1] == ["paths"]
