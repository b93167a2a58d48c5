"""A process of its own for simulated code: started, asked, and ended with its folder."""

from __future__ import annotations

import mmap
import os
import pickle
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from auditfw.core.background import LOOK, Child, EndedError, FloodError, Running, signal_name, started
from auditfw.core.errors import AuditError, IncompleteError, brief
from auditfw.core.files import remove
from auditfw.core.imports import user_folders
from auditfw.core.processes import in_main_thread, need_groups, python_code, scratch_prefix
from auditfw.core.remote.places import of_command
from auditfw.kinds.simulation import ScenarioBatch, Simulated

from .batches import AT_ONCE, opened, simulate_here, table, versions, whole_numbers
from .models import Bounds, Opener
from .replies import Failed, Replies, simulated

ELSEWHERE = "run your own code with simulator.isolation=none, which waits for it without a time limit"


class SimulatorProcess(Child):
    """A process that simulates; `most` is how many bytes may wait to be taken.

    It works in `folder`; None: in an empty folder of its own, which is removed at the end.
    """

    def __init__(self, command: Sequence[str], folder: str | None, most: int) -> None:
        need_groups("simulator", "a process of its own that can be ended", ELSEWHERE)
        self.scratch = tempfile.mkdtemp(prefix=scratch_prefix("simulator"))
        self.work = os.path.join(self.scratch, "work")
        os.mkdir(self.work)
        environment = {**os.environ, "TMPDIR": self.scratch}
        try:
            process = started(command, cwd=self.work if folder is None else folder, env=environment)
        except OSError:
            remove([Path(self.scratch)])
            raise
        super().__init__(process, most)

    def how_ended(self) -> str:
        """How it has ended, with its last words."""
        code = self.code()
        if code is None:
            how = "it closed its standard output"
        elif code < 0:
            how = f"its process died ({signal_name(-code)})"
        else:
            how = f"its process ended (exit code {code})"
        return f"{how}{self.last_words()}"

    def last_words(self) -> str:
        """The last line of its standard error behind a colon, if there is one."""
        with suppress(OSError, ValueError):
            self.tail += os.read(self.process.stderr.fileno(), 1 << 20)
        lines = self.tail.decode("utf-8", "replace").strip().splitlines()
        return f": {brief(lines[-1], 200)}" if lines else ""

    def end(self) -> None:
        super().end()
        if self.mine:
            remove([Path(self.scratch)])  # in which what was killed may still end a call


START = (
    "from auditfw.core.imports import add_folders; add_folders({folders!r}); "
    "from auditfw.components.simulator.batches import serve; serve()"
)
OPENING = 120.0  # seconds that importing and opening may take
GRACE = 1.0
MOST = 1 << 28


def simulate(opener: Opener, batch: ScenarioBatch) -> Simulated:
    """Runs the scenarios of a batch, in a process of their own where the simulator says so and can be sent there."""
    packed = _packed(opener) if opener.isolation == "process" else None
    return simulate_here(opener, batch) if packed is None else _server(opener, packed).run(batch)


def simulate_fresh(opener: Opener, batch: ScenarioBatch) -> Simulated | None:
    """Runs the scenarios of a batch in a process that ran nothing yet; None where they cannot be sent to one."""
    packed = _packed(opener) if opener.isolation == "process" else None
    if packed is None:
        return None
    server = Server(opener, packed)
    try:
        return server.run(batch)
    finally:
        server.end()


def check_opens(opener: Opener) -> Bounds:
    """Opens the model once, where it is going to run, and gives the bounds that it declares. Raises AuditError."""
    packed = _packed(opener) if opener.isolation == "process" else None
    return opened(opener).bounds if packed is None else _server(opener, packed).start()


def _packed(opener: Opener) -> bytes | None:
    """The settings as bytes for another process; None where they hold something that only this one knows."""
    try:
        packed = pickle.dumps(opener)
    except Exception:
        return None
    return None if b"__main__" in packed else packed


_servers: Running[Server] = Running(2)


def _server(opener: Opener, packed: bytes) -> Server:
    return _servers.get((packed, versions(opener)), lambda: Server(opener, packed))


