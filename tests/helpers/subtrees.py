"""JSON documents with each of their parts in turn replaced by what nobody expects there."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from auditfw.commands.main import main

CODES = frozenset(range(6))


def _nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1e308, "", "x", [], {}, [[]], {"a": 1}, [None], {"a": {"b": [0]}}, 10**30, "\ud800"),
    _nested(300),
)


def places(document: Any, most: int = 2) -> Iterator[tuple[Any, ...]]:
    """The way to each part of a document: all keys of objects, the first elements of lists."""
    yield ()
    inner = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document[:most])
        if isinstance(document, list)
        else ()
    )
    for key, part in inner:
        for way in places(part, most):
            yield (key, *way)


def replaced(document: Any, way: Sequence[Any], value: Any) -> Any:
    """The document with another part in a place."""
    if not way:
        return value
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[way[0]] = replaced(copy[way[0]], way[1:], value)
    return copy


def variants(document: Any, seed: int = 0, every: int = 1) -> Iterator[tuple[str, Any]]:
    """Documents with one part replaced, each with what was done; every how many-th of all, from the seed on."""
    number = seed
    for way in places(document):
        for value in VALUES:
            number += 1
            if number % every == 0:
                yield f"{'.'.join(map(str, way)) or 'all'} = {json.dumps(value)[:20]}", replaced(document, way, value)


def coded(*words: str) -> tuple[int, str]:
    """The exit code of a command in this process, and its last line on standard error."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = main(list(words))
    return code, said.getvalue().strip().rpartition("\n")[2]
