"""How the word that is typed may go on: commands, groups, options, lists in brackets, settings, paths, gates."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from auditfw.commands.paths.bare_words import is_setting
from auditfw.config.variants import take_config_dirs
from auditfw.core.errors import AuditError
from auditfw.kinds import KINDS

from .names import GROUPS, HYDRA, OptionNames, keys_below, values_of
from .verbs import FLAGS, SHELLS, VALUES, VERBS

RESULT_BYTES = 50_000_000
KEYS = re.compile(r"([+~]*)([\w./@-]*)$")
FOLDERS = ("dir", "runs_dir", "folder", "resume")
MOST = 500
TABLES, FORMATS = ("table", "matrix", "chart"), ("csv", "latex", "svg")


def candidates(words: Sequence[str], word: str) -> list[str]:
    """The whole words that the last one may become, sorted; one that ends in a blank is finished."""
    try:
        words = take_config_dirs([one for one in words if one != "--trust"])
    except AuditError:
        return _paths(word, folders=True)
    before = words[-1] if words else ""
    if before in ("--config-dir", "-cd"):
        return _paths(word, folders=True)
    if before in VALUES:
        return _starting(word, (f"{value} " for value in VALUES[before]))
    plain = [one for one in words if not one.startswith("-")]
    verb = plain[0] if plain and plain[0] in VERBS else ""
    if word.startswith("-"):
        return _starting(word, (f"{flag} " for flag in (VERBS[verb].flags if verb else FLAGS)))
    if verb:
        return _of_verb(verb, plain[1:], word)
    verbs = _starting(word, (f"{name} " for name in VERBS)) if not plain else []
    return sorted({*verbs, *_of_run(plain, word)})


def _of_verb(verb: str, words: Sequence[str], word: str) -> list[str]:
    takes = VERBS[verb].takes
    if takes == "topic":
        pages = (Path(__file__).parent.parent / "manual").glob("*.md")
        return _starting(word, (f"{page.stem} " for page in pages)) if not words else []
    if takes == "shell":
        return _starting(word, (f"{shell} " for shell in SHELLS)) if not words else []
    if takes == "kind":
        named = (*KINDS, "experiment") if not words else OptionNames().of(words[0]) if len(words) == 1 else ()
        return _starting(word, (f"{name} " for name in named))
    if takes == "folder":
        return _paths(word, folders=True) if not words else []
    if takes == "gate" and words:
        return _starting(word, (f"{name} " for name in _explained(Path(words[0])))) if len(words) == 1 else []
    if takes == "tables" and words:
        return _starting(word, [*_tables(Path(words[0])), *(f"format={form} " for form in FORMATS)]) + _out(word)
    if takes == "overrides":
        return _of_run(words, word)
    if words and verb in ("report", "rerun"):
        return _override(OptionNames(), words[1:], word)
    latest = ["latest "] if any(Path("outputs").glob("*/*/latest")) else []
    return sorted({*_starting(word, latest), *_paths(word, folders=verb != "compare")})


def _of_run(words: Sequence[str], word: str) -> list[str]:
    """The words of a run: paths, then overrides."""
    paths = _paths(word) if word and not any(map(is_setting, [*words, word])) else []
    return sorted({*paths, *_override(OptionNames(), words, word)})


def _explained(run: Path) -> list[str]:
    """The gates of a finished run, and its readings that change labels."""
    result = _document(run / "result.json")
    turned = [one["reading"] for one in result.get("measurements", ()) if one["metric"] == "flips" and one["value"]]
    return [*(str(gate["name"]) for gate in result.get("gates", ())), *dict.fromkeys(map(str, turned))]


def _tables(run: Path) -> list[str]:
    """The sections of a finished run that have tables or charts."""
    from auditfw.components.report.export.exhibits import named

    sections = _document(run / "sections.json").get("sections", ())
    titles = [one["title"] for one in sections if any(block["block"] in TABLES for block in one["blocks"])]
    return [f"{named(title)} " for title in titles]


def _out(word: str) -> list[str]:
    """The setting of the folder for files, or the folders there are."""
    key, equals, value = word.partition("=")
    if not equals:
        return ["out="] if "out".startswith(key) else []
    return [f"out={path}" for path in _paths(value, folders=True)] if key == "out" else []


def _document(file: Path) -> dict[str, Any]:
    """A JSON file of a run; {} where there is none."""
    if not file.is_file() or file.stat().st_size > RESULT_BYTES:
        return {}
    document: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return document


def _override(names: OptionNames, words: Sequence[str], word: str) -> list[str]:
    """An override: a group or a key, or what it is set to."""
    key, equals, value = word.partition("=")
    sign = key[: len(key) - len(key.lstrip("+~"))]
    key = key[len(sign) :]
    if equals:
        return [f"{sign}{key}={text}" for text in _values(names, words, key, value)]
    if not KEYS.fullmatch(word):
        return []
    place, dot, _ = key.rpartition(".")
    end = " " if "~" in sign else "="
    if dot:
        below = keys_below(names, place, words).items()
        return _starting(word, (f"{sign}{place}.{name}{end if hint is not None else '.'}" for name, hint in below))
    maps = {(kind.place or "").partition(".")[0] for kind in KINDS.values() if "." in (kind.place or "")}
    single = {name for name, kind in KINDS.items() if kind.place == name}
    ends = [*(f"{group}{end}" for group in GROUPS), *(f"{one}." for one in {*maps, *single} - {""})]
    ends += [f"{group}{end}" for group in names.of_hydra() if key.startswith("h")]
    ends += [f"{top}{end}" for top in names.tops() if top not in {*GROUPS, *maps}]
    return _starting(word, (f"{sign}{one}" for one in ends))


def _values(names: OptionNames, words: Sequence[str], key: str, value: str) -> list[str]:
    """What a key may be set to."""
    if key in GROUPS:
        takes_list = key in KINDS and (KINDS[key].several or KINDS[key].list_place is not None)
        return _options(names.of(key), value, takes_list)
    if key.startswith(HYDRA):
        return _options(names.of_hydra().get(key, ()), value, False)
    place, _, last = key.rpartition(".")
    if last in (*FOLDERS, "path", "paths", "baseline") or last.endswith(("_path", "_file")):
        return _paths(value, folders=last in FOLDERS)
    hint = keys_below(names, place, words).get(last) if place else None
    listed = _starting(value, (f"{one} " for one in values_of(hint)))
    return listed or (_paths(value) if value else [])


def _options(names: Sequence[str], value: str, takes_list: bool) -> list[str]:
    """A name, a list of names in brackets, or, for a sweep, names with commas between them."""
    head, comma, last = value.rpartition(",")
    if not comma and value.startswith("["):
        head, comma, last = "", "[", value[1:]
    done = re.split(r"[\[,\s]+", head)
    left = [name for name in names if name.startswith(last.lstrip()) and name not in done]
    lead = value[: len(value) - len(last.lstrip())]
    if not value.startswith("["):
        return [*(f"{lead}{name} " for name in left), *(["["] if takes_list and not value else [])]
    if not takes_list:
        return []
    if len(left) == 1 or last in left:  # the list may end here, or go on
        whole = last if last in left else left[0]
        rest = [f"{lead}{name}" for name in left if name != whole]
        return sorted([f"{lead}{whole},", f"{lead}{whole}] ", *rest])
    return [f"{lead}{name}" for name in left]


def _starting(word: str, texts: Iterable[str]) -> list[str]:
    return sorted({text for text in texts if text.startswith(word)})


def _paths(word: str, folders: bool = False) -> list[str]:
    """The files and folders that a path may become; hidden ones where the name begins with a dot."""
    head, slash, name = word.rpartition("/")
    folder = os.path.expanduser(head + slash) or "."
    if not os.path.isdir(folder):
        return []
    texts = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(name) or (entry.name.startswith(".") and not name):
                continue
            if entry.is_dir():
                texts.append(f"{head}{slash}{entry.name}/")
            elif not folders:
                texts.append(f"{head}{slash}{entry.name} ")
    return sorted(text for text in texts if text.rstrip(" ").isprintable())[:MOST]
