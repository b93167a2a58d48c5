"""The sources that recognise their own files, and the shipped scorers for the rules of their logs."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from auditfw.components.files.files import check_regular, is_empty, missing
from auditfw.components.files.looks.first_look import first_look, glimpse
from auditfw.components.files.walk import UNREADABLE, PassedOver, named, once, parts, walked, why_left_out
from auditfw.config.plugins import load_plugins
from auditfw.config.schema import load
from auditfw.config.variants import find
from auditfw.core.errors import AuditError, DataError, NothingAudited
from auditfw.core.interrupts import look
from auditfw.kinds.capabilities import capability
from auditfw.kinds.component_index import LOGS, RECOGNISERS, shipped
from auditfw.kinds.evidence import ScorerRule, ShippedScorer
from auditfw.kinds.first_look import FirstLook, Recognised
from auditfw.kinds.registry import component, registered


@cache
def log_sources() -> tuple[str, ...]:
    """The names of the sources of logs, which recognise their files; plugins' among them."""
    load_plugins()
    theirs = (one.name for one in registered() if one.kind == "source" and not shipped(one.cls.__module__))
    return tuple(sorted([*LOGS.split(), *(name for name in theirs if declared(name, "recognises") is not None)]))


def declared(source: str, name: str, default: Any = None) -> Any:
    """What a source declares under a name; it is imported when it is asked."""
    return capability(component("source", source).cls, name, default)


def source_of(look: FirstLook) -> str | None:
    """The source of a harness's log; None for any other file."""
    return next((name for name in log_sources() if declared(name, "recognises")(look)), None)


@cache
def recognisers(name: str) -> tuple[Callable[..., Recognised | None], ...]:
    """What components declare as `proposes` or `lacks`, in the order in which they are asked; plugins' are the last.

    Those that are shipped lie beside their components, so that none is imported that is not chosen.
    """
    load_plugins()
    ours = [one.split(".") for one in RECOGNISERS.split()]
    modules = {kind: import_module(f"auditfw.components.{kind}.recognised") for kind, _ in ours}
    theirs = [one.cls for one in registered() if not shipped(one.cls.__module__)]
    asked = [
        *(getattr(modules[kind], f"{one}_{name}", None) for kind, one in ours),
        *(capability(one, name) for one in theirs),
    ]
    return tuple(one for one in asked if one is not None)


def written_beside(look: FirstLook, logs: Mapping[str, list[str]]) -> tuple[str, list[str]] | None:
    """The source beside whose logs a file was written that is none itself, with further logs; None for other files.

    Raises DataError for a file that means nothing without logs, where there are none.
    """
    for name in log_sources():
        further = declared(name, "beside_logs", _nothing)(look, logs.get(name, []))
        if further is not None:
            return name, further
    return None


def _nothing(look: FirstLook, logs: list[str]) -> None:
    """What a source says of a file that declares nothing of files beside its logs."""


class LogRule(ShippedScorer):
    """The same as it is written in a command."""

    __slots__ = ()

    def holds(self, at: Version) -> bool:
        """Whether the rule is that of this release of its program; one that says nothing holds for all."""
        versions = (find("scorer", self.name, "").get("holds") or {}) if self.name else {}
        return all(SpecifierSet(one).contains(at) for one in versions.values())

    @property
    def reads_text(self) -> bool:
        """Whether it reads the text of the model, and not what was stored as its answer."""
        return bool(load("scorer", self.name).parser.column == "raw_text")

    def words(self) -> list[str]:
        """The overrides that set the scorer."""
        return [f"audit.scorers.{self.name}.{word}" for word in self.settings]

    def inline(self) -> str:
        """The rule as one of several, its settings with it."""
        if not self.settings:
            return self.name
        parts: dict[str, list[str]] = {}
        for word in self.settings:
            place, _, value = word.partition("=")
            part, _, key = place.partition(".")
            parts.setdefault(part, []).append(f"{key}: {value}")
        inner = (f"{part}: {{{', '.join(words)}}}" for part, words in parts.items())
        return f"{{use: {', '.join([self.name, *inner])}}}"


def rule_of(source: str, rule: ScorerRule) -> LogRule:
    """The shipped scorer for a rule that a source declares: of several the one that holds for its version.

    Of a version that cannot be read it is the newest, of one before all that are known the oldest.
    """
    states = states_of(source, rule)
    at = release(rule.version)
    return states[0] if at is None else next((one for one in states if one.holds(at)), states[-1])


def states_of(source: str, rule: ScorerRule) -> list[LogRule]:
    """The shipped scorers for a rule that a source declares, one for each of its states, the newest first."""
    scorers_of = declared(source, "scorers_of")
    if scorers_of is None:
        return [LogRule(why="the log does not say how it was scored")]
    return [LogRule(*one) for one in scorers_of(rule)]


