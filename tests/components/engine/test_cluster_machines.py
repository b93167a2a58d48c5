"""Situations of clusters, what is said in each, and the exit code: the real command, real workers in their own folders.

A situation is a difference between the machine of the command and that of a worker. Where it is one of files, the
worker sees other files under the same path (`unshare`).
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster_machines import (
    DASK,
    HIDES,
    RAY,
    DaskMachines,
    Machines,
    answers,
    below,
    dask_machines,
    free_port,
    ray_machines,
    there,
    until,
    write_trials,
)
from places import ROOT
from running import run_auditfw

pytestmark = pytest.mark.slow
HOST = re.escape(socket.gethostname())
ROWS = 20_000
QUIET = ("report=[markdown]", "gate=[]")
QUICK = (
    "experiment=answer_parsing",
    "source=jsonl",
    "source.path=trials.jsonl",
    "by=[group]",
    "report=[markdown]",
    "gate=[]",
)
CLIENT = b"Receive client connection"  # in the log of Dask's scheduler
SLOW = (*QUICK, "+normalizer@audit.normalizers.slow=slow")
PLUGIN = '''import os, time
from dataclasses import dataclass
from auditfw.kinds.registry import register

@register("normalizer", "slow")
@dataclass(frozen=True)
class Slow:
    """Takes its time."""

    def __call__(self, text: str) -> str:
        time.sleep(0.02)
        return text.lower()
'''
GONE = r"engine.address: the Dask scheduler is gone \(tcp:\S+\) - start it again, and run again"
DASK_LINE = r"dask worker tcp://\S+ --nthreads 1 --nworkers -1"


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskMachines]:
    with dask_machines(tmp_path_factory.mktemp("dask")) as made:
        yield made


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the command, with the results of one process."""
    folder = tmp_path_factory.mktemp("project")
    write_trials(folder / "trials.jsonl", ROWS)
    (folder / "apart").mkdir()
    write_trials(folder / "apart" / "trials.jsonl", ROWS)
    done = run_auditfw((*QUICK, "engine.workers=1", "hydra.run.dir=one"), folder)
    assert done.returncode == 0, done.stderr
    return folder


def run(
    project: Path, kind: str, address: str, *words: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the command with a run folder of its own, in no more time than a situation may take."""
    shutil.rmtree(project / "run", ignore_errors=True)
    mode = {"RAY_AUTH_MODE": "disabled", **(env or {})}
    return run_auditfw(
        (*(words or QUICK), f"engine={kind}", f"engine.address={address}", "hydra.run.dir=run"), project, mode
    )


def check_right(done: subprocess.CompletedProcess[str], project: Path) -> None:
    """The same bytes as one process has, and no word too many."""
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("result.json", "measurements.parquet", "trials.parquet", "report.md"):
        assert (project / "run" / name).read_bytes() == (project / "one" / name).read_bytes(), name


def check_refused(done: subprocess.CompletedProcess[str], code: int, line: str) -> None:
    """One line, and the exit code."""
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done.stderr
    assert re.fullmatch(f"auditfw: error: {line}\n", done.stderr), done.stderr


def another_build(folder: Path) -> dict[str, str]:
    """An environment in which another version of auditfw is found."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "auditfw", folder / "auditfw", ignore=ignored)
    with (folder / "auditfw" / "__init__.py").open("a", encoding="utf-8") as file:
        file.write("# another build\n")
    (folder / "auditfw-9.9.9.dist-info").mkdir()
    (folder / "auditfw-9.9.9.dist-info" / "METADATA").write_text("Name: auditfw\nVersion: 9.9.9\n", "utf-8")
    return {"PYTHONPATH": str(folder)}


PROGRAM = rf"worker {HOST}: runs another program than the command"
OTHER_BUILD = rf"{PROGRAM} \(auditfw 9\.9\.9 with sources \w+, wanted .*\) - .*"
OTHER_KERNEL = rf"{PROGRAM} \(text kernel python, wanted native \w+\) - .*"
NO_PLUGIN = rf"worker {HOST}: has no module 'slow' - share .* with it under the same path, or install the module there"
FILE = rf"worker {HOST}: /\S+/apart/trials.jsonl"
NO_FILE = rf"{FILE}: no such file - share .*"
OTHER_FILE = (
    rf"worker {HOST}: /\S+/apart/trials.jsonl: is another file \(other bytes from [\d,]+ to [\d,]+\) - share .*"
)
OTHER_SIZE = rf"{FILE}: is another file \([\d,]+ bytes, wanted [\d,]+\) - share .*"
APART = tuple("source.path=apart/trials.jsonl" if word.startswith("source.path") else word for word in QUICK)


def kill(numbers: list[int]) -> list[int]:
    for number in numbers:
        os.kill(number, signal.SIGKILL)
    return numbers


def write_plugin(project: Path) -> Path:
    (project / "plugins").mkdir(exist_ok=True)
    (project / "conf" / "normalizer").mkdir(parents=True, exist_ok=True)
    file = project / "plugins" / "slow.py"
    file.write_text(PLUGIN, "utf-8")
    return file


# Dask


@DASK
def test_dask_right_with_relative_paths_and_a_run_folder_that_no_worker_writes(
    machines: DaskMachines, project: Path
) -> None:
    worker = machines.worker("right", "--nthreads", "1", "--nworkers", "-1")  # as the manual has it
    try:
        check_right(run(project, "dask", machines.address), project)
        assert [p for p in (machines.folder / "right").iterdir() if p.name != "dask-scratch-space"] == []
    finally:
        machines.end(worker)


@DASK
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--nthreads", "2"), rf"engine.address: a worker has more than one thread \(tcp:\S+: 2\) - .*: {DASK_LINE}"),
        ((), OTHER_BUILD),
        (("kernel",), OTHER_KERNEL),
        (("none",), rf"worker {HOST}: cannot run this auditfw \(ModuleNotFoundError: .*\) - install auditfw .*"),
    ],
    ids=["threads", "other_version", "no_kernel", "no_auditfw"],
)
def test_dask_worker_that_is_another(
    words: tuple[str, ...], line: str, machines: DaskMachines, project: Path, tmp_path: Path
) -> None:
    env = {"AUDITFW_KERNEL": "python"} if words == ("kernel",) else {} if words else another_build(tmp_path)
    if words == ("none",):
        (tmp_path / "auditfw").mkdir()
        (tmp_path / "auditfw" / "__init__.py").touch()
        env = {"PYTHONPATH": str(tmp_path)}
    worker = machines.worker("another", *(words if words[:1] == ("--nthreads",) else ()), env=env)
    try:
        check_refused(run(project, "dask", machines.address), 4, line)
    finally:
        machines.end(worker)


