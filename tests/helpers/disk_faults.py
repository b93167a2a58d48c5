"""Every call that writes fails once, by one of five refusals, or writes half: what is wrong with the answers."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from places import CASES
from running import UNSET, run_auditfw

FAULTS = CASES / "faults"
SHORT = 0  # a write that takes half of its bytes
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EDQUOT, errno.EROFS, SHORT)
CUT_OFF = "the disk did not take all of it"  # the end of a table: Polars does not say why it could not be written
TEMPORARY = ("**/*.part", "**/.parts-*", "**/.shared-*")


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


@contextmanager
def faulty(folder: Path) -> Iterator[Faulty]:
    """What runs commands in a folder, with the library of failing calls built there."""
    library = folder / "faults.so"
    flags = ["-O1", "-shared", "-fPIC", "-Wall", "-Werror"]
    subprocess.run(["gcc", *flags, "-o", str(library), str(FAULTS / "faults.c"), "-ldl"], check=True)
    made = Faulty(library, folder)
    yield made
    made.close()


def starts(folder: Path, *names: str) -> dict[str, Path]:
    """The folders that commands begin in: an empty one, one with a finished run, one that broke off, half a sweep."""
    made = {name: folder / name for name in ("empty", *names)}
    made["empty"].mkdir()
    if "finished" in made:
        made["finished"].mkdir()
        done = run_auditfw(["experiment=self_audit", "source.limit=2", "hydra.run.dir=old"], made["finished"])
        assert done.returncode in (0, 1), done.stderr
    if "torn" in made:
        shutil.copytree(made["finished"], made["torn"], symlinks=True)
        for name in ("result.json", "trials.parquet", "measurements.parquet"):
            (made["torn"] / "old" / name).unlink()
        journal = made["torn"] / "old" / "attempts.jsonl"
        journal.write_bytes(journal.read_bytes()[:-700])  # in the middle of a line
    if "swept" in made:
        made["swept"].mkdir()
        run_auditfw([*SWEEP, "seed=1,2"], made["swept"])
        shutil.rmtree(made["swept"] / "run" / "1")  # as if it had been killed in the first job's tail
    return made


SMALL = ("source.where='temperature = 0'", "parser=[stored]", "normalizer=[v1]")
SWEEP = ("-m", *SMALL, "report=[markdown]", "hydra.sweep.dir=run")
FILES = "report=[markdown,junit,sarif,codequality]"


def _results(folder: Path) -> dict[str, int]:
    found = {}
    for file in folder.rglob("result.json"):
        if "earlier" not in file.parts:
            found[str(file.relative_to(folder))] = json.loads(file.read_text("utf-8"))["exit_code"]
    return found


def _complaint(told: dict[str, Any], error: int, own: int, before: dict[str, int], folder: Path) -> str:
    """What is wrong with the answer to one failing call; "" where nothing is."""
    call, _, path = told["hit"].partition(" ")
    left = sorted(str(one.relative_to(folder)) for name in TEMPORARY for one in folder.glob(name))
    if left:
        return f"temporary files: {left}"
    if any("a defect" in line for line in told["lines"]) or "Traceback" in "".join(told["lines"]):
        return "a traceback"
    if error == SHORT or told["calls"] < told["number"]:  # how often a journal is flushed depends on the time
        return "" if told["code"] == own else f"exit code {told['code']}"
    lines = [line for line in told["lines"] if line.startswith(("auditfw: error:", "auditfw: warning:"))]
    named = [line for line in lines if f"errno {error}" in line or CUT_OFF in line]
    if told["code"] == 4:
        new = {file: code for file, code in _results(folder).items() if before.get(file) != code}
        failed = {str(one.relative_to(folder) / "result.json") for one in Path(path).parents if folder in one.parents}
        wrong = {file: code for file, code in new.items() if file in failed and code != 4}
        return f"{wrong} beside a file that was not written" if wrong else "" if named else "no line with errno"
    if told["code"] != own:
        return f"exit code {told['code']}"
    if call == "mkdir" or path.endswith("auditfw.log"):  # a folder that is there need not be made; a log is none of it
        return ""
    if "latest" in path.rpartition("/")[2]:
        return "" if named else "nothing is said"
    return "exit code 0"


def complaints(start: Path, words: Sequence[str], faulty: Faulty) -> list[str]:
    """What is wrong with the answers of a command whose calls fail one by one; prints how many there were."""
    clean = faulty(start, words)
    assert clean["code"] in (0, 1), clean["lines"]
    before = _results(start)
    every, codes, wrong = os.environ.get("AUDITFW_FAULTS") == "all", Counter[int](), []
    for number in range(1, clean["calls"] + 1):
        for error in ERRORS if every else (ERRORS[number % len(ERRORS)],):
            told = {**faulty(start, words, number, error), "number": number}
            codes[told["code"]] += 1
            if complaint := _complaint(told, error, clean["code"], before, faulty.folder / "work"):
                what = os.strerror(error) if error else "a short write"
                wrong.append(f"call {number}, {what}, {told['hit']}: {complaint}: {told['lines'][-2:]}")
    print(f"{words}: {clean['calls']} calls, exit codes {dict(codes)}")
    return wrong
