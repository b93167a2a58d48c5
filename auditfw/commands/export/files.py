"""Writes exported files into a folder that may hold files of others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from auditfw.core.document import some
from auditfw.core.errors import DataError, UsageError
from auditfw.core.files import guarded, present, read_text
from auditfw.core.result_json import write_whole


def write_files(folder: Path, texts: Mapping[str, str]) -> str:
    """Writes the files, older ones of the same table or chart over, and says so in a line.

    Raises UsageError for a file of that name that is something else; then none is written.
    """
    before = {name: _own(folder / name, text) for name, text in texts.items() if present(folder / name)}
    with guarded(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_whole(str(folder), name, text)
    replaced = sum(before[name] != texts[name] for name in before)
    again = f", {replaced:,} of them over older ones" if replaced else ""
    return f"wrote {some(len(texts), 'file')} into {folder}{again}: {', '.join(texts)}"


def _own(file: Path, text: str) -> str:
    """An older file of the same table or chart, which begins as the new one. Raises UsageError for another's."""
    start = text.partition("\n")[0].partition(" width=")[0]  # a header, a comment with the name, the start of an SVG
    try:
        known = read_text(file)
    except (DataError, ValueError):
        known = ""
    if not known.startswith(start):
        what = "exists and is not this table or chart"
        raise UsageError(str(file), what, None, "move it, or name another folder with out=FOLDER")
    return known
