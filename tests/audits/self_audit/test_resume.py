"""A killed run of the self-audit goes on to the same bytes, and nothing is asked for twice."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from places import CASES
from running import Command

import auditfw
from auditfw.audits.self_audit.journal import held, read
from auditfw.core.errors import DataError, UsageError

FILES = ("result.json", "trials.parquet", "measurements.parquet", "report.md", "junit.xml", "attempts.jsonl")
WORDS = (
    "experiment=self_audit",
    "source=problems",
    "source.path=problems.jsonl",
    "solver=noisy",
    "stop_rule=[one_attempt,patience_2]",
    "by=[kind]",
    "report=[markdown,junit]",
)


def project(folder: Path, problems: int = 40) -> Path:
    """A folder with problems and the solver that writes its requests down."""
    (folder / "plugins").mkdir()
    shutil.copy(CASES / "plugins/noisy.py", folder / "plugins")
    rows = [
        {"id": f"p{n}", "kind": "ab"[n % 2], "train": [{"input": n, "output": [[n % 3, 1], [2, 0]]}], "test": []}
        for n in range(problems)
    ]
    (folder / "problems.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


def start(folder: Path, words: Sequence[str]) -> subprocess.Popen[bytes]:
    """The command, started in a group of its own."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("HYDRA", "AUDITFW", "COLUMNS"))}
    command = [sys.executable, "-m", "auditfw", *words]
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=folder, env=env, stdout=nowhere, stderr=nowhere, start_new_session=True)


def kill_while_running(folder: Path, words: Sequence[str], run: str, lines: int) -> bool:
    """Starts a run and kills it as soon as its journal has so many lines. False where it ended before."""
    process = start(folder, [*words, f"hydra.run.dir={run}"])
    journal = folder / run / "attempts.jsonl"
    while process.poll() is None and (not journal.is_file() or journal.read_bytes().count(b"\n") < lines):
        time.sleep(0.002)
    running = process.poll() is None
    os.killpg(process.pid, signal.SIGKILL) if running else None
    process.wait(60)
    time.sleep(0.1)  # a worker that was just writing ends with its parent, a moment later
    return running


def requests(folder: Path) -> list[str]:
    """The requests sent so far, in order: problem and iteration."""
    log = folder / "requests.log"
    return log.read_text("utf-8").splitlines() if log.is_file() else []


def finished(run: Path) -> set[str]:
    """The attempts that a run's journal holds."""
    return {f"{problem} {number}" for problem, number in read(run / "attempts.jsonl").lines}


def files(run: Path) -> dict[str, bytes]:
    return {name: (run / name).read_bytes() for name in FILES}


