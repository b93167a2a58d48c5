"""Paths that stand for several files: a folder, a glob, and names in braces that take columns off the path."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from auditfw.core.errors import DataError, UsageError

from .keys import Keys
from .walk import FOLDERS, PassedOver, fixed_folder, matching, once, parts, walked

COMPRESSED = ("", ".gz", ".zst")
ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".parquet": "parquet",
    ".sqlite": "sqlite",
    ".db": "sqlite",
}
LISTED = 8  # files of a folder that a message names
_SPECIAL = re.compile(r"\{([^{}]*)\}|(\*\*/?)|(\*)|(\?)|(\[[^\]]+\])")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?")

PathColumns = tuple[str, Mapping[str, Any]]
Fits = Callable[[str], bool]


def bare(path: str) -> str:
    """A path without the ending that says how the file is compressed: by the rest one sees its format."""
    return path.removesuffix(".gz").removesuffix(".zst")


def any_fits(path: str) -> bool:
    """Lets every file of a folder be read whose name matches."""
    return True


def paths_of(
    path: str, names: Sequence[str], where: str, fits: Fits = any_fits, left_out: PassedOver | None = None
) -> list[PathColumns]:
    """The files that a path stands for, sorted, each with the columns taken off its path.

    A path that is there as it is stands for itself, a folder for the files in it whose names match one of `names`
    (globs), and that fit. Raises DataError for a pattern or a folder without any, UsageError for braces that enclose
    no name. `left_out` takes in what is no file within the folder.
    """
    left_out = PassedOver() if left_out is None else left_out
    if os.path.isdir(path):
        return [(inside, {}) for inside in _of_folder(path, names, fits, left_out)]
    if os.path.lexists(path) or _SPECIAL.search(path) is None:
        return [(path, {})]
    wildcard, pattern = _patterns(path, where)
    paths = _below(fixed_folder(path), left_out) if "**" in path else matching(wildcard, left_out)
    left_out.keep(lambda one, reason: reason in FOLDERS or pattern.fullmatch(one) is not None)
    matches = {one: match for one in paths if (match := pattern.fullmatch(one)) is not None}
    if not matches and left_out:
        raise left_out.refusal(path)
    if not matches:
        raise _no_match(path)
    return _with_numbers({one: matches[one].groupdict() for one in once(matches, left_out)})


def _below(folder: str, left_out: PassedOver) -> list[str]:
    """The files in a folder and below it, sorted, those of the current folder by their bare names."""
    inside = PassedOver()
    paths = sorted(walked(folder, inside), key=parts)
    bare_name = "./" if folder == "." else ""
    left_out.join(inside, bare_name)
    return [path.removeprefix(bare_name) for path in paths]


def _of_folder(folder: str, names: Sequence[str], fits: Fits, left_out: PassedOver) -> list[str]:
    """The files in a folder and below it, hidden ones left out. Raises DataError without any."""
    wanted = re.compile("|".join(_expression(name + end) for name in names for end in COMPRESSED))
    named = [path for path in walked(folder, left_out) if wanted.fullmatch(os.path.basename(path))]
    left_out.keep(lambda path, reason: reason in FOLDERS or wanted.fullmatch(os.path.basename(path)) is not None)
    paths = [path for path in named if fits(path)]
    if not paths and left_out and not named:
        raise left_out.refusal(folder)
    if not paths:
        inside = sorted(os.listdir(folder))
        do = f"name a file in it: {', '.join(inside[:LISTED])}" if inside else ""
        lacking = f"no {' or '.join(names)}{' that this source reads' if named else ''} in it" if names else None
        raise DataError(folder, "is a folder", lacking, do)
    return once(sorted(paths, key=parts), left_out)


def _patterns(path: str, where: str) -> tuple[str, re.Pattern[str]]:
    """A glob for a path, and the pattern that takes the names off what it finds. Raises UsageError."""
    wildcard, pattern, end = "", "", 0
    seen: set[str] = set()
    for match in _SPECIAL.finditer(path):
        plain, name = path[end : match.start()], match[1]
        end = match.end()
        wildcard, pattern = wildcard + glob.escape(plain), pattern + re.escape(plain)
        if name is None:
            wildcard, pattern = wildcard + match[0], pattern + _expression(match[0])
            continue
        if _NAME.fullmatch(name) is None:
            raise UsageError(where, "expected the name of a column in braces", path, "write {NAME}")
        wildcard, pattern = f"{wildcard}*", pattern + (f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+?)")
        seen.add(name)
    return wildcard + glob.escape(path[end:]), re.compile(pattern + re.escape(path[end:]), re.DOTALL)


def _expression(wildcard: str) -> str:
    """A glob as a regular expression: a star matches within one part of a path, two stars any number of parts."""
    pattern, end = "", 0
    for match in _SPECIAL.finditer(wildcard):
        pattern += re.escape(wildcard[end : match.start()])
        end = match.end()
        deep, star, one, some = match.groups()[1:]
        folders = "(?:.*/)?" if deep == "**/" else ".*"
        pattern += folders if deep else "[^/]*" if star else "[^/]" if one else _choice(some[1:-1])
    return pattern + re.escape(wildcard[end:])


def _choice(characters: str) -> str:
    """The characters between brackets, as a regular expression has them."""
    negated = characters.startswith("!")
    plain = characters[negated:].replace("\\", r"\\").replace("^", r"\^")
    return f"[{'^' if negated else ''}{plain}]"


def _with_numbers(columns: Mapping[str, Mapping[str, str]]) -> list[PathColumns]:
    """The columns with numbers where every file has one, as in `run-{temperature}.csv`."""
    names = next(iter(columns.values()))
    numeric = [name for name in names if all(_NUMBER.fullmatch(values[name]) for values in columns.values())]
    return [
        (path, {n: _number(text) if n in numeric else text for n, text in values.items()})
        for path, values in columns.items()
    ]


def _number(text: str) -> float | int:
    return float(text) if "." in text else int(text)


def _no_match(path: str) -> DataError:
    folder = fixed_folder(path)
    if not os.path.isdir(folder):
        do = "paths are relative to the current folder"
        return DataError(path, "no file matches", f"there is no folder {folder}", do)
    inside = sorted(os.listdir(folder))
    return DataError(path, "no file matches", None, f"in {folder} are: {', '.join(inside[:LISTED])}" if inside else "")


def instead(path: str | tuple[str, ...], keys: Keys) -> str:
    """What to write to read one file in place of the several that a source has."""
    if not isinstance(path, str):
        return "set one of the two to null or []"
    name = bare(path)
    form = keys.format(next((form for ending, form in ENDINGS.items() if name.endswith(ending)), "jsonl"))
    more = f" {keys.of('delimiter')}=tab" if name.endswith(".tsv") else ""
    return f"for this file alone choose its format too: {form} {keys.of('path')}={path}{more}"
