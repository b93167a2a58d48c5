"""The sources that recognise their own files, and the shipped scorers for the rules of their logs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from auditfw.config.plugins import load_plugins
from auditfw.config.schema import load
from auditfw.config.variants import find
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

    Those that are shipped are modules of their own, so that no component is imported that is not chosen.
    """
    load_plugins()
    modules = [import_module(f"auditfw.components.{one}") for one in RECOGNISERS]
    theirs = [one.cls for one in registered() if not shipped(one.cls.__module__)]
    asked = [*(getattr(one, name, None) for one in modules), *(capability(one, name) for one in theirs)]
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
    """The shipped scorer for a rule that a source declares: of several the first that holds for its version."""
    scorers_of = declared(source, "scorers_of")
    if scorers_of is None:
        return LogRule(why="the log does not say how it was scored")
    states = scorers_of(rule)
    return LogRule(*next((one for one in states if _holds(one.name, rule.version)), states[0]))


def _holds(name: str, version: str) -> bool:
    """Whether a scorer's rule is that of a program's version; of one that cannot be read every rule may be."""
    try:
        at = Version(Version(version).base_version)
    except InvalidVersion:
        return True
    versions = (find("scorer", name, "").get("holds") or {}) if name else {}
    return all(SpecifierSet(one).contains(at) for one in versions.values())
