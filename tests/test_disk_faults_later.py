"""Verbs, resumed runs and sweeps whose calls that write fail, one by one: the answer is as documented."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from disk_faults import FILES, SWEEP, Faulty, complaints, faulty, starts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="no compiler on this machine"),
]

COMMANDS = {
    "report": ("finished", ["report", "old", FILES]),
    "accept": ("finished", ["accept", "old"]),
    "rerun": ("finished", ["rerun", "old", "report=[markdown]"]),
    "init": ("empty", ["init", "mine"]),
    "resume": ("torn", ["resume=old", "hydra.run.dir=run", "report=[markdown]"]),
    "sweep": ("empty", [*SWEEP, "seed=1"]),
    "sweep again": ("swept", ["resume=run"]),
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faulty]:
    with faulty(tmp_path_factory.mktemp("faults")) as made:
        yield made


@pytest.fixture(scope="module")
def begins(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return starts(tmp_path_factory.mktemp("starts"), "finished", "torn", "swept")


@pytest.mark.parametrize("command", COMMANDS)
def test_each_call_of_a_command_that_fails_is_answered(command: str, running: Faulty, begins: dict[str, Path]) -> None:
    start, words = COMMANDS[command]
    assert complaints(begins[start], words, running) == []
