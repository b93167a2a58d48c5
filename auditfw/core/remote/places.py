"""The path that a configured path stands for, and the way back: samples, addresses of files that lie elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import BinaryIO

from auditfw import samples

from .addresses import address_at, is_remote, is_whole
from .refusals import FetchedFrom

of_command: dict[str, str] = {}  # in a worker: the paths of the copies that its command has, by their addresses


def actual(path: str, most: int | None = None, setting: str = "") -> str:
    """The local path that a configured one stands for: for an address that of its copy, which is fetched if need be.

    A folder or a pattern stands for a folder or a pattern of copies. `most` are the bytes that may be fetched, which
    `setting` allows. Raises AuditError.
    """
    if "://" not in path or not is_remote(path):
        return samples.actual(path)
    if (sent := of_command.get(path)) is not None and is_whole(sent):
        return sent
    from .copies import located

    return located(path, most, setting)


def shown(path: str) -> str:
    """A path as it is configured."""
    return address_at(path) or samples.shown(path)


def origin_of(path: str) -> FetchedFrom | None:
    """Where a copy was fetched from, for a worker on another machine to fetch its own; None for any other path."""
    if address_at(path) is None:
        return None
    from .copies import origin

    return origin(path)


def present(
    path: str, own: FetchedFrom | None, start: int, end: int, is_right: Callable[[BinaryIO], bool] = bool
) -> bool:
    """Fetches what a task reads of a copy that is not on this machine, in the version that the command has.

    Gives whether these bytes are there, and were compared by `is_right`. Raises AuditError.
    """
    if own is None:
        return False
    of_command[own.address] = path
    if is_whole(path):
        return False
    from .shares import bring

    return bring(path, own, start, end, is_right)


def typed_again(words: Sequence[str]) -> list[str]:
    """The words of a command with addresses in place of the paths of their copies."""
    if not any(map(address_at, words)):
        return list(words)
    from .copies import as_typed

    return list(map(as_typed, words))


def check_unchanged(paths: Iterable[str]) -> None:
    """Asks once more for the version of each file of which a path is the copy. Raises DataError for another one."""
    copies = [path for path in paths if address_at(path) is not None]
    if copies:
        from .copies import check_versions

        check_versions(copies)