@DASK
@HIDES
@pytest.mark.parametrize("case", ["same", "empty", "other", "longer", "no_plugin"])
def test_dask_worker_that_sees_other_files(case: str, machines: DaskMachines, project: Path, tmp_path: Path) -> None:
    there_: dict[Path, Path | None] = {project / "apart": tmp_path}
    write_trials(tmp_path / "trials.jsonl", ROWS + 5 * (case == "longer"), int(case == "other"))
    words, code, line = APART, 3, {"other": OTHER_FILE, "longer": OTHER_SIZE}.get(case, NO_FILE)
    if case == "empty":
        there_ = {project / "apart": None}
    elif case == "no_plugin":
        write_plugin(project)
        there_, words, code, line = {project / "plugins": None}, SLOW, 4, NO_PLUGIN
    worker = machines.worker("sees", hidden=there_)
    try:
        done = run(project, "dask", machines.address, *words)
        if case == "same":
            assert (done.returncode, done.stderr) == (0, "")
        else:
            check_refused(done, code, line)
    finally:
        machines.end(worker)
        shutil.rmtree(project / "plugins", ignore_errors=True)


@DASK
@pytest.mark.parametrize("name", ["worker", "nanny"])
def test_dask_killed_worker_or_nanny(name: str, machines: DaskMachines, project: Path) -> None:
    """Another one does its tasks; the results are the same."""
    several = [machines.worker("killed"), machines.worker("stays")]
    before = machines.log().count(CLIENT)

    def kill_one() -> None:
        until(lambda: machines.log().count(CLIENT) > before)
        kill(below("dask_worker" if name == "nanny" else "spawn_main", several[0])[:1])

    thread = threading.Thread(target=kill_one)
    try:
        thread.start()
        check_right(run(project, "dask", machines.address), project)
        assert not thread.is_alive()
    finally:
        thread.join()
        machines.end(*several)


def end_scheduler(own: DaskMachines) -> None:
    """Once there is work."""
    until(lambda: CLIENT in own.log())
    time.sleep(1.0)
    own.end(own.processes[0])


@DASK
def test_dask_without_workers(machines: DaskMachines, project: Path) -> None:
    line = rf"engine.address: the Dask scheduler has had no worker for 10 s \(tcp:\S+\) - start some: {DASK_LINE}"
    check_refused(run(project, "dask", machines.address), 4, line)


