"""Values as they are written: in overrides, so that Hydra reads the same text again, and in messages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from auditfw.core.errors import brief
from auditfw.core.escaping import is_bare, quoted
from auditfw.core.remote.addresses import is_remote


def is_path(word: str) -> bool:
    """Whether a word names a file or folder that exists, whatever characters it has."""
    return not word.startswith("-") and os.path.exists(word)


def with_quoted_paths(words: Sequence[str]) -> list[str]:
    """The words, with quotes for the paths in settings that Hydra's grammar would not read as they are.

    What has commas is one path where that exists, else the values of a sweep where all of them exist.
    """
    return [_with_quoted_paths(word) for word in words]


def _with_quoted_paths(word: str) -> str:
    key, _, text = word.partition("=")
    if not ("." in key or key == "resume") or is_bare(text) or is_path(word):
        return word
    paths = _paths_in(text)
    return word if all(map(is_bare, paths)) else f"{key}={','.join(map(quoted, paths))}"


def _paths_in(text: str) -> list[str]:
    """The existing paths between the commas of a text, each as long as it can be; [] where not all of it is paths."""
    parts, paths = text.split(","), list[str]()
    while parts:
        ends = (end for end in range(len(parts), 0, -1) if _is_there(",".join(parts[:end])))
        end = next(ends, None)
        if end is None:
            return []
        paths.append(",".join(parts[:end]))
        parts = parts[end:]
    return paths


def _is_there(path: str) -> bool:
    return os.path.exists(path) or ("," not in path and is_remote(path))


def with_type(value: Any) -> str:
    """A value with its type where that may be the surprise: YAML reads `[A-D]` as a list and `YES` as true."""
    kinds = {bool: "boolean", list: "list", dict: "mapping"}
    kind = next((word for cls, word in kinds.items() if isinstance(value, cls)), "")
    return f"{written(value)} ({kind})" if kind else written(value)


def as_text(path: str, value: Any) -> str:
    """How a value is written so that it is read as text: a command needs quotes within those of the shell."""
    key, bracket, rest = path.partition("[")
    if isinstance(value, list) or rest.partition("]")[2]:
        return "quote it"
    text = f'"{str(value).lower() if isinstance(value, bool) else value}"'
    word = f"{key}=[{text}]" if bracket else f"{key}={text}"
    return f"quote it, in a command '{word}'"


def one_of(choices: Sequence[Any]) -> str:
    """The values that a setting may have: "error or missing", "one of a, b, c"."""
    words = ["null" if one is None else str(one) for one in choices]
    return " or ".join(words) if len(words) < 3 else f"one of {', '.join(words)}"


def written(value: Any) -> str:
    """A value as YAML would write it: a text in quotes, so that 'one' is not taken for a number."""
    if value is None:
        return "nothing"
    text = brief(value)
    return text.lower() if isinstance(value, bool) else f"'{text}'" if isinstance(value, str) else text
