"""`main` in a process of somebody else's: what it changes there is put back, and a second call does the same."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hydra.core.global_hydra import GlobalHydra

from auditfw.commands.main import _restored, main

SMALL = ("source.where='temperature = 0'", "parser=[stored]", "normalizer=[v1]")
COMMANDS = {
    "a run": ((*SMALL, "report=[json]"), 0),
    "a sweep": ((*SMALL, "report=[]", "-m", "seed=1,2"), 0),
    "a config": (("--cfg", "job", "-p", "seed"), 0),
    "a folder of configs": (("--config-dir", "own", "--cfg", "job", "-p", "seed"), 0),
    "a verb": (("list", "gate"), 0),
    "a mistake": (("sede=1",), 2),
    "a mistake in a value": (("seed=x",), 2),
    "no such page": (("help", "safty"), 2),
}


assert pl.__version__  # it sets a variable of its allocator when it is imported


def of_the_process() -> dict[str, Any]:
    """What a command may change in its process, and others rely on."""
    root = logging.getLogger()
    return {
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "arguments": sys.argv[:],
        "signals": [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)],
        "logging": (root.handlers[:], root.level, logging.raiseExceptions, logging.root.manager.disable),
        "hydra": GlobalHydra.instance().is_initialized(),
        "collector": gc.get_threshold(),
    }


def test_a_log_on_a_full_disk_ends_nothing() -> None:
    with _restored():
        handler = logging.FileHandler("/dev/full")
        handler.stream.write("what is still to be written when it is closed")
        logging.getLogger().addHandler(handler)
    assert handler not in logging.getLogger().handlers


QUICK = "a mistake in a value"


@pytest.mark.parametrize(
    ("name", "full_error"),
    [
        *((name, None) for name in COMMANDS),
        *(pytest.param(name, "0", marks=[pytest.mark.slow] * (name != QUICK)) for name in COMMANDS),
    ],
)
def test_a_command_leaves_the_process_as_it_was(
    name: str, full_error: str | None, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words, code = COMMANDS[name]
    (here / "own").mkdir()
    monkeypatch.delenv("HYDRA_FULL_ERROR", raising=False)
    if full_error is not None:
        monkeypatch.setenv("HYDRA_FULL_ERROR", full_error)
    before, outputs = of_the_process(), []
    for _ in range(2):
        assert main(words) == code
        assert of_the_process() == before
        outputs.append(capsys.readouterr().out)
    if name != "a sweep":  # which prints the name of its folder
        assert outputs[0] == outputs[1]


def test_a_folder_of_configs_is_that_of_its_command(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "own" / "gate").mkdir(parents=True)
    (here / "own" / "gate" / "mine.yaml").write_text("# @package gates.mine\n# Mine.\ndefaults: [kappa@_here_]\n")
    assert main(["--config-dir", "own", "list", "gate"]) == 0
    assert "mine" in capsys.readouterr().out
    assert main(["list", "gate"]) == 0
    assert "mine" not in capsys.readouterr().out
