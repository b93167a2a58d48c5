"""How a word may go on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from auditfw.commands.completion.candidates import VERBS, candidates
from auditfw.commands.main import VERBS as COMMANDS
from auditfw.kinds import KINDS

MINE = "# @package audit.parsers.mine\n# Mine.\ndefaults: [answer_v2@_here_, _self_]\n"
SECTIONS = [
    {"title": "Each Problem", "blocks": [{"block": "note"}, {"block": "table"}]},
    {"title": "Cost + Quality", "blocks": [{"block": "chart"}]},
    {"title": "Browse", "blocks": [{"block": "gallery"}]},
]
PLUGIN = 'raise SystemExit("completion starts no code")\n'


@pytest.fixture
def project(here: Path) -> Path:
    for name, text in {
        "conf/parser/mine.yaml": MINE,
        "conf/experiment/own.yaml": "# @package _global_\n# Own.\ndefaults:\n  - override /source: csv\n",
        "plugins/loose.py": PLUGIN,
        "logs/a b.eval": "",
        "logs/c.eval": "",
        "temp=0/d.eval": "",
        "mine.jsonl": "",
        ".hidden": "",
        "run/sections.json": json.dumps({"sections": SECTIONS}),
        "run/result.json": json.dumps(
            {
                "gates": [{"name": "kappa"}, {"name": "agreement"}],
                "measurements": [
                    {"metric": "flips", "reading": "raw+v1", "value": 2, "cell": {}},
                    {"metric": "flips", "reading": "raw+v2", "value": 0, "cell": {}},
                    {"metric": "n", "reading": "stored", "value": 9, "cell": {}},
                ],
            }
        ),
        "outputs/parsing/2026-01-01/1/result.json": "{}",
    }.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(text, "utf-8")
    (here / "outputs" / "parsing" / "2026-01-01" / "latest").symlink_to("1")
    return here


def answered(line: str) -> list[str]:
    *words, word = line.split(" ")
    return candidates(words, word)


NUMERIC = ("any", "begin", "exact", "numeric", "numeric_0_3_252", "numeric_0_3_260", "numeric_2025")
PLACES = [f"source.path={name}/" for name in ("outputs", "plugins", "run", "temp=0")]
EXACTLY = [
    ("li", ["list "]),
    ("comp", ["compare ", "completion "]),
    ("par", ["parser="]),
    ("+par", ["+parser="]),
    ("~gate", ["~gate "]),
    ("source=jso", ["source=json ", "source=jsonl "]),
    ("parser=mi", ["parser=mine "]),
    ("parser=[mi", ["parser=[mine,", "parser=[mine] "]),
    ("parser=[stored,mi", ["parser=[stored,mine,", "parser=[stored,mine] "]),
    ("parser=[mine,mi", []),
    ("parser=[stored,answer_v", ["parser=[stored,answer_v1", "parser=[stored,answer_v2"]),
    (
        "scorer=[inspect_match",
        [
            "scorer=[inspect_match,",
            "scorer=[inspect_match] ",
            *(f"scorer=[inspect_match_{name}" for name in NUMERIC),
        ],
    ),
    ("source=[js", []),  # takes one
    ("-m parser=stored,mi", ["parser=stored,mine "]),
    ("experiment=ow", ["experiment=own "]),
    ("solver=sea", ["solver=search "]),  # of the shipped plugin
    ("source.path=mi", ["source.path=mine.jsonl "]),
    ("source.path=logs/", ["source.path=logs/a b.eval ", "source.path=logs/c.eval "]),
    ("source.path=.hi", ["source.path=.hidden "]),
    ("source.path=", ["source.path=conf/", "source.path=logs/", "source.path=mine.jsonl ", *PLACES]),
    ("resume=out", ["resume=outputs/"]),
    ("hydra/job_logging=", [f"hydra/job_logging={name} " for name in ("default", "disabled", "none", "stdout")]),
    ("hydra/l", ["hydra/launcher="]),
    ("hydra/launcher=a", ["hydra/launcher=auditfw "]),
    ("-m hydra/sweeper=", ["hydra/sweeper=auditfw ", "hydra/sweeper=basic "]),
    ("lo", ["logs/"]),
    ("logs/c", ["logs/c.eval "]),
    ("logs/c.eval mi", ["mine.jsonl "]),
    ("temp=0/", ["temp=0/d.eval "]),
    ("temp=0/d.eval lo", ["logs/"]),
    ("check lo", ["logs/"]),
    ("check source=jso", ["source=json ", "source=jsonl "]),
    ("list ga", ["gate "]),
    ("list gate kap", ["kappa "]),
    ("list gate kappa ", []),
    ("help glo", ["glossary "]),
    ("help glossary ", []),
    ("completion ", ["bash ", "fish ", "zsh "]),
    ("explain run ", ["agreement ", "kappa ", "raw+v1 "]),
    ("explain run kappa ", []),
    ("explain nowhere ", []),
    ("exp", ["experiment=", "explain ", "export "]),
    ("export ru", ["run/"]),
    ("export run e", ["each-problem "]),
    ("export run each-problem c", ["cost-quality "]),
    ("export run b", []),
    ("export run format=l", ["format=latex "]),
    ("export run o", ["out="]),
    ("export run out=lo", ["out=logs/"]),
    ("lab", ["label "]),
    ("label ru", ["run/"]),
    ("label run o", ["out=", "overlap="]),
    ("label run format=[c", ["format=[csv,", "format=[csv] "]),
    ("label run format=label", ["format=label_studio "]),
    ("label run out=lo", ["out=logs/"]),
    ("label run by=x", []),
    ("plan run wi", ["width="]),
    ("plan run width=", []),
    ("export nowhere f", ["format=csv ", "format=latex ", "format=svg "]),
    ("report outputs/p", ["outputs/parsing/"]),
    ("report la", ["latest "]),
    ("--config-dir lo", ["logs/"]),
    ("--cfg j", ["job "]),
    ("explain --", ["--json "]),
    ("--mul", ["--multirun "]),
    ("seed=1 lo", []),  # a path comes before all other words
    ("seed=", []),
    ("gates.", []),  # settings are not completed
    ("rerun run gat", ["gate="]),
    ("nowhere/", []),
]


@pytest.mark.parametrize(("line", "expected"), EXACTLY)
def test_a_word_may_go_on_as(project: Path, line: str, expected: list[str]) -> None:
    assert answered(line) == expected


def test_the_first_word_may_be_any_command_group_or_key(project: Path) -> None:
    first = set(candidates([], ""))
    assert {f"{name} " for name in VERBS} <= first
    assert {f"{kind}=" for kind, one in KINDS.items() if one.place} <= first
    assert {"experiment=", "hydra/launcher="} <= first
    assert not any(name.startswith(("logs", "mine")) for name in first), "paths only where one is begun"


def test_commands_are_those_there_are() -> None:
    assert VERBS is COMMANDS


OFFERED = """
from auditfw.commands.completion.candidates import GROUPS, know_plugins, options
from auditfw.config.variants import names_of_group as shown
from auditfw.config.plugins import load_plugins
from auditfw.kinds.component_index import shipped
from auditfw.kinds.registry import registered

know_plugins()
named = {(group, name) for group in GROUPS for name in options(group)}
load_plugins()
theirs = {(one.kind, one.name) for one in registered() if not shipped(one.origin)}
print(named == {(group, name) for group in GROUPS for name in shown(group)} - theirs, len(named) > 200)
"""


def test_names_are_those_that_the_help_shows_but_components_of_plugins(here: Path) -> None:
    """Nothing is imported for it but the shipped plugin."""
    done = subprocess.run([sys.executable, "-c", OFFERED], cwd=here, capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"


def test_safe_mode_leaves_out_the_current_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITFW_SAFE", "1")
    assert answered("parser=mi") == answered("experiment=ow") == []
