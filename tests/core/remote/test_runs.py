"""The real command over files at a store: what it reads there is what it reads from disk; what goes wrong is one line.

Two stores are asked: the server of these tests, which can fail, and moto, which nobody here wrote.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import polars as pl
import pytest
from cluster_machines import answers, free_port, there, until
from inspect_logs import eval_log, sample
from object_server import SECRET, serving
from running import run_auditfw

pytest.importorskip("obstore", reason="needs the extra remote")

BUCKET = "logs-of-ours"
TOKEN = "t0k3n-of-nobody"
QUIET = ("report=[]", "gate=[]", "by=[]", "hydra.run.dir=run")
SELECT = "source.query=SELECT * FROM trials"
MANY = 1_100  # files: more than a page of a listing holds
ROWS = [
    {"id": f"{i}", "raw_text": f"It is {i % 7}.", "ground_truth": f"{i % 5}", "stored": i % 7 == i % 5}
    for i in range(40)
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
Run = Callable[..., CompletedProcess[str]]


def write_files(folder: Path) -> None:
    """The same trials in each format, and folders of them."""
    (folder / "more/within").mkdir(parents=True)
    frame = pl.DataFrame(ROWS)
    (folder / "a.jsonl").write_text(LINES)
    (folder / "b c+%20é.jsonl").write_text(LINES.replace('"id": "', '"id": "b'))
    (folder / "more/a.jsonl").write_text(LINES)
    (folder / "more/within/b.jsonl").write_text(LINES.replace('"id": "', '"id": "b'))
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(LINES.encode(), mtime=0))
    (folder / "empty.jsonl").touch()
    frame.write_csv(folder / "a.csv")
    frame.write_parquet(folder / "a.parquet")
    with closing(sqlite3.connect(folder / "a.db")) as database:
        database.execute("CREATE TABLE trials (id, raw_text, ground_truth, stored)")
        database.executemany("INSERT INTO trials VALUES (:id, :raw_text, :ground_truth, :stored)", ROWS)
        database.commit()
    before = Path.cwd()
    os.chdir(folder)
    eval_log(*(sample(number) for number in range(1, 6)), name="log.eval")
    os.chdir(before)


def write_many(folder: Path) -> None:
    """A trial a file."""
    folder.mkdir()
    for number in range(MANY):
        (folder / f"{number:04}.jsonl").write_text(json.dumps({**ROWS[number % 40], "id": f"{number}"}) + "\n")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files in `logs`."""
    folder = tmp_path_factory.mktemp("project")
    write_files(folder / "logs")
    write_many(folder / "many")
    return folder


@pytest.fixture(scope="module")
def ours(project: Path) -> Iterator[Mapping[str, str]]:
    """The variables by which the command finds the server of these tests, which has the files and marks of folders."""
    with serving() as server:
        server.files = {**marks(), **files(project)}
        yield server.environment()


@pytest.fixture(scope="module")
def moto(project: Path) -> Iterator[Mapping[str, str]]:
    """The same for moto."""
    if not there("moto"):
        pytest.skip("needs moto")
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until(lambda: answers(port))
            put(address, "", b"")
            for key, data in {**marks(), **files(project)}.items():
                put(address, key, data)
            with serving() as server:
                named = server.environment()
            yield {**named, "AWS_ENDPOINT_URL": address}
        finally:
            process.kill()


def put(address: str, key: str, data: bytes) -> None:
    """Stores an object, or makes the bucket."""
    place = f"{address}/{BUCKET}/{urllib.request.pathname2url(key)}"
    headers = {"content-type": "application/octet-stream"}
    urllib.request.urlopen(urllib.request.Request(place, data, headers, method="PUT"), timeout=60).close()


def files(project: Path) -> dict[str, bytes]:
    """The files by their keys."""
    return {
        path.relative_to(project).as_posix(): path.read_bytes() for path in project.glob("[lm]*/**/*") if path.is_file()
    }


def marks() -> dict[str, bytes]:
    """What a console stores for a folder that is made in it."""
    return dict.fromkeys(("logs/more/", "logs/more/within/"), b"")


