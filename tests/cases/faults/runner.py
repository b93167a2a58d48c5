"""Runs one command again and again, each time with another of its writing calls failing.

tests/helpers/disk_faults.py starts it.

The library of faults.c is preloaded. Everything is imported once; each run is a fork of this process, in a copy of a
folder. Standard input holds one request a line, as JSON; standard output one answer a line.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
from pathlib import Path

LIBRARY = ctypes.CDLL(os.environ["LD_PRELOAD"])
LIBRARY.faults_hit.restype = ctypes.c_char_p
HELPERS = Path(__file__).parents[2] / "helpers"


def main() -> None:
    """Answers requests until standard input ends."""
    sys.path.insert(0, str(HELPERS))
    from forked import warm

    warm()
    for line in sys.stdin:
        request = json.loads(line)
        folder = Path(request["folder"])
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(request["start"], folder, symlinks=True)
        child = os.fork()
        if child == 0:
            _run(folder, request)
        _, status = os.waitpid(child, 0)
        print(json.dumps({"code": os.waitstatus_to_exitcode(status)}), flush=True)


def _run(folder: Path, request: dict[str, object]) -> None:
    code = 70
    try:
        os.chdir(folder)
        for number, name in ((1, "stdout.txt"), (2, "stderr.txt")):
            stream = folder.parent / f"{folder.name}.{name}"
            os.dup2(os.open(stream, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), number)
        LIBRARY.faults_arm(f"{folder}/".encode(), request["at"], request["until"], request["errno"])
        from auditfw.commands.main import main as auditfw

        code = auditfw(list(request["words"]))
        sys.stdout.flush()
    finally:
        hit = LIBRARY.faults_hit().decode("utf-8", "replace")
        told = {"calls": LIBRARY.faults_calls(), "hit": hit}
        (folder.parent / f"{folder.name}.calls.json").write_text(json.dumps(told))
        os._exit(code)


if __name__ == "__main__":
    main()
