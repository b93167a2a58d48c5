"""Modules of the current folder never stand in for Python's or ours, and with AUDITFW_SAFE=1 none of them runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_folder import fill, installed
from scenario_files import jsonl

from auditfw.core.imports import UserFolders, search_path
from auditfw.core.processes import python, python_code, safe_path

RUN = ("report=[console,json]", "hydra.run.dir=outputs/x")
SWEEP = ("-m", "normalizer=v1,v2", "report=[json]", "hydra.sweep.dir=outputs/x")
slow = pytest.mark.slow


@pytest.mark.parametrize("safe", ["1", pytest.param("", marks=slow)])
@pytest.mark.parametrize(
    "words",
    [
        pytest.param((*RUN, "engine.workers=2"), id="workers"),
        pytest.param((*RUN, "matcher=math", "engine.workers=2"), id="math", marks=slow),
        pytest.param(("report=[html,console,ci]", "hydra.run.dir=outputs/x"), id="charts", marks=slow),
        pytest.param((*SWEEP, "hydra/launcher=joblib", "hydra.launcher.n_jobs=2"), id="joblib", marks=slow),
        pytest.param((*SWEEP, "engine.workers=2"), id="sweep", marks=slow),
        pytest.param((*RUN, "engine=dask", "engine.workers=2"), id="dask", marks=slow),
        pytest.param((*RUN, "experiment=posiwid", "engine.workers=2"), id="posiwid", marks=slow),
        pytest.param(("check", "engine.workers=2", "matcher=math"), id="check", marks=slow),
        pytest.param(("list", "--json"), id="list", marks=slow),
        pytest.param(("completion", "query", "2", "auditfw", "matcher="), id="completion", marks=slow),
    ],
)
def test_a_folder_of_hostile_modules(words: tuple[str, ...], safe: str, tmp_path: Path) -> None:
    """Exit code and output are those of an empty folder, and no module of the folder has run."""
    ran, hostile, empty = tmp_path / "ran", tmp_path / "hostile", tmp_path / "empty"
    fill(hostile, ran)
    empty.mkdir()
    done, wanted = (
        installed(tmp_path / "auditfw-command.py", folder, *words, AUDITFW_SAFE=safe) for folder in (hostile, empty)
    )
    assert not ran.exists(), ran.read_text("utf-8")
    assert (done.returncode, done.stdout) == (wanted.returncode, wanted.stdout), done.stderr


def test_by_python_m(tmp_path: Path) -> None:
    """With -m Python itself looks in the current folder until the package is imported, and in no other moment."""
    ran, folder = tmp_path / "ran", tmp_path / "mine"
    fill(folder, ran)
    before = "auditfw importlib types warnings contextlib functools collections keyword operator reprlib itertools"
    for name in before.split():  # what runpy imports
        (folder / f"{name}.py").unlink()
    done = subprocess.run(
        [sys.executable, "-m", "auditfw", "engine.workers=2", *RUN], cwd=folder, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not ran.exists(), ran.read_text("utf-8")


def test_a_model_beside_a_random_py(tmp_path: Path) -> None:
    """A model of the current folder is imported in workers, its neighbour too; random.py is Python's."""
    folder = tmp_path / "mine"
    fill(folder, tmp_path / "ran")
    (folder / "neighbour.py").write_text("FACTOR = 2\n", "utf-8")
    text = 'import random, neighbour\n\ndef run(p):\n    random.random()\n    return {"y": neighbour.FACTOR * p["x"]}\n'
    (folder / "model.py").write_text(text, "utf-8")
    rows = [{"label": str(x), "intended": {"y": 2 * x}, "params": {"x": x}} for x in (0.5, 0.25)]
    jsonl(folder / "mine.jsonl", rows)
    words = ("experiment=posiwid", "simulator=python", "scenarios=jsonl", "scenarios.path=mine.jsonl", "gate=[]")
    done = installed(tmp_path / "command.py", folder, *words, "simulator.function=model:run", "engine.workers=2", *RUN)
    assert done.returncode == 0, done.stderr
    values = json.loads((folder / "outputs/x/result.json").read_text("utf-8"))["measurements"]
    assert {m["value"] for m in values if m["metric"] == "mean_overall" and not m["cell"]} == {1.0}
    assert not (tmp_path / "ran").exists()


def test_a_program_of_the_users_sees_its_neighbour(tmp_path: Path) -> None:
    """No variable makes a simulator's own Python look elsewhere."""
    (tmp_path / "neighbour.py").write_text("FACTOR = 2\n", "utf-8")
    text = (
        "import json, sys, neighbour\nfor line in sys.stdin:\n"
        "    print(json.dumps({'y': neighbour.FACTOR * json.loads(line)['params']['x']}), flush=True)\n"
    )
    (tmp_path / "sim.py").write_text(text, "utf-8")
    jsonl(tmp_path / "mine.jsonl", [{"label": "a", "intended": {"y": 1.0}, "params": {"x": 0.5}}])
    words = ("experiment=posiwid", "simulator=subprocess", "scenarios=jsonl", "scenarios.path=mine.jsonl", "gate=[]")
    (tmp_path / "bin").mkdir()
    command = f"simulator.command=[{sys.executable},sim.py]"
    done = installed(tmp_path / "bin/command.py", tmp_path, *words, command, "simulator.folder=.", *RUN)
    assert done.returncode == 0, done.stderr


def test_other_launchers_in_safe_mode(tmp_path: Path) -> None:
    words = ("-m", "hydra/launcher=submitit_local", "normalizer=v1,v2")
    done = installed(tmp_path / "command.py", tmp_path, *words, AUDITFW_SAFE="1")
    assert (done.returncode, "the launcher LocalLauncher starts Python" in done.stderr) == (2, True), done.stderr


def test_search_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path)
    library = os.path.dirname(os.__file__)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), str(tmp_path / "link"), "/first", library, str(tmp_path)])
    assert search_path() == ["/first", library, str(tmp_path)]  # installed there, by a .pth file


def test_user_folders(tmp_path: Path) -> None:
    finder = UserFolders()
    finder.folders = [str(tmp_path)]
    for name in ("winreg", "msvcrt", "auditfw", "mine"):
        (tmp_path / f"{name}.py").write_text("", "utf-8")
    assert {name for name in ("winreg", "msvcrt", "auditfw", "mine", "absent") if finder.find_spec(name)} == {"mine"}
    assert finder.find_spec("mine", [str(tmp_path)]) is None


def test_flags_are_put_back() -> None:
    from multiprocessing import util

    flags = util._args_from_interpreter_flags  # type: ignore[attr-defined]
    with safe_path(), safe_path():
        assert "-P" in util._args_from_interpreter_flags()  # type: ignore[attr-defined]
    assert util._args_from_interpreter_flags is flags  # type: ignore[attr-defined]
    assert python("-c", "1")[1] == python_code("1")[1] == "-P"