class Server:
    """The process of one model, started when it is first needed and again when it had to be ended."""

    def __init__(self, opener: Opener, packed: bytes) -> None:
        self._opener, self._packed, self._lock = opener, packed, threading.Lock()
        self._child, self._counter = None, None

    _child: SimulatorProcess | None
    _counter: mmap.mmap | None
    _bounds: Bounds

    def run(self, batch: ScenarioBatch) -> Simulated:
        """The answers of a batch."""
        with self._lock:
            replies: dict[int, Replies] = {}
            columns, seeds = table(batch.params), whole_numbers(batch.seeds)
            todo = [(0, len(seeds), True)] if len(seeds) else []
            while todo:
                start, end, at_once = todo.pop()
                at = start
                try:
                    for part in self._asked(_cut(columns, start, end), seeds[start:end], at_once):
                        replies[at] = part
                        at += part.size
                except _LostError as lost:
                    if lost.at_once:
                        todo.append((at, end, False))
                        continue
                    culprit = min(at + lost.place, end - 1)
                    replies[culprit] = Replies(1, {0: lost.failed}, None, [None])
                    todo += [(a, b, False) for a, b in ((culprit + 1, end), (at, culprit)) if a < b]
            return simulated([replies[at] for at in sorted(replies)])

    def start(self) -> Bounds:
        """Starts the process and opens the model in it; gives the bounds that it declares. Raises AuditError."""
        if self._child is not None:
            return self._bounds
        command = python_code(START.format(folders=user_folders()))
        child = self._child = SimulatorProcess(command, os.getcwd(), MOST)
        counter = Path(child.scratch, "counter")
        counter.write_bytes(bytes(8))
        with counter.open("r+b") as file:
            self._counter = mmap.mmap(file.fileno(), 8)
        folder = os.path.abspath(self._opener.folder) if self._opener.folder is not None else child.work
        self._send((self._packed, str(counter), folder, child.scratch, in_main_thread(), of_command))
        try:
            answer = self._heard(OPENING)
        except _LostError as lost:
            raise IncompleteError("simulator", "could not be opened in a process of its own", lost.failed.why) from None
        if isinstance(answer, AuditError):
            self.end()
            raise answer
        if isinstance(answer, str):
            self.end()
            raise IncompleteError("simulator", "could not be opened", answer)
        self._bounds = answer
        return self._bounds

    def _asked(self, columns: Any, seeds: Sequence[int], at_once: bool) -> Iterator[Replies]:
        self.start()
        self._send((columns, seeds, at_once))
        size = 0
        while size < len(seeds):
            part = self._heard(self._opener.timeout * 1.25 + GRACE)
            size += part.size
            yield part

    def _send(self, message: Any) -> None:
        assert self._child is not None
        data = pickle.dumps(message)
        self._child.send(len(data).to_bytes(8, "little") + data)

    def _heard(self, patience: float) -> Any:
        """The next message. Raises _LostError where no scenario begins for so many seconds, or there is no more."""
        child, counter = self._child, self._counter
        assert child is not None
        assert counter is not None
        seen, since = counter[:], time.monotonic()
        try:
            while True:
                output = child.output
                size = int.from_bytes(output[:8], "little") if len(output) >= 8 else MOST
                if len(output) >= 8 + size:
                    data = bytes(output[8 : 8 + size])
                    del output[: 8 + size]
                    return pickle.loads(data)  # noqa: S301 - from the process we started, of plain values
                child.pump(LOOK)
                now = time.monotonic()
                if counter[:] != seen:
                    seen, since = counter[:], now
                elif now - since > patience:
                    raise self._lost("timeout", f"no answer within {self._opener.timeout:g} s")
        except EndedError:
            raise self._lost("error", child.how_ended()) from None
        except FloodError:
            raise self._lost("error", f"its outcomes take more than {MOST:,} bytes") from None

    def _lost(self, status: Any, why: str) -> _LostError:
        assert self._counter is not None
        place = int.from_bytes(self._counter[:], "little")
        self.end()
        return _LostError(place, Failed(status, why))

    def end(self) -> None:
        """Ends the process."""
        child, self._child = self._child, None
        if child is not None:
            child.end()
        if self._counter is not None:
            self._counter.close()
            self._counter = None


class _LostError(Exception):
    """The process is gone; holds the place of the scenario it was at, and the message."""

    def __init__(self, place: int, failed: Failed) -> None:
        super().__init__(failed.why)
        self.place, self.failed, self.at_once = place, failed, place == AT_ONCE


def _cut(columns: Any, start: int, end: int) -> Any:
    if isinstance(columns, dict):
        return {name: column[start:end] for name, column in columns.items()}
    return columns[start:end]
