"""`auditfw PATH...`: paths as the first words of a command, in place of the settings that a run would need."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from auditfw.core.escaping import terminal

from .field_logs import FIELD_LOGS
from .first_look import first_look
from .proposal import Proposal
from .quoting import spelt
from .tables import RECOGNISERS, unknown


@dataclass(frozen=True)
class NamedPaths:
    """The paths at the start of a command, and the words that follow."""

    paths: tuple[str, ...]
    rest: tuple[str, ...]


def named_paths(argv: Sequence[str]) -> NamedPaths:
    """The first words that are existing files or folders, or globs that have matches."""
    paths: list[str] = []
    for at, word in enumerate(argv):
        matches = _matches(word)
        if not matches:
            return NamedPaths(tuple(paths), tuple(argv[at:]))
        paths += matches
    return NamedPaths(tuple(paths), ())


def with_paths(argv: Sequence[str]) -> list[str]:
    """The words of the run that fits the paths at the start of a command; writes them out, too. Raises AuditError."""
    named = named_paths(argv)
    if not named.paths:
        return list(argv)
    proposed = recognised(named.paths, named.rest)
    words = with_own(proposed, named.rest)
    print(terminal(f"auditfw: {proposed.what}: {spelt(words)}"), file=sys.stderr)
    return words


def _matches(word: str) -> list[str]:
    if word.startswith("-"):
        return []
    if os.path.exists(word):
        return [word]
    return sorted(glob.glob(word)) if glob.has_magic(word) and "=" not in word else []


def recognised(paths: Sequence[str], rest: Sequence[str] = ()) -> Proposal:
    """The run that fits the paths. Raises AuditError."""
    own = {key.lstrip("+~"): text for key, _, text in (word.partition("=") for word in rest)}
    looks = [first_look(path) for path in paths]
    for recognise in (*FIELD_LOGS, *RECOGNISERS):
        proposed = recognise(looks, own)
        if proposed is not None:
            return proposed
    raise unknown(looks)


def with_own(proposed: Proposal, rest: Sequence[str]) -> list[str]:
    """The words of a proposed run, less those whose keys the user sets, and then the user's."""
    own = {word.partition("=")[0].lstrip("+~") for word in rest}
    return [word for word in proposed.words if word.partition("=")[0] not in own] + list(rest)
