"""Workers that see no copy: what their tasks read is fetched by ranges, once for a machine, in one version."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cluster_machines import DASK, HIDES, RAY, dask_machines, ray_machines, write_trials
from inspect_logs import eval_log, members, sample, text, zipped
from object_server import ObjectServer
from running import run_auditfw

from auditfw import AuditError
from auditfw.components.engine.parcels import apply, packed_apart, parcel_of
from auditfw.components.source.formats import CsvSource, JsonLinesSource, ParquetSource
from auditfw.components.source.inspect import Inspect
from auditfw.core.inputs import FilePart, file_part
from auditfw.core.remote.places import actual

pytest.importorskip("obstore", reason="needs the extra remote")

CHECK = "import pickle, sys; pickle.load(sys.stdin.buffer).check('/')"


def ranges(server: ObjectServer) -> list[tuple[int, int]]:
    """The bytes that were asked for, each from the first to behind the last; of a whole file (0, 0)."""
    asked = []
    for word, headers in zip(server.asked, server.headers, strict=True):
        if word.startswith("GET"):
            first, _, last = headers.get("range", "bytes=0--1").removeprefix("bytes=").partition("-")
            asked.append((int(first), int(last) + 1))
    return asked


@dataclass(frozen=True)
class Doing:
    """The work of doing a task."""

    def __call__(self, task: Callable[[], Any]) -> Any:
        return task()


def write_jsonl() -> None:
    write_trials(Path("a"), 20_000)


def write_csv() -> None:
    write_jsonl()
    pl.read_ndjson("a").write_csv("a")


def write_parquet() -> None:
    write_jsonl()
    pl.read_ndjson("a").write_parquet("a", row_group_size=1_500)


def write_log() -> None:
    eval_log(*(sample(number, store={"text": os.urandom(5_000).hex()}) for number in range(1_500)), name="a")


def write_log_in_parts() -> None:
    """Samples that are kept in parts, which lie behind all samples."""
    shells, parts = [], []
    for number in range(40):
        shell = sample(number, output={"completion": "attachment://0"})
        for name in ("metadata", "attachments", "messages", "events"):
            del shell[name]
        folder = f"samples/{number}_epoch_1"
        shells.append((f"{folder}/sample.json", text(shell)))
        parts += [(f"{folder}/attachments/0.json", text([f"{number} {os.urandom(50_000).hex()}"]))]
        parts += [(f"{folder}/metadata.json", text({"topic": "sums"}))]
    Path("a").write_bytes(zipped([*shells, *members([sample("last")]), *parts]))


FORMATS = {
    "jsonl": (JsonLinesSource, write_jsonl),
    "csv": (CsvSource, write_csv),
    "parquet": (ParquetSource, write_parquet),
    "eval": (Inspect, write_log),
    "eval in parts": (Inspect, write_log_in_parts),
}


@pytest.mark.parametrize("form", FORMATS)
def test_a_task_reads_what_was_fetched_for_it(server: ObjectServer, bucket: str, form: str) -> None:
    """All else of the copy is a hole: a task that read it would give something else."""
    source, write = FORMATS[form]
    write()
    name = f"a.{form.partition(' ')[0]}"
    server.files[name] = data = Path("a").read_bytes()
    tasks = list(source(path=f"{bucket}/{name}").open([], ["raw_text", "stored"]).tasks)
    parcel = parcel_of(Doing())[1]
    sent = [packed_apart(task, number) for number, task in enumerate(tasks)]
    here = [task() for task in tasks]
    first = []
    for several in (sent[:1], sent):
        shutil.rmtree("cache")
        server.asked.clear()
        server.headers.clear()
        assert [apply(parcel, task) for task in several] == [("done", batch) for batch in here[: len(several)]]
        spans = ranges(server)
        assert len(spans) == len(set(spans)), "nothing is fetched twice"
        first.append(sum(end - start for start, end in spans))
    assert 0 < first[0] < len(data)
    assert first[0] < first[1] <= len(data) or len(tasks) == 1


@pytest.mark.parametrize("span", [(0, 0), (0, 400_000), (1_000, 5_000)])
def test_one_process_of_a_machine_fetches(server: ObjectServer, bucket: str, span: tuple[int, int]) -> None:
    server.files["a"] = os.urandom(400_000)
    path = actual(f"{bucket}/a")
    sent = pickle.dumps(file_part(path, *span))
    shutil.rmtree("cache")
    server.asked.clear()
    server.pause = 0.3
    started = [subprocess.Popen([sys.executable, "-c", CHECK], stdin=subprocess.PIPE) for _ in range(3)]
    for process in started:
        process.communicate(sent, timeout=60)
    assert [process.returncode for process in started] == [0, 0, 0]
    assert len(server.asked) == 1
    held = Path(path).read_bytes()
    assert (len(held), held[slice(*span)]) == (400_000, server.files["a"][slice(*span)])
    assert (held == server.files["a"]) == (span != (1_000, 5_000))


def test_a_copy_with_holes_is_no_copy(server: ObjectServer, bucket: str) -> None:
    """Neither a task that reads more, nor a command on this machine takes it for the file."""
    server.files["a"] = data = os.urandom(400_000)
    path = actual(f"{bucket}/a")
    parts = [pickle.loads(pickle.dumps(file_part(path, *span))) for span in ((10, 20), (0, 0))]
    shutil.rmtree("cache")
    parts[0].check("/")
    assert Path(path).read_bytes() == bytes(10) + data[10:20] + bytes(399_980)
    [again] = (pickle.loads(pickle.dumps(part)) for part in parts[:1])
    again.check("/")
    parts[1].check("/")
    assert Path(path).read_bytes() == data
    asked = [word.partition(" ")[0] for word in server.asked]
    assert asked == ["HEAD", "GET", "GET", "GET"]
    shutil.rmtree("cache")
    parts[0].check("/")
    code = f"from auditfw.core.remote.places import actual; print(actual({bucket + '/a'!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), Path(path).read_bytes()) == (path, data)


def test_another_version_is_refused(server: ObjectServer, bucket: str) -> None:
    server.files["a"] = os.urandom(400_000)
    path = actual(f"{bucket}/a")
    parts: list[FilePart] = [file_part(path, *span) for span in ((10, 20), (0, 0))]
    shutil.rmtree("cache")
    server.files["a"] = os.urandom(400_000)
    for part in parts:
        with pytest.raises(AuditError, match="changed while it was fetched") as caught:
            part.check("/")
        assert caught.value.exit_code == 3


def write_input(server: ObjectServer, form: str) -> tuple[str, ...]:
    """Stores a file of a format; gives the words that audit it."""
    FORMATS[form][1]()
    source = form.partition(" ")[0]
    server.files[f"trials.{source}"] = Path("a").read_bytes()
    return f"source={'inspect' if source == 'eval' else source}", f"by=[{'' if source == 'eval' else 'group'}]"


def check_same(
    server: ObjectServer, bucket: str, forms: list[str], cluster: tuple[str, str], env: dict[str, str]
) -> None:
    """Runs each with one process and with a cluster, whose workers fetch each piece once, or again where several do."""
    for form in forms:
        source = (*write_input(server, form), f"source.path={bucket}/trials.{form.partition(' ')[0]}")
        words, name = (*source, "report=[]", "gate=[]"), form.replace(" ", "-")
        one = run_auditfw((*words, "engine.workers=1", f"hydra.run.dir=one-{name}"), Path.cwd(), env)
        server.asked.clear()
        server.headers.clear()
        two = run_auditfw((*words, *cluster, f"hydra.run.dir=two-{name}"), Path.cwd(), env)
        assert (one.returncode, two.returncode, two.stderr) == (0, 0, "")
        for file in ("result.json", "trials.parquet"):
            assert Path(f"one-{name}", file).read_bytes() == Path(f"two-{name}", file).read_bytes()
        spans = ranges(server)
        assert (0, 0) not in spans, "the command has its copy"
        assert spans


@pytest.mark.slow
@DASK
@HIDES
def test_dask_workers_that_share_nothing(server: ObjectServer, bucket: str, tmp_path: Path) -> None:
    for name in ("dask", "cache"):
        (tmp_path / name).mkdir()
    with dask_machines(tmp_path / "dask") as machines:
        for name in ("first", "second"):
            machines.worker(name, env=server.environment(), hidden={tmp_path / "cache": None})
        env = {**server.environment(), "XDG_CACHE_HOME": str(tmp_path / "cache")}
        cluster = ("engine=dask", f"engine.address={machines.address}")
        check_same(server, bucket, ["jsonl", "parquet", "eval", "eval in parts"], cluster, env)


@pytest.mark.slow
@RAY
@HIDES
def test_ray_workers_that_share_nothing(server: ObjectServer, bucket: str, tmp_path: Path) -> None:
    for name in ("ray", "cache"):
        (tmp_path / name).mkdir()
    with ray_machines(tmp_path / "ray", server.environment(), {tmp_path / "cache": None}) as machines:
        env = {**server.environment(), "XDG_CACHE_HOME": str(tmp_path / "cache"), "RAY_AUTH_MODE": "disabled"}
        cluster = ("engine=ray", f"engine.address={machines.address}")
        check_same(server, bucket, ["jsonl", "eval"], cluster, env)


ACTUAL = "".join(json.dumps({"label": f"s{i}", "actual": {"y": 1.1 * i}}) + "\n" for i in range(400))
SCENARIOS = "".join(json.dumps({"label": f"s{i}", "params": {"x": i}, "intended": {"y": i}}) + "\n" for i in range(400))
PAIRS = [{"input": "x", "output": 1}]
PROBLEMS = "".join(json.dumps({"id": f"p{i}", "train": PAIRS, "test": PAIRS}) + "\n" for i in range(40))
ATTEMPTS = "".join(json.dumps({"problem": f"p{i}", "attempt": 1, "output": 1, "score": 0.5}) + "\n" for i in range(40))
WHOLE = {
    "table": ("experiment=posiwid", "scenarios=jsonl", "scenarios.path={at}/a.jsonl", "simulator=table", "by=[]"),
    "attempts": (
        "experiment=self_audit",
        "source=problems",
        "source.path={at}/a.jsonl",
        "solver=replay",
        "scoring=exact",
        "solver.past_end=stop",
    ),
}


@pytest.mark.slow
@DASK
@HIDES
def test_what_comes_whole(server: ObjectServer, bucket: str, tmp_path: Path) -> None:
    """Once for a machine, to where the command has it, whatever cache a worker would have of its own."""
    for name in ("dask", "cache"):
        (tmp_path / name).mkdir()
    files = {"table": (SCENARIOS, ACTUAL), "attempts": (PROBLEMS, ATTEMPTS)}
    env = {**server.environment(), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    with dask_machines(tmp_path / "dask") as machines:
        for name in ("first", "second"):
            own = {**server.environment(), "XDG_CACHE_HOME": str(tmp_path / "dask/own")}
            machines.worker(name, env=own, hidden={tmp_path / "cache": None})
        for name, texts in files.items():
            server.files |= {f"{name}/{key}.jsonl": text.encode() for key, text in zip("ab", texts, strict=True)}
            component = "simulator" if name == "table" else "solver"
            at = f"{bucket}/{name}"
            words = [
                *(word.format(at=at) for word in WHOLE[name]),
                f"{component}.path={at}/b.jsonl",
                "report=[]",
                "gate=[]",
            ]
            cluster = ["engine=dask", f"engine.address={machines.address}"]
            done = []
            for folder, engine in (("one", ["engine.workers=1"]), ("two", cluster)):
                server.asked.clear()
                done.append(run_auditfw([*words, *engine, f"hydra.run.dir={name}-{folder}"], tmp_path, env))
            assert [(one.returncode, one.stderr) for one in done] == [(0, "")] * 2
            first, second = ((tmp_path / f"{name}-{one}/result.json").read_bytes() for one in ("one", "two"))
            assert first == second
            fetched = [word for word in server.asked if word.startswith("GET") and word.endswith("/b.jsonl")]
            assert 1 <= len(fetched) <= 2, "each worker is a machine here"
    assert not (tmp_path / "dask/own").exists()
