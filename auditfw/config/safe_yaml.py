"""Refuses dangerous or broken YAML before anything composes it: size, depth, aliases, tags, duplicate keys.

A few hundred bytes of aliases can take minutes to load, a double-quoted regex silently loses its backslashes,
and `_target_` would let a config name code to run; each gets one line with file and line instead.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from auditfw.core.errors import TARGET, TARGET_ADVICE, UsageError, brief
from auditfw.core.inputs import Stamp, stamp_or_none

SIZE = 1 << 20
DEPTH = 50
_TOO_DEEP = f"nested deeper than {DEPTH} levels"
NODES, DIGITS = 100_000, 1_000
BOOLEAN, TEXT, NULL = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:str", "tag:yaml.org,2002:null"
FLOAT, TIMESTAMP = "tag:yaml.org,2002:float", "tag:yaml.org,2002:timestamp"
EXPONENT = re.compile(r"[-+]?[0-9]+(?:_[0-9]+)*(?:\.[0-9_]*)?[eE][-+]?[0-9]+$")
KEYS = {TEXT, *(f"tag:yaml.org,2002:{tag}" for tag in ("int", "float", "merge"))}
NULL_KEY, NOT_NAMED = "a key that is null", "null cannot be a key"
NAMES = "write names: [NAME, override /GROUP: NAME, _self_]"
TAGS = {
    f"tag:yaml.org,2002:{tag}" for tag in ("null", "bool", "int", "float", "str", "seq", "map", "timestamp", "merge")
}


@lru_cache(maxsize=1)
def _loader() -> Any:
    """The YAML dialect that Hydra reads (1e5 is a number), through the C parser where there is one."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def construct_object(self, node: Any, deep: bool = False) -> Any:
            kind = node.tag.rpartition(":")[2]
            if kind in ("int", "float") and len(node.value) > DIGITS:
                what = f"a number of more than {DIGITS:,} characters"
                raise yaml.constructor.ConstructorError(None, None, what, node.start_mark)
            try:
                return super().construct_object(node, deep)
            except (ValueError, LookupError, AttributeError):  # what PyYAML's own constructors make of 0x_ and !!int x
                what = f"not a value of the kind {kind}"
                raise yaml.constructor.ConstructorError(None, None, what, node.start_mark) from None

    Loader.yaml_implicit_resolvers = {
        first: [(tag, form) for tag, form in forms if tag != TIMESTAMP]
        for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    Loader.add_implicit_resolver(FLOAT, EXPONENT, list("-+0123456789"))
    return Loader


_loaded: dict[Path, tuple[Stamp | None, Any]] = {}


def load_yaml(file: Path) -> Any:
    """Loads a checked YAML file as plain data. Raises UsageError with file and line."""
    stamp = stamp_or_none(str(file))
    known = _loaded.get(file)
    if known is None or known[0] != stamp:
        known = _loaded[file] = (stamp, parsed(file, text_of(file)))
    return copy.deepcopy(known[1])


def unchecked(file: Path) -> Any:
    """The plain data of a small YAML file that may be another program's. Raises UsageError for what is not YAML."""
    return parsed(file, text_of(file), checked=False)


def parsed(file: Path, text: str, checked: bool = True) -> Any:
    """The plain data of a YAML text that was read from a file. Raises UsageError with file and line."""
    import yaml

    try:
        loader = _loader()(text)
        root = loader.get_single_node()
        if root is None:
            return None
        if checked:
            _check_nodes(file, root)
        return loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{file}:{mark.line + 1}:{mark.column + 1}" if mark else str(file)
        raise UsageError(place, _problem(error, text), None, _advice(error, text)) from None
    except yaml.YAMLError as error:
        raise UsageError(str(file), "not YAML", str(error).splitlines()[0]) from None
    except RecursionError:
        raise UsageError(str(file), _TOO_DEEP) from None


def text_of(file: Path) -> str:
    """The text of a small UTF-8 file. Raises UsageError naming it."""
    if not file.is_file():
        raise UsageError(str(file), "not a file")
    with file.open("rb") as stream:
        return decoded(file, stream.read(SIZE + 1))


def decoded(file: Path, data: bytes) -> str:
    """The text of the bytes of a small file. Raises UsageError naming it."""
    if len(data) > SIZE:
        raise UsageError(
            str(file), f"larger than {SIZE:,} bytes", None, "a config must be small; put data into a source"
        )
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UsageError(str(file), "written in UTF-16", None, "save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(str(file), f"not UTF-8 at byte {error.start}", None, "save it as UTF-8") from None


def _problem(error: Any, text: str) -> str:
    problem = str(error.problem or error.context or "not YAML")
    number = error.problem_mark.line if error.problem_mark else 0
    line = "".join(text.split("\n")[number : number + 1])
    if line.lstrip(" ").startswith("\t") or "'\\t'" in problem:
        return "a tab where YAML needs spaces"
    if "nesting depth" in problem:  # libyaml has a limit of its own, far above ours
        return _TOO_DEEP
    return problem


def _advice(error: Any, text: str) -> str:
    problem = str(error.problem or "")
    if "escape character" in problem:
        return "write patterns in single quotes: '\\d+'"
    if "mapping values" in problem:
        return "quote a value that holds ': '"
    return ""


def _check_nodes(file: Path, root: Any) -> None:
    """Walks the composed tree as an alias-expanding loader would, and stops at the first thing not allowed."""
    import yaml

    budget = NODES
    stack: list[tuple[Any, int, str]] = [(root, 1, "")]
    while stack:
        node, depth, path = stack.pop()
        budget -= 1
        where = f"{file}:{node.start_mark.line + 1}"
        if budget < 0:
            raise UsageError(str(file), f"expands to more than {NODES:,} nodes", None, "remove the aliases")
        if depth > DEPTH:
            raise UsageError(where, _TOO_DEEP)
        if node.tag not in TAGS:
            raise UsageError(where, "a tag that is not allowed", node.tag, "plain YAML values only")
        if isinstance(node, yaml.MappingNode):
            _check_keys(file, node, path)
            for key, value in node.value:
                stack += [(key, depth + 1, path), (value, depth + 1, f"{path}.{key.value}".lstrip("."))]
        elif isinstance(node, yaml.SequenceNode):
            stack += [(part, depth + 1, f"{path}[{at}]") for at, part in enumerate(node.value)]


def _check_keys(file: Path, node: Any, path: str) -> None:
    seen: dict[str, int] = {}
    for key, value in node.value:
        if key.tag == BOOLEAN:
            key.tag = TEXT  # the setting `on` is a name, not true
        line = key.start_mark.line + 1
        if key.tag not in KEYS:
            what, word = (NULL_KEY, NOT_NAMED) if key.tag == NULL else ("a key that is not text", "a key is text")
            shown = key.value if isinstance(key.value, str) and key.value else "an empty one"
            where = f"{file}:{line}: {path}".removesuffix(": ")
            raise UsageError(where, what, shown, f"{word}; quote it if you mean the text")
        name = str(key.value)
        if name in seen and name != "<<":
            raise UsageError(f"{file}:{line}", f"duplicate key '{brief(name)}'", f"first in line {seen[name]}")
        seen[name] = line
        if name == "_target_":
            raise UsageError(
                f"{file}:{line}",
                TARGET,
                value.value,
                TARGET_ADVICE,
            )
        if name in ("pattern", "fallback_pattern"):
            _check_pattern(f"{file}:{line}", str(value.value))


def _check_pattern(where: str, pattern: str) -> None:
    if any(ord(c) < 32 and c not in "\t\n" for c in pattern):
        raise UsageError(where, "a control character in a pattern", pattern, "use single quotes")
    if "\\${" in pattern:
        raise UsageError(where, "a pattern loses the backslash before ${", pattern, "write [$]{")


def defaults_of(file: Path, settings: Mapping[str, Any]) -> Sequence[Any]:
    """The defaults list of a file, checked. Raises UsageError for anything but a list of names."""
    entries = settings.get("defaults", ())
    if "defaults" in settings and entries is None:
        raise UsageError(
            str(file), "the defaults list is empty", None, "leave 'defaults' out, or list what it builds on"
        )
    if not isinstance(entries, list | tuple):
        raise UsageError(str(file), "'defaults' is not a list", brief(entries), NAMES)
    for at, one in enumerate(entries):
        wrong = _wrong(one)
        if wrong is not None:
            raise UsageError(f"{file}: defaults[{at}]", "is not a name", wrong, NAMES)
    return entries


def _wrong(entry: Any) -> str | None:
    """What is wrong in an entry of a defaults list, None where nothing is."""
    if isinstance(entry, str):
        return None if entry.strip() else "''"
    if not isinstance(entry, dict) or len(entry) != 1:
        return brief("null" if entry is None else entry)
    [(group, names)] = entry.items()
    each: Iterable[Any] = names if isinstance(names, list) else [] if names is None else [names]
    return None if isinstance(group, str) and all(isinstance(name, str) for name in each) else brief(entry)
