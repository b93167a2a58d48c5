"""The run that is proposed for paths, and the words that name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from auditfw.core.errors import AuditError

from .first_look import FirstLook
from .naming import path_word


@dataclass(frozen=True)
class Proposal:
    """A run that fits: what was recognised, and the words of its command.

    `files` are those that it reads, where that is known; `error` says why nothing more could be learnt of them.
    """

    what: str
    words: tuple[str, ...]
    files: tuple[str, ...] = ()
    error: AuditError | None = None


Own = Mapping[str, str]  # the values of the user's own overrides
Recogniser = Callable[[Sequence[FirstLook], Own], Proposal | None]


def path_words(key: str, looks: Sequence[FirstLook]) -> str:
    """The override that names the paths that were looked at."""
    return path_word(key, [look.path for look in looks])
