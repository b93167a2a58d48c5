"""Audits whose calls that write fail, one by one: the answer is as documented.

`AUDITFW_FAULTS=all pytest -m slow tests/test_disk_faults.py -s` meets each refusal at each call, and prints what came
of them. Other commands are in a file of their own, which another process takes.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from disk_faults import FILES, SMALL, Faulty, complaints, faulty, starts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="no compiler on this machine"),
]

COMMANDS = {
    "parsing": [*SMALL, "hydra.run.dir=run"],
    "alignment": ["experiment=posiwid", "hydra.run.dir=run", FILES],
    "consistency": ["experiment=cross_agent_reference", "hydra.run.dir=run"],
    "self_audit": ["experiment=self_audit", "source.limit=2", "hydra.run.dir=run", "report=[markdown]"],
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faulty]:
    with faulty(tmp_path_factory.mktemp("faults")) as made:
        yield made


@pytest.mark.parametrize("command", COMMANDS)
def test_each_call_of_an_audit_that_fails_is_answered(command: str, running: Faulty, tmp_path: Path) -> None:
    assert complaints(starts(tmp_path)["empty"], COMMANDS[command], running) == []
