"""The real command in processes that are forked off one that has its modules imported already: the tests run many.

`python forked.py` is that one: a request a line on standard input, as JSON, an exit code a line on standard output.
"""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

TIMEOUT = 120
IMPORTED = (
    "hydra._internal.hydra",
    "hydra.core.plugins",
    "hydra._internal.logging_config",
    "jinja2",
    "msgspec.json",
    "msgspec.msgpack",
    "numpy",
    "polars",
    "polars._utils.parquet",
    "regex",
    "resource",
    "rich.console",
    "rich.table",
    "xml.etree.ElementTree",
    "auditfw.commands.main",
    "auditfw.config.build",
    "auditfw.config.hydra.command",
    "auditfw.commands.check",
    "auditfw.commands.list",
    "auditfw.commands.sweep.task",
    "auditfw.commands.sweep.summary",
    "auditfw.commands.comparison.accepted",
    "auditfw.commands.compare",
    "auditfw.commands.report",
    "auditfw.commands.rerun",
    "auditfw.commands.resume",
)


class Forks:
    """Runs commands in forks of one process, which is started with the first of them."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, words: Sequence[str], cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Runs `python -m auditfw` with these words in this folder and environment."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(env), text=True
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            request = {"words": list(words), "cwd": str(cwd), "env": dict(env), "streams": folder}
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            if not select.select([self._process.stdout], [], [], TIMEOUT)[0]:
                self._process.kill()
                raise subprocess.TimeoutExpired(list(words), TIMEOUT)
            code = int(self._process.stdout.readline())
            out, err = ((Path(folder) / name).read_text("utf-8") for name in ("1", "2"))
        return subprocess.CompletedProcess([sys.executable, "-m", "auditfw", *words], code, out, err)


def _serve() -> None:
    warm()
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(request)
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def warm() -> None:
    """Imports what commands do, composes Hydra's own config, which finds its plugins, and compiles patterns.

    Of ours no config is composed: what can be chosen depends on the folder.
    """
    from hydra import compose, initialize

    from auditfw.audits.parsing.engine.chains import chains_of
    from auditfw.config.build import shipped_texts
    from auditfw.config.plugins import ENTRY_POINTS
    from auditfw.kinds.component_index import MODULES

    for name in (*IMPORTED, *MODULES.values()):
        importlib.import_module(name)
    with initialize(version_base="1.3", config_path=None):
        made = compose(overrides=["+a=[b,{c: 1.5}]", "+d={e: '${a}'}", "hydra.run.dir=outputs/${now:%H}/x"])
        str(made.d)
    for point in importlib.metadata.entry_points(group=ENTRY_POINTS):
        point.load()
    parts = shipped_texts()
    chains_of([getattr(part, "steps", ()) for kind in ("parser", "normalizer") for part in parts[kind].values()])
    gc.freeze()


def _become(request: dict[str, object]) -> None:
    """Runs one command as the interpreter would have; the process ends as its own."""
    os.chdir(str(request["cwd"]))
    os.environ.clear()
    os.environ.update(request["env"])  # type: ignore[arg-type]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (1, 2):
        os.dup2(os.open(f"{request['streams']}/{number}", os.O_WRONLY | os.O_CREAT, 0o600), number)
    del sys.path[0]
    sys.argv = [str(importlib.import_module("auditfw.__main__").__file__), *request["words"]]  # type: ignore[misc]
    from auditfw.__main__ import main

    main()


if __name__ == "__main__":
    _serve()
