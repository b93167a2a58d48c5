"""Names each import of Hydra and OmegaConf in the package that the installed versions do not have; exit code 1 for one.

`python .github/private_imports.py`: a job of every week runs it with their pre-releases.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

LIBRARIES = ("hydra", "omegaconf")
PACKAGE = Path(__file__).resolve().parent.parent / "auditfw"


def imported(file: Path) -> Iterator[tuple[int, str, str]]:
    """The line, module and name of each import from these libraries; no name where the module itself is imported."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found = [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found = [(alias.name, "") for alias in node.names]
        else:
            continue
        yield from ((node.lineno, *one) for one in found if one[0].partition(".")[0] in LIBRARIES)


def missing(module: str, name: str) -> str:
    """Why there is no such thing; "" where there is."""
    try:
        home = importlib.import_module(module)
        if name and not hasattr(home, name):
            importlib.import_module(f"{module}.{name}")
    except ImportError as error:
        return str(error)
    return ""


def main() -> int:
    lines = [
        f"{file.relative_to(PACKAGE.parent)}:{line}: {'.'.join(filter(None, (module, name)))}: {why}"
        for file in sorted(PACKAGE.rglob("*.py"))
        for line, module, name in imported(file)
        if (why := missing(module, name))
    ]
    print(*(lines or ["every import of Hydra and OmegaConf is there"]), sep="\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
