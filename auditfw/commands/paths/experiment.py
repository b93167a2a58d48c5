"""The words of a run as an experiment file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from auditfw.config.choices import GROUPS, parsed

BASE = "answer_parsing"
HEAD = """# @package _global_
# {what}. Run it in this project's folder: auditfw experiment=mine
"""


def experiment_text(what: str, words: Sequence[str]) -> str:
    """The experiment whose run is that of these words. Raises UsageError."""
    base, chosen, settings = BASE, dict[str, Any](), dict[str, Any]()
    for one in parsed(words):
        key, value = str(one.key_or_group).lstrip("+"), _plain(one.value())
        if key == "experiment":
            base = str(value)
        elif key in GROUPS and not isinstance(value, dict):
            chosen[key] = value
        else:
            _put(settings, key.split("."), value)
    if base == BASE:
        labelled = settings.get("audit", {}).get("baseline") == "search"
        chosen.setdefault("gate", ["baseline_reproduces", "stable"] if labelled else ["stable"])
    defaults = [base, *({f"override /{group}": names} for group, names in chosen.items()), "_self_"]
    body = yaml.safe_dump({"defaults": defaults, **settings}, sort_keys=False, allow_unicode=True, width=110)
    return HEAD.format(what=" ".join(what.split()).capitalize()) + body


def _put(settings: dict[str, Any], names: Sequence[str], value: Any) -> None:
    """Sets a value at an address, as an override does: a mapping is added to what is there."""
    *path, last = names
    for name in path:
        settings = settings.setdefault(name, {})
    if isinstance(value, Mapping) and isinstance(settings.get(last), dict):
        for key, part in value.items():
            _put(settings[last], [key], part)
    else:
        settings[last] = value


def _plain(value: Any) -> Any:
    """A value of Hydra's grammar as plain data."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)
