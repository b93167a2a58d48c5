"""The cells of a page of the manual: its ```py blocks, each with the ```text block behind it as what it shows.

`python tests/helpers/notebook_cells.py` writes the notebook beside the page anew.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
from typing import Any

from places import ROOT

PAGE = ROOT / "auditfw" / "commands" / "manual" / "notebook.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")
CELL = re.compile(r"^```py\n(.*?)^```$\s*^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def cells(page: str) -> list[tuple[str, str]]:
    """Each cell with its output."""
    return [(match[1], match[2]) for match in CELL.finditer(page)]


def outputs(sources: list[str]) -> list[str]:
    """What a Python prompt shows for each cell, run one after the other: what it prints, and its last expression."""
    names: dict[str, object] = {}
    shown = []
    for source in sources:
        body = ast.parse(source).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(ast.Module(body, []), "cell", "exec"), names)
            value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        shown.append(printed.getvalue() + ("" if value is None else f"{value!r}\n"))
    return shown


def as_notebook(page: str) -> str:
    """The page as a notebook without outputs: its cells, and the text between them."""
    parts: list[tuple[str, str]] = []
    end = 0
    for match in CELL.finditer(page):
        parts += [("markdown", page[end : match.start()]), ("code", match[1])]
        end = match.end()
    parts.append(("markdown", page[end:]))
    kept = [(kind, text.strip()) for kind, text in parts if text.strip()]
    document = {
        "cells": [_cell(n, kind, text) for n, (kind, text) in enumerate(kept)],
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    shared = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": text.splitlines(keepends=True)}
    return {**shared, "execution_count": None, "outputs": []} if kind == "code" else shared


if __name__ == "__main__":
    NOTEBOOK.write_text(as_notebook(PAGE.read_text("utf-8")), "utf-8")
