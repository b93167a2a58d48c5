"""Workers that write their rows on shared storage: the same bytes as one process, and nothing left there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from cluster_machines import (
    DASK,
    HIDES,
    RAY,
    DaskMachines,
    below,
    dask_machines,
    ray_machines,
    there,
    until,
    write_trials,
)
from object_server import BUCKET, serving
from running import run_auditfw

pytestmark = pytest.mark.slow
REMOTE = pytest.mark.skipif(not there("obstore"), reason="needs the extra remote")
QUICK = (
    "experiment=answer_parsing",
    "source=jsonl",
    "source.path=${oc.env:TRIALS}",  # what is read from the environment is masked in all that is written
    "by=[group]",
    "report=[markdown,html]",
    "gate=[]",
)
FILES = ("result.json", "measurements.parquet", "trials.parquet", "items.parquet", "report.md", "report.html")


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskMachines]:
    with dask_machines(tmp_path_factory.mktemp("dask")) as made:
        yield made


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the command, with the results of one process and of four."""
    folder = tmp_path_factory.mktemp("project")
    write_trials(folder / "trials.jsonl", 20_000)
    text = (folder / "trials.jsonl").read_text("utf-8")
    (folder / "trials.jsonl").write_text(text.replace("the Seine. x", "the Seine. trials.jsonl"), "utf-8")
    (folder / "shared").mkdir()
    for workers, name in ((1, "one"), (4, "four")):
        done = run(folder, f"engine.workers={workers}", f"hydra.run.dir={name}")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    check_same(folder, "four")
    return folder


