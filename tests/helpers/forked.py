"""The real command in processes that are forked off one that has its modules imported already: the tests run many.

`python forked.py` is that one: a request a line on standard input, as JSON, an exit code a line on standard output.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import importlib.metadata
import json
import os
import pkgutil
import select
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import auditfw

TIMEOUT = 120
ASIDE = ("auditfw.__main__", "auditfw.commands.pytest_plugin")  # the second is of pytest
IMPORTED = (
    "email.parser",
    "hydra._internal.hydra",
    "hydra.core.plugins",
    "hydra._internal.logging_config",
    "jinja2",
    "markdown_it.rules_inline.entity",
    "msgspec.json",
    "msgspec.msgpack",
    "multiprocessing.popen_forkserver",
    "numpy.ma",
    "numpy.random",
    "numpy.typing",
    "polars",
    "polars._utils.parquet",
    "regex",
    "resource",
    "rich.console",
    "rich.table",
    "scipy.special",
    "scipy.stats",
    "xml.etree.ElementTree",
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
    os.fsync = lambda handle: None  # no power cut is awaited
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _become(request)
            return
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def warm() -> None:
    """Imports all of ours and what it needs, composes Hydra's own config, which finds plugins, and compiles patterns.

    Of ours the shipped files are read, and no config is composed: what can be chosen depends on the folder.
    """
    from hydra import compose, initialize

    from auditfw.audits.parsing.engine.texts import chains_of
    from auditfw.components.report.page.page import TEMPLATE, environment
    from auditfw.config.build import shipped_texts
    from auditfw.config.hints import hints
    from auditfw.config.hydra.state import own_state
    from auditfw.config.plugins import ENTRY_POINTS
    from auditfw.config.safe_yaml import load_yaml
    from auditfw.config.variants import shipped_conf
    from auditfw.kinds.component_index import MODULES
    from auditfw.kinds.registry import component

    ours = (module.name for module in pkgutil.walk_packages(auditfw.__path__, "auditfw."))
    for name in (*IMPORTED, *(name for name in ours if not name.startswith(ASIDE))):
        importlib.import_module(name)
    with initialize(version_base="1.3", config_path=None):
        made = compose(overrides=["+a=[b,{c: 1.5}]", "+d={e: '${a}'}", "hydra.run.dir=outputs/${now:%H}/x"])
        str(made.d)
    with own_state():
        pass
    for file in shipped_conf().rglob("*.yaml"):
        load_yaml(file)
    for kind, name in MODULES:
        hints(component(kind, name).cls)
    for point in importlib.metadata.entry_points(group=ENTRY_POINTS):
        point.load()
    parts = shipped_texts()
    chains_of([getattr(part, "steps", ()) for kind in ("parser", "normalizer") for part in parts[kind].values()])
    environment().get_template(TEMPLATE)
    gc.freeze()


def _become(request: dict[str, object]) -> None:
    """Runs one command as the interpreter would have; the process ends as its own, without taking its modules apart."""
    os.chdir(str(request["cwd"]))
    os.environ.clear()
    os.environ.update(request["env"])  # type: ignore[arg-type]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (1, 2):
        os.dup2(os.open(f"{request['streams']}/{number}", os.O_WRONLY | os.O_CREAT, 0o600), number)
    del sys.path[0]
    sys.argv = [str(importlib.import_module("auditfw.__main__").__file__), *request["words"]]  # type: ignore[misc]
    from auditfw.__main__ import main

    try:
        main()
    except SystemExit as ended:
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(ended.code or 0))


if __name__ == "__main__":
    _serve()
