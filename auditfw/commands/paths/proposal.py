"""The run that is proposed for paths, and the words that name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .first_look import FirstLook
from .quoting import value


@dataclass(frozen=True)
class Proposal:
    """A run that fits: what was recognised, and the words of its command."""

    what: str
    words: tuple[str, ...]


Own = Mapping[str, str]  # the values of the user's own overrides
Recogniser = Callable[[Sequence[FirstLook], Own], Proposal | None]


def path_words(key: str, looks: Sequence[FirstLook]) -> str:
    """The override that names one path, or a list of them."""
    if len(looks) == 1:
        return f"{key}={value(looks[0].path)}"
    return f"{key}=[{','.join(value(look.path) for look in looks)}]"
