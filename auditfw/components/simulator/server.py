"""What runs in the process of a model: opens it, then answers one request after the other until there are no more."""

from __future__ import annotations

import gc
import mmap
import os
import pickle
import shutil
import time
from pathlib import Path
from typing import Any, BinaryIO

from auditfw.core.errors import AuditError
from auditfw.core.processes import follow_parent

from .batches import one_by_one, rows, seed, together
from .models import Model
from .replies import explain

AT_ONCE = (1 << 64) - 1  # in the counter: many are run at once
COLLECT_AFTER = 200_000  # rows make no circles; looking for them at the usual pace costs a third
FIRST, SHORT, LONG = 16, 0.1, 0.4  # scenarios in the first piece; seconds below and above which pieces grow and shrink


def serve() -> None:
    """Reads requests from standard input, writes answers to standard output; both are closed to the model."""
    requests, replies = _taken(0, os.O_RDONLY, "rb"), _taken(1, os.O_WRONLY, "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    packed, counter, folder, scratch, bound = _read(requests)
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
