"""`auditfw list`: every component and named variant, by kind, a line each, or one with its settings and examples."""

from __future__ import annotations

import inspect
import json
import os
import re
import shutil
import sys
import textwrap
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from auditfw.audits.findings import finds
from auditfw.config import build as bridge
from auditfw.config.build import Listed
from auditfw.config.hints import hints
from auditfw.config.safe_yaml import defaults_of, load_yaml
from auditfw.config.variants import conf_folders, doc_line, find, part_of_scorer
from auditfw.core.errors import UsageError, brief, nearest
from auditfw.core.escaping import HASH, disarmed
from auditfw.kinds import KINDS
from auditfw.kinds.registry import component, in_order

from .start import EXPERIMENT as USUAL_EXPERIMENT

NARROWEST, ROOMY, USUAL = 20, 50, 100  # columns
SHIPPED = "auditfw"
EXPERIMENT = "a complete named run"
FINDING = "what questions look for in the table of labels"
UNSET, QUOTE = "???", '"'
LONG = 60  # characters of a value
PATH = "path"  # a setting that may be null, and is needed all the same
ALSO = {("gate", "bound"): {"max": "30"}, ("gate", "change"): {"max_increase": "1"}}  # one of several that are needed
VALUES = {"metric": "flips", "path": "FILE"}
TYPES: Mapping[Any, str] = {str: "text", int: "whole number", float: "number", bool: "true or false"}


def list_components(argv: list[str]) -> int:
    """`auditfw list [KIND [NAME]] [--json]`: names by kind; a line for each of a kind; one in detail.

    As JSON each component and variant is there with its settings and origin.
    """
    words = [word for word in argv if word != "--json"]
    bridge.prepare()
    kinds = [*KINDS, "finding", "experiment"]  # a finding is no component: a question has several
    if words and words[0] not in kinds:
        raise UsageError(f"list {' '.join(words)}", "no such kind", None, nearest(words[0], kinds))
    rows = [row for kind in (words[:1] or kinds) for row in _rows(kind)]
    if len(words) > 1:
        rows = _named(words, rows)
    if "--json" in argv:
        print(disarmed(json.dumps([row._asdict() for row in rows], ensure_ascii=False, indent=1, default=str), HASH))
    elif not words:
        _print(_by_kind(rows, kinds))
    elif len(words) == 1:
        _print(_of_kind(words[0], rows))
    else:
        _print(details(rows[0], _width() or USUAL))
    return 0


def _named(words: Sequence[str], rows: Sequence[Listed]) -> list[Listed]:
    kind, name = words[:2]
    where = f"list {' '.join(words)}"
    if len(words) > 2:
        raise UsageError(where, "too many words", None, "write auditfw list KIND NAME")
    named = [row for row in rows if row.name == name]
    if not named:
        do = nearest(name, [row.name for row in rows])
        if part_of_scorer(kind, name) is not None:
            do = f"it is a part of a scorer: auditfw list scorer {name}"
        raise UsageError(where, f"no {kind} named '{name}'", None, do)
    return named


def _rows(kind: str) -> list[Listed]:
    if kind == "finding":
        asked = [(entry.origin, one) for entry in in_order("question") for one in finds([cast(Any, entry.cls)])]
        return [Listed(kind, one.name, kind, one.about, {}, origin) for origin, one in asked]
    if kind != "experiment":
        return bridge.described(kind)
    rows = {
        file.stem: Listed(kind, file.stem, kind, doc_line(file), {}, origin)
        for origin, folder in reversed(conf_folders())
        for file in sorted((folder / kind).glob("*.yaml"))
    }
    return [rows[name] for name in sorted(rows)]


def _by_kind(rows: Sequence[Listed], kinds: Sequence[str]) -> list[str]:
    """The names of each kind, wrapped; below the kind where there is little room beside it."""
    width = _width() or USUAL
    lead = " " * (max(map(len, kinds)) + 2 if width >= ROOMY else 2)
    lines = []
    for kind in kinds:
        names = " ".join(dict.fromkeys(row.name for row in rows if row.kind == kind))
        wrapped = _wrapped(names, width, lead)
        lines += [kind, *wrapped] if width < ROOMY else [kind + wrapped[0][len(kind) :], *wrapped[1:]]
    foot = _wrapped("auditfw list KIND says what each does, auditfw list KIND NAME how to use it.", width)
    return ["What Can Be Chosen", *lines, "", *foot]


def _wrapped(text: str, width: int, lead: str = "") -> list[str]:
    wrapper = textwrap.TextWrapper(width, lead, lead, break_long_words=False, break_on_hyphens=False)
    return wrapper.wrap(text) or [lead]


