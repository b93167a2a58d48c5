"""Components → Hydra groups, plugins and conf/ folders; composed settings → a run."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from auditfw.audits.spine import Run
from auditfw.config.hydra.lists import initialized
from auditfw.config.hydra.sources import PRIMARY, is_foreign, is_registered, register_sources
from auditfw.config.hydra.state import composing_state
from auditfw.config.hydra.sweeper import register_plugins
from auditfw.config.variants import part_of_scorer, user_plugins
from auditfw.core.errors import AuditError, UsageError, brief
from auditfw.kinds import KINDS
from auditfw.kinds.component_index import MODULES
from auditfw.kinds.registry import Entry, components, registered

from . import variants
from .choices import parsed
from .plugins import load_plugins
from .resolvers import limit_resolvers
from .schema import Builder, defaults, load, plain

T = TypeVar("T")

KEPT = 32  # composed configs
INDECISIVE = ("engine", "reports", "objective", "resume", "sweep", "on_error", "max_jobs", "max_cells", "guessed")


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
    return settings_of(_composed(tuple(overrides), name, _fingerprint(folders)))


@lru_cache(maxsize=KEPT)
def _composed(overrides: tuple[str, ...], name: str, fingerprint: tuple[object, ...]) -> DictConfig:
    from hydra import compose as hydra_compose

    with initialized():
        return hydra_compose(name, list(overrides))


def _fingerprint(folders: Sequence[Path]) -> tuple[object, ...]:
    """What identifies the files and components that can be chosen now."""
    files = (file for folder in folders for file in sorted(folder.rglob("*.yaml")) if file.is_file())
    own = frozenset((one.kind, one.name) for one in registered()).difference(MODULES)
    return own, *((str(file), _digest(file)) for file in files)


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
    run = builder.make(Run, settings)
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
    return hashlib.sha256(_in_order(decisive).encode()).hexdigest()


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


def described(kind: str) -> list[dict[str, Any]]:
    """Components and named variants of a kind, for `auditfw list`."""
    rows: list[dict[str, Any]] = []
    for name, entry in components(kind).items():
        rows.append(
            {
                "kind": kind,
                "name": name,
                "what": "component",
                "doc": entry.doc,
                "settings": _shown(entry),
                "origin": entry.origin,
            }
        )
    for name, variant in variants.variants(kind).items():
        rows.append(
            {
                "kind": kind,
                "name": name,
                "what": "variant",
                "doc": variant.doc,
                "settings": dict(variant.settings),
                "origin": variant.origin,
            }
        )
    return sorted(rows, key=lambda row: (row["name"], row["what"]))


def _shown(entry: Entry) -> dict[str, Any]:
    return {key: plain(value) for key, value in defaults(entry.cls, entry.name).items() if key != "use"}
