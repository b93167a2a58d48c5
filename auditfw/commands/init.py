"""`auditfw init`: a new project of a user."""

from __future__ import annotations

import shutil
from pathlib import Path

from auditfw.core.errors import UsageError
from auditfw.core.files import guarded

README = """# Audits of this project

Run here:

    auditfw experiment=mine

`conf/` holds experiments and named variants (the shipped ones stay available: `auditfw list`), `plugins/` Python
modules with components of your own: each `*.py` in it is imported at start.
"""

EXPERIMENT = """# @package _global_
# Audits the completions of this project (a first copy of the shipped sample's settings).
defaults:
  - answer_parsing
  - _self_
by: [variant]
"""

PLUGIN = '''"""A step of this project: register it, and use it in any list of steps."""

from dataclasses import dataclass

from auditfw import register


@register("step", "drop_hedge")
@dataclass(frozen=True)
class DropHedge:
    """Drops a leading hedge such as "I think"."""

    def __call__(self, text: str) -> str:
        return text.removeprefix("I think ").removeprefix("Maybe ")
'''

PARSER = """# @package audit.parsers.unhedged
# Keeps the first line, without a hedge before it.
defaults: [steps@_here_, _self_]
steps: [first_line, drop_hedge]
"""


def init(argv: list[str]) -> int:
    """`auditfw init FOLDER`: a user's project with conf/, plugins/ and a README that runs."""
    if len(argv) != 1:
        raise UsageError("init", "needs one folder", " ".join(argv) or None, "write auditfw init FOLDER")
    folder = Path(argv[0])
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(str(folder), "is not an empty folder", None, "name a new one")
    files = {
        "README.md": README,
        "conf/experiment/mine.yaml": EXPERIMENT,
        "conf/parser/unhedged.yaml": PARSER,
        "plugins/drop_hedge.py": PLUGIN,
    }
    new = not folder.exists()
    try:
        for name, text in files.items():
            path = folder / name
            with guarded(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="\n")
    except BaseException:
        for path in [folder] if new else folder.iterdir():
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        raise
    print(f"created {folder}: cd {folder} && auditfw experiment=mine")
    return 0