@pytest.fixture(scope="module")
def whole(command_in: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that nothing interrupted."""
    folder = project(tmp_path_factory.mktemp("whole"))
    done = command_in(folder, *WORDS, "engine.workers=1", "hydra.run.dir=end")
    assert done.returncode == 0, done.stderr
    return folder


def killed_often(folder: Path, command_in: Command, instants: Sequence[int], words: Sequence[str]) -> int:
    """Kills a run when its journal has so many lines, goes on from it, kills that, and so on; then lets it end.

    Asserts that nothing written down is asked for again. Gives the number of kills.
    """
    kills, done_before, more = 0, set[str](), ()
    for at, lines in enumerate(instants):
        sent = len(requests(folder))
        kills += kill_while_running(folder, (*words, *more), f"run{at}", lines)
        assert not done_before & set(requests(folder)[sent:])
        done_before = finished(folder / f"run{at}")
        more = (f"resume=run{at}",)
    sent = len(requests(folder))
    done = command_in(folder, *more, "hydra.run.dir=end")  # the overrides are those of the run
    assert done.returncode == 0, done.stderr
    assert not done_before & set(requests(folder)[sent:])
    return kills


def check_same_end(folder: Path, command_in: Command, whole: Path, instants: Sequence[int], workers: int) -> None:
    kills = killed_often(folder, command_in, instants, (*WORDS, f"engine.workers={workers}"))
    assert kills
    found, expected = files(folder / "end"), files(whole / "end")
    assert [name for name in FILES if found[name] != expected[name]] == []
    again = Counter(requests(folder)) - Counter(requests(whole))
    assert sum(again.values()) <= kills * workers * 2, "no more than what was under way is asked for again"
    assert set(requests(folder)) == set(requests(whole))


@pytest.mark.slow
def test_killed_and_resumed(command_in: Command, tmp_path: Path, whole: Path) -> None:
    """One kill, two workers; the bytes are those of one process that was let alone."""
    check_same_end(project(tmp_path), command_in, whole, (90,), 2)


@pytest.mark.slow
def test_no_request_is_sent_once_the_command_is_killed(tmp_path: Path) -> None:
    """Only the command is killed, not its group: its workers finish the request under way, and send no other."""
    folder = project(tmp_path, 200)
    process = start(folder, [*WORDS, "engine.workers=2", "hydra.run.dir=run"])
    try:
        while process.poll() is None and len(requests(folder)) < 10:
            time.sleep(0.002)
        process.kill()
        process.wait(60)
        sent = len(requests(folder))
        time.sleep(1.0)
        assert len(requests(folder)) <= sent + 2
    finally:
        with suppress(ProcessLookupError):  # they have ended with the command
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.slow
def test_killed_twenty_times(command_in: Command, tmp_path: Path, whole: Path) -> None:
    draw = random.Random(5)
    lines = len(requests(whole))
    check_same_end(project(tmp_path), command_in, whole, sorted(draw.randrange(lines) for _ in range(20)), 2)


@pytest.mark.slow
def test_costly_requests_are_never_repeated(command_in: Command, tmp_path: Path) -> None:
    """On the wall's clock a request under way is not sent again: it counts as used up, and the run says so."""
    folder = project(tmp_path)
    draw = random.Random(6)
    words = (*WORDS, "solver.clock=wall", "stop.retry_delay=0.001", "engine.workers=2")
    before: set[str] = set()
    more: tuple[str, ...] = ()
    for at, lines in enumerate(sorted(draw.randrange(400) for _ in range(6))):
        sent = len(requests(folder))
        kill_while_running(folder, (*words, *more), f"run{at}", lines)
        assert not before & set(requests(folder)[sent:])
        before, more = set(requests(folder)), (f"resume=run{at}",)
    sent = len(requests(folder))
    done = command_in(folder, *words, *more, "hydra.run.dir=end")
    assert done.returncode == 0, done.stderr
    assert not before & set(requests(folder)[sent:])
    warnings = json.loads((folder / "end/result.json").read_text("utf-8"))["warnings"]
    assert any("were open when the run was killed" in warning for warning in warnings)


def recorded(folder: Path, second: int = 2, **more: Any) -> auditfw.Result:
    """The audit on two problems with three recorded attempts each, the run in a folder of its own."""
    problems = [
        {"id": name, "train": [{"input": 1, "output": [[1, number]]}]} for name, number in (("a", 1), ("b", second))
    ]
    attempts = [{"problem": name, "output": [[1, 9]]} for name in "aabbab"]
    for name, rows in (("problems", problems), ("recorded", attempts)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    told = {
        "experiment": "self_audit",
        "source": {"use": "problems", "path": str(folder / "problems.jsonl")},
        "solver": {"use": "replay", "path": str(folder / "recorded.jsonl")},
        "stop": {"max_iterations": 3},
    }
    return auditfw.run({**told, **more}, folder / f"run{len(list(folder.glob('run*')))}")


def test_a_finished_run_again(tmp_path: Path) -> None:
    """All is known already, so that nothing is requested; its own continuation is followed too."""
    first = recorded(tmp_path)
    again = recorded(tmp_path, resume=str(tmp_path / "run0"))
    assert json.loads((tmp_path / "run1/manifest.json").read_text("utf-8"))["requests_of_this_run"] == 0
    assert again.measurements == first.measurements
    for name in ("result.json", "trials.parquet", "measurements.parquet", "attempts.jsonl"):
        assert (tmp_path / "run0" / name).read_bytes() == (tmp_path / "run1" / name).read_bytes()
    (tmp_path / "run0/attempts.jsonl").write_bytes((tmp_path / "run0/attempts.jsonl").read_bytes()[:900])
    recorded(tmp_path, resume=str(tmp_path / "run0"))
    assert json.loads((tmp_path / "run2/manifest.json").read_text("utf-8"))["requests_of_this_run"] == 0
    told = json.loads((tmp_path / "run2/result.json").read_text("utf-8"))["warnings"]
    assert sum("was continued before" in warning for warning in told) == 1


def test_resume_refuses(tmp_path: Path) -> None:
    recorded(tmp_path)
    run = tmp_path / "run0"
    with held(run), pytest.raises(UsageError, match=f"is in use .lock held by process {os.getpid()} on host"):
        recorded(tmp_path, resume=str(run))
    with pytest.raises(UsageError, match="another solver, scoring or seed"):
        recorded(tmp_path, resume=str(run), seed=1)
    with pytest.raises(DataError, match="the problem 'b' changed since the interrupted run"):
        recorded(tmp_path, second=3, resume=str(run))
    with pytest.raises(UsageError, match="no such run folder"):
        recorded(tmp_path, resume=str(tmp_path / "none"))
    with pytest.raises(UsageError, match="the parsing audit keeps no journal"):
        auditfw.run({"resume": str(run)})
    journal = run / "attempts.jsonl"
    lines = journal.read_bytes().split(b"\n")
    journal.write_bytes(b"\n".join([*lines[:4], lines[4].replace(b'"score"', b'"sc0re"'), *lines[5:]]))
    with pytest.raises(DataError, match=r"attempts\.jsonl:5: a line of the journal is damaged .* copy them"):
        recorded(tmp_path, resume=str(run))


def test_more_iterations_than_before(tmp_path: Path) -> None:
    """The interrupted run may go on under another stop rule: what is stored is not asked for again."""
    recorded(tmp_path, stop={"max_iterations": 1})
    recorded(tmp_path, resume=str(tmp_path / "run0"))
    assert json.loads((tmp_path / "run1/manifest.json").read_text("utf-8"))["requests_of_this_run"] == 4
