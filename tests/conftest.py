"""Shared by all tests: the real command in a subprocess, in a folder of its own."""

from __future__ import annotations

import gc
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from places import HELPERS, TESTS
from running import Command, run_auditfw
from searching import QUICK, WHOLE

pytest.register_assert_rewrite(*(file.stem for file in HELPERS.glob("*.py") if file.stem not in sys.modules))
STATE = tempfile.TemporaryDirectory(prefix="auditfw-state-")  # runs made by tests are remembered there
os.environ["XDG_STATE_HOME"] = STATE.name
gc.set_threshold(100_000)  # as the command does: looking through what stays costs a tenth of the time
settings.register_profile("quick", max_examples=QUICK, deadline=None)  # of the fast run; none is timed
settings.register_profile("whole", max_examples=WHOLE, deadline=None)  # of the slow one
settings.register_profile("thorough", max_examples=1000, deadline=None)  # pytest --hypothesis-profile=thorough
settings.register_profile(
    "patient", max_examples=WHOLE, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)  # of a slow build
SLOW = "slow"


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """More processes than cores: a test often waits for a command, a signal or a time-out."""
    cores = os.cpu_count() or 1
    return cores + (cores + 1) // 2


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("whole" if config.option.markexpr == SLOW else "quick")
    _begin_elsewhere(config)


def _begin_elsewhere(config: pytest.Config) -> None:
    """Each process begins to read the tests elsewhere: in a new checkout all compile, each what none has yet."""
    worker = getattr(config, "workerinput", None)
    if worker is not None and TESTS.name in config.args:
        at = config.args.index(TESTS.name)
        files = sorted(map(str, TESTS.rglob("test_*.py")))
        begin = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
        config.args[at : at + 1] = files[begin:] + files[:begin]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The longest files first, then the tests of no one module: whole files go to the processes one after another.

    What hypothesis searches is searched in the slow run again, with all examples.
    AUDITFW_TEST_ORDER=SEED shuffles the files: no test may depend on their order.
    """
    if config.option.markexpr == SLOW:
        for item in items:
            if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
                item.add_marker(SLOW)
    seed = os.environ.get("AUDITFW_TEST_ORDER")
    items.sort(key=lambda item: _shuffled(seed, item) if seed else (_turn(item.path), str(item.path)))


LONGEST = ("test_disk_faults.py", "test_disk_faults_later.py", "test_time.py", "test_signals.py", "test_sanitized.py")


def _turn(file: Path) -> int:
    return 0 if file.name in LONGEST else 1 if file.parent == TESTS else 2


def _shuffled(seed: str, item: pytest.Item) -> bytes:
    return hashlib.blake2b(f"{seed} {item.path.relative_to(TESTS.parent)}".encode()).digest()


def pytest_collection_finish() -> None:
    """The tests themselves stay: they are not looked through again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs `python -m auditfw` with these words in an empty folder; `env` adds to the environment."""

    def run(*words: str, env: dict[str, str] | None = None, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        return run_auditfw(words, cwd, env)

    return run


@pytest.fixture(scope="module")
def command_in() -> Command:
    """Runs `python -m auditfw` with these words in the folder given first: for runs that several tests look at."""

    def run(cwd: Path, *words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return run_auditfw(words, cwd, env)

    return run
