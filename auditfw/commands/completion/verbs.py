"""The commands there are: where each is, and what the words behind it are, for shells to complete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Takes = Literal["topic", "kind", "overrides", "folder", "runs", "gate", "tables", "shell"]


class Verb(NamedTuple):
    """The module and function of a command, what its words are, and its flags."""

    module: str
    function: str
    takes: Takes
    flags: tuple[str, ...] = ()


VERBS: Mapping[str, Verb] = {
    "help": Verb(".help", "show", "topic"),
    "list": Verb(".list", "list_components", "kind", ("--json",)),
    "check": Verb(".check", "check", "overrides", ("-m", "--multirun", "--config-dir", "--config-name")),
    "doctor": Verb(".check", "check", "overrides", ("-m", "--multirun", "--config-dir", "--config-name")),
    "init": Verb(".init", "init", "folder"),
    "report": Verb(".report", "report", "runs"),
    "sweep": Verb(".sweep.summary", "show_summary", "runs"),
    "compare": Verb(".compare", "compare", "runs", ("--json", "--markdown")),
    "accept": Verb(".comparison.accepted", "accept", "runs"),
    "rerun": Verb(".rerun", "rerun", "runs", ("--trust",)),
    "probe": Verb(".probe", "probe", "overrides", ("--config-dir",)),
    "explain": Verb(".explain", "explain", "gate", ("--json",)),
    "export": Verb(".export.command", "export", "tables"),
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
