"""Signals: whatever a command is at, it ends soon, with one line and the code that says so; what is finished stays.

`AUDITFW_SIGNALS=200 pytest -m slow tests/commands/test_signals.py -k sigterm -s` sends that many SIGTERMs, and prints
what came of them.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from sentences import commands as says
from signalling import CODES, SLACK, TERMINAL, WORDS, WORKLOADS, Started, Workload, parsing, start

import auditfw
from auditfw.core import interrupts
from auditfw.core.native import compiled

BLOCKS = '''import os, re, time


def begun():
    open("begun", "w").close() if os.path.isdir("plugins") else open(os.environ["BEGUN"], "w").close()


def answers(params):
    return {"y": 0.5}


def sleeps(params):
    begun()
    time.sleep(60)


def spins(params):
    begun()
    while True:
        pass


def holds(params):
    """Holds the interpreter within C, and looks for no signal there."""
    begun()
    sum(range(10**12))


def backtracks(params):
    begun()
    re.match("(a+)+$", "a" * 64 + "b")


def swallows(params):
    """Takes whatever is raised in it for one more failure."""
    begun()
    while True:
        try:
            time.sleep(0.01)
        except BaseException:
            pass
'''
PROGRAM = """import os, sys, time

sys.stdin.readline()
open(os.environ["BEGUN"], "w").close()
time.sleep(60)
"""
STEP = '''from dataclasses import dataclass

from auditfw.kinds.registry import register
from blocks import spins


@register("step", "spins")
@dataclass(frozen=True)
class Spins:
    """Never comes back."""

    def __call__(self, text: str) -> str:
        return spins(text)


@register("report", "spins")
@dataclass(frozen=True)
class Report:
    """Never comes back, either."""

    def __call__(self, result, folder):
        return spins(result)
'''
CONF = "# @package audit.parsers.spins\n# Never comes back.\ndefaults: [steps@_here_, _self_]\nsteps: [spins]\n"
SCENARIO = {"label": "a", "intended": {"y": 0.5}, "params": {"x": 0.5}}
TRIAL = {"id": 1, "raw_text": "Paris", "parsed_text": "Paris", "ground_truth": "Paris", "stored": 1}
PROBLEM = {"id": "p", "train": [{"input": 1, "output": [[1]]}], "test": []}
MODEL = ("experiment=posiwid", "simulator=python", "scenarios=jsonl", "scenarios.path=scenarios.jsonl", "gate=[]")
PARSER = ("source=jsonl", "source.path=trials.jsonl", "by=[]", "parser=[spins]", "normalizer=[none]", "gate=[]")
SOLVER = ("experiment=self_audit", "source=problems", "source.path=problems.jsonl", "solver=python", "by=[]", "gate=[]")
HERE = "simulator.isolation=none"


def simulator(name: str, *more: str) -> tuple[str, ...]:
    return (*MODEL, f"simulator.function=blocks:{name}", "simulator.timeout=50", *more)


BLOCKED = {
    "a model in a process": (simulator("sleeps"), signal.SIGTERM),
    "a model that sleeps here": (simulator("sleeps", HERE), signal.SIGTERM),
    "a model that spins here": (simulator("spins", HERE), signal.SIGINT),
    "a model that swallows here": (simulator("swallows", HERE), signal.SIGINT),
    "a pattern here": (simulator("backtracks", HERE), signal.SIGTERM),
    "a program": (
        ("experiment=posiwid", "simulator=subprocess", "simulator.command=[python3,program.py]", *MODEL[2:]),
        signal.SIGINT,
    ),
    "a parser here": ((*PARSER, "engine.workers=1"), signal.SIGTERM),
    "a parser in workers": ((*PARSER, "engine.workers=2"), signal.SIGINT),
    "a report after a model": (simulator("answers", "engine.workers=2", "report=[spins]"), signal.SIGTERM),
    "a solver here": ((*SOLVER, "solver.function=blocks:sleeps", "engine.workers=1"), signal.SIGTERM),
    "a solver in workers": ((*SOLVER, "solver.function=blocks:sleeps", "engine.workers=2"), signal.SIGINT),
    "a model in a process, hung up": (simulator("sleeps"), signal.SIGHUP),
    "a parser in workers, hung up": ((*PARSER, "engine.workers=2"), signal.SIGHUP),
    "a solver in workers, hung up": ((*SOLVER, "solver.function=blocks:sleeps", "engine.workers=2"), signal.SIGHUP),
}
if compiled() is not None:
    BLOCKED["a model that holds the interpreter"] = (simulator("holds", HERE), signal.SIGTERM)
    BLOCKED["a model that holds the interpreter, hung up"] = (simulator("holds", HERE), signal.SIGHUP)
QUICK = {"a model in a process", "a parser here", "a parser in workers, hung up"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project whose code never comes back, once it has left a file that says that it has begun."""
    for name, text in {
        "blocks.py": BLOCKS,
        "program.py": PROGRAM,
        "plugins/step.py": STEP,
        "conf/parser/spins.yaml": CONF,
        "scenarios.jsonl": json.dumps(SCENARIO) + "\n",
        "trials.jsonl": json.dumps(TRIAL) + "\n" + json.dumps({**TRIAL, "id": 2}) + "\n",
        "problems.jsonl": json.dumps(PROBLEM) + "\n" + json.dumps({**PROBLEM, "id": "q"}) + "\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def blocked(folder: Path, words: tuple[str, ...]) -> Started:
    """A command that is within code which does not come back."""
    begun = folder / "begun"
    (folder / "tmp").mkdir()
    variables = {"BEGUN": str(begun), "PYTHONPATH": str(folder), "TMPDIR": str(folder / "tmp")}
    running = start(folder, (*words, "hydra.run.dir=run"), **variables)
    return running.until(begun.exists)


def check_ended(running: Started, folder: Path, number: int, seconds: float = 2.0) -> str:
    """Asserts the code, one line, the time, and that nothing is left. Gives the line."""
    code, lines, took = running.ended()
    assert (code, len(lines)) == (CODES[signal.Signals(number)], 1), lines
    assert lines[0].startswith(f"auditfw: error: {WORDS[signal.Signals(number)]}; ")
    assert took < seconds + SLACK
    assert running.left() == []
    assert list((folder / "tmp").glob("*")) == []
    assert not (folder / "run" / "result.json").exists()
    return lines[0]


@pytest.mark.parametrize(
    "case", [case if case in QUICK else pytest.param(case, marks=pytest.mark.slow) for case in BLOCKED]
)
def test_what_blocks_is_abandoned(case: str, folder: Path) -> None:
    words, number = BLOCKED[case]
    running = blocked(folder, words)
    running.send(number, group=number in TERMINAL)
    line = check_ended(running, folder, number)
    assert ("auditfw resume=run" in line) is case.startswith("a solver")


def test_a_second_signal_ends_at_once(folder: Path) -> None:
    running = blocked(folder, simulator("spins", HERE))
    running.send(signal.SIGTERM)
    time.sleep(0.2)
    running.send(signal.SIGTERM)
    check_ended(running, folder, signal.SIGTERM, 0.0)


def test_a_terminal_that_is_closed_may_say_so_twice(folder: Path) -> None:
    """By the system and by the shell: the second is none that ends at once."""
    running = blocked(folder, simulator("spins", HERE))
    running.send(signal.SIGHUP)
    first = running.sent
    time.sleep(0.2)
    running.send(signal.SIGHUP)
    check_ended(running, folder, signal.SIGHUP)
    assert time.monotonic() - first >= interrupts.GRACE


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_what_ignores_a_closed_terminal_goes_on(workers: int, tmp_path: Path, nohup: None) -> None:
    work = parsing(tmp_path, 400)
    running = start(tmp_path, (*work.words, f"engine.workers={workers}"), **dict(work.variables))
    for _ in range(4):
        running.until((tmp_path / "run").exists).send(signal.SIGHUP, group=True)
        time.sleep(0.1)
    assert running.ended()[:2] == (0, [])
    assert work.finished(tmp_path)


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ((), signal.SIGINT),
        pytest.param(("list",), signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param((), signal.SIGHUP, marks=pytest.mark.slow),
    ],
)
def test_a_signal_while_the_command_starts(folder: Path, words: tuple[str, ...], number: int) -> None:
    running = start(folder, words or ("hydra.run.dir=run",))
    running.until(running.listens).send(number, group=True)
    check_ended(running, folder, number)