@pytest.fixture
def store(request: pytest.FixtureRequest) -> Mapping[str, str]:
    named: Mapping[str, str] = request.getfixturevalue(request.param)
    return named


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the command with a cache, a state and a temporary folder of its own."""

    def command(*words: str, folder: Path, env: Mapping[str, str]) -> CompletedProcess[str]:
        places = {"XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state", "TMPDIR": "scratch"}
        for name in places.values():
            (tmp_path / name).mkdir(exist_ok=True)
        return run_auditfw(words, folder, {**env, **{key: str(tmp_path / name) for key, name in places.items()}})

    return command


def stored(folder: Path) -> tuple[object, pl.DataFrame, bytes]:
    """What a run wrote, but for where its files lie, and what is computed of that."""
    places = re.compile(rf"s3://{BUCKET}/")
    result = json.loads(places.sub("", (folder / "result.json").read_text()))
    trials = pl.read_parquet(folder / "trials.parquet")
    if "row.place" in trials.columns:
        trials = trials.with_columns(pl.col("row.place").str.replace(f"s3://{BUCKET}/", ""))
    del result["config_hash"], result["digests"]["trials.parquet"]
    return result, trials, (folder / "measurements.parquet").read_bytes()


FORMS = {
    "lines": ("logs/a.jsonl", "source=jsonl"),
    "odd name": ("logs/b c+%20é.jsonl", "source=jsonl"),
    "packed": ("logs/a.jsonl.gz", "source=jsonl"),
    "csv": ("logs/a.csv", "source=csv"),
    "parquet": ("logs/a.parquet", "source=parquet"),
    "sqlite": ("logs/a.db", "source=sqlite", SELECT),
    "eval": ("logs/log.eval", "source=inspect"),
    "pattern": ("logs/[ab]*.jsonl", "source=jsonl"),
    "folder": ("logs/more", "source=jsonl"),
    "pages": ("many/", "source=jsonl"),
    "nothing in it": ("logs/empty.jsonl", "source=jsonl"),
}
FAST = ("lines", "folder")
HEALTHY = [
    pytest.param(
        store,
        form,
        id=f"{form}-{store}",
        marks=[] if (store, form) in {("ours", one) for one in FAST} else pytest.mark.slow,
    )
    for store in ("ours", "moto")
    for form in FORMS
    if (store, form) != ("ours", "pages")  # whose pages are of three files
]


@pytest.mark.parametrize(("store", "form"), HEALTHY, indirect=["store"])
def test_as_from_disk(store: Mapping[str, str], form: str, run: Run, project: Path, tmp_path: Path) -> None:
    path, *words = FORMS[form]
    done = []
    for where in ("", f"s3://{BUCKET}/"):
        shutil.rmtree(project / "run", ignore_errors=True)
        done.append(run(*words, f"source.path='{where}{path}'", *QUIET, folder=project, env=store))
        (project / "run").rename(tmp_path / f"run-{len(done)}")
    here, there = done
    assert (there.returncode, there.stderr) == (here.returncode, here.stderr.replace(path, f"s3://{BUCKET}/{path}"))
    if form == "nothing in it":
        return
    assert here.returncode == 0, here.stderr
    first, second = stored(tmp_path / "run-1"), stored(tmp_path / "run-2")
    assert first[1].equals(second[1])
    assert first[0] == second[0]
    assert first[2] == second[2]


A = "logs/a.jsonl"
OF_FAILED_RUNS = {"config.yaml", "hydra.yaml", "overrides.yaml", "auditfw.log", "error.json", "manifest.json"}
FAULTS = {  # the fault, the words, the exit code, what is said behind the address
    "missing": ("", ["source.path={at}logs/b.jsonl"], 3, "no such file - check the address"),
    "changed": ("changing", [], 3, r"changed during the run \(ETag \w+ before, \w+ now\) - .*"),
    "too large": ("", ["source.max_remote=100"], 3, r"is too large to be fetched \(2,980 bytes in 1 file, .*=2980, .*"),
    "401": ("401", [], 3, r"the server refuses access \(401\) - .*"),
    "403": ("403", [], 3, r"the server refuses access \(403\) - .*"),
    "500": ("500", [], 4, r"the server does not give it \(500 Internal Server Error\) - .*"),
    "hangs": ("hang", [], 4, r"the server does not answer \(nothing for 0.5 s\) - .*"),
    "hangs in the middle": ("stall", [], 4, r"the server does not answer \(nothing for 0.5 s\) - .*"),
    "closes in the middle": ("cut", [], 4, "the connection ended before the file did - .*"),
    "login": ("", ["source.path={login}logs/a.jsonl"], 2, "user and password stand in the address - .*"),
}
ADDRESSES = {"store": f"s3://{BUCKET}/", "signed": "{server}/any/"}
BROKEN = [
    pytest.param(place, name, id=f"{name}-{place}", marks=[] if place == "store" else pytest.mark.slow)
    for place in ADDRESSES
    for name in FAULTS
]


@pytest.mark.parametrize(("place", "name"), BROKEN)
def test_what_goes_wrong_is_one_line(place: str, name: str, run: Run, tmp_path: Path) -> None:
    """Nothing is left of what was fetched, and what may be a secret is nowhere."""
    fault, words, code, what = FAULTS[name]
    (tmp_path / "work").mkdir()
    with serving() as server:
        server.files[A], server.faults[A] = LINES.encode(), fault
        at = ADDRESSES[place].format(server=server.address)
        login = at.replace("://", f"://me:{TOKEN}@")
        query = f"?sig={TOKEN}" if place == "signed" else ""
        more = [word.format(at=at, login=login) + query * ("path" in word) for word in words]
        typed = [f"source.path={at}{A}{query}", *more]
        quick = {"AUDITFW_REMOTE_TIMEOUT": "0.5"} if fault in ("hang", "stall") else {}
        done = run(
            "source=jsonl", *typed, "report=[markdown]", folder=tmp_path / "work", env=server.environment() | quick
        )
    where = f"{at}{A.replace('a.', 'b.') if name == 'missing' else A}"
    assert re.fullmatch(f"auditfw: error: {re.escape(where)}: {what}\n", done.stderr), done.stderr
    assert (done.returncode, done.stdout) == (code, "")
    kept = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.rglob("*") if path.is_file()}
    assert [one for one in kept if one.startswith(("cache", "scratch"))] == []
    assert {path.name for one, path in kept.items() if one.startswith("work")} <= OF_FAILED_RUNS
    for secret in (TOKEN, SECRET):
        assert [one for one, path in kept.items() if secret.encode() in path.read_bytes()] == []
        assert secret not in done.stderr
