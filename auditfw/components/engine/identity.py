"""What a process runs: by it a worker on another machine is refused that would give other results."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from auditfw.core.errors import AuditError, IncompleteError
from auditfw.core.imports import search_path, user_folders
from auditfw.core.native import compiled, kernel_name
from auditfw.kinds.registry import registered

PACKAGE = __name__.partition(".")[0]
KERNEL = "text kernel"
MAIN = ("__main__", "__mp_main__")  # the caller's script: no work names it
SHORT = 8  # bytes of a digest

_seen: dict[str, str] = {}  # of modules, as they were when they were first asked for: they are loaded by then


@lru_cache(maxsize=1)
def program() -> Mapping[str, str]:
    """What runs here, by what it is called; as it was when this was first asked for: it is loaded by then."""
    return {
        "auditfw": f"{_version(PACKAGE)} with sources {_sources()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "Unicode": unicodedata.unidata_version,
        "Polars": _version("polars"),
        KERNEL: _kernel(),
    }


def modules() -> dict[str, str]:
    """The digests of the modules that are not auditfw's own and may be part of the work, by their names ("": no file).

    Those that hold components, what else is loaded of their packages, and all that was imported from a folder of the
    user's own.
    """
    packages = {entry.origin.partition(".")[0] for entry in registered()} - {PACKAGE}
    folders = set(user_folders()) - set(search_path())
    names = [
        name
        for name, module in list(sys.modules.items())
        if (file := getattr(module, "__file__", None)) and (_top(name) in packages or _root(name, file) in folders)
    ]
    return {name: digest_of(name) or "" for name in sorted(names) if name not in MAIN}


def digest_of(name: str) -> str | None:
    """The digest of a module's file as it was when this process first asked; None where there is no such module."""
    if name not in _seen and (digest := _digest_of(name)) is not None:
        _seen[name] = digest
    return _seen.get(name)


def check_same(wanted: Mapping[str, str], here: Mapping[str, str]) -> None:
    """Raises IncompleteError where what runs here is not what runs where the task came from."""
    others = {name: text for name, text in wanted.items() if here.get(name) != text}
    if not others:
        return
    pairs = "; ".join(f"{name} {here.get(name, 'none')}, wanted {text}" for name, text in others.items())
    do = "install the same there, and start its workers again"
    if others.keys() == {KERNEL}:
        do = "install auditfw there where there is a C compiler, or set AUDITFW_KERNEL=python on both sides"
    raise IncompleteError("", "runs another program than the command", pairs, do)


def check_modules(wanted: Mapping[str, str]) -> None:
    """Raises IncompleteError for the first module that is another one here; one that is not here may not be needed."""
    for name, digest in wanted.items():
        here = digest_of(name)
        if digest and here is not None and here != digest:
            do = "copy it there, and start its workers again"
            raise IncompleteError("", f"has another module '{name}'", f"{here}, wanted {digest}", do)


def lacking(error: ImportError, folders: Sequence[str]) -> IncompleteError:
    """The error for a module that the work needs and that is not here."""
    places = " or ".join(folders) or "its folder"
    do = f"share {places} with it under the same path, or install the module there"
    return IncompleteError("", f"has no module '{error.name}'", None, do)


def at_worker(error: AuditError, host: str) -> AuditError:
    """An error that happened on a worker, as it is shown."""
    for one in getattr(error, "errors", (error,)):
        one.where = f"worker {host}: {one.where}" if one.where else f"worker {host}"
    return error


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of no version"


def _sources() -> str:
    """A digest of the package's Python files, by their places in it."""
    home = Path(__file__).parents[2]
    total = hashlib.blake2b(digest_size=SHORT)
    for path in sorted(home.rglob("*.py")):
        total.update(f"{path.relative_to(home).as_posix()}\0".encode())
        total.update(hashlib.blake2b(path.read_bytes(), digest_size=SHORT).digest())
    return total.hexdigest()


def _kernel() -> str:
    kernel = compiled() if kernel_name() == "native" else None
    return "python" if kernel is None else f"native {kernel.digest}"


def _digest_of(name: str) -> str | None:
    try:
        spec = importlib.util.find_spec(name)
    except Exception:  # of a package around it, which is run for that
        return None
    if spec is None:
        return None
    if not spec.origin or not os.path.isfile(spec.origin):
        return ""
    return hashlib.blake2b(Path(spec.origin).read_bytes(), digest_size=SHORT).hexdigest()


def _top(name: str) -> str:
    return name.partition(".")[0]


def _root(name: str, file: str) -> str:
    """The folder from which a module was imported."""
    levels = name.count(".") + (os.path.basename(file) == "__init__.py")
    folder = os.path.dirname(os.path.abspath(file))
    for _ in range(levels):
        folder = os.path.dirname(folder)
    return folder
