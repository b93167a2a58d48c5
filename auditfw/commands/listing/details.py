"""`auditfw list KIND NAME`: what one does, its settings, and how it is typed."""

from __future__ import annotations

import inspect
import json
import re
import textwrap
import typing
from collections.abc import Mapping
from typing import Any

from auditfw.config.schema import hints
from auditfw.config.variants import find
from auditfw.core.errors import brief
from auditfw.kinds import KINDS
from auditfw.kinds.registry import component

UNSET, QUOTE = "???", '"'
LONG = 60  # characters of a value
PATH = "path"  # a setting that may be null, and is needed all the same
ALSO = {("gate", "bound"): {"max": "30"}, ("gate", "change"): {"max_increase": "1"}}  # one of several that are needed
VALUES = {"metric": "flips", "path": "FILE"}
TYPES: Mapping[Any, str] = {str: "text", int: "whole number", float: "number", bool: "true or false"}


def details(row: Mapping[str, Any], width: int) -> list[str]:
    """The lines on one component, variant or experiment."""
    kind, name = str(row["kind"]), str(row["name"])
    lines = [f"{kind} {name}  ({_what(row)})"]
    cls = component(kind, _base(row)).cls if kind in KINDS else None
    text = _doc(cls) if cls is not None and row["what"] == "component" else str(row["doc"])
    for paragraph in text.split("\n\n"):
        indent = "  " if paragraph.startswith("- ") else ""
        lines += textwrap.wrap(paragraph, width, subsequent_indent=indent, break_on_hyphens=False)
    settings = {key: value for key, value in row["settings"].items() if key != "use"}
    if settings:
        lines += ["", "settings:", *_settings(settings, hints(cls) if cls is not None else {}, width)]
    return [*lines, "", "example:", *(f"  {line}" for line in example(kind, name, settings))]


def _what(row: Mapping[str, Any]) -> str:
    origin = row["origin"]
    if row["what"] == "component":
        return f"component, {origin}"
    return f"{row['what']} of {_base(row)}, {origin}" if row["kind"] in KINDS else f"{row['what']}, {origin}"


def _base(row: Mapping[str, Any]) -> str:
    """The component that a variant ends in."""
    if row["what"] == "component":
        return str(row["name"])
    return str(find(str(row["kind"]), str(row["name"]), "list").get("use", ""))


def _doc(cls: type) -> str:
    """The docstring, a paragraph or an item of a list a line."""
    paragraphs = re.sub(r"\n(?=- |\n|The outcomes are )", "\n\n", inspect.getdoc(cls) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs if paragraph.strip())


def _settings(settings: Mapping[str, Any], types: Mapping[str, Any], width: int) -> list[str]:
    names = max(map(len, settings)) + 2
    lines = []
    for key, value in settings.items():
        shown = "must be set" if value == UNSET else brief(json.dumps(value, ensure_ascii=False, default=str), LONG)
        kind = _type(types.get(key))
        line = f"  {key:{names}}{shown}{f'  ({kind})' if kind else ''}"
        lines += textwrap.wrap(line, max(width, names + 12), subsequent_indent=" " * (names + 2), drop_whitespace=False)
    return [line.rstrip() for line in lines]


def _type(hint: Any) -> str:
    """What a setting takes, where that fits a few words."""
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return ", ".join(map(str, parts))
    known = [part for part in parts if part is not type(None)]
    if len(known) == 1 and len(known) < len(parts):
        return _type(known[0])
    return TYPES.get(hint, "")


def example(kind: str, name: str, settings: Mapping[str, Any]) -> list[str]:
    """Commands that choose it, or the YAML that names it where nothing on the command line does."""
    place = KINDS[kind].place if kind in KINDS else None
    needed = [key for key, value in settings.items() if value == UNSET or (key == PATH and value is None)]
    if kind == "experiment":
        return [f"auditfw experiment={name}", f"auditfw check experiment={name}"]
    if place is None:
        return [f"{kind}s: [{_yaml(name, needed)}]"]
    at = place.format(name=name)
    words = [f"{kind}=[{name}]" if KINDS[kind].several else f"{kind}={name}"]
    also = {**{key: VALUES.get(key, key.upper()) for key in needed}, **ALSO.get((kind, name), {})}
    words += [f"{at}.{key}={value}" for key, value in also.items()]
    lines = [f"auditfw {' '.join(words)}"]
    other = next((key for key, value in settings.items() if key not in also and _is_word(value)), None)
    if other is not None:
        lines.append(f"auditfw {' '.join([*words, f'{at}.{other}={json.dumps(settings[other]).strip(QUOTE)}'])}")
    return lines


def _yaml(name: str, needed: list[str]) -> str:
    return f"{{use: {name}, {', '.join(f'{key}: {key.upper()}' for key in needed)}}}" if needed else name


def _is_word(value: Any) -> bool:
    """Whether a value can be typed as it is."""
    return isinstance(value, int | float) or (isinstance(value, str) and re.fullmatch(r"\w[\w.-]*", value) is not None)
