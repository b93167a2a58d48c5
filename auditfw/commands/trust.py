"""Whose run a folder holds: what its stored settings would start is listed, and needs trust unless it was made here.

A run made here is known by the SHA-256 of the settings it stored, kept in the user's state folder and never in the
run's own; so a copy of it is trusted, and one whose settings were edited is not.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditfw.core.errors import AuditError, UsageError, brief
from auditfw.core.files import data_digest, read_bytes
from auditfw.core.imports import safe_mode
from auditfw.core.remote.addresses import address_of, addresses
from auditfw.kinds.capabilities import capability
from auditfw.kinds.component_index import shipped
from auditfw.kinds.registry import component, registered

from .error_output import warn

FLAG, VARIABLE, STATE = "--trust", "AUDITFW_TRUST", "XDG_STATE_HOME"
STARTERS = ("simulator", "solver", "executor", "engine")
STORED_BYTES = 1 << 26
MOST_SHOWN = 8

_flagged: list[bool] = []
_warned: list[bool] = []


def take_flag(argv: Sequence[str]) -> list[str]:
    """Takes --trust out of the words of a command."""
    _flagged[:] = [True] if FLAG in argv else []
    return [word for word in argv if word != FLAG]


class Fetching(str):
    """What stored settings would fetch, where others start code."""

    __slots__ = ()


@dataclass(frozen=True)
class Origin:
    """The run folder that settings were taken from; `own` where this user made it here."""

    folder: Path
    own: bool

    def check(self, starters: Sequence[str]) -> None:
        """Raises UsageError where something would start that is not trusted; `starters` lists it."""
        if not starters or self.own:
            return
        shown = [brief(one, 100) for one in starters[:MOST_SHOWN]]
        listed = "; ".join(shown) + (f"; and {len(starters) - MOST_SHOWN} more" if len(starters) > MOST_SHOWN else "")
        act = "fetch files" if all(isinstance(one, Fetching) for one in starters) else "start code"
        if safe_mode():
            what = f"switched off by AUDITFW_SAFE: you did not make this run here, and it would {act}: {listed}"
            raise UsageError(str(self.folder), what, None, "unset AUDITFW_SAFE if you trust it")
        if not _flagged and not _named(self.folder):
            what = f"you did not make this run here, and its stored settings would {act}: {listed}"
            do = f"if you trust it, add {FLAG} or set {VARIABLE}={self.folder}"
            raise UsageError(str(self.folder), what, None, do)


def code_in(run: object) -> list[str]:
    """What a built run, or a part of one, would import, start, send or fetch; [] where it only reads data from here.

    A component says it by its property `starts`; one that a plugin brought counts as code whatever it says.
    """
    entries = {entry.cls: entry for entry in registered()}
    descriptions: dict[str, None] = {}
    for part in _parts(run):
        entry = entries.get(type(part))
        starts = capability(part, "starts", "")
        if starts:
            descriptions[f"the {entry.kind} '{entry.name}' {starts}" if entry is not None else str(starts)] = None
        elif entry is not None and not shipped(entry.origin):
            descriptions[f"the {entry.kind} '{entry.name}' of the plugin {entry.origin}"] = None
    descriptions |= {Fetching(f"{address_of(one)} is fetched over the network"): None for one in addresses(run)}
    return list(descriptions)


def _parts(value: object) -> Iterator[object]:
    """A dataclass and every dataclass within it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield value
        for field in dataclasses.fields(value):
            yield from _parts(getattr(value, field.name, None))
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _parts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _parts(one)


def may_start(settings: Any) -> bool:
    """Whether settings may start code, or go on with a run, by their names: so that a run is worth remembering."""
    parts = [(kind, settings.get(kind)) for kind in STARTERS]
    parts += [("report", one) for one in (settings.get("reports") or {}).values()]
    if (
        settings.get("resume") is not None
        or addresses(settings)
        or any(_starts(kind, chosen) for kind, chosen in parts)
    ):
        return True
    strangers = {entry.name for entry in registered() if not shipped(entry.origin)}
    return bool(strangers) and _mentions(settings, strangers)


def _mentions(value: Any, names: set[str]) -> bool:
    """Whether a text anywhere in settings is one of the names."""
    if isinstance(value, str):
        return value in names
    if hasattr(value, "items"):
        return any(_mentions(one, names) for _, one in value.items())
    return isinstance(value, list | tuple) and any(_mentions(one, names) for one in value)


def _starts(kind: str, chosen: Any) -> bool:
    use = chosen.get("use") if hasattr(chosen, "get") else None
    try:
        return isinstance(use, str) and capability(component(kind, use).cls, "starts") is not None
    except AuditError:
        return False


def made_here(mark: str) -> bool:
    """Whether this user made a run that stored settings of this digest."""
    store = _store()
    return store is not None and (store / mark).is_file()


def remember(files: Iterable[Path]) -> None:
    """Remembers the stored settings of a run made here; where that is impossible, warns once."""
    try:
        store = _store()
        if store is None:
            raise OSError(2, "there is no home folder")
        for file in files:
            if file.is_file():
                _note(store, data_digest(read_bytes(file, STORED_BYTES)))
    except (OSError, AuditError) as error:
        if not _warned:
            _warned.append(True)
            reason = error.strerror if isinstance(error, OSError) else error
            do = f"rerun and resume will ask for {FLAG}; set {STATE} to use another folder"
            warn(f"cannot record that this run was made here ({reason}): {do}")


def _note(store: Path, mark: str) -> None:
    if not (store / mark).exists():
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(store / mark, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))


def _store() -> Path | None:
    """The folder of what is remembered, an empty file for each digest; None where there is no home."""
    named = os.environ.get(STATE, "")
    try:
        base = Path(named) if os.path.isabs(named) else Path.home() / ".local" / "state"
    except RuntimeError:
        return None
    return base / "auditfw" / "trusted"


def _named(folder: Path) -> bool:
    """Whether AUDITFW_TRUST names the folder, or one that it is in."""
    here = Path(os.path.realpath(folder))
    trusted = (word for word in os.environ.get(VARIABLE, "").split(os.pathsep) if word)
    return any(here.is_relative_to(os.path.realpath(word)) for word in trusted)
