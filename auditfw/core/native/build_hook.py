"""Compiles the text kernel when a wheel is built; without a C compiler the wheel is pure Python and works as well."""

from __future__ import annotations

import os
import runpy
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WITHOUT = "auditfw: built without the native kernel ({why}): the Python kernel gives the same results, slower"


class KernelHook(BuildHookInterface[Any]):
    """Puts the compiled kernel into a wheel; an editable one gets it beside its source."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles, and says to the builder that the wheel is for this platform only."""
        source = Path(self.root) / "auditfw" / "core" / "native"
        self._scratch = tempfile.TemporaryDirectory(prefix="auditfw-kernel-")
        library = Path(self._scratch.name) / f"_kernel{sysconfig.get_config_var('EXT_SUFFIX')}"
        why = compiled(sorted(source.glob("*.c")), library)
        beside = source / library.name
        if version == "editable":
            beside.unlink(missing_ok=True)
        if why:
            print(WITHOUT.format(why=why), file=sys.stderr)
            return
        if version == "editable":
            beside.write_bytes(library.read_bytes())
        else:
            build_data["force_include"][str(library)] = f"auditfw/core/native/{library.name}"
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Drops what was compiled."""
        self._scratch.cleanup()


def compiled(sources: list[Path], target: Path) -> str:
    """Compiles the sources into one module; gives the reason where that cannot be done, else nothing."""
    link = sysconfig.get_config_var("LDSHARED")
    if sys.implementation.name != "cpython" or not link:
        return "only for CPython with a Unix compiler"
    usual, *linking = shlex.split(link)
    words = [*shlex.split(os.environ.get("CC") or usual), *linking, "-O3", "-fPIC", "-fwrapv", "-DNDEBUG"]
    digest = runpy.run_path(str(sources[0].with_name("digest.py")))["digest"](sources[0].parent)
    words += [f'-DDIGEST="{digest}"', *shlex.split(os.environ.get("CFLAGS", "")), f"-I{sysconfig.get_path('include')}"]
    command = [*words, *map(str, sources), "-o", str(target)]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    except OSError as error:
        return f"{words[0]}: {error.strerror}"
    if done.returncode == 0:
        return ""
    message = next((line.strip() for line in done.stderr.splitlines() if "error" in line), f"exit {done.returncode}")
    return f"{words[0]}: {message}"
