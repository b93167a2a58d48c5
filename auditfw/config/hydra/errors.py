"""Errors of Hydra and OmegaConf as one line: where, what is wrong, and what to write instead."""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Sequence
from typing import Any

from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf.errors import OmegaConfBaseException

from auditfw.config.choices import GROUPS
from auditfw.config.hints import hints
from auditfw.config.variants import conf_folders, variants
from auditfw.core.errors import AuditError, IncompleteError, UsageError, near, nearest
from auditfw.core.files import refused
from auditfw.kinds import KINDS
from auditfw.kinds.component_index import shipped
from auditfw.kinds.registry import component, names, registered

KNOWN = (HydraException, OmegaConfBaseException)
PLACES = [kind.list_place or kind.place or "" for kind in KINDS.values()]
NO_THREAD = "can't start new thread"  # a RuntimeError of Python's
MAPS = tuple(place.removesuffix("{name}") for place in PLACES if "{name}" in place)


def as_audit_error(error: BaseException) -> AuditError | None:
    """The AuditError that an exception stands for, or None where it is a defect of ours."""
    link: BaseException | None = error
    chain: list[BaseException] = []
    while link is not None and link not in chain:
        if isinstance(link, AuditError):
            return link
        chain.append(link)
        link = link.__cause__ or link.__context__
    known = [link for link in chain if isinstance(link, KNOWN)]
    try:
        return _explain(known) if known else _refused(error)
    except AuditError as cause:  # looking for near names met the file that broke it all
        return cause


def unresolved(error: OmegaConfBaseException) -> AuditError:
    """The error for a value that cannot be read from the composed config."""
    key, message = str(error.full_key or "config"), next(iter(_lines(error)), "cannot be read")
    if message.startswith("Recursive interpolation"):
        return UsageError(key, "refers to itself", None, "give one of the keys a value")
    _, by_resolver, cause = message.partition(" raised while resolving interpolation: ")
    if by_resolver:
        return UsageError(key, cause.strip("\"'"))
    wrong = "nterpolation" in type(error).__name__ + message
    return UsageError(key, message, None, "in a pattern, ${ is written [$]{" if wrong else "")


def _refused(error: BaseException) -> AuditError | None:
    """Errors of others: a component that is not ours, or the system (a folder that cannot be made, a full disk)."""
    strangers = {entry.origin for entry in registered() if not shipped(entry.origin)}
    for frame, line in reversed([*traceback.walk_tb(error.__traceback__)]):
        if frame.f_globals.get("__name__") in strangers:
            where = f"{frame.f_code.co_filename}:{line}"
            return IncompleteError(where, "a component failed", f"{type(error).__name__}: {error}", "fix it")
    if isinstance(error, AssertionError) and _modules(error)[-1:] == ["hydra.core.default_element"]:
        do = "write the overrides last"
        return UsageError("defaults", "an entry follows an override in a file's defaults list", None, do)
    if isinstance(error, MemoryError) or str(error) == NO_THREAD:
        do = "raise its limits (ulimit), or set engine.workers=1; then auditfw resume=FOLDER runs the rest"
        return IncompleteError(
            "memory", "the system gives this process no more memory or threads", str(error) or None, do
        )
    refusal = refused(error)
    if refusal is None and _by_hydra(error):
        what = next(iter(_lines(error)), "") or "these overrides do not make a config"
        return UsageError("config", "cannot be composed", what, "check the overrides; --cfg job prints the config")
    return refusal


def _by_hydra(error: BaseException) -> bool:
    """Whether the innermost call that is Hydra's or ours, not another library's, is Hydra's."""
    packages = [module.partition(".")[0] for module in _modules(error)]
    known = [package for package in packages if package in ("auditfw", "hydra", "omegaconf")]
    return known[-1:] not in ([], ["auditfw"])


def _modules(error: BaseException) -> list[str]:
    """The modules that an exception came through, the one that raised it last."""
    return [str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_tb(error.__traceback__)]


def _explain(chain: Sequence[BaseException]) -> AuditError:
    first = chain[0]
    if isinstance(first, MissingConfigException):
        return _missing(first)
    if isinstance(first, OverrideParseException):
        return _unparsed(first)
    if str(first).startswith("Ambiguous value for argument"):
        match = re.search(r"'(.+?)'", str(first))
        word = match.group(1) if match else ""
        key, _, value = word.partition("=")
        return UsageError(
            word, "several values without a sweep", None, f"write {key}=[{value}] for a list, or -m for a sweep"
        )
    for link in chain:
        if isinstance(link, OmegaConfBaseException) and link.key is not None:
            return _key(link, first)
    gone = re.match(r"Could not delete from config\. '(.+)' does not exist", str(first))
    if gone is not None:
        return UsageError(f"~{gone[1]}", "no such key", None, nearest(gone[1], list(GROUPS)))
    return _other(chain)


