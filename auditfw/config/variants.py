"""Where configs and plugins are, and named variants: the YAML files of conf/<kind>/, read as plain settings.

A variant extends a component (or another variant) and sets some of its settings:

    # @package audit.parsers.answer_v2
    # One sentence that says what it does.
    defaults: [steps@_here_, _self_]
    steps: [strip]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditfw.core.errors import AuditError, UsageError, nearest
from auditfw.core.imports import safe_mode
from auditfw.kinds import KINDS
from auditfw.kinds.component_index import MODULES
from auditfw.kinds.registry import names

from .safe_yaml import defaults_of, load_yaml, text_of

PACKAGE = Path(__file__).resolve().parent.parent
CONFIG_DIR = ("--config-dir", "-cd")

SCORER = "scorer"
PARTS = ("parser", "normalizer", "matcher")  # of a scorer
RAW = "raw_text"  # what a parser reads where it does not say

_config_dirs: list[Path] = []
_plugin_folders: dict[str, Path] = {}


def shipped_conf() -> Path:
    """The shipped conf/ folder: inside the package as installed, beside it in a checkout."""
    inside = PACKAGE / "conf"
    return inside if inside.is_dir() else PACKAGE.parent / "conf"


def user_plugins() -> Path | None:
    """The `plugins/` of the current folder, unless it is this project's own or safe mode is on."""
    return _user_folder("plugins", shipped_conf().parent / "plugins")


def _user_folder(name: str, ours: Path) -> Path | None:
    folder = Path.cwd() / name
    if safe_mode() or not folder.is_dir() or folder.resolve() == ours.resolve():
        return None
    return folder


@dataclass(frozen=True)
class Variant:
    """A named variant: the component it ends in, its settings (with `use`), its doc line, its file."""

    kind: str
    name: str
    doc: str
    settings: Mapping[str, Any]
    origin: str


def add_conf_folder(distribution: str, folder: Path) -> None:
    """Adds the conf/ folder of an installed plugin."""
    _plugin_folders[distribution] = folder


def take_config_dirs(argv: Sequence[str]) -> list[str]:
    """Takes --config-dir FOLDER out of the words, so that these files too are read through the guard."""
    _config_dirs.clear()
    rest: list[str] = []
    words = iter(argv)
    for word in words:
        flag, _, value = word.partition("=")
        if flag not in CONFIG_DIR:
            rest.append(word)
            continue
        folder = value or next(words, "")
        if not folder:
            raise UsageError(CONFIG_DIR[0], "needs a folder", None, "write --config-dir FOLDER")
        if not Path(folder).is_dir():
            raise UsageError(CONFIG_DIR[0], "no such folder", folder)
        _config_dirs.append(Path(folder))
    return rest


def conf_folders() -> list[tuple[str, Path]]:
    """All conf/ folders with where they come from, the one that wins first."""
    mine = _user_folder("conf", shipped_conf())
    folders = [(CONFIG_DIR[0], folder) for folder in _config_dirs]
    folders += [("conf/", mine)] if mine is not None else []
    folders += sorted(_plugin_folders.items())
    return [*folders, ("auditfw", shipped_conf())]


def variants(kind: str) -> dict[str, Variant]:
    """All named variants of a kind by name, sorted."""
    by_name: dict[str, Variant] = {}
    for origin, folder in reversed(conf_folders()):
        for file in sorted((folder / kind).glob("*.yaml")):
            by_name[file.stem] = _read(kind, file, origin)
    return dict(sorted(by_name.items()))


def shipped_parts() -> dict[str, dict[str, Mapping[str, Any]]]:
    """The settings of what is shipped of parsers, normalizers and matchers, by kind and name, sorted.

    These are named variants, components with their defaults, and the parts of scorers that read the raw text: one of
    the stored answer has no part that others have not.
    """
    scorers = {name: one for name, one in _shipped(SCORER).items() if one["parser"].get("column", RAW) == RAW}
    parts: dict[str, dict[str, Mapping[str, Any]]] = {}
    for kind in PARTS:
        own = {name: {"use": name} for of, name in MODULES if of == kind}
        inside = {name: one[kind] for name, one in scorers.items()}
        parts[kind] = dict(sorted((inside | own | _shipped(kind)).items()))
    return parts


def _shipped(kind: str) -> dict[str, Mapping[str, Any]]:
    """The settings of the shipped variants of a kind."""
    return {file.stem: _read(kind, file, "auditfw").settings for file in (shipped_conf() / kind).glob("*.yaml")}


def part_of_scorer(kind: str, name: str) -> dict[str, Any] | None:
    """The settings of the parser, normalizer or matcher of a scorer; None where no scorer has this name.

    It can be chosen by the scorer's name, where no component and no variant of its kind has that.
    """
    if kind not in PARTS or not any((folder / SCORER / f"{name}.yaml").is_file() for _, folder in conf_folders()):
        return None
    part = find(SCORER, name, "").get(kind)
    return dict(part) if isinstance(part, Mapping) else None


