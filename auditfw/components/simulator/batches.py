"""Runs a batch of scenarios through a model: at once where it can, else one by one; in this process."""

from __future__ import annotations

import contextlib
import gc
import io
import mmap
import os
import pickle
import random
import shutil
import sys
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, BinaryIO

from auditfw.core.errors import AuditError
from auditfw.core.inputs import Stamp, stamp_or_none
from auditfw.core.processes import follow_parent
from auditfw.core.remote.places import of_command
from auditfw.core.sampling import random_state_restored
from auditfw.kinds.capabilities import files_read
from auditfw.kinds.simulation import Columns, ScenarioBatch, Simulated

from .models import Model, Opener
from .replies import Failed, Replies, answers, explain, run_at_once, run_each, simulated, tabled

KEPT = 4

_here: dict[str, Model] = {}
_disturbing = threading.RLock()


def versions(opener: Opener) -> tuple[Stamp | None, ...]:
    """The files that a model is opened from as they are now: what was opened from others is not it."""
    return tuple(map(stamp_or_none, files_read(opener)))


def opened(opener: Opener) -> Model:
    """The model of a simulator, opened once in this process. Raises AuditError."""
    key = f"{opener!r} {versions(opener)}"
    if key not in _here:
        if len(_here) >= KEPT:
            del _here[next(iter(_here))]
        _here[key] = opener.open()
    return _here[key]


def simulate_here(opener: Opener, batch: ScenarioBatch) -> Simulated:
    """Runs the scenarios of a batch in this process."""
    with _undisturbed():
        model, seeds = opened(opener), whole_numbers(batch.seeds)
        at_once = together(model, table(batch.params), seeds, opener.timeout)
        if at_once is not None:
            return simulated([at_once])
        return simulated([one_by_one(model, rows(batch.params), seeds, opener.timeout)])


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Keeps prints away from standard output, and gives the global random numbers back as they were.

    Both are those of all threads, so that one thread at a time may have them.
    """
    with _disturbing, random_state_restored(), contextlib.redirect_stdout(io.StringIO()):
        yield


def together(model: Model, columns: Any, seeds: Sequence[int], timeout: float) -> Replies | None:
    """The answers of a model that takes many scenarios at once; None where it does not, or fails on them."""
    many = model.many
    if many is None or not len(seeds) or not isinstance(columns, dict):
        return None

    def ask() -> Any:
        import numpy as np

        seed(seeds[0])
        arrays = {name: np.array(column, dtype=float) for name, column in columns.items()}
        return tabled(many(arrays, np.array(seeds)), len(seeds))

    columns_of_outcomes = run_at_once(ask, timeout)
    return None if isinstance(columns_of_outcomes, Failed) else Replies(len(seeds), {}, columns_of_outcomes)


def one_by_one(model: Model, scenarios: list[Any], seeds: Sequence[int], timeout: float, begin: Any = None) -> Replies:
    """The answers of each scenario; `given` are mappings of their own, which the model may change."""
    if model.stochastic:
        return answers(run_each(_seeding(model), scenarios, seeds, timeout, begin))
    return answers(run_each(model.one, scenarios, seeds if model.seeded else None, timeout, begin))


def table(params: Sequence[Any]) -> dict[str, list[float]] | list[dict[str, float]]:
    """The parameters as plain columns where all scenarios have the same ones, else as a list of mappings."""
    if isinstance(params, Columns):
        return {name: _listed(column) for name, column in params.columns.items()}
    if not len(params) or not params[0] or any(row.keys() != params[0].keys() for row in params):
        return [dict(row) for row in params]
    return {name: [row[name] for row in params] for name in params[0]}


def rows(params: Sequence[Any] | dict[str, list[float]]) -> list[dict[str, float]]:
    """Each scenario's parameters as a dict of its own."""
    if isinstance(params, Columns):
        params = {name: _listed(column) for name, column in params.columns.items()} or [{}] * params.size
    if not isinstance(params, dict):
        return [dict(row) for row in params]
    names = list(params)
    return list(map(dict, map(zip, repeat(names), zip(*params.values(), strict=True))))