@pytest.mark.parametrize("number", CODES)
def test_a_signal_before_anything_has_begun(number: signal.Signals) -> None:
    code = f"from auditfw.__main__ import _leave; _leave({int(number)}, None)"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    line = says.AUDITFW_ERROR_NOTHING_WAS_LEFT.format(WORDS[number])
    assert (done.returncode, done.stderr) == (CODES[number], line)


def interrupting(ask: object) -> None:
    signal.raise_signal(signal.SIGINT)


def test_python_gets_what_it_always_got(tmp_path: Path) -> None:
    """`auditfw.run` takes no signal for itself, and a KeyboardInterrupt goes through it."""
    (tmp_path / "problems.jsonl").write_text(json.dumps(PROBLEM) + "\n", "utf-8")
    before = [signal.getsignal(one) for one in CODES]
    settings = {
        "experiment": "self_audit",
        "source": {"use": "problems", "path": str(tmp_path / "problems.jsonl")},
        "solver": {"use": "python", "function": interrupting},
        "by": [],
    }
    with pytest.raises(KeyboardInterrupt):
        auditfw.run(settings)
    assert [signal.getsignal(one) for one in CODES] == before
    assert interrupts.number() == 0
    interrupts.look()


# Random instants

COUNT = int(os.environ.get("AUDITFW_SIGNALS", "30"))


