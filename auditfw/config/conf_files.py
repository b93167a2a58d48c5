"""The shipped conf/ as another program's Hydra reads it: each component is a file, and `auditfw.yaml` a whole run."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources.abc import Traversable, TraversableResources
from pathlib import Path
from typing import IO, Any

from omegaconf import OmegaConf

from auditfw.config.variants import shipped_conf
from auditfw.kinds import KINDS
from auditfw.kinds.registry import component

from .plugins import placed_names
from .safe_yaml import load_yaml
from .schema import defaults

YAML = ".yaml"
PACKAGE = "__init__.py"  # by which Hydra knows a package
PRIMARY, WHOLE = "config.yaml", "auditfw.yaml"
OWN = ("hydra", "hydra/jobs", "experiment")  # of the primary config what only auditfw's own Hydra can use


@dataclass(frozen=True)
class ConfFile(Traversable):
    """A file or a folder by its path within conf/."""

    path: str = ""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    def iterdir(self) -> Iterator[ConfFile]:
        shipped = [one.name for one in self._shipped.iterdir()] if self._shipped.is_dir() else []
        further = (
            [f"{name}{YAML}" for name in placed_names(self.path)]
            if self.path
            else [WHOLE, PACKAGE, *filter(placed_names, KINDS)]
        )
        for name in sorted({*shipped, *further}):
            yield self.joinpath(name)

    def is_dir(self) -> bool:
        return self._shipped.is_dir() or bool(placed_names(self.path))

    def is_file(self) -> bool:
        return self._shipped.is_file() or self._text() is not None

    def exists(self) -> bool:
        """Whether there is one, as Hydra asks a path."""
        return self.is_dir() or self.is_file()

    def joinpath(self, *descendants: Any) -> ConfFile:
        return ConfFile("/".join(filter(None, [self.path, *map(str, descendants)])))

    def open(self, mode: str = "r", *args: Any, **named: Any) -> IO[Any]:
        text = None if self._shipped.is_file() else self._text()
        if text is None:
            return self._shipped.open(mode, *args, **named)
        return io.BytesIO(text.encode()) if "b" in mode else io.StringIO(text)

    def read_bytes(self) -> bytes:
        with self.open("rb") as stream:
            return bytes(stream.read())

    def read_text(self, encoding: str | None = None) -> str:
        return self.read_bytes().decode(encoding or "utf-8")

    @property
    def _shipped(self) -> Path:
        return shipped_conf() / self.path

    def _text(self) -> str | None:
        """The content of a file that is not in conf/; None where there is none."""
        if self.path in (PACKAGE, WHOLE):
            return "" if self.path == PACKAGE else _whole()
        kind, _, name = self.path.removesuffix(YAML).rpartition("/")
        if not self.path.endswith(YAML) or name not in placed_names(kind):
            return None
        settings = OmegaConf.create(defaults(component(kind, name).cls, name))
        return f"# @package {str(KINDS[kind].place).format(name=name)}\n{OmegaConf.to_yaml(settings)}"


class ConfReader(TraversableResources):
    """What `importlib.resources` asks for the files of `auditfw.conf`."""

    def files(self) -> ConfFile:
        return ConfFile()


def _whole() -> str:
    """The primary config without what belongs to auditfw's own Hydra, and without an experiment."""
    content = load_yaml(shipped_conf() / PRIMARY)
    entries = [entry for entry in content["defaults"] if not any(own in entry for own in OWN)]
    entries[[*map(list, entries)].index(["report"])] = {"report": []}  # those of a command print
    rest = {key: value for key, value in content.items() if key not in ("defaults", *OWN)}
    return f"# @package _global_\n{OmegaConf.to_yaml(OmegaConf.create({'defaults': entries, **rest}))}"