def _of_kind(kind: str, rows: Sequence[Listed]) -> list[str]:
    """A line each: name, sentence, and where it is from if auditfw does not ship it."""
    head = f"{kind}: {KINDS[kind].doc if kind in KINDS else FINDING if kind == 'finding' else EXPERIMENT}"
    names = max((len(row.name) for row in rows), default=0) + 2
    lines = [f"{row.name:{names}}{row.doc}{_from(row)}" for row in rows]
    foot = _wrapped(f"auditfw list {kind} NAME shows one with its settings and an example.", _width() or USUAL)
    return [head, *map(_cut, lines), "", *foot]


def _from(row: Listed) -> str:
    origin = str(row.origin)
    return "" if origin.partition(".")[0] == SHIPPED else f" ({origin})"


def _cut(line: str) -> str:
    """A line as wide as the terminal; the whole line where it goes to a file or a program."""
    width = _width()
    return line if width is None or len(line) <= width else f"{line[: width - 1].rstrip()}…"


def _width() -> int | None:
    """The width beside the bar, of the terminal or of COLUMNS; None where there is neither."""
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS", "").isdecimal():
        return None
    return max(NARROWEST, shutil.get_terminal_size().columns) - len("│ ")


def _print(lines: Sequence[str]) -> None:
    """Prints a headline and lines behind a bar, which keeps a text from the start of a line."""
    from auditfw.components.report.console import printing

    with printing() as page:
        page.head(lines[0])
        for line in lines[1:]:
            page.console.print(page.text(f"{'|' if page.ascii else '│'} {line}"), soft_wrap=True)


def details(row: Listed, width: int) -> list[str]:
    """The lines on one component, variant or experiment."""
    kind, name = str(row.kind), str(row.name)
    lines = [f"{kind} {name}  ({_what(row)})"]
    cls = component(kind, _base(row)).cls if kind in KINDS else None
    text = _doc(cls) if cls is not None and row.what == "component" else str(row.doc)
    for paragraph in text.split("\n\n"):
        indent = "  " if paragraph.startswith("- ") else ""
        lines += textwrap.wrap(paragraph, width, subsequent_indent=indent, break_on_hyphens=False)
    settings = {key: value for key, value in row.settings.items() if key != "use"}
    if settings:
        lines += ["", "settings:", *_settings(settings, hints(cls) if cls is not None else {}, width)]
    return [*lines, "", "example:", *(f"  {line}" for line in example(kind, name, settings))]


def _what(row: Listed) -> str:
    origin = row.origin
    if row.what == "component":
        return f"component, {origin}"
    return f"{row.what} of {_base(row)}, {origin}" if row.kind in KINDS else f"{row.what}, {origin}"


def _base(row: Listed) -> str:
    """The component that a variant ends in."""
    if row.what == "component":
        return str(row.name)
    return str(find(str(row.kind), str(row.name), "list").get("use", ""))


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
    if kind == "finding":
        return [f"auditfw '+gates.NAME={{use: findings, kinds: [{name}]}}'"]
    if place is None:
        settings_text = ", ".join(f"{key}: {key.upper()}" for key in needed)
        return [f"{kind}s: [{f'{{use: {name}, {settings_text}}}' if needed else name}]"]
    at = place.format(name=name)
    chosen = experiment_for(kind, name)
    words = [f"experiment={chosen}"] if chosen else []
    if not chosen or kind != "audit":
        words.append(f"{kind}=[{name}]" if KINDS[kind].several else f"{kind}={name}")
    also = {**{key: VALUES.get(key, key.upper()) for key in needed}, **ALSO.get((kind, name), {})}
    words += [f"{at}.{key}={value}" for key, value in also.items()]
    lines = [f"auditfw {' '.join(words)}"]
    other = next((key for key, value in settings.items() if key not in also and _is_word(value)), None)
    if other is not None:
        lines.append(f"auditfw {' '.join([*words, f'{at}.{other}={json.dumps(settings[other]).strip(QUOTE)}'])}")
    return lines


def experiment_for(kind: str, name: str) -> str | None:
    """The experiment to begin with: one that chooses this, else one that chooses of its kind; None: the usual one.

    Most audits have parts of their own: a simulator or a stop rule beside the usual experiment's audit is refused.
    """
    experiments = {
        file.stem: _chosen(file, kind)
        for _, folder in reversed(conf_folders())
        for file in sorted((folder / "experiment").glob("*.yaml"))
    }
    usual = experiments.get(USUAL_EXPERIMENT, ())
    if name in usual:
        return None
    fitting = next((one for one, names in experiments.items() if name in names), None)
    return fitting or (None if usual else next((one for one, names in experiments.items() if names), None))


def _chosen(file: Path, kind: str) -> Sequence[str]:
    """What an experiment chooses of a kind."""
    for entry in defaults_of(file, load_yaml(file) or {}):
        for group, names in entry.items() if isinstance(entry, Mapping) else ():
            if group == f"override /{kind}":
                return [names] if isinstance(names, str) else names or ()
    return ()


def _is_word(value: Any) -> bool:
    """Whether a value can be typed as it is."""
    return isinstance(value, int | float) or (isinstance(value, str) and re.fullmatch(r"\w[\w.-]*", value) is not None)
