"""The words of a command line, checked before Hydra gets them: flags that fit, folders, no code by name."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from auditfw.core.errors import TARGET, TARGET_ADVICE, UsageError, nearest

MODES = ("run", "multirun", "cfg", "info", "shell_completion")  # of which Hydra does one
COMPLETIONS = ("install", "uninstall", "query")

WITH_WORD = (
    *("--cfg", "-c", "--package", "-p", "--config-path", "-cp", "--config-name", "-cn", "--config-dir", "-cd"),
    "--experimental-rerun",
)  # flags that take the word behind them
INFO = ("--info", "-i")  # takes one of these words, or none
INFOS = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")

SUBDIR = "hydra.sweep.subdir"  # names the folder of a job within that of its sweep
_TARGET = re.compile(r"(?<![\w/-])_target_['\"]?\s*[=:]")


def check_targets(argv: Sequence[str]) -> None:
    """Refuses a word that would let a config name code to run. Raises UsageError."""
    for word in argv:
        if _TARGET.search(word):
            key = word.partition("=")[0].lstrip("+~")
            raise UsageError(key, TARGET, word, TARGET_ADVICE)


def sets_hydra(word: str) -> bool:
    """Whether a word sets or chooses something of Hydra's own."""
    return word.lstrip("+~").startswith(("hydra.", "hydra/"))


def flags_last(argv: Sequence[str]) -> list[str]:
    """The words of a command line, and behind them its flags, which may be anywhere; each keeps the word it takes."""
    words: list[str] = []
    flags: list[str] = []
    before = ""
    for word in argv:
        taken = before in WITH_WORD or (before in INFO and word in INFOS)
        (flags if taken or word.startswith("-") else words).append(word)
        before = word
    return [*words, *flags]


def check_flags(argv: Sequence[str]) -> argparse.Namespace:
    """What Hydra's own parser makes of the words. Raises UsageError for flags that it would not take."""
    from hydra._internal.utils import get_args_parser

    parser = get_args_parser()
    parser.allow_abbrev = False  # a shortened --config-dir would pass by the checks of its files
    actions = {flag: action for action in parser._actions for flag in action.option_strings}

    def refuse(message: str) -> NoReturn:
        of_flag = re.match(r"argument (--?[\w-]+)\S*: (.*)", message)
        if of_flag is not None:
            raise UsageError(of_flag[1], of_flag[2], None, _usage(of_flag[1], actions[of_flag[1]]))
        flag = next((word for word in message.split() if word.startswith("-")), "command line")
        raise UsageError(flag, "no such flag", None, nearest(flag, sorted(actions)))

    parser.error = refuse  # type: ignore[method-assign]
    words = parser.parse_args([word for word in argv if word not in ("--version", "--help", "-h", "--hydra-help")])
    _check_together(words)
    return words


def _usage(flag: str, action: argparse.Action) -> str:
    """What to write for a flag that has a wrong value, or none, or should have none."""
    if action.nargs == 0:
        return f"write {flag} alone"
    return f"write {flag} {' or '.join(map(str, action.choices)) if action.choices else 'VALUE'}"


def _check_together(words: argparse.Namespace) -> None:
    """Refuses flags that Hydra does not take together, or not as they are."""
    modes = [mode for mode in MODES if getattr(words, mode)]
    if len(modes) > 1:
        flags = " ".join(f"--{mode.replace('_', '-')}" for mode in modes)
        raise UsageError(flags, "use only one of these at a time", None, "leave out the others")
    if words.resolve and not words.cfg:
        raise UsageError("--resolve", "works only with --cfg", None, "write --cfg job --resolve")
    if words.experimental_rerun is not None:
        do = "auditfw rerun RUN runs a finished run again"
        raise UsageError("--experimental-rerun", "is not supported: a pickled job is code", None, do)
    _check_completion(words)


def _check_completion(words: argparse.Namespace) -> None:
    if not words.shell_completion:
        return
    actions = [word for word in words.overrides if word.partition("=")[0] in COMPLETIONS]
    if len(actions) != 1:
        do = "write --shell-completion install=bash (or zsh, fish)"
        raise UsageError("--shell-completion", "needs one of install, uninstall, query", None, do)
    if actions[0].startswith("query=") and "COMP_LINE" not in os.environ:
        raise UsageError("--shell-completion", "only the shell sends query", actions[0], "write install=bash")


def check_climb(key: str, value: str) -> None:
    """Raises UsageError for the value of a folder's key that climbs, or holds what no name can."""
    wrong = ".." if ".." in Path(value).parts else "\0" if "\0" in value else None
    if wrong is not None:
        do = "name a folder below the current one, or an absolute path"
        raise UsageError(key, f"a run folder must not contain {wrong!r}", value, do)