def whole_numbers(seeds: Sequence[int]) -> Sequence[int]:
    """The seeds in a form that is small, quick to make and gives plain numbers."""
    if isinstance(seeds, list | range):
        return seeds
    import numpy as np

    column = np.asarray(seeds)
    if column.dtype != np.int64:
        return list(seeds)
    numbers = array("q")
    numbers.frombytes(column.tobytes())
    return numbers


def _listed(column: Any) -> list[float]:
    return column.tolist() if hasattr(column, "tolist") else list(column)


def _seeding(model: Model) -> Callable[[dict[str, float], int], Any]:
    import numpy  # noqa: F401 - so that its random numbers are seeded from the first scenario on

    def one(params: dict[str, float], number: int) -> Any:
        seed(number)
        return model.one(params, number) if model.seeded else model.one(params)

    return one


def seed(number: int) -> None:
    """Sets the global random numbers, so that code which uses them gives the same in whichever process."""
    random.seed(number)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(number % 2**32)


# What runs in the process of a model: opens it, then answers one request after the other until there are no more.

AT_ONCE = (1 << 64) - 1  # in the counter: many are run at once
COLLECT_AFTER = 200_000  # rows make no circles; looking for them at the usual pace costs a third
FIRST, SHORT, LONG = 16, 0.1, 0.4  # scenarios in the first piece; seconds below and above which pieces grow and shrink


def serve() -> None:
    """Reads requests from standard input, writes answers to standard output; both are closed to the model."""
    requests, replies = _taken(0, os.O_RDONLY, "rb"), _taken(1, os.O_WRONLY, "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    packed, counter, folder, scratch, bound, copies = _read(requests)
    of_command.update(copies)
    if bound:
        follow_parent()
    try:
        opener = pickle.loads(packed)  # noqa: S301 - written by the process that started this one
        model = opener.open()
        os.chdir(folder)
    except AuditError as error:
        _write(replies, error)
        return
    except BaseException as error:
        _write(replies, explain(error))
        return
    _write(replies, model.bounds)
    with Path(counter).open("r+b") as file:
        begin = memoryview(mmap.mmap(file.fileno(), 8)).cast("Q")
    gc.set_threshold(COLLECT_AFTER)
    _answer(model, opener.timeout, begin, requests, replies)
    shutil.rmtree(scratch, ignore_errors=True)


def _answer(model: Model, timeout: float, begin: Any, requests: BinaryIO, replies: BinaryIO) -> None:
    piece = FIRST
    while (request := _read(requests)) is not None:
        columns, seeds, at_once = request
        if at_once and model.many is not None:
            begin[0] = AT_ONCE
            simulated = together(model, columns, seeds, timeout)
            if simulated is not None:
                _write(replies, simulated)
                continue
        begin[0] = 0
        seed(seeds[0])
        scenarios = rows(columns)
        at = 0
        while at < len(scenarios):
            started = time.monotonic()
            end = at + piece
            _write(replies, one_by_one(model, scenarios[at:end], seeds[at:end], timeout, begin))
            took = time.monotonic() - started
            piece = piece * 2 if took < SHORT else max(1, piece // 2) if took > LONG else piece
            at = end


def _taken(number: int, flags: int, mode: str) -> Any:
    """A standard stream for ourselves; in its place the model finds nothing."""
    own = os.fdopen(os.dup(number), mode)
    os.dup2(os.open(os.devnull, flags), number)
    return own


def _read(stream: BinaryIO) -> Any:
    head = stream.read(8)
    if len(head) < 8:
        return None
    return pickle.loads(stream.read(int.from_bytes(head, "little")))  # noqa: S301 - from the process that started this one


def _write(stream: BinaryIO, message: Any) -> None:
    data = pickle.dumps(message)
    stream.write(len(data).to_bytes(8, "little") + data)
    stream.flush()
