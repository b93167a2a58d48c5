"""Commands over files that lie elsewhere: addresses as first words, what is shown and kept of them, trust, `check`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from object_server import ObjectServer, serving
from running import run_auditfw
from sentences.commands import IS_A_PATH_AND_PATHS_COME

pytest.importorskip("obstore", reason="needs the extra remote")

BUCKET = "s3://logs-of-ours"
TOKEN = "t0k3n-of-nobody"
QUIET = ("report=[markdown]", "hydra.run.dir=run")
LINES = "".join(
    json.dumps({"id": f"{i}", "raw_text": f"It is {i % 7}.", "ground_truth": f"{i % 5}", "stored": i % 7 == i % 5})
    + "\n"
    for i in range(40)
)
Run = Callable[..., CompletedProcess[str]]


@pytest.fixture
def server() -> Iterator[ObjectServer]:
    with serving() as one:
        one.files |= {"logs/a.jsonl": LINES.encode(), "logs/b.jsonl": LINES.replace("It", "Now it").encode()}
        yield one


@pytest.fixture
def run(server: ObjectServer, tmp_path: Path) -> Run:
    """Runs a command in a folder of its own, with the server's variables and others."""

    def command(*words: str, **more: str) -> CompletedProcess[str]:
        folders = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_STATE_HOME": str(tmp_path / "state")}
        return run_auditfw(words, tmp_path, {**server.environment(), **folders, **more})

    return command


