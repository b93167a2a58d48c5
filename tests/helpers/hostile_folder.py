"""A folder whose modules have the names of Python's own, and of ours: each leaves its name in a file when it runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

OURS = ("auditfw", "dask", "distributed", "hydra", "joblib", "math_verify", "numpy", "omegaconf", "polars", "yaml")
MODULE = """fd = __import__("posix").open({file!r}, 0o2101, 0o600)
__import__("posix").write(fd, b"{name}\\n")
raise ImportError("{name} of the current folder")
"""
COMMAND = "from auditfw.__main__ import main\n\nif __name__ == '__main__':\n    main()\n"


def fill(folder: Path, ran: Path) -> None:
    """Makes a folder of such modules, which write into the file `ran`."""
    folder.mkdir()
    for name in (*sys.stdlib_module_names, *OURS):
        (folder / f"{name}.py").write_text(MODULE.format(file=str(ran), name=name), "utf-8")


def installed(script: Path, folder: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """The command as its script starts it, from elsewhere than the current folder."""
    import os

    script.write_text(COMMAND, "utf-8")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("AUDITFW", "HYDRA", "PYTHON"))}
    return subprocess.run(
        [sys.executable, str(script), *words],
        cwd=folder, env={**clean, "COLUMNS": "100", **env}, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