@pytest.fixture(scope="module", params=WORKLOADS)
def work(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, dict[str, bytes], float]:
    """A workload by name, the bytes of a run that nothing ended, and how long that takes from hearing signals on."""
    folder = tmp_path_factory.mktemp(request.param)
    workload = WORKLOADS[request.param](folder)
    running = workload.start(folder)
    running.until(running.listens)
    begun = time.monotonic()
    assert running.ended()[0] == 0
    return request.param, workload.bytes_of(folder / workload.run), time.monotonic() - begun


def ended_at(instant: float, workload: Workload, folder: Path, number: int, group: bool) -> tuple[int, float]:
    """Ends a command at an instant after it began to listen. Gives the code and the seconds that it took."""
    running = workload.start(folder)
    running.until(running.listens)
    time.sleep(instant)
    running.send(number, group)
    code, lines, seconds = running.ended()
    wrong = [line for line in lines if "Traceback" in line or line.startswith((" ", "Exception"))]
    assert wrong == [], lines
    if number == signal.SIGKILL:
        assert code in (-signal.SIGKILL, 0)
    else:
        assert code == CODES[signal.Signals(number)] or (code == 0 and workload.finished(folder)), lines
        assert len([line for line in lines if line.startswith("auditfw: ")]) == (code != 0), lines
        assert seconds < 2.0 + SLACK
    assert running.left() == []
    return code, seconds


def check_random(
    work: tuple[str, dict[str, bytes], float], tmp_path: Path, number: int, count: int, group: bool = False
) -> None:
    """Sends a signal at `count` random instants; whatever was ended is gone on with, to the same bytes."""
    name, expected, length = work
    draw = random.Random(f"{name} {number}")
    codes, times = Counter[int](), []
    for at in range(count):
        folder = tmp_path / str(at)
        folder.mkdir()
        workload = WORKLOADS[name](folder)
        code, seconds = ended_at(draw.uniform(0, length), workload, folder, number, group)
        codes[code] += 1
        times.append(seconds)
        if workload.journal is not None or workload.finished(folder):
            found = workload.bytes_of(workload.complete(folder))
            assert [one for one in expected if found[one] != expected[one]] == []
    times.sort()
    print(f"{name}: {dict(codes)}; seconds: median {times[len(times) // 2]:.2f}, most {times[-1]:.2f}")


@pytest.mark.slow
def test_random_sigterm(work: tuple[str, dict[str, bytes], float], tmp_path: Path) -> None:
    check_random(work, tmp_path, signal.SIGTERM, -(-COUNT // len(WORKLOADS)))


@pytest.mark.slow
def test_random_sigkill(work: tuple[str, dict[str, bytes], float], tmp_path: Path) -> None:
    check_random(work, tmp_path, signal.SIGKILL, 10)


@pytest.mark.slow
@pytest.mark.parametrize("number", TERMINAL)
def test_random_signals_of_a_terminal(
    work: tuple[str, dict[str, bytes], float], tmp_path: Path, number: signal.Signals
) -> None:
    check_random(work, tmp_path, number, 4, group=True)