def run(project: Path, *words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    mode = {"RAY_AUTH_MODE": "disabled", "TRIALS": "trials.jsonl", **(env or {})}
    return run_auditfw((*QUICK, *words), project, mode)


def check_same(project: Path, name: str = "run") -> None:
    """The same bytes as one process has."""
    for file in FILES:
        one = project / "one" / file
        assert one.exists() == (project / name / file).exists(), file
        assert not one.exists() or (project / name / file).read_bytes() == one.read_bytes(), file


def parts_run(
    project: Path, kind: str, address: str, place: str, *words: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    shutil.rmtree(project / "run", ignore_errors=True)
    own = (f"engine={kind}", f"engine.address={address}", f"engine.parts={place}", "hydra.run.dir=run")
    done = run(project, *own, *words, env=env)
    assert list((project / "shared").iterdir()) == []
    return done


@DASK
def test_dask_writes_parts_into_a_folder_also_where_a_worker_is_killed(machines: DaskMachines, project: Path) -> None:
    workers = [machines.worker("one"), machines.worker("two")]
    seen: list[str] = []

    def look() -> None:
        until(lambda: bool(seen.extend(map(str, (project / "shared").rglob("part-*"))) or seen))
        os.kill(below("spawn_main", workers[0])[0], 9)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        done = parts_run(project, "dask", machines.address, "shared")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        check_same(project)
    finally:
        thread.join()
        machines.end(*workers)
    assert re.search(r"/shared/auditfw-parts-[0-9a-f]{16}/part-0000\d\.parquet$", seen[0])


@DASK
@REMOTE
def test_dask_writes_parts_into_a_bucket(machines: DaskMachines, project: Path) -> None:
    with serving() as server:
        worker = machines.worker("asks", env=server.environment())
        try:
            place = f"s3://{BUCKET}/parts/"
            done = parts_run(project, "dask", machines.address, place, env=server.environment())
            assert (done.returncode, done.stderr) == (0, ""), done.stderr
            check_same(project)
            assert server.files == {}
            assert any(re.fullmatch(r"PUT \S+/part-00001\.parquet", one) for one in server.asked)
            server.faults["PUT part-00001.parquet"] = "403"
            done = parts_run(project, "dask", machines.address, place, env=server.environment())
            do = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
            line = (
                rf"auditfw: error: worker \S+: s3://\S+/part-00001.parquet: the server refuses access \(403\) - {do}\n"
            )
            assert (done.returncode, server.files) == (3, {})
            assert re.fullmatch(line, done.stderr), done.stderr
        finally:
            machines.end(worker)


@DASK
@HIDES
def test_dask_worker_that_sees_another_folder(machines: DaskMachines, project: Path) -> None:
    worker = machines.worker("blind", hidden={project / "shared": None})
    try:
        done = parts_run(project, "dask", machines.address, "shared")
    finally:
        machines.end(worker)
    line = (
        r"auditfw: error: worker \S+: /\S+/shared/auditfw-parts-\w+: is not there on this machine - name a folder .*\n"
    )
    assert done.returncode == 4
    assert re.fullmatch(line, done.stderr), done.stderr


VERBS = (  # that read the table of trials
    ("compare", "run", "run"),
    ("explain", "run", "stored+v2"),
    ("plan", "run"),
    ("label", "run"),
    ("accept", "run"),
    ("compare", "run", "baseline.json"),
    ("report", "run"),
    ("export", "run", "out=exported"),
    ("rerun", "run", "engine=local", "engine.workers=1", "source.path=trials.jsonl", "--trust"),
)


@DASK
def test_many_rows_are_a_folder_of_parts_that_every_verb_reads(machines: DaskMachines, project: Path) -> None:
    worker = machines.worker("parts")
    try:
        done = parts_run(project, "dask", machines.address, "shared", "engine.most_joined=19999")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    finally:
        machines.end(worker)
    files = sorted((project / "run" / "trials.parquet").iterdir())
    assert [file.name for file in files] == [f"part-{number:05}.parquet" for number in range(len(files))]
    assert len(files) > 1
    parts, whole = pl.concat(map(pl.read_parquet, files)), pl.read_parquet(project / "one" / "trials.parquet")
    assert parts.equals(whole)
    assert parts.schema == whole.schema
    before, now = (json.loads((project / name / "result.json").read_text("utf-8")) for name in ("one", "run"))
    assert [key for key in before if before[key] != now[key]] == ["digests"]
    for file in ("measurements.parquet", "report.md"):
        assert (project / "one" / file).read_bytes() == (project / "run" / file).read_bytes()
    for name in ("one", "run"):
        (project / f"of-{name}").mkdir()
        shutil.copy(project / "trials.jsonl", project / f"of-{name}")
        shutil.copytree(project / name, project / f"of-{name}" / "run")
    for words in VERBS:
        one, parted = (run_auditfw(words, project / f"of-{name}") for name in ("one", "run"))
        assert (one.returncode, one.stderr) == (parted.returncode, parted.stderr), words
        if words[0] != "rerun":
            assert one.stdout == parted.stdout, words
    exported = [sorted((project / f"of-{name}" / "exported").iterdir()) for name in ("one", "run")]
    for file, other in zip(*exported, strict=True):
        assert file.read_bytes() == other.read_bytes(), file


@RAY
def test_ray_writes_parts_into_a_folder(project: Path, tmp_path: Path) -> None:
    with ray_machines(tmp_path) as own:
        done = parts_run(project, "ray", own.address, "shared")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        check_same(project)


@DASK
def test_a_run_that_is_killed_leaves_its_folder_and_the_next_does_not_read_it(
    machines: DaskMachines, project: Path
) -> None:
    left = project / "shared" / "auditfw-parts-0123456789abcdef"
    left.mkdir()
    (left / "part-00000.parquet").write_bytes(b"of another run")
    worker = machines.worker("next")
    try:
        shutil.rmtree(project / "run", ignore_errors=True)
        own = ("engine=dask", f"engine.address={machines.address}", "engine.parts=shared", "hydra.run.dir=run")
        done = run(project, *own)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        check_same(project)
        assert list((project / "shared").iterdir()) == [left]
    finally:
        machines.end(worker)
        shutil.rmtree(left)


@DASK
def test_check_tries_the_folder_and_rerun_asks_for_trust(machines: DaskMachines, project: Path) -> None:
    worker = machines.worker("checked")
    try:
        own = ("engine=dask", f"engine.address={machines.address}")
        done = run_auditfw(("check", *QUICK, *own, "engine.parts=shared"), project, {"TRIALS": "trials.jsonl"})
        assert f"engine: Dask at {machines.address}, 1 worker; parts can be written to shared" in done.stdout
        done = run_auditfw(("check", *QUICK, *own, "engine.parts=none"), project, {"TRIALS": "trials.jsonl"})
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "engine.parts: no such folder" in done.stderr
        assert parts_run(project, "dask", machines.address, "shared").returncode == 0
        state = {"TRIALS": "trials.jsonl", "XDG_STATE_HOME": str(project / "another")}
        done = run_auditfw(("rerun", "run", "source.path=trials.jsonl"), project, state)
        assert done.returncode == 2
        assert f"sends the work to {machines.address} and has workers write into shared" in done.stderr
    finally:
        machines.end(worker)
