"""Workers are forked from a process that may have begun before Hydra: in the folder and environment of their run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from auditfw.commands.start import SCORING, expected_modules
from auditfw.components.engine import server

TWO = "engine.workers=2"
CONFORMITY = "auditfw.components.source.conformity"


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ([TWO], []),
        ([TWO, "source=conformity", "seed=1"], [CONFORMITY]),
        (["experiment=answer_parsing", "source=conformity", TWO, "matcher=exact"], [CONFORMITY, "texts"]),
        ([TWO, "parser=[stored,answer_v2]", "source=nothing"], []),
        ([TWO, "audit.probe=0", "hydra.run.dir=here"], []),
    ],
)
def test_what_workers_import_is_known_by_the_words(words: list[str], more: list[str]) -> None:
    modules = expected_modules(words)
    assert modules[: len(SCORING)] == list(SCORING)
    assert [name.rpartition(".")[2] for name in modules[len(SCORING) :]] == [name.rpartition(".")[2] for name in more]


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["source=conformity"],
        ["engine.workers=1"],
        ["engine.workers=null"],
        ["engine.workers=two"],
        [TWO, "engine=ray"],
        [TWO, "experiment=cross_agent"],
        [TWO, "audit=alignment"],
        [TWO, "hydra.job.chdir=true"],
        [TWO, "-m"],
        [TWO, "+engine.other=1"],
    ],
)
def test_nothing_is_begun_where_it_may_be_in_vain(words: list[str]) -> None:
    assert expected_modules(words) == []


CODE = """
import json, os, sys
from auditfw.components.engine import server

{change}


def running():
    return sys.modules["multiprocessing.forkserver"]._forkserver._forkserver_pid


if __name__ == "__main__":
    server.start_early(["auditfw.components.engine.workers"])
    first = running()
    change()
    context = server.context(["auditfw.components.engine.workers"])
    context = server.context(["auditfw.components.engine.workers"])
    print(json.dumps([first == running(), context.get_start_method()]))
"""
STAYS, MOVES = "def change(): pass", "def change(): os.chdir('/')"
SETS = "def change(): os.environ['SET_BY_CONFIG'] = 'yes'"


@pytest.mark.skipif("forkserver" not in __import__("multiprocessing").get_all_start_methods(), reason="spawns")
@pytest.mark.parametrize(("change", "kept"), [(STAYS, True), (MOVES, False), (SETS, False)])
def test_the_server_is_kept_only_where_the_run_is_in_the_same_place(tmp_path: Path, change: str, kept: bool) -> None:
    file = tmp_path / "own.py"
    file.write_text(CODE.format(change=change), "utf-8")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert json.loads(done.stdout) == [kept, "forkserver"]
    assert done.stderr == ""


def test_all_that_is_expected_can_be_imported() -> None:
    code = f"import {', '.join(SCORING)}; import sys; print('numpy' in sys.modules, 'polars' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout.split() == ["False", "False"]
    assert all(name.startswith(server.PRELOADED) for name in SCORING)
