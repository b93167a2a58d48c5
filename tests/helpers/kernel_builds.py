"""The package beside a kernel that is built in another way: with sanitizers, or telling which code it reaches."""

from __future__ import annotations

import os
import runpy
import shutil
import sysconfig
from pathlib import Path

import pytest
from places import ROOT

HOOK = runpy.run_path(str(ROOT / "auditfw" / "core" / "native" / "build_hook.py"))
BUILT = ("*.so", "*.pyd", "__pycache__")


def copied(folder: Path) -> Path:
    """The package's sources in this folder, without a compiled kernel; the folder of the kernel's sources."""
    shutil.copytree(ROOT / "auditfw", folder / "auditfw", ignore=shutil.ignore_patterns(*BUILT))
    (folder / "conf").symlink_to(ROOT / "conf")
    return folder / "auditfw" / "core" / "native"


def built(native: Path, flags: str) -> Path:
    """Compiles the kernel's sources in this folder beside them, with these flags after the usual ones."""
    made = native / f"_kernel{sysconfig.get_config_var('EXT_SUFFIX')}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", f"{os.environ.get('CFLAGS', '')} {flags}")
        why = HOOK["compiled"](sorted(native.glob("*.c")), made)
    assert not why, why
    return made
