"""How the word that is typed may go on: commands, groups, options, lists in brackets, paths, gates, tables."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

from auditfw.commands.paths.bare_words import is_setting
from auditfw.config import variants
from auditfw.config.variants import take_config_dirs
from auditfw.core.errors import AuditError
from auditfw.kinds import KINDS
from auditfw.kinds.component_index import shipped

HYDRA = "hydra/"
POINTS = "auditfw.plugins"
GROUPS = ("experiment", *(name for name, kind in KINDS.items() if kind.place))
PLUGGED = [(f"{HYDRA}{kind}", name) for kind in ("launcher", "sweeper") for name in ("auditfw", "basic")]


def know_plugins() -> None:
    """Lets the files of installed plugins be known; of them only the shipped one is imported."""
    for point in entry_points(group=POINTS):
        if shipped(point.module):
            point.load()
        folder = _folder_of(point.module)
        if folder is not None and (folder / "conf").is_dir():
            variants.add_conf_folder(point.name, folder / "conf")


def _folder_of(module: str) -> Path | None:
    """The folder that a module is in; nothing is imported but what finds it."""
    top, *rest = module.split(".")
    spec = find_spec(top)
    if spec is None or spec.origin is None:
        return None
    inside = Path(spec.origin).parent.joinpath(*rest)
    return inside if inside.is_dir() else inside.parent


def options(group: str) -> list[str]:
    """The options of a group, or the names of a kind, sorted: components that are shipped, and all that files name."""
    if group.startswith(HYDRA):
        return sorted(name for of, name in _of_hydra() if of == group)
    return variants.names_of_group(group)


def groups() -> list[str]:
    """The groups of a command line, Hydra's own among them."""
    return sorted({*GROUPS, *(group for group, _ in _of_hydra())})


def _of_hydra() -> set[tuple[str, str]]:
    """Hydra's own groups and their options: of files, and of what is always there."""
    spec = find_spec("hydra")
    folders = [folder for _, folder in variants.conf_folders()]
    folders += [Path(place, "conf") for place in (spec.submodule_search_locations or () if spec else ())]
    files = [file for folder in folders for file in folder.glob(f"{HYDRA}*/*.yaml")]
    return {*PLUGGED, *((f"{HYDRA}{file.parent.name}", file.stem) for file in files)}


# The commands there are: where each is, and what the words behind it are, for shells to complete.

Takes = Literal["topic", "kind", "overrides", "folder", "runs", "gate", "tables", "labels", "planned", "shell"]


class Verb(NamedTuple):
    """The module and function of a command, what its words are, and its flags."""

    module: str
    function: str
    takes: Takes
    flags: tuple[str, ...] = ()


UPGRADE = "upgrade"
VERBS: Mapping[str, Verb] = {
    "help": Verb(".help", "show", "topic"),
    "list": Verb(".list", "list_components", "kind", ("--json",)),
    "check": Verb(".check", "check", "overrides", ("-m", "--multirun", "--config-dir", "--config-name")),
    "doctor": Verb(".check", "check", "overrides", ("-m", "--multirun", "--config-dir", "--config-name")),
    "init": Verb(".init", "init", "folder"),
    "report": Verb(".report", "report", "runs"),
    "sweep": Verb(".sweep.summary", "show_summary", "runs"),
    "compare": Verb(".compare", "compare", "runs", ("--json", "--markdown", "--all")),
    "suite": Verb(".suite.command", "suite", "runs", ("--json", "--markdown", "--all")),
    "accept": Verb(".comparison.label_changes", "accept", "runs"),
    "rerun": Verb(".rerun", "rerun", "runs", ("--trust",)),
    "probe": Verb(".probe", "probe", "overrides", ("--config-dir",)),
    "explain": Verb(".explain", "explain", "gate", ("--json",)),
    "export": Verb(".export.command", "export", "tables"),
    "plan": Verb(".planning.command", "plan", "planned", ("--json",)),
    "label": Verb(".label", "label", "labels", ("--trust",)),
    "adjudicate": Verb(".labelling.adjudicate", "adjudicate", "runs"),
    UPGRADE: Verb(".paths.upgrade", "upgrade", "overrides", ("--list",)),
    "completion": Verb(".completion.verb", "completion", "shell"),
}
SHELLS = ("bash", "fish", "zsh")
FLAGS = (
    *("--help", "--version", "--multirun", "-m", "--cfg", "--config-dir", "--config-name", "--info", "--package"),
    *("--resolve", "--hydra-help", "--trust"),
)
VALUES: Mapping[str, tuple[str, ...]] = {
    "--cfg": ("all", "hydra", "job"),
    "-c": ("all", "hydra", "job"),
    "--info": ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath"),
}


RESULT_BYTES = 50_000_000
FOLDERS = ("dir", "runs_dir", "folder", "resume")
MOST = 500
TABLES, FORMATS = ("table", "matrix", "chart"), ("csv", "latex", "svg")


