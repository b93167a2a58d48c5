"""Where a secret stands in what a command left: in every file of a folder, read as what it is, and in its streams."""

from __future__ import annotations

import html
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import polars as pl


def spellings(secret: str) -> set[str]:
    """How a secret is written where something is quoted or escaped."""
    plain = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1]}
    plain |= {html.escape(secret), html.escape(secret, quote=False), quote(secret), quote(secret, safe="")}
    plain |= {shlex.quote(secret).strip("'"), secret.replace("'", "\\'"), secret.replace("'", "''")}
    return plain | {html.escape(one) for one in plain}


def leaks_in(text: str, secret: str) -> bool:
    """Whether a text shows a secret, as it is or after it was read as HTML, JSON or a URL, also over a line's end."""
    decoded = {text, html.unescape(text), unquote(text), html.unescape(unquote(text)), text.replace("\\", "")}
    decoded |= {"".join(line.strip("│| ") for line in text.splitlines())}
    return any(spelt in one for spelt in spellings(secret) for one in decoded)


def leaks(folder: Path, secret: str, but: tuple[str, ...] = ()) -> Iterator[str]:
    """The files below a folder that show a secret, in their content or their name; `but` are not looked at."""
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if any(name == one or name.startswith(f"{one}/") for one in but):
            continue
        if secret in path.name or (path.is_symlink() and secret in str(path.readlink())):
            yield f"{name} (name)"
        if path.is_file() and any(leaks_in(text, secret) for text in _texts(path)):
            yield name


def _texts(path: Path) -> Iterator[str]:
    yield path.read_bytes().decode("utf-8", "replace")
    if path.suffix == ".parquet":
        frame = pl.read_parquet(path)
        yield from frame.columns
        yield from map(str, _values(frame.rows()))
    if path.suffix in (".json", ".sarif"):
        yield from _values(json.loads(path.read_text("utf-8")))
    if path.suffix == ".jsonl":
        for line in path.read_text("utf-8").splitlines():
            yield from _values(json.loads(line))


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from map(str, value)
        value = list(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            yield from _values(one)
    else:
        yield str(value)
