"""What is imported late: NumPy and Polars at their first use, and code of a user's own, named as `pkg.module:name`.

Of the latter: where it is looked for, and safe mode, which switches it off.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Any

from .errors import AuditError, UsageError, nearest


class LazyModule:
    """A module that is imported when something of it is first asked for; what was asked for is an attribute then."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, found)
        return found


if TYPE_CHECKING:
    import numpy
    import polars
    from numpy.typing import NDArray as NDArray  # noqa: PLC0414 (others import it from here)

    np = numpy
    pl = polars
else:
    np, pl = LazyModule("numpy"), LazyModule("polars")
    NDArray = list  # in annotations alone, which are not evaluated


def safe_mode() -> bool:
    """Whether `AUDITFW_SAFE` switches off the current folder's conf/, plugins/ and importable code."""
    return os.environ.get("AUDITFW_SAFE", "") not in ("", "0")


def refuse_if_safe(what: str) -> None:
    """Raises UsageError in safe mode; `what` says what would run, as in "the simulator 'python' runs your code"."""
    if safe_mode():
        raise UsageError("", f"switched off by AUDITFW_SAFE: {what}", None, "unset AUDITFW_SAFE where you trust it")


class UserFolders:
    """Finds modules in a user's own folders, behind all else, and none under a name of the standard library or ours.

    Python may lack a module of its library, such as those of other systems, and libraries ask whether it is there: so
    the folders are not entries of `sys.path`.
    """

    def __init__(self) -> None:
        self.folders: list[str] = []

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """The place of a module that no other finder knows; its parts have a path of their own."""
        reserved = name in sys.stdlib_module_names or name == __name__.partition(".")[0]
        return None if path is not None or reserved else PathFinder.find_spec(name, self.folders, target)


_user = UserFolders()


def add_folders(folders: Iterable[str]) -> None:
    """Lets modules be imported from these folders too."""
    _user.folders += [folder for folder in folders if folder not in _user.folders]
    if _user not in sys.meta_path:
        sys.meta_path.append(_user)


@contextmanager
def importable() -> Iterator[None]:
    """Within, modules can be imported from the user's folders; afterwards they cannot, if they could not before."""
    sys.meta_path.append(_user)
    try:
        yield
    finally:
        sys.meta_path.remove(_user)


def user_folders() -> tuple[str, ...]:
    """The folders from which modules of the user's own are imported, here and in processes that we start.

    A script has its own folder on `sys.path`: where that is the current one, `search_path` leaves it to these.
    """
    behind = set(search_path())
    left_out = [] if safe_mode() else [entry for entry in map(os.path.abspath, sys.path) if entry not in behind]
    return tuple(dict.fromkeys([*_user.folders, *left_out]))


def search_path() -> list[str]:
    """`sys.path` for a process that we start: without the current folder before Python's library.

    It stays, behind all else, where this package itself is from there.
    """
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    library = os.path.dirname(os.path.realpath(os.__file__))
    here = ""
    with suppress(OSError):
        here = os.path.realpath(os.getcwd())
    places = [os.path.realpath(entry) for entry in sys.path]
    behind = places.index(library) if library in places else len(places)
    entries = [os.path.abspath(entry) for i, entry in enumerate(sys.path) if i > behind or places[i] != here]
    return [*entries, home] if home == here and home not in places[behind:] else entries


_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def check_path(path: str, where: str) -> None:
    """Raises UsageError unless the text has the form of an import path."""
    if not _PATH.fullmatch(path):
        raise UsageError(where, "is not an import path", path, "write pkg.module:name")


def find(path: str, where: str) -> Any:
    """What `pkg.module:name` names. Raises UsageError, also for a module that fails while it is imported."""
    check_path(path, where)
    home, _, name = path.partition(":")
    try:
        target: Any = importlib.import_module(home)
    except AuditError:
        raise
    except ModuleNotFoundError as error:
        do = "modules are looked for in the current folder and where Python has its packages"
        raise UsageError(where, f"no module '{error.name}'", path, do) from None
    except (Exception, SystemExit) as error:
        raise UsageError(where, f"the module '{home}' cannot be imported", f"{type(error).__name__}: {error}") from None
    for word in name.split("."):
        if not hasattr(target, word):
            known = [n for n in vars(target) if not n.startswith("_")] if hasattr(target, "__dict__") else []
            raise UsageError(where, f"no '{word}' in {home}", path, nearest(word, known))
        target = getattr(target, word)
    return target