def find(kind: str, name: str, where: str) -> dict[str, Any]:
    """The settings that a name stands for: a named variant, else a component with its defaults.

    Raises UsageError with the nearest name.
    """
    for origin, folder in conf_folders():
        file = folder / kind / f"{name}.yaml"
        if file.is_file():
            return dict(_read(kind, file, origin).settings)
    if name in names(kind):
        return {"use": name}
    part = part_of_scorer(kind, name)
    if part is not None:
        return part
    raise UsageError(where, f"no {kind} named '{name}'", None, nearest(name, known_names(kind)))


def known_names(kind: str) -> list[str]:
    """The names of a kind's components and variants, sorted, those of scorers' parts too; no file is read."""
    return sorted({*names_of_group(kind), *(names_of_group(SCORER) if kind in PARTS else ())})


def names_of_group(group: str) -> list[str]:
    """The names of the components of a kind, and of the files of a group, sorted; no file is read."""
    files = [file for _, folder in conf_folders() for file in (folder / group).glob("*.yaml")]
    return sorted({*names(group), *(file.stem for file in files)})


def _read(kind: str, file: Path, origin: str) -> Variant:
    content = load_yaml(file)
    if not isinstance(content, dict):
        raise UsageError(str(file), "a variant must be a mapping of settings", type(content).__name__)
    settings: dict[str, Any] = {}
    bases = defaults_of(file, content)
    content.pop("defaults", None)
    for base in bases:
        name = base.split("@")[0] if isinstance(base, str) else ""
        if name == "_self_" or not name:
            continue
        if name == file.stem:
            raise UsageError(str(file), "a variant cannot extend itself", name)
        try:
            settings = merged(settings, find(kind, name, str(file)))
        except RecursionError:
            raise UsageError(str(file), "extends itself", name, "leave it out of 'defaults'") from None
    if kind == SCORER:  # so that settings of a part can be laid over those that its name stands for
        named = {part: content[part] for part in PARTS if isinstance(content.get(part), str)}
        content |= {part: find(part, name, f"{file}: {part}") for part, name in named.items()}
    return Variant(kind, file.stem, doc_line(file), merged(settings, content), origin)


def merged(below: Mapping[Any, Any], above: Mapping[Any, Any]) -> dict[Any, Any]:
    """Settings over others: mappings are merged, but one that names its component and all else stand instead."""
    made = dict(below)
    for key, value in above.items():
        both = isinstance(made.get(key), Mapping) and isinstance(value, Mapping) and "use" not in value
        made[key] = merged(made[key], value) if both else value
    return made


def doc_line(file: Path) -> str:
    """The first comment of a YAML file that is not the package header."""
    for line in text_of(file).split("\n"):
        text = line.strip()
        if text.startswith("#") and not text.startswith("# @package"):
            return text.lstrip("# ").strip()
        if text and not text.startswith("#"):
            break
    return ""


def listed(settings: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The settings of the components that a list of this kind named, by name; empty where one is chosen.

    Values are no components: the first of several is at the kind's own place alone.
    """
    if KINDS[kind].of_values:
        return {}
    node: Any = settings
    for word in (KINDS[kind].list_place or "").removesuffix(".{name}").split("."):
        node = node.get(word) if isinstance(node, Mapping) else None
    return dict(node) if isinstance(node, Mapping) else {}


def first_of(settings: Mapping[str, Any], kind: str, chosen: Any) -> tuple[str, Any]:
    """The place and settings of the first of several; where one is chosen, `chosen`, those at the kind's own place.

    Raises UsageError where a setting at that place is another than the first one's.
    """
    name, first = next(iter(listed(settings, kind).items()), ("", None))
    place = str(KINDS[kind].place)
    if not isinstance(first, Mapping) or "use" not in first:
        return place, chosen
    at = str(KINDS[kind].list_place).format(name=name)
    if isinstance(chosen, Mapping) and any(first.get(key) != value for key, value in chosen.items()):
        raise UsageError(place, f"differs from {at}, the first of several", None, f"set it there: {at}.KEY=...")
    return at, first


def place_of(kind: str, name: str) -> str:
    """Where the settings of one of several components of a kind are, by its name."""
    return (KINDS[kind].list_place or KINDS[kind].place or "").format(name=name)


def with_variant(
    look_up: Callable[[str, str, str], dict[str, Any]], kind: str, settings: Mapping[str, Any], path: str
) -> Mapping[str, Any]:
    """Settings over those of the variant that their `use` names; as they are where there is none of that name."""
    try:
        variant = look_up(kind, settings["use"], path)
    except AuditError:
        return settings  # whoever builds it reports the error
    return merged(variant, {key: value for key, value in settings.items() if key != "use"})


def following(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Settings after changes to them: one that has changed in a list is the same at the kind's own place."""
    changed = merged(settings, changes)
    for kind in filter(lambda kind: listed(changes, kind), KINDS):
        group, _, name = str(KINDS[kind].place).partition(".")
        if name not in changes[group]:
            changed[group] = {**changed[group], name: next(iter(listed(changed, kind).values()))}
    return changed
