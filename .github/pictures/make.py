"""Makes README's picture from a real run: `python .github/pictures/make.py` writes terminal.svg beside this script."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).with_name("terminal.svg")
WIDTH = 108
FOLDER = "run folder: outputs/parsing/2026-01-31/12-00-00-000000"


def printed() -> str:
    """What `auditfw` prints in an empty folder on a terminal in colour."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME") if name in os.environ}
    env = {**kept, "FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(WIDTH), "PYTHONUTF8": "1"}
    with tempfile.TemporaryDirectory() as empty:
        command = [sys.executable, "-m", "auditfw"]
        done = subprocess.run(command, cwd=empty, env=env, capture_output=True, text=True, encoding="utf-8", check=True)
    return re.sub(r"run folder: .*", FOLDER, done.stdout)


def picture(ansi: str) -> str:
    """The text as an SVG that loads nothing from elsewhere."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text("$ auditfw", style="bold"))
    console.print(Text.from_ansi(ansi), soft_wrap=True)
    svg = console.export_svg(title="auditfw", unique_id="auditfw")
    return re.sub(r"[ \t]*@font-face \{.*?\}\n", "", svg, flags=re.DOTALL)


if __name__ == "__main__":
    PICTURE.write_text(picture(printed()), encoding="utf-8")
