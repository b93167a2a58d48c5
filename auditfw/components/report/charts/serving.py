"""The process that draws: specifications in, a line each, and pictures out; it imports little, so as to begin soon."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WAITS = hasattr(select, "poll")
FIRST = '{"data": {"values": [{"x": 1}]}, "mark": "bar", "encoding": {"x": {"field": "x", "type": "quantitative"}}}'


def serve(parent: int, deadline: int) -> None:
    """Draws what comes on standard input, a specification a line, until it ends.

    Ctrl-C is for the parent. Where the parent ends while the engine hangs, Linux or the alarm ends this process too.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    alarm = _alarm()
    _leave_no_core()
    _die_with(parent)
    channel = os.dup(1)
    os.dup2(2, 1)  # what the engine may print is no answer
    from vl_convert import vegalite_to_svg

    answers = open(channel, "wb")  # noqa: SIM115 - open as long as the process is there
    if WAITS and not select.select([0], [], [], 0)[0]:  # nobody waits yet: the engine is readied by a first picture
        alarm(deadline)
        with contextlib.suppress(Exception):
            vegalite_to_svg(FIRST)
        alarm(0)
    for line in sys.stdin.buffer:
        alarm(deadline)
        try:
            answer = {"svg": vegalite_to_svg(line.decode("ascii"))}
        except Exception as error:
            answer = {"error": " ".join(f"{type(error).__name__}: {error}".split())[:300]}
        alarm(0)
        answers.write(json.dumps(answer).encode("ascii") + b"\n")
        answers.flush()


def _alarm() -> Callable[[int], object]:
    """What ends this process so many seconds from now, unless it is called with 0 before; on Windows nothing does."""
    if sys.platform == "win32" or not hasattr(signal, "alarm"):
        return lambda _: None
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return signal.alarm


def _leave_no_core() -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        if sys.platform == "win32":
            raise NotImplementedError  # it has no module `resource`
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _die_with(parent: int) -> None:
    """Asks Linux to end this process when the one that started it ends, however that happens."""
    if sys.platform == "linux":
        import ctypes

        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
    if WAITS and os.getppid() != parent:  # on Windows a virtual environment's Python is its starter's child
        os._exit(1)
