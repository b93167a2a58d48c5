"""Refuses dangerous or broken YAML before anything composes it: size, depth, aliases, tags, duplicate keys.

A few hundred bytes of aliases can take minutes to load, a double-quoted regex silently loses its backslashes,
and `_target_` would let a config name code to run; each gets one line with file and line instead.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auditfw.errors import UsageError, brief

SIZE = 1 << 20
DEPTH = 50
NODES = 100_000
TAGS = {
    f"tag:yaml.org,2002:{tag}" for tag in ("null", "bool", "int", "float", "str", "seq", "map", "timestamp", "merge")
}


def load_yaml(file: Path) -> Any:
    """Loads a checked YAML file as plain data. Raises UsageError with file and line."""
    import yaml
    from omegaconf._utils import get_yaml_loader  # the dialect Hydra itself reads: 1e5 is a float, duplicates refused

    text = check_yaml(file)
    return yaml.load(text, Loader=get_yaml_loader())  # noqa: S506 - a SafeLoader subclass


def check_yaml(file: Path) -> str:
    """Checks a YAML file and returns its text. Raises UsageError with file and line."""
    import yaml

    text = _text_of(file)
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{file}:{mark.line + 1}:{mark.column + 1}" if mark else str(file)
        raise UsageError(place, _problem(error, text), None, _advice(error, text)) from None
    except yaml.YAMLError as error:
        raise UsageError(str(file), "not YAML", str(error).splitlines()[0]) from None
    except RecursionError:
        raise UsageError(str(file), f"nested deeper than {DEPTH} levels") from None
    if root is not None:
        _check_nodes(file, root)
    return text


def _text_of(file: Path) -> str:
    if not file.is_file():
        raise UsageError(str(file), "not a file")
    data = file.read_bytes()[: SIZE + 1]
    if len(data) > SIZE:
        raise UsageError(str(file), f"larger than {SIZE:,} bytes", None, "a config is small; data goes into a source")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UsageError(str(file), "written in UTF-16", None, "save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(str(file), f"not UTF-8 at byte {error.start}", None, "save it as UTF-8") from None


def _problem(error: Any, text: str) -> str:
    problem = str(error.problem or error.context or "not YAML")
    if _line(error, text).lstrip(" ").startswith("\t") or "'\\t'" in problem:
        return "a tab where YAML wants blanks"
    return problem


def _advice(error: Any, text: str) -> str:
    problem = str(error.problem or "")
    if "escape character" in problem:
        return "write patterns in single quotes: '\\d+'"
    if "mapping values" in problem:
        return "quote a value that holds ': '"
    return ""


def _line(error: Any, text: str) -> str:
    lines = text.split("\n")
    number = error.problem_mark.line if error.problem_mark else 0
    return lines[number] if number < len(lines) else ""


def _check_nodes(file: Path, root: Any) -> None:
    """Walks the composed tree as an alias-expanding loader would, and stops at the first thing not allowed."""
    import yaml

    budget = NODES
    stack: list[tuple[Any, int]] = [(root, 1)]
    while stack:
        node, depth = stack.pop()
        budget -= 1
        where = f"{file}:{node.start_mark.line + 1}"
        if budget < 0:
            raise UsageError(str(file), f"expands to more than {NODES:,} nodes", None, "do without the aliases")
        if depth > DEPTH:
            raise UsageError(where, f"nested deeper than {DEPTH} levels")
        if node.tag not in TAGS:
            raise UsageError(where, "a tag that is not allowed", node.tag, "plain YAML values only")
        if isinstance(node, yaml.MappingNode):
            _check_keys(file, node)
            stack += [(part, depth + 1) for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            stack += [(part, depth + 1) for part in node.value]


def _check_keys(file: Path, node: Any) -> None:
    seen: dict[str, int] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        name = str(key.value)
        if name in seen and name != "<<":
            raise UsageError(f"{file}:{line}", f"the key '{brief(name)}' stands twice", f"first in line {seen[name]}")
        seen[name] = line
        if name == "_target_":
            raise UsageError(
                f"{file}:{line}",
                "_target_ is not supported",
                value.value,
                "register a component and name it with 'use'",
            )
        if name in ("pattern", "fallback_pattern") and any(ord(c) < 32 and c not in "\t\n" for c in str(value.value)):
            raise UsageError(f"{file}:{line}", "a control character in a pattern", value.value, "use single quotes")
