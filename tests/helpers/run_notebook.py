"""Runs a notebook in a kernel and prints what its code cells show, as JSON: run by a Python that has nbclient."""

from __future__ import annotations

import json
import sys
from typing import Any

import nbformat
from nbclient import NotebookClient


def shown(cell: Any) -> dict[str, str]:
    """The outputs of a cell by MIME type; what it prints is text."""
    found: dict[str, str] = {"text/plain": ""}
    for output in cell.outputs:
        if output.output_type == "stream":
            found[f"text/{'plain' if output.name == 'stdout' else 'errors'}"] = output.text
        else:
            found |= output.data
    return found


if __name__ == "__main__":
    notebook = nbformat.read(sys.argv[1], as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": sys.argv[2]}}).execute()
    print(json.dumps([shown(cell) for cell in notebook.cells if cell.cell_type == "code"]))