def release(version: str) -> Version | None:
    """The release that a version is, or is made after; None where it cannot be read."""
    try:
        return Version(Version(version).base_version)
    except InvalidVersion:
        return None


# The files that the paths of a command name, and those in its folders: logs of harnesses, tables, and the rest.

MOST_FILES = 100_000


@dataclass
class Scan:
    """The logs of each harness by its source, what harnesses write beside them, and other files.

    `others` are those that can be read as something, `unread` those that cannot, `empty` those of no bytes, `own` the
    folders that auditfw itself wrote; `roots` are the paths as they were named; `left_out` is what is no file there.
    """

    roots: tuple[str, ...]
    logs: dict[str, list[str]] = field(default_factory=dict)
    beside: list[str] = field(default_factory=list)
    others: list[FirstLook] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    left_out: PassedOver = field(default_factory=PassedOver)


def scanned(paths: Sequence[str]) -> Scan:
    """Looks at each file that the paths name. Raises AuditError where that is nothing, or cannot be read."""
    scan = Scan(tuple(paths))
    files = once(dict.fromkeys(_files(scan)), scan.left_out)
    if not files:
        raise _no_source(scan)
    for path in files:
        look()
        _take(scan, path, path in paths)
    if len(scan.empty) == len(files):
        raise NothingAudited(scan.roots[0], "is empty" if len(files) == 1 else f"all {len(files):,} files are empty")
    _tell_apart(scan)
    return scan


def _files(scan: Scan) -> Iterator[str]:
    """The files, those of each folder in the order of their paths. Raises DataError for too many."""
    for root in scan.roots:
        if not os.path.isdir(root):
            yield root
            continue
        inside: list[str] = []
        for path in walked(root, scan.left_out, partial(_is_own, scan)):
            inside.append(path)
            if len(inside) > MOST_FILES:
                raise DataError(root, f"holds more than {MOST_FILES:,} files", None, "name a folder in it")
        yield from sorted(inside, key=parts)


def _is_own(scan: Scan, folder: str, folders: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a folder is one of a run or a sweep of auditfw; it is kept."""
    known = ".hydra" in folders or {"result.json", "manifest.json"} <= {*names} or {"plan.json", "sweep.md"} <= {*names}
    if known:
        scan.own.append(folder)
    return known


def _no_source(scan: Scan) -> AuditError:
    """The error for paths that name no file at all."""
    if scan.own:
        do = "auditfw report, compare, rerun and sweep take such folders"
        return DataError(scan.own[0], "is the folder of a run or sweep of auditfw, which holds no logs", None, do)
    if scan.left_out:
        return scan.left_out.refusal(scan.roots[0])
    return NothingAudited(scan.roots[0], "the folder holds no file", None, "name a folder with logs")


def _take(scan: Scan, path: str, named: bool) -> None:
    """Looks at one file; one that the user named must be readable. Raises AuditError."""
    if is_empty(path):
        scan.empty.append(path)
        return
    try:
        check_regular(path)
        seen = glimpse(path)
        name = source_of(seen) if seen is not None else None
        if name is None:
            seen = first_look(path)
            name = source_of(seen)
    except (AuditError, OSError, UnicodeError) as error:
        if named and len(scan.roots) == 1:
            raise missing(path, error) if isinstance(error, OSError) else error from None
        reason = UNREADABLE if isinstance(error, PermissionError) else why_left_out(path, None)
        if reason is None:
            scan.unread.append(path)
        else:
            scan.left_out.add(path, reason)
        return
    if name is not None:
        scan.logs.setdefault(name, []).append(path)
    elif seen is not None:
        scan.others.append(seen)


def _tell_apart(scan: Scan) -> None:
    """Takes what a harness writes beside its logs out of the other files; alone it stands for the logs beside it.

    Raises DataError where that is all there is, and no logs are beside it.
    """
    others, further = [], {name: list(paths) for name, paths in scan.logs.items()}
    refused: list[AuditError] = []
    for seen in scan.others:
        try:
            found = written_beside(seen, scan.logs)
        except AuditError as error:
            refused.append(error)
            found = None
        if found is None:
            others.append(seen)
            continue
        name, logs = found
        scan.beside.append(seen.path)
        further[name] = list(dict.fromkeys([*further.get(name, []), *logs]))
    if refused and len(refused) == len(scan.others):
        raise refused[0]
    scan.others, scan.logs = others, scan.logs or further


def left_out(scan: Scan, used: Collection[str]) -> list[str]:
    """The warnings about files that no run reads."""
    unknown = [*scan.unread, *(one.path for one in scan.others if one.path not in used)]
    lines = [named(unknown, "file", "not recognised")] if unknown else []
    lines += [named(scan.empty, "file", "empty")] if scan.empty else []
    lines += [named(scan.own, "folder", "of auditfw itself")] if scan.own else []
    return lines + scan.left_out.lines()
