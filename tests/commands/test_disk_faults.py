"""Every call that writes fails once, with a full disk and with an input/output error: the answer is as documented."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from places import CASES
from running import UNSET, run_auditfw

FAULTS = CASES / "faults"
ERRORS = (errno.ENOSPC, errno.EIO)
# What a run vouches for by nothing: a report, its manifest, the link to the latest run, the log of a sweep's job.
SPARED = ("report.md", "report.html", "junit.xml", "manifest.json", "latest", "disagreements.tsv", "auditfw.log")
SPARED += ("chart-", "sweep.md", "sweep.parquet", "sweep.json")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="no compiler on this machine"),
]


class Faulty:
    """One command after another, each in a fork of a process with the library of failing calls."""

    def __init__(self, library: Path, folder: Path) -> None:
        self.folder = folder
        environment = {name: value for name, value in os.environ.items() if not name.startswith(UNSET)}
        environment |= {"LD_PRELOAD": str(library), "COLUMNS": "100"}
        command = [sys.executable, str(FAULTS / "runner.py")]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
        )

    def __call__(self, start: Path, words: Sequence[str], number: int = 0, error: int = 0) -> dict[str, Any]:
        """Runs a command in a copy of the folder `start`; call `number` (0: none) fails with this errno."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        place = self.folder / "work"
        request = {"folder": str(place), "start": str(start), "words": list(words)}
        request |= {"at": number, "until": number, "errno": error}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        code = json.loads(self._process.stdout.readline())["code"]
        counted = json.loads((self.folder / "work.calls.json").read_text("utf-8"))
        lines = (self.folder / "work.stderr.txt").read_text("utf-8").splitlines()
        return {"code": code, "lines": lines, **counted}

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faulty]:
    folder = tmp_path_factory.mktemp("faults")
    library = folder / "faults.so"
    flags = ["-O1", "-shared", "-fPIC", "-Wall", "-Werror"]
    subprocess.run(["gcc", *flags, "-o", str(library), str(FAULTS / "faults.c"), "-ldl"], check=True)
    made = Faulty(library, folder)
    yield made
    made.close()


@pytest.fixture(scope="module")
def starts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders that commands begin in: an empty one, and one with a finished run."""
    folder = tmp_path_factory.mktemp("starts")
    empty, finished = folder / "empty", folder / "finished"
    empty.mkdir()
    finished.mkdir()
    made = run_auditfw(["experiment=self_audit", "source.limit=2", "hydra.run.dir=old"], finished)
    assert made.returncode in (0, 1), made.stderr
    torn = folder / "torn"
    shutil.copytree(finished, torn, symlinks=True)
    for name in ("result.json", "trials.parquet", "measurements.parquet"):
        (torn / "old" / name).unlink()
    journal = torn / "old" / "attempts.jsonl"
    journal.write_bytes(journal.read_bytes()[:-700])  # in the middle of a line
    swept = folder / "swept"
    swept.mkdir()
    run_auditfw([*SWEEP, "seed=1,2"], swept)
    shutil.rmtree(swept / "run" / "1")  # as if it had been killed in the first job's tail
    return {"empty": empty, "finished": finished, "torn": torn, "swept": swept}


SWEEP = ("-m", "experiment=cross_agent", "report=[markdown]", "hydra.sweep.dir=run")
BOTH = ("parsing", "report", "accept", "init")  # the others meet each error at every second call: they take long
COMMANDS = {
    "parsing": ("empty", ["hydra.run.dir=run"]),
    "consistency": ("empty", ["experiment=cross_agent", "hydra.run.dir=run", "report=[disagreements]"]),
    "self_audit": ("empty", ["experiment=self_audit", "source.limit=2", "hydra.run.dir=run", "report=[markdown]"]),
    "report": ("finished", ["report", "old"]),
    "accept": ("finished", ["accept", "old"]),
    "rerun": ("finished", ["rerun", "old", "report=[markdown]"]),
    "init": ("empty", ["init", "mine"]),
    "resume": ("torn", ["resume=old", "hydra.run.dir=run", "report=[markdown]"]),
    "sweep": ("empty", [*SWEEP, "seed=1"]),
    "sweep again": ("swept", ["resume=run"]),
}


def _results(folder: Path) -> dict[str, int]:
    found = {}
    for file in folder.rglob("result.json"):
        if "earlier" not in file.parts:
            found[str(file.relative_to(folder))] = json.loads(file.read_text("utf-8"))["exit_code"]
    return found


def _complaint(told: dict[str, Any], error: int, own: int, before: dict[str, int], folder: Path) -> str:
    """What is wrong with the answer to one failing call; "" where nothing is."""
    call, _, path = told["hit"].partition(" ")
    name = path.rpartition("/")[2]
    lines = [line for line in told["lines"] if line.startswith(("auditfw: error:", "auditfw: warning:"))]
    named = [line for line in lines if f"errno {error}" in line]
    spared = any(one in name for one in SPARED)
    if told["code"] == 4:
        if not named:
            return "no line with path and errno"
        if any("a defect" in line for line in told["lines"]) or "Traceback" in "".join(told["lines"]):
            return "a traceback"
        new = {file: code for file, code in _results(folder).items() if before.get(file) != code}
        places = [Path(path), *Path(path).parents]
        failed = {str(one.relative_to(folder) / "result.json") for one in places if folder in one.parents}
        failed.add("run/result.json")
        return "a result.json of the run that failed" if failed & new.keys() else ""
    if told["code"] != own:
        return f"exit code {told['code']}"
    exists_already = call == "mkdir"  # a folder that is there need not be made
    synced_only = call == "fsync" and not name.endswith((".json", ".parquet"))
    return "" if spared or exists_already or synced_only or named else "nothing is said"


@pytest.mark.parametrize("command", COMMANDS)
def test_each_call_that_fails_is_answered(command: str, faulty: Faulty, starts: dict[str, Path]) -> None:
    start, words = COMMANDS[command]
    clean = faulty(starts[start], words)
    assert clean["code"] in (0, 1), clean["lines"]
    before = _results(starts[start])
    wrong = []
    for number in range(1, clean["calls"] + 1):
        for error in ERRORS if command in BOTH else ERRORS[number % 2 :][:1]:
            told = faulty(starts[start], words, number, error)
            if complaint := _complaint(told, error, clean["code"], before, faulty.folder / "work"):
                wrong.append(f"call {number}, {os.strerror(error)}, {told['hit']}: {complaint}: {told['lines'][-2:]}")
    assert wrong == []