def holding(folder: Path, text: str) -> list[str]:
    """The files in a folder that hold a text."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [str(path.relative_to(folder)) for path in files if text.encode() in path.read_bytes()]


def said(done: CompletedProcess[str]) -> str:
    return done.stdout + done.stderr


@pytest.mark.slow
def test_an_address_is_a_first_word(run: Run, tmp_path: Path) -> None:
    done = run(f"{BUCKET}/logs/a.jsonl", *QUIET)
    assert done.returncode in (0, 1), done.stderr
    assert f"auditfw source=jsonl source.path={BUCKET}/logs/a.jsonl" in done.stderr
    result = json.loads((tmp_path / "run/result.json").read_text())
    assert [one["path"] for one in result["inputs"]] == [f"{BUCKET}/logs/a.jsonl"]
    assert holding(tmp_path / "run", str(tmp_path / "cache")) == []
    assert str(tmp_path / "cache") not in said(done)


@pytest.mark.parametrize("path", ["logs/", "logs/*.jsonl", "logs"])
def test_a_folder_and_a_pattern_are_first_words(run: Run, path: str) -> None:
    done = run("check", f"{BUCKET}/{path}")
    assert done.returncode == 0, done.stderr
    for number, name in enumerate("ab"):
        assert f"job {number}: " in done.stderr
        assert f" source.path={BUCKET}/logs/{name}.jsonl " in done.stderr
    assert "2 jobs, nothing was run" in done.stdout


def test_a_path_that_comes_later(run: Run) -> None:
    done = run("source=jsonl", f"{BUCKET}/logs/a.jsonl")
    assert (done.returncode, IS_A_PATH_AND_PATHS_COME in done.stderr) == (2, True)


@pytest.mark.slow
def test_what_stands_behind_a_question_mark_is_nowhere(server: ObjectServer, run: Run, tmp_path: Path) -> None:
    address = f"{server.address}/any/logs/a.jsonl"
    for words in ([f"{address}?sig={TOKEN}"], ["source=jsonl", f"source.path={address}?sig={TOKEN}"]):
        done = run(*words, "report=[markdown]")
        assert done.returncode in (0, 1), done.stderr
        assert TOKEN not in said(done)
    assert f"GET /any/logs/a.jsonl?sig={TOKEN}" in server.asked
    assert holding(tmp_path, TOKEN) == []


@pytest.mark.slow
@pytest.mark.parametrize("sweep", [(), ("-m", "seed=1,2")])
def test_what_a_config_has_is_nowhere_either(server: ObjectServer, run: Run, tmp_path: Path, sweep: tuple[str]) -> None:
    (tmp_path / "conf/source").mkdir(parents=True)
    variants = {"signed": f"{server.address}/any/logs/a.jsonl?sig={TOKEN}", "login": f"s3://me:{TOKEN}@bucket/a.jsonl"}
    for name, address in variants.items():
        (tmp_path / f"conf/source/{name}.yaml").write_text(f"use: jsonl\npath: {address}\n")
    codes = [run(f"source={name}", "report=[markdown]", *sweep).returncode for name in variants]
    assert codes[0] in (0, 1)
    assert codes[1] == 2
    assert holding(tmp_path, TOKEN) == [f"conf/source/{name}.yaml" for name in sorted(variants)]


@pytest.mark.slow
def test_a_run_of_others_fetches_nothing_without_trust(server: ObjectServer, run: Run, tmp_path: Path) -> None:
    assert run("source=jsonl", f"source.path={BUCKET}/logs/a.jsonl", *QUIET).returncode in (0, 1)
    for strange in ({"XDG_STATE_HOME": str(tmp_path / "another")}, {"AUDITFW_SAFE": "1"}):
        asked = len(server.asked)
        done = run("rerun", "run", **strange)
        assert (done.returncode, len(server.asked)) == (2, asked), done.stderr
    for verb in ("report", "explain"):
        assert run(verb, "run", XDG_STATE_HOME=str(tmp_path / "another")).returncode in (0, 1)
    assert len(server.asked) == asked
    same = run("rerun", "run", "--trust", "report=[console]", XDG_STATE_HOME=str(tmp_path / "another"))
    assert "result.json has the same bytes" in same.stdout
    server.files["logs/a.jsonl"] += LINES.replace('"id": "', '"id": "more').encode()
    assert f"{BUCKET}/logs/a.jsonl" in run("rerun", "run", "report=[console]").stdout


def test_check_fetches_the_head_alone(server: ObjectServer, run: Run) -> None:
    server.files["large.jsonl"] = b"".join(LINES.replace('"id": "', f'"id": "{i}-').encode() for i in range(400))
    size = len(server.files["large.jsonl"])
    for words in (["source=jsonl", f"source.path={BUCKET}/large.jsonl"], [f"{BUCKET}/large.jsonl"]):
        done = run("check", *words)
        assert (done.returncode, server.asked.pop()) == (0, "HEAD /logs-of-ours/large.jsonl")
        assert f"{BUCKET}/large.jsonl: 1 file, {size:,} bytes, not fetched" in done.stdout
    assert server.asked == []
    assert "columns" in run("check", f"{BUCKET}/logs/a.jsonl").stdout


def test_init_names_the_address(run: Run, tmp_path: Path) -> None:
    done = run("init", "audit", f"{BUCKET}/logs/a.jsonl")
    assert done.returncode == 0, done.stderr
    assert f"path: {BUCKET}/logs/a.jsonl" in (tmp_path / "audit/conf/experiment/mine.yaml").read_text()


def test_reports_of_build_servers(run: Run, tmp_path: Path) -> None:
    """No line of a checkout is meant."""
    words = ("source=jsonl", f"source.path={BUCKET}/logs/a.jsonl", "gate=[stable]", "hydra.run.dir=run")
    done = run(*words, "report=[sarif,annotations]")
    assert done.returncode == 1, done.stderr
    assert ",file=" not in said(done)
    log = json.loads((tmp_path / "run/report.sarif").read_text())["runs"][0]
    assert [one["location"]["uri"] for one in log["artifacts"]] == [f"{BUCKET}/logs/a.jsonl"]


@pytest.mark.slow
def test_a_signal_leaves_nothing(server: ObjectServer, tmp_path: Path) -> None:
    server.faults["logs/a.jsonl"] = "stall"
    env = {
        **os.environ,
        **server.environment(),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    words = [sys.executable, "-m", "auditfw", "source=jsonl", f"source.path={BUCKET}/logs/"]
    with subprocess.Popen(words, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True) as process:
        while "GET /logs-of-ours/logs/a.jsonl" not in server.asked and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=60)[1]
    assert (process.returncode, errors.count("\n")) == (130, 1), errors
    assert list((tmp_path / "cache/auditfw/remote").iterdir()) == []
