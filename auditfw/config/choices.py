"""The words of a command line before Hydra composes them: what may be a key, and what may choose a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, ValueType

from auditfw.core.errors import UsageError, brief
from auditfw.kinds import KINDS

from .safe_yaml import NOT_NAMED, NULL_KEY

GROUPS = {"experiment": None, **{name: kind.place for name, kind in KINDS.items() if kind.place}}

PATHS = ("source.", "scenarios.", "simulator.", "solver.", "executor.", "reports.", "resume", "hydra.")


def parsed(words: Sequence[str]) -> list[Override]:
    """The overrides of a command line, each checked. Raises UsageError, or what Hydra raises for what is none."""
    overrides: list[Override] = OverridesParser.create().parse_overrides(list(words))
    for one in overrides:
        check_choice(one)
    return overrides


def check_choice(one: Override) -> None:
    """Refuses an override whose value cannot be what its key asks for, before Hydra meets it. Raises UsageError."""
    _check_characters(one.key_or_group, str(one.input_line))
    if not one.key_or_group:
        raise UsageError(str(one.input_line), "has no key", None, "write KEY=VALUE")
    if one.is_sweep_override():
        return
    value = one.value()
    _check_keys(one.key_or_group, value)
    group = one.key_or_group
    if not _is_group(group) or isinstance(value, dict) or (value is None and one.is_delete()):
        return
    names: Sequence[Any] = value if isinstance(value, list) and not one.is_delete() else [value]
    if any(not isinstance(name, str) for name in names):
        shown = str(one.input_line).partition("=")[2]
        raise UsageError(group, "expected a name", shown, f"to choose nothing write {_none(group)}")


def _check_characters(key: str, word: str) -> None:
    """Refuses what no file or table can hold; a path may have bytes that are no UTF-8."""
    if "\0" in word:
        raise UsageError(key, "contains a NUL character", word, "remove it")
    if not key.startswith(PATHS) and any("\ud800" <= character <= "\udfff" for character in word):
        raise UsageError(key, "contains bytes that are not UTF-8", word, "write it in UTF-8")


def _is_group(key: str) -> bool:
    return key in GROUPS or key == "hydra" or key.startswith("hydra/")


def _none(group: str) -> str:
    return f"{group}=[]" if group in KINDS and KINDS[group].several else f"~{group}"


def _check_keys(path: str, value: Any) -> None:
    for key, part in value.items() if isinstance(value, dict) else ():
        if key is None:
            raise UsageError(
                path, NULL_KEY, f"null: {brief(part)}", f"{NOT_NAMED}; for the text write +{path}.null=..."
            )
        _check_keys(f"{path}.{key}", part)
    for at, part in enumerate(value if isinstance(value, list) else ()):
        _check_keys(f"{path}[{at}]", part)


def without_duplicates(word: str) -> str:
    """An override of a sweep with each of its values once."""
    choices = (ValueType.CHOICE_SWEEP, ValueType.SIMPLE_CHOICE_SWEEP)
    [one] = OverridesParser.create().parse_overrides([word])
    values = list(one.sweep_string_iterator()) if one.value_type in choices else []
    once = list(dict.fromkeys(values))
    return word if values == once else f"{one.get_key_element()}={','.join(once)}"
