"""The notebook page of the manual: its cells show what it says, at a plain prompt and (slow) in a real kernel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from field_packages import python_beside
from notebook_cells import NOTEBOOK, PAGE, as_notebook, cells
from places import HELPERS, ROOT

TEXT = PAGE.read_text("utf-8")
CELLS = cells(TEXT)
PROMPT = "import json, sys, notebook_cells as n; print(json.dumps(n.outputs(json.load(sys.stdin))))"


def clean(*path: Path) -> dict[str, str]:
    dropped = ("AUDITFW", "HYDRA", "COLUMNS", "POLARS", "PYTHON")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return {**kept, "PYTHONPATH": os.pathsep.join(map(str, path)), "PYTHONUTF8": "1"}


def test_every_block_is_a_cell_with_its_output() -> None:
    assert len(CELLS) == TEXT.count("```py\n") == TEXT.count("```text\n") == 8


def test_the_notebook_holds_the_cells_of_the_page() -> None:
    assert NOTEBOOK.read_text("utf-8") == as_notebook(TEXT), "run python tests/helpers/notebook_cells.py"
    document = json.loads(NOTEBOOK.read_text("utf-8"))
    sources = ["".join(cell["source"]) + "\n" for cell in document["cells"] if cell["cell_type"] == "code"]
    assert sources == [source for source, _ in CELLS]


@pytest.mark.slow
def test_cells_show_what_the_page_says(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROMPT],
        input=json.dumps([source for source, _ in CELLS]), cwd=tmp_path, env=clean(ROOT, HELPERS),
        capture_output=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert json.loads(done.stdout) == [output for _, output in CELLS]


@pytest.mark.slow
def test_cells_run_in_a_kernel(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    python = python_beside(["nbclient", "ipykernel"], tmp_path_factory)
    done = subprocess.run(
        [python, HELPERS / "run_notebook.py", NOTEBOOK, tmp_path],
        env=clean(ROOT, ROOT / "plugins" / "auditfw-arc"),
        capture_output=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert [f"{one['text/plain'].rstrip()}\n" for one in shown] == [output for _, output in CELLS]
    assert [one for one in shown if "text/errors" in one] == []
    page = shown[0]["text/html"]
    assert page.startswith('<div class="auditfw-result">')
    assert "<svg" in page
    assert "<script" not in page
