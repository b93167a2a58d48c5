"""The shipped configs as a package, for programs with a Hydra of their own: `hydra.searchpath: [pkg://auditfw.conf]`.

The files are in conf/, which is no package: it is beside this one in a checkout, and within it where it is installed.
"""

from __future__ import annotations

from importlib.machinery import SourceFileLoader

from .config.conf_files import ConfReader


class _Loader(SourceFileLoader):
    def get_resource_reader(self, fullname: str) -> ConfReader:  # type: ignore[override]
        return ConfReader()


assert __spec__ is not None
__path__: list[str] = []
__spec__.submodule_search_locations = []
__spec__.loader = _Loader(__name__, __file__)