def _other(chain: Sequence[BaseException]) -> AuditError:
    """The error from the messages of the exceptions: for a failed merge, what is wrong with the value."""
    messages = [lines for link in chain if (lines := _lines(link))]
    layer = re.match(r"In '(.+)': \w+ raised while composing config:", messages[0][0]) if messages else None
    if layer is not None:
        return UsageError(layer[1], _plain(messages[-1][-1]), None, "write the same kind of value")
    merging = re.match(r"Error merging override (.*)", messages[0][0]) if messages else None
    if merging is None:
        lines = messages[0] if messages else ["cannot be composed"]
        return UsageError("config", lines[0], None, "; ".join(lines[1:3]))
    key, _, value = merging[1].partition("=")
    return UsageError(key.lstrip("+~"), _plain(messages[1][0]) if len(messages) > 1 else "cannot be set", value)


def _plain(message: str) -> str:
    """A message in which containers are called what they are in a file."""
    words = message.replace("DictConfig", "a mapping").replace("ListConfig", "a list")
    return re.sub(r"^Cannot merge (.+) with (.+)$", r"\1 and \2 cannot be merged", words)


def _lines(error: BaseException) -> list[str]:
    """The lines of a message, without those in which OmegaConf says where it was."""
    lines = [line.strip() for line in str(error).splitlines()]
    return [line for line in lines if line and not re.match(r"(?:full_key:|object_type=|reference_type=)", line)]


def _missing(error: MissingConfigException) -> AuditError:
    group, _, option = str(error.missing_cfg_file or "").rpartition("/")
    if not group:
        lines = [line for line in str(error).splitlines() if line.strip()]
        return UsageError(option or "config", lines[0] if lines else "not found")
    options = [str(name) for name in error.options or []]
    if not options and group in KINDS:
        options = sorted({*names(group), *variants(group)})  # reads the files: one of them may be what is wrong
    for _, folder in conf_folders():
        file = folder / group / f"{option}.yaml"
        if os.path.exists(file) and not os.path.isfile(file):  # a name may be too long for either
            return UsageError(str(file), "not a file")
    return UsageError(f"{group}={option}", f"no {group} named '{option}'", None, nearest(option, options))


def _unparsed(error: OverrideParseException) -> AuditError:
    lines = [line for line in _lines(error) if not line.startswith("Error parsing override")]
    problem = re.sub(r"^\w+(?:Exception|Error):? ", "", lines[0] if lines else "")
    if problem == str(error.override).strip():  # all that the lexer says
        problem = "a special character that is not quoted"
    unexpected = re.match(r"(?:mismatched|extraneous|no viable alternative at) input ('.*?')(?: expecting|$)", problem)
    if unexpected and "EOF" not in unexpected[1]:
        problem = f"unexpected {unexpected[1]}"
    return UsageError(
        error.override, "not an override", problem, "write key=value, and quote what is special: 'key=\"a(b)\"'"
    )


def _unchosen(key: str) -> str | None:
    """The kind, of which a run takes several, that has the last word of a key at this place; None where none has."""
    place, _, name = key.rpartition(".")
    for kind, described in KINDS.items():
        if described.place == f"{place}.{{name}}" and name in {*names(kind), *variants(kind)}:
            return kind
    return None


def _settable(key: str, parent: Any) -> bool:
    """Whether a key that the config lacks is a setting of the component that is chosen there."""
    place, _, last = key.rpartition(".")
    use = parent.get("use") if hasattr(parent, "keys") else None
    for kind, described in KINDS.items():
        for pattern in filter(None, (described.place, described.list_place)):
            at = re.escape(pattern).replace(r"\{name\}", r"[^.]+")
            if use and re.fullmatch(at, place) and use in names(kind):
                return last in hints(component(kind, use).cls)
    return False


def _key(error: OmegaConfBaseException, first: BaseException) -> AuditError:
    key = str(error.full_key or error.key)
    parent = error.parent_node
    names = [str(k) for k in parent] if parent is not None and hasattr(parent, "keys") else []
    message = _plain(next(iter(_lines(error)), "cannot be set"))
    if "not in struct" in message or "Could not override" in str(first) or "not in" in message:
        place = GROUPS.get(key.partition(".")[0]) or ""
        if "{name}" in place:
            close = near(str(error.key), names) if "." in key else ""
            own = close.replace("'", f"'{key.rpartition('.')[0]}.", 1)
            return UsageError(key, "no such key", None, own or f"its settings are at {place.format(name='NAME')}")
        one = next((k.place for k in KINDS.values() if k.list_place == f"{key}.{{name}}"), None)
        if one is not None:
            return UsageError(key, "no such key", None, f"one is chosen, and its settings are at {one}")
        below = f"'{key}." in str(first)
        if "." not in key and not below:
            names += [name for name in GROUPS if name not in names]
        if (kind := _unchosen(key)) is not None:
            do = f"choose it with {kind}=[{','.join([*names, str(error.key)])}]"
            return UsageError(key, f"the {kind} '{error.key}' is not chosen", None, do)
        if not names:
            whole = key.rpartition(".")[0]
            return UsageError(
                key, "no such key", None, f"{whole} is empty: set it as a whole, '{whole}={{KEY: VALUE}}'"
            )
        if _settable(key, parent):
            return UsageError(key, "is not set in the config yet", None, f"write +{key}=...")
        add = f"; to add a new one write +{key}=..." if key.startswith(MAPS) else ""
        return UsageError(key, "no such key", None, nearest(str(error.key), names) + add)
    return UsageError(key, re.sub(r"^\w+(?:Error|Exception) raised while resolving interpolation: ", "", message))
