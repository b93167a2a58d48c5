"""`auditfw.run`: an audit as a guest in somebody else's program, which finds everything as it was."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import localcontext
from pathlib import Path
from typing import Any

from auditfw.commands.paths.bare_words import check_bare_words
from auditfw.commands.paths.command import with_paths
from auditfw.commands.run import execute
from auditfw.config import build as bridge
from auditfw.config.hydra.arguments import check_targets, sets_hydra
from auditfw.config.hydra.errors import as_audit_error
from auditfw.config.hydra.state import composing_state
from auditfw.config.quoting import with_quoted_paths
from auditfw.config.variants import following
from auditfw.core.errors import UsageError
from auditfw.core.imports import importable
from auditfw.core.records import Result
from auditfw.core.sampling import random_state_restored
from auditfw.kinds import KINDS

WHERE = "run"
REPORT = "report"
Wanted = Mapping[str, Any] | Sequence[str | Path] | str | Path


def run(what: Wanted, folder: Path | str | None = None) -> Result:
    """Runs an audit from Python: `run({"experiment": "answer_parsing", "source": {"use": "frame", "frame": frame}})`.

    `what` is settings, as a dict or a DictConfig: names choose variants as on the command line ("experiment", "parser":
    [...], "matcher": "exact" or a list); mappings are settings; one with its own `use` replaces what the experiment had
    there; a config that was composed completely is taken as it is. Or it is the words of a command, as a list:
    `run(["experiment=posiwid", "seed=3"])`. Or a path to what is to be audited: `run("mine.jsonl")`.
    Nothing is printed, unless a report that prints is chosen. Raises AuditError.
    """
    with _as_before(), importable():
        try:
            settings = _settings(bridge.as_plain(what))
        except Exception as error:
            raise as_audit_error(error) or error from None
        return execute(settings, Path(folder) if folder is not None else None)


@contextmanager
def _as_before() -> Iterator[None]:
    """Puts back what libraries that are imported, and components, change in the process beyond their own modules."""
    variables, folder, words = dict(os.environ), os.getcwd(), sys.argv
    try:
        with warnings.catch_warnings(), localcontext(), random_state_restored():
            yield
    finally:
        sys.argv = words
        if os.environ != variables:
            for name in os.environ.keys() - variables:
                del os.environ[name]
            os.environ.update(variables)
        if os.getcwd() != folder:
            os.chdir(folder)


def _settings(what: Any) -> dict[str, Any]:
    """The settings of a run. Raises AuditError, or what Hydra raises."""
    if isinstance(what, Mapping):
        return _of_settings(what)
    if isinstance(what, str | Path):
        if not os.path.exists(what) and "=" in str(what):
            raise UsageError(WHERE, "no such file or folder", str(what), f"write overrides as a list: run(['{what}'])")
        return _of_words([str(what)], WHERE)
    if isinstance(what, Sequence) and all(isinstance(word, str | Path) for word in what):
        return _of_words(list(map(str, what)), WHERE)
    raise UsageError(WHERE, "expected settings, a list of overrides or a path", type(what).__name__)


def _of_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    chosen: dict[str, Any] = {REPORT: []}
    plain: dict[str, Any] = {}
    for key, value in settings.items():
        names = isinstance(value, str) or (isinstance(value, list | tuple) and all(isinstance(v, str) for v in value))
        (chosen if names and (key in KINDS or key == "experiment") else plain)[key] = value
    composed = bridge.compose([bridge.override(key, value) for key, value in chosen.items()])
    if {"audit", *composed}.difference(KINDS.keys() - {"audit"}) <= plain.keys():
        return plain  # composed by the program's own Hydra: nothing of the default experiment belongs to it
    return following(composed, plain)


def _of_words(words: Sequence[str], where: str) -> dict[str, Any]:
    with composing_state():
        words = ran_alone(words, where)
        chosen = any(word.partition("=")[0] == REPORT for word in words)
        return bridge.compose(words if chosen else [f"{REPORT}=[]", *words])


def ran_alone(words: Sequence[str], where: str) -> list[str]:
    """The overrides of one run, from those of a command that may begin with paths. Raises AuditError."""
    for word in words:
        if word.startswith("-") or sets_hydra(word):
            do = "write settings and choices; folder=... is where the files go"
            raise UsageError(where, "runs one audit, without flags and settings of Hydra", word, do)
    check_targets(words)
    bridge.prepare()
    words = with_quoted_paths(words)
    check_bare_words(words)
    return with_paths(words).words
