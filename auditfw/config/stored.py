"""Settings that a run folder stores, as data: words and configs are parsed and checked, never replayed unread."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException

from auditfw.audits.spine import Run
from auditfw.core.errors import UsageError
from auditfw.core.files import data_digest, read_bytes
from auditfw.kinds import KINDS

from .safe_yaml import SIZE, decoded, parsed

KEYS = frozenset({"experiment", *KINDS, *(field.name for field in dataclasses.fields(Run))})
GROUPS = frozenset({"experiment", *KINDS})
LAUNCHER = "hydra/launcher"
LOCAL = ("auditfw", "basic", "joblib")  # launchers that only start processes of this Python here
COUNTS = ("hydra.launcher.n_jobs", "hydra.launcher.verbose")
TARGET = "_target_"
_PLAIN = re.compile(r"\$\{\.*[A-Za-z_][\w.\[\]]*\}")


def read_stored(file: Path) -> tuple[Any, str]:
    """A YAML file of a run folder as plain data, and the digest it is known by. Raises AuditError."""
    data = read_bytes(file, SIZE)
    return parsed(file, decoded(file, data)), data_digest(data)


def read_words(file: Path) -> tuple[list[str], str]:
    """The overrides that a run stored, unchecked, and their digest. Raises AuditError."""
    words, digest = read_stored(file)
    if not isinstance(words, list | None) or not all(isinstance(word, str) for word in words or ()):
        raise UsageError(str(file), "is not a list of overrides", None, "name the folder of a run")
    return list(words or ()), digest


def check_words(file: Path, words: Sequence[str]) -> None:
    """Raises UsageError for a stored word that sets anything but an audit, or reads more than its own config."""
    for word in words:
        wrong = _wrong(word)
        if wrong:
            raise UsageError(
                str(file),
                f"a stored override that is not accepted from a run folder: it {wrong}",
                word,
                "if you want it, write it on the command line",
            )


def _wrong(word: str) -> str:
    if word.startswith("-"):
        return "is a flag"
    if TARGET in word:
        return f"names a {TARGET}"
    if not _only_keys(word):
        return "reads more than the config's own keys"
    try:
        [one] = _parsed([word])
    except HydraException:
        return "is not an override"
    key, head = one.key_or_group, re.split(r"[./]", one.key_or_group)[0]
    if head == "hydra" and key != LAUNCHER and not key.startswith("hydra.launcher."):
        return "sets Hydra itself"
    if head not in KEYS and head != "hydra":
        return "sets no key of auditfw"
    if one.package is not None and (head == "hydra" or re.split(r"[./]", one.package)[0] not in KEYS):
        return "puts a group in a place that is not its own"
    if (key in GROUPS or "/" in key) and any(sign in word.partition("=")[2] for sign in ("..", "${")):
        return "names no option of its group"
    return ""


def launched(words: Sequence[str]) -> list[str]:
    """What stored words about the launcher would start beyond processes of this Python on this machine."""
    return [f"the word {one.input_line}" for one in _parsed(words) if _reaches_out(one)]


def _parsed(words: Sequence[str]) -> list[Override]:
    return OverridesParser.create().parse_overrides(list(words))


def _reaches_out(one: Override) -> bool:
    key = one.key_or_group
    if key == LAUNCHER:
        return str(one.value()) not in LOCAL
    return key.startswith("hydra.launcher.") and not (key in COUNTS and isinstance(one.value(), int))


def check_config(file: Path, config: Mapping[str, Any], words: Sequence[str], only: str = "") -> dict[str, Any]:
    """A stored config without what `words` replace and it must not hold itself. Raises UsageError.

    `only` names the one top-level key that is used: what the others must not hold is left out.
    """
    foreign = next((str(key) for key in config if key not in KEYS), None)
    if foreign is not None:
        raise UsageError(str(file), "a key that is not one of auditfw's", foreign, "name the folder of a run")
    replaced = [place for one in _parsed(words) for place in _places(one.key_or_group)]
    kept: dict[str, Any] = {}
    for key, value in config.items():
        for path, text in _leaves(value, str(key)):
            is_replaced = any(path == place or path.startswith((f"{place}.", f"{place}[")) for place in replaced)
            if not _only_keys(text) and not is_replaced and only in ("", key):
                what = f"{path} reads more than the config's own keys, which a stored config may not"
                raise UsageError(str(file), what, text, f"write the value: {path}=...")
        kept[str(key)] = _blanked(value)
    return kept


def _places(key: str) -> list[str]:
    """Where in a config an override's key has its settings."""
    kind = KINDS.get(key)
    if kind is None or not kind.place:
        return [key]
    return [place.removesuffix(".{name}") for place in (kind.place, kind.list_place) if place]


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _leaves(one, f"{path}.{key}")
    elif isinstance(value, list):
        for i, one in enumerate(value):
            yield from _leaves(one, f"{path}[{i}]")


def _blanked(value: Any) -> Any:
    """The value with null for each text that reads more than the config's own keys."""
    if isinstance(value, str):
        return value if _only_keys(value) else None
    if isinstance(value, Mapping):
        return {key: _blanked(one) for key, one in value.items()}
    return [_blanked(one) for one in value] if isinstance(value, list) else value


def _only_keys(text: str) -> bool:
    """Whether each ${...} in a text names a key of the config: no resolver, nothing nested."""
    return "${" not in _PLAIN.sub("", text)