@DASK
def test_dask_dead_scheduler_before_and_during(project: Path, tmp_path: Path) -> None:
    write_plugin(project)
    with dask_machines(tmp_path) as own:
        own.worker("one")
        thread = threading.Thread(target=end_scheduler, args=(own,))
        thread.start()
        done = run(project, "dask", own.address, *SLOW)
        thread.join()
        check_refused(
            done, 4, r"engine.address: the Dask scheduler is gone \(tcp:\S+\) - start it again, and run again"
        )
        began = time.monotonic()
        done = run(project, "dask", own.address)
        check_refused(done, 4, r"engine.address: no Dask scheduler answers \(tcp:\S+\) - start one: .*")
        assert time.monotonic() - began < 60
    shutil.rmtree(project / "plugins")


@DASK
def test_a_plain_script_without_a_main_guard(project: Path) -> None:
    script = "import auditfw\nfrom math import sqrt\nfrom auditfw.components.engine.clusters import Dask\n"
    (project / "plain.py").write_text(script + "print(list(Dask(workers=1).map(sqrt, [1, 4], None)))\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "plain.py"], cwd=project, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[1.0, 2.0]\n", "")


@pytest.mark.parametrize("kind", ["dask", "ray"])
def test_check_tries_the_address(kind: str, project: Path) -> None:
    if not there({"dask": "distributed"}.get(kind, kind)):
        pytest.skip(f"needs the extra {kind}")
    address = f"127.0.0.1:{free_port()}"
    done = run_auditfw(("check", *QUICK, f"engine={kind}", f"engine.address={address}"), project)
    line = rf"engine.address: no \w+ \w+ answers \({address}\) - start one: .*"
    check_refused(done, 4, line)


# Ray


@RAY
def test_ray_right_killed_and_dead(project: Path, tmp_path: Path) -> None:
    write_plugin(project)
    with ray_machines(tmp_path) as own:
        check_right(run(project, "ray", own.address), project)
        check_after_a_death(own, project)
        thread = threading.Thread(target=kill_head, args=(own,))
        thread.start()
        done = run(project, "ray", own.address, *SLOW)
        thread.join()
        check_refused(done, 4, r"engine.address: no Ray cluster answers \(127\S+\) - start one: .*")
        began = time.monotonic()
        check_refused(run(project, "ray", own.address), 4, r"engine.address: no Ray cluster answers \(127\S+\) - .*")
        assert time.monotonic() - began < 60
    shutil.rmtree(project / "plugins")


TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0123456789abcdef" * 2}


@RAY
def test_ray_with_a_token_and_through_its_client(project: Path, tmp_path: Path) -> None:
    port = str(free_port() + 100)
    client = f"ray://127.0.0.1:{port}"
    other = {"RAY_AUTH_TOKEN": "another token" * 3}
    with ray_machines(tmp_path, TOKEN, None, "--ray-client-server-port", port) as own:
        until(lambda: answers(int(port)))
        for address, what in ((own.address, "wants a token"), (client, "is silent, or wants a token")):
            check_right(run(project, "ray", address, env=TOKEN), project)
            done = run(project, "ray", address, env=TOKEN | other)
            check_refused(done, 4, rf"engine.address: the Ray cluster {what} \({address}\) - set RAY_AUTH_MODE=.*")


def kill_head(own: Machines) -> None:
    """Once there is work."""
    until(lambda: bool(below("ray::_called", own.processes[0])))
    kill(below("gcs_server", own.processes[0]))


def check_after_a_death(own: Machines, project: Path) -> None:
    """A worker that dies has its task done by another."""
    killed: list[int] = []

    def kill_one() -> None:
        until(lambda: bool(below("ray::_called", own.processes[0])))
        killed.extend(kill(below("ray::_called", own.processes[0])[:1]))

    thread = threading.Thread(target=kill_one)
    thread.start()
    check_right(run(project, "ray", own.address), project)
    thread.join()
    assert killed


@RAY
@HIDES
def test_ray_workers_that_are_others(project: Path, tmp_path: Path) -> None:
    """One head for what is another: the build, and in a second one the kernel, a file, and a plugin."""
    write_trials(tmp_path / "trials.jsonl", ROWS, 1)
    for name in ("build", "first", "second"):
        (tmp_path / name).mkdir()
    with ray_machines(tmp_path / "first", another_build(tmp_path / "build")) as own:
        check_refused(run(project, "ray", own.address), 4, OTHER_BUILD)
    write_plugin(project)
    hidden: dict[Path, Path | None] = {project / "apart": tmp_path, project / "plugins": None}
    with ray_machines(tmp_path / "second", {"AUDITFW_KERNEL": "python"}, hidden) as own:
        check_refused(run(project, "ray", own.address), 4, OTHER_KERNEL)
        python = {"AUDITFW_KERNEL": "python"}
        check_refused(run(project, "ray", own.address, *APART, env=python), 3, OTHER_FILE)
        check_refused(run(project, "ray", own.address, *SLOW, env=python), 4, NO_PLUGIN)
    shutil.rmtree(project / "plugins")
