"""Engines on a cluster: the same work over the same partitions, in other processes or on other machines.

Workers need auditfw installed, and the input files under the same paths. Results come back in the order of the
tasks, a bounded number of them under way.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeVar

from auditfw.core.errors import AuditError, IncompleteError, UsageError
from auditfw.core.interrupts import listen, raising
from auditfw.core.processes import shielded
from auditfw.kinds.context import Task
from auditfw.kinds.registry import register

from .local import AHEAD, packed
from .order import in_order, one_by_one

T = TypeVar("T")
Parcel = tuple[bytes, tuple[str, ...]]

_unpacked: dict[bytes, Callable[[Task], Any]] = {}


def apply_work(parcel: Parcel, task: Task) -> Any:
    """One task in a worker: the work is unpacked once in each process."""
    import pickle

    told, path = parcel
    if told not in _unpacked:
        sys.path += [place for place in path if place not in sys.path]
        _unpacked.clear()
        _unpacked[told] = pickle.loads(told)  # noqa: S301 - written by the process that gave the task
    return _unpacked[told](task)


def _check_workers(workers: int | None, address: str | None) -> None:
    if workers is not None and workers < 1:
        raise UsageError("workers", "must be 1 or more", workers)
    if workers is not None and address is not None:
        raise UsageError("workers", "a cluster at an address has its own", workers, "leave one of the two out")


@register("engine", "dask")
@dataclass(frozen=True)
class Dask:
    """Runs the work on a Dask cluster, a new one on this machine or that of `address`; the results are the same bytes.

    `address` is the scheduler's, as in tcp://10.0.0.1:8786; without it `workers` processes (null: one a core) are
    started here. Needs the extra `dask`.
    """

    address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        _check_workers(self.workers, self.address)

    @property
    def starts(self) -> str:
        """The cluster the work is sent to, where there is one already."""
        return "" if self.address is None else f"sends the work to {self.address}"

    def map(self, work: Callable[[Task], T], tasks: Iterable[Task], rows: int | None) -> Iterator[T]:
        """Yields `work(task)` for each task, in the order of the tasks."""
        told = packed(work)
        if told is None:
            yield from one_by_one(work, tasks)
            return
        distributed = _extra("distributed", "dask")
        with ExitStack() as stack:
            client = self._client(distributed, stack)
            parcel = client.scatter((told, tuple(sys.path)), broadcast=True, hash=False)
            workers = max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
            try:
                yield from in_order(
                    tasks,
                    lambda task: client.submit(apply_work, parcel, task, pure=False, retries=0),
                    lambda future: _waited(future.result),
                    workers * AHEAD,
                )
            except (distributed.scheduler.KilledWorker, distributed.client.FutureCancelledError) as error:
                raise IncompleteError("engine", "a Dask worker died", str(error), "look at its log") from None

    def _client(self, distributed: Any, stack: ExitStack) -> Any:
        import logging

        logging.getLogger("distributed").setLevel(logging.ERROR)
        try:
            if self.address is not None:
                return stack.enter_context(distributed.Client(self.address, timeout="10s", set_as_default=False))
            with shielded(tracked=True):
                cluster = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=self.workers, threads_per_worker=1, processes=True, dashboard_address=None
                    )
                )
            return stack.enter_context(distributed.Client(cluster, set_as_default=False))
        except OSError as error:
            do = "start one: dask scheduler, and dask worker ADDRESS on each machine"
            raise IncompleteError(
                "engine.address", "no Dask scheduler answers", self.address or str(error), do
            ) from None


@register("engine", "ray")
@dataclass(frozen=True)
class Ray:
    """Runs the work on a Ray cluster, a new one on this machine or that of `address`; the results are the same bytes.

    `address` is the head's, as in 10.0.0.1:6379, or auto; without it `workers` processes (null: one a core) are
    started here, which takes some seconds. Needs the extra `ray`.
    """

    address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        _check_workers(self.workers, self.address)

    @property
    def starts(self) -> str:
        """The cluster the work is sent to, where there is one already."""
        return "" if self.address is None else f"sends the work to {self.address}"

    def map(self, work: Callable[[Task], T], tasks: Iterable[Task], rows: int | None) -> Iterator[T]:
        """Yields `work(task)` for each task, in the order of the tasks."""
        told = packed(work)
        if told is None:
            yield from one_by_one(work, tasks)
            return
        ray = _extra("ray", "ray")
        with ExitStack() as stack:
            self._connect(ray, stack)
            parcel = ray.put((told, tuple(sys.path)))
            remote = ray.remote(max_retries=0)(apply_work)
            workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
            try:
                yield from in_order(
                    tasks,
                    lambda task: remote.remote(parcel, task),
                    lambda future: _waited(ray.get, future),
                    workers * AHEAD,
                )
            except ray.exceptions.RayTaskError as error:
                raise _cause(error) from None
            except ray.exceptions.RayError as error:
                found = str(error).splitlines()[0]
                raise IncompleteError("engine", "a Ray worker died", found, "look at its log") from None

    def _connect(self, ray: Any, stack: ExitStack) -> None:
        if ray.is_initialized():
            return
        quiet = {"include_dashboard": False} if self.address is None else {}
        try:
            ray.init(address=self.address, num_cpus=self.workers, log_to_driver=False, logging_level="ERROR", **quiet)
        except ConnectionError as error:
            do = "start one: ray start --head, and ray start --address=HEAD on each further machine"
            raise IncompleteError("engine.address", "no Ray cluster answers", self.address or str(error), do) from None
        listen()  # it takes SIGTERM for itself
        stack.callback(ray.shutdown)


def _cause(error: Any) -> Exception:
    """What was raised in the worker."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, AuditError) else cause if isinstance(cause, Exception) else error


def _waited(wait: Callable[..., Any], *what: Any) -> Any:
    """What a cluster gives, which does not look for signals while it waits."""
    with raising():
        return wait(*what)


def _extra(module: str, extra: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise UsageError("engine", f"needs the extra {extra}", None, f"pip install 'auditfw[{extra}]'") from None