def candidates(words: Sequence[str], word: str) -> list[str]:
    """The whole words that the last one may become, sorted; one that ends in a blank is finished."""
    try:
        words = take_config_dirs([one for one in words if one != "--trust"])
    except AuditError:
        return _paths(word, folders=True)
    know_plugins()
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
    if takes in ("topic", "shell"):
        pages = (Path(__file__).parent.parent / "manual").glob("*.md")
        known = SHELLS if takes == "shell" else [page.stem for page in pages]
        return _starting(word, (f"{name} " for name in known)) if not words else []
    if takes == "kind":
        named = (*KINDS, "experiment") if not words else options(words[0]) if len(words) == 1 else ()
        return _starting(word, (f"{name} " for name in named))
    if takes == "folder":
        return _paths(word, folders=True) if not words else []
    if takes == "gate" and words:
        return _starting(word, (f"{name} " for name in _explained(Path(words[0])))) if len(words) == 1 else []
    if takes == "tables" and words:
        return _starting(word, [*_tables(Path(words[0])), *(f"format={form} " for form in FORMATS)]) + _out(word)
    if takes in ("labels", "planned") and words:
        return _setting_of_labels(word) if takes == "labels" else _setting_of_plan(word)
    if takes == "overrides":
        return _of_run(words, word)
    if words and verb in ("report", "rerun"):
        return _override(word)
    latest = ["latest "] if any(Path("outputs").glob("*/*/latest")) else []
    return sorted({*_starting(word, latest), *_paths(word, folders=verb not in ("compare", "suite"))})


def _of_run(words: Sequence[str], word: str) -> list[str]:
    """The words of a run: paths, then overrides."""
    paths = _paths(word) if word and not any(map(is_setting, [*words, word])) else []
    return sorted({*paths, *_override(word)})


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


def _setting_of_labels(word: str) -> list[str]:
    """A setting of `auditfw label`, a format, or a folder for the files."""
    from auditfw.commands.labelling.settings import FORMATS as OF_LABELS
    from auditfw.commands.labelling.settings import SETTINGS

    key, equals, value = word.partition("=")
    if not equals:
        return _starting(word, (f"{name}=" for name in SETTINGS))
    if key == "format":
        return [f"format={text}" for text in _options(OF_LABELS, value, takes_list=True)]
    return _out(word)


def _setting_of_plan(word: str) -> list[str]:
    """A setting of `auditfw plan`."""
    from auditfw.commands.planning.settings import SETTINGS

    return _starting(word, (f"{name}=" for name in SETTINGS)) if "=" not in word else []


def _document(file: Path) -> dict[str, Any]:
    """A JSON file of a run; {} where there is none."""
    if not file.is_file() or file.stat().st_size > RESULT_BYTES:
        return {}
    document: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return document


def _override(word: str) -> list[str]:
    """An override: a group, or what a key is set to."""
    key, equals, value = word.partition("=")
    name = key.lstrip("+~")
    sign = key[: len(key) - len(name)]
    if equals:
        return [f"{sign}{name}={text}" for text in _values(name, value)]
    return _starting(word, (f"{sign}{one}{' ' if '~' in sign else '='}" for one in groups()))


def _values(key: str, value: str) -> list[str]:
    """What a key may be set to: options, or paths."""
    if key in GROUPS or key.startswith(HYDRA):
        takes_list = key in KINDS and (KINDS[key].several or KINDS[key].list_place is not None)
        return _options(options(key), value, takes_list)
    last = key.rpartition(".")[2]
    is_path = last in (*FOLDERS, "path", "paths", "baseline") or last.endswith(("_path", "_file"))
    return _paths(value, folders=last in FOLDERS) if value or is_path else []


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


# The words of a command line that is being typed: quotes may be open, the last word is not finished.

ACTIVE = frozenset(" \t\n\"'\\$&;|<>()*?!`#")  # what a shell would act on, brackets apart: with those one types lists


@dataclass(frozen=True)
class TypedLine:
    """The words before the one that is typed, and that one up to the cursor.

    `quote` is the quote that is open in it; what a shell replaces begins `cut` characters into the word.
    """

    words: tuple[str, ...]
    word: str
    quote: str = ""
    cut: int = 0


def typed(text: str, breaks: str = "") -> TypedLine:
    """Reads a line up to the cursor; after the characters in `breaks` a shell takes a new word to begin."""
    words: list[str] = []
    word, quote, cut, inside, escaped = "", "", 0, False, False
    for character in text:
        if escaped:
            word, escaped = word + character, False
        elif character == "\\" and quote != "'":
            escaped, inside = True, True
        elif quote:
            if character == quote:
                quote = ""
            else:
                word += character
        elif character in "\"'":
            quote, inside, cut = character, True, len(word) if character in breaks else cut
        elif character in " \t\n":
            if inside:
                words.append(word)
            word, cut, inside = "", 0, False
        else:
            word, inside = word + character, True
            cut = len(word) if character in breaks else cut
    return TypedLine(tuple(words), word, quote, cut)


def unquoted(word: str) -> str:
    """A word as a shell hands it on, whose quotes may be open."""
    line = typed(word.replace(" ", "\\ ") if "'" not in word and '"' not in word and "\\" not in word else word)
    return " ".join([*line.words, line.word])


def escaped_for(text: str, quote: str) -> str:
    """A text as it is typed behind an open quote, or behind none."""
    if quote == "'":
        return text.replace("'", "'\\''")
    special = '"$`\\' if quote else ACTIVE
    return "".join(f"\\{character}" if character in special else character for character in text)
