"""Work in a thread, and child processes: what they say, their deadlines and limits, and how they end."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from auditfw.core.background import BackgroundTask, Child, EndedError, FloodError, Running, signal_name, started
from auditfw.core.interrupts import Interrupted


def test_a_value_and_an_error_are_given_when_asked_for() -> None:
    def fail() -> int:
        raise ValueError("no")

    done = BackgroundTask(lambda: 3)
    assert [done(), done(), done.done] == [3, 3, True]
    failing = BackgroundTask(fail)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            failing()
    assert failing.done


START = Callable[..., Child]


@pytest.fixture
def child() -> Iterator[START]:
    children = []

    def start(code: str, most: int = 1 << 20) -> Child:
        children.append(Child(started([sys.executable, "-c", f"import os, sys, time\n{code}"]), most))
        return children[-1]

    yield start
    for one in children:
        one.end()


ECHO = "for line in sys.stdin: print(line[:-1] * 2, flush=True)"


def test_lines_go_there_and_back_in_order(child: START) -> None:
    echo = child(ECHO)
    echo.send(b"a\nb")
    echo.send(b"c\n")
    assert [echo.line(9), echo.line(9), echo.take()] == [b"aa", b"bcbc", None]
    long = b"x" * 300_000
    echo.send(long + b"\n")
    assert echo.line(9) == long * 2
    assert (echo.written, echo.printed) == (3 + 5 + 600_001, 0)


def test_the_last_that_is_sent_ends_its_input(child: START) -> None:
    reader = child("print(len(sys.stdin.read()), flush=True)")
    reader.send(b"x" * 200_000, last=True)
    assert reader.line(9) == b"200000"
    assert reader.code() == 0


def test_a_deadline_is_kept_and_what_comes_later_is_not_lost(child: START) -> None:
    slow = child("sys.stdin.readline(); print('there', flush=True); time.sleep(60)")
    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        slow.line(0.2)
    assert 0.2 <= time.monotonic() - begun < 5
    slow.send(b"\n")
    assert slow.line(9) == b"there"


@pytest.mark.parametrize(
    ("code", "gave"),
    [
        ("sys.exit(3)", 3),
        ("os.kill(os.getpid(), 9)", -9),
        ("os.kill(os.getpid(), 40)", -40),
        ("os.close(1); time.sleep(60)", None),
    ],
)
def test_how_it_ended(child: START, code: str, gave: int | None) -> None:
    gone = child(f"print('last', flush=True); {code}")
    assert gone.line(9) == b"last"
    with pytest.raises(EndedError):
        gone.line(9)
    assert gone.code(0.5) == gave
    gone.send(b"to nobody\n")
    with pytest.raises(EndedError):
        gone.line(9)


def test_a_signal_of_the_terminals_is_waited_for_here_as_well(child: START, monkeypatch: pytest.MonkeyPatch) -> None:
    from auditfw.core import interrupts

    gone = child("os.kill(os.getpid(), 15)")
    with pytest.raises(EndedError):
        gone.line(9)
    monkeypatch.setattr(interrupts._state, "pending", signal.SIGTERM)
    with pytest.raises(Interrupted):
        gone.code()


@pytest.mark.parametrize(("size", "floods"), [(1000, False), (1001, True)])
def test_a_flood_is_one_byte_more_than_may_wait(child: START, size: int, floods: bool) -> None:
    loud = child(f"sys.stdout.write('x' * {size}); sys.stdout.flush(); sys.exit()", most=1000)
    with pytest.raises(FloodError if floods else EndedError):
        loud.line(9)


def test_the_end_of_its_errors_is_kept(child: START) -> None:
    loud = child("sys.stderr.write('x' * 9000 + 'end'); sys.stderr.flush(); os.close(2); time.sleep(0.3); print()")
    assert loud.line(9) == b""
    assert (loud.printed, len(loud.tail), loud.tail[-4:]) == (9003, 4096, b"xend")


def test_its_end_takes_along_what_it_started(child: START) -> None:
    parent = child("pid = os.fork() or time.sleep(60)\nprint(pid, flush=True); time.sleep(60)")
    grandchild = int(parent.line(9))
    parent.end()
    parent.end()
    assert parent.wait(0) == -signal.SIGKILL
    until = time.monotonic() + 5
    while time.monotonic() < until and state_of(grandchild) not in ("", "Z"):
        time.sleep(0.01)
    assert state_of(grandchild) in ("", "Z")


def state_of(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    return ""


def test_a_fork_leaves_its_parents_child_alone(child: START) -> None:
    echo = child(ECHO)
    if (fork := os.fork()) == 0:
        echo.end()
        os._exit(0)
    os.waitpid(fork, 0)
    echo.send(b"a\n")
    assert echo.line(9) == b"aa"


class Thing:
    def __init__(self, log: list[str], name: str) -> None:
        self.log, self.name = log, name
        log.append(f"made {name}")

    def end(self) -> None:
        self.log.append(f"ended {self.name}")


def test_things_are_kept_until_too_many_are_there() -> None:
    log: list[str] = []
    kept: Running[Thing] = Running(2)
    for name in "abacb":
        assert kept.get(name, lambda name=name: Thing(log, name)).name == name
    assert log == ["made a", "made b", "ended a", "made c"]
    kept.end("b")
    kept.end("b")
    kept.get("b", lambda: Thing(log, "b"))
    assert log[4:] == ["ended b", "made b"]


def test_signals_have_names_or_numbers() -> None:
    assert [signal_name(9), signal_name(40)] == ["SIGKILL", "signal 40"]
